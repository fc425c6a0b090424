"""What the host takes from whom: its own pages, opened by the person whose calls they show, and nothing else."""

import httpx
import pytest
from conftest import Visitor


def test_a_post_without_the_token_of_its_session_is_refused(visitor, host, wire):
    path, form = visitor.call("visit")
    with Visitor(host.origin) as other:
        for token in ({}, {"token": ""}, {"token": "\u00e9"}, {"token": other.token}):
            refused = visitor.post(path, data={"seen": form["seen"], "decide": "0 accept"} | token)
            assert refused.status_code == 403
            assert visitor.post("/", data={"tool": "visit", "arguments": "{}"} | token).status_code == 403
    assert len(wire.sent) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://outside.example"},
        {"Origin": "null"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "null", "Sec-Fetch-Site": "same-site"},
        {"Origin": ""},
    ],
    ids=str,
)
def test_a_post_from_another_page_is_refused(visitor, wire, headers):
    path, form = visitor.call("visit")
    refused = visitor.post(path, data=form | {"decide": "0 accept"}, headers=headers)
    assert refused.status_code == 403
    assert len(wire.sent) == 1


def test_a_post_that_does_not_say_where_it_comes_from_is_refused(visitor, wire):
    path, form = visitor.call("visit")
    del visitor.headers["Origin"]
    assert visitor.post(path, data=form | {"decide": "0 accept"}).status_code == 403
    assert len(wire.sent) == 1


@pytest.mark.parametrize("name", ["outside.example", "localhost", "127.0.0.1", "127.0.0.1:1"])
def test_a_request_under_another_name_of_the_host_is_refused(visitor, name):
    refused = visitor.get("/", headers={"Host": name})
    assert refused.status_code == 421
    assert "set-cookie" not in refused.headers


def test_a_call_is_shown_and_answered_in_no_other_session_than_its_own(visitor, host, wire):
    path, form = visitor.call("visit")
    with Visitor(host.origin) as other:
        assert other.get(path).status_code == 404
        stolen = form | {"token": other.token, "decide": "0 accept"}
        assert other.post(path, data=stolen).status_code == 404
        assert path not in other.get("/").text
    assert len(wire.sent) == 1


def test_every_page_forbids_scripts_frames_and_referrers(visitor):
    path, form = visitor.call("visit")
    pages = [
        visitor.get("/"),
        visitor.get("/style.css"),
        visitor.get(path),
        visitor.get("/calls/none"),
        visitor.get("/none"),
        visitor.get("/", headers={"Host": "outside.example"}),
        visitor.post(path, data={}),
        visitor.post(path, data=form),
    ]
    assert [page.status_code for page in pages] == [200, 200, 200, 404, 404, 421, 403, 422]
    policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    for page in pages:
        assert page.headers["Content-Security-Policy"] == policy
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Cache-Control"] == "no-store"


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(host):
    cookie = httpx.get(host.origin, trust_env=False).headers["Set-Cookie"]
    assert {"HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))


@pytest.mark.parametrize("arguments", ["{", "[]", "NaN", '{"a": NaN}', '{"a": 1, "a": 2}', '{"a": ' + "[" * 20_000])
def test_arguments_that_cannot_be_sent_are_refused_and_kept(visitor, wire, arguments):
    refused = visitor.post("/", data={"token": visitor.token, "tool": "visit", "arguments": arguments})
    assert refused.status_code == 422
    assert arguments in refused.text.replace("&#34;", '"')
    assert wire.sent == []


def test_a_post_that_is_too_long_is_refused(visitor, wire):
    long = {"token": visitor.token, "tool": "visit", "arguments": "{}" + " " * 1_000_000}
    assert visitor.post("/", data=long).status_code == 413
    in_chunks = (b"a" * 100_000 for _ in range(20))
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert visitor.post("/", content=in_chunks, headers=headers).status_code == 413
    assert wire.sent == []


def test_a_link_from_another_site_leads_a_person_to_their_call(browser, wire):
    browser.call("visit")
    path = browser.path
    wire.page = f'<a href="{browser.origin}{path}">Go on</a>'
    browser.driver.get(wire.site)
    browser.find("a").click()
    assert browser.text(".host") == "sign-in.example"
    assert browser.path == path
