"""What a hostile server sends is text on a page, whatever it looks like, and leads nowhere."""

import pytest

RAN = "document.title = 'ran'"
SCRIPT = f"<script>{RAN}</script>"
OUTSIDE = "http://outside.example"


def pause(**params):
    entry = {"method": "elicitation/create", "params": params}
    return {"resultType": "input_required", "inputRequests": {f"</form>{SCRIPT}": entry}}


HOSTILE = pause(
    message=f'{SCRIPT}<img src="{OUTSIDE}/1" onerror="{RAN}">\u202egnihton\x1b[2J\nsecond line',
    requestedSchema={
        "type": "object",
        "title": f'</title><base href="{OUTSIDE}/2">',
        "description": f"<style>@import '{OUTSIDE}/3'</style>{{{{ 7 * 7 }}}}\u200b",
        "properties": {
            f'" onfocus="{RAN}" autofocus x="': {
                "type": "string",
                "description": f'<iframe src="{OUTSIDE}/4"></iframe>',
                "default": f'">{SCRIPT}',
            },
            "area": {"type": "string", "default": f"\n</textarea>{SCRIPT}"},
            "pick": {
                "title": f"<b>{SCRIPT}</b>",
                "oneOf": [{"const": f'">{SCRIPT}\ud800', "title": f"<link rel=stylesheet href={OUTSIDE}/5>"}],
            },
            "suggested": {"anyOf": [{"type": "string", "enum": [f'">{SCRIPT}', "\ud800"]}, {"type": "string"}]},
            "code": {"type": "string", "pattern": f'" onfocus="{RAN}" x="(a+)+$'},
            "half": {"type": "string", "default": "\ud800"},
        },
    },
)


def test_hostile_text_is_shown_as_text_and_nothing_of_it_runs_or_is_requested(browser, host, wire):
    wire.results.append(HOSTILE)
    browser.call("visit")
    assert browser.text("h2") == (f'{SCRIPT}<img src="{OUTSIDE}/1" onerror="{RAN}">\\u202egnihton\\x1b[2J\nsecond line')
    assert browser.text("h3") == f'</title><base href="{OUTSIDE}/2">'
    assert browser.text("h3 + p") == f"<style>@import '{OUTSIDE}/3'</style>{{{{ 7 * 7 }}}}\\u200b"
    assert browser.driver.title == "Calls"
    assert browser.all("script, img, iframe, base, style, b, [onfocus], [onerror], [autofocus], form form") == []
    assert len(browser.all("link")) == len(browser.all("title")) == len(browser.all("form")) == 1
    assert browser.complaints() == []
    assert browser.requested() == {host.origin + path for path in ("/", "/style.css", browser.path)}


def test_hostile_defaults_come_back_as_they_were_sent(browser, wire):
    del HOSTILE["inputRequests"][f"</form>{SCRIPT}"]["params"]["requestedSchema"]["properties"]["half"]
    wire.results.append(HOSTILE)
    browser.call("visit")
    browser.press("Send this")
    (heard,) = browser.result()
    assert heard == {
        f"</form>{SCRIPT}": {
            "action": "accept",
            "content": {f'" onfocus="{RAN}" autofocus x="': f'">{SCRIPT}', "area": f"\n</textarea>{SCRIPT}"},
        }
    }
    assert browser.complaints() == []


@pytest.mark.parametrize(
    "url",
    [
        f"javascript:{RAN}",
        f"data:text/html,{SCRIPT}",
        "https://bank.example@outside.example/",
        "https://bank.example\u202e/",
        "file:///etc/passwd",
    ],
)
def test_a_url_that_may_deceive_is_shown_to_nobody(browser, wire, url):
    wire.results.append(pause(mode="url", message="Come in", url=url))
    browser.call("visit")
    assert browser.text("#failed").startswith("What the server sent is unusable: expected a url")
    assert [link.text for link in browser.all("a")] == ["All calls"]
    assert len(wire.sent) == 1


def test_a_long_text_is_shown_whole_and_pushes_nothing_off_the_page(browser, wire):
    text = "long" * 16_000
    wire.results.append(pause(message=text, requestedSchema={"type": "object", "properties": {text: {}}}))
    browser.call("visit")
    assert browser.text("h2") == text
    assert browser.driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    browser.press("Decline")
    assert browser.result() == [{f"</form>{SCRIPT}": {"action": "decline"}}]


def test_a_hostile_result_is_shown_as_text(browser, wire):
    wire.results.append({"content": [{"type": "text", "text": f"{SCRIPT}\u202e\ud800"}]})
    browser.call("visit")
    assert browser.text("#result").endswith(f'"{SCRIPT}\\u202e\\ud800"' + "}]}")
    assert browser.driver.title == "Calls"
    assert browser.complaints() == []


@pytest.mark.parametrize("code", ["\ud800", "unusable: <b>", "no answer", None, {}], ids=ascii)
def test_an_error_whose_code_is_no_number_is_an_unusable_answer(visitor, wire, code):
    wire.errors.append({"code": code, "message": "m"})
    begun = visitor.post("/", data={"token": visitor.token, "tool": "visit", "arguments": "{}"})
    page = visitor.get(begun.headers["location"])
    assert "What the server sent is unusable: expected a number as the code of an error." in page.text
