"""A call goes on later: in another tab, after a failed send, after a restart of the host, of the server, or of both."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from browser import Browser
from conftest import start_server

SIZE = {"size": {"action": "accept", "content": {"size": 0.5}}}
SURE = {"sure": {"action": "accept", "content": {"sure": True}}}
HEARD = [SIZE, None, SURE]


def answer_size(browser, size="0.5"):
    browser.type("size", size)
    browser.press("Send this")


def answer_sure(browser):
    browser.box("sure").click()
    browser.press("Send this")


def test_a_call_goes_through_several_rounds_and_one_that_asks_nothing(browser):
    browser.call("rounds")
    answer_size(browser)
    answer_sure(browser)
    assert browser.result() == HEARD


def test_of_two_tabs_with_one_pause_the_first_one_answers(browser, wire):
    browser.call("rounds")
    browser.open_tab(browser.path)
    answer_size(browser, "1.5")
    browser.switch_tab(0)
    answer_size(browser)
    assert "Nothing was sent." in browser.text("#replaced")
    assert browser.text("h2") == "Sure?"
    assert [params["inputResponses"] for params in wire.sent if "inputResponses" in params] == [
        {"size": {"action": "accept", "content": {"size": 1.5}}}
    ]


def test_a_tab_that_still_shows_a_finished_call_can_answer_nothing(browser, wire):
    browser.call("visit")
    browser.open_tab(browser.path)
    browser.press("Decline")
    browser.switch_tab(0)
    browser.press("I am done there")
    assert browser.find("#replaced")
    assert browser.result() == [{"consent": {"action": "decline"}}]
    assert len(wire.sent) == 2


def test_a_form_that_is_submitted_twice_is_sent_once(visitor, wire):
    path, form = visitor.call("visit")
    wire.arrived.acquire(timeout=20)
    wire.open.clear()
    with ThreadPoolExecutor() as pool:
        first = pool.submit(visitor.post, path, data=form | {"decide": "0 accept"})
        assert wire.arrived.acquire(timeout=20)
        second = visitor.post(path, data=form | {"decide": "0 accept"})
        wire.open.set()
        assert (first.result().status_code, second.status_code) == (303, 409)
    assert "The call is being sent" in second.text
    assert "Send again" not in second.text
    assert "The call is done" in visitor.get(path).text
    assert len(wire.sent) == 2


@pytest.mark.parametrize("cut", ["before", "behind"])
def test_a_send_that_fails_loses_no_answer_and_is_made_again_when_a_person_says_so(browser, wire, cut):
    browser.call("rounds")
    wire.cut = cut
    answer_size(browser)
    assert browser.text("h1") == "No answer came from the server"
    browser.open(browser.path)
    browser.open(browser.path)
    assert len(wire.sent) == (1 if cut == "before" else 2)
    wire.cut = ""
    browser.press("Send again")
    assert wire.sent[1]["inputResponses"] == SIZE
    assert wire.sent[1:-1] == ([] if cut == "before" else [wire.sent[1]]) + [wire.sent[-2]]
    answer_sure(browser)
    assert browser.result() == HEARD


def test_a_host_that_is_killed_while_it_sends_loses_no_answer(visitor, wire, host):
    path, form = visitor.call("visit")
    assert wire.arrived.acquire(timeout=20)
    wire.open.clear()
    with ThreadPoolExecutor() as pool:
        sending = pool.submit(visitor.post, path, data=form | {"decide": "0 decline"})
        assert wire.arrived.acquire(timeout=20)
        host.start()
        assert sending.exception(20) is not None
    wire.open.set()
    form |= {"seen": visitor.hidden(visitor.get(path), "seen"), "again": ""}
    assert visitor.post(path, data=form).status_code == 303
    assert "The call is done" in visitor.get(path).text
    assert wire.sent[2] == wire.sent[1]


def test_a_call_is_sent_again_once_though_two_tabs_say_so(browser, wire):
    browser.call("visit")
    wire.cut = "before"
    browser.press("Decline")
    browser.open_tab(browser.path)
    wire.cut = ""
    browser.press("Send again")
    browser.switch_tab(0)
    browser.press("Send again")
    assert browser.find("#replaced")
    assert browser.result() == [{"consent": {"action": "decline"}}]
    assert len(wire.sent) == 2


def test_a_first_send_that_fails_is_made_again(browser, wire):
    wire.cut = "before"
    browser.call("visit")
    wire.cut = ""
    browser.press("Send again")
    assert browser.text("h2") == "Sign in, please"


def test_an_error_of_the_server_is_shown_and_nothing_goes_on(browser, wire):
    browser.call("no such tool")
    assert browser.text("#error-code") == "Its code is -32603."
    assert len(wire.sent) == 1


def test_a_pause_that_asks_nothing_is_waited_out_without_a_person(browser, wire, host):
    host.start("--patience", "0.3")
    browser.call("wait")
    assert browser.text("h1") == "The server needs time"
    browser.find("#result")
    assert browser.result() == [None] * 5
    assert len(wire.sent) == 6


def test_two_tabs_that_wait_for_one_call_go_on_with_it_once(visitor, wire, host):
    host.start("--patience", "0.01")
    form = {"token": visitor.token, "tool": "wait", "arguments": "{}"}
    path = visitor.post("/", data=form).headers["location"]
    with ThreadPoolExecutor() as pool:
        both = (pool.map(visitor.get, [path] * 2) for _ in range(50))
        assert any("The call is done" in page.text for pages in both for page in pages)
    states = [params.get("requestState") for params in wire.sent]
    assert len(set(states)) == len(states) == 6


def test_the_host_is_restarted_between_rounds(browser, host):
    browser.call("rounds")
    host.start()
    answer_size(browser)
    host.start()
    answer_sure(browser)
    assert browser.result() == HEARD


def test_a_person_comes_back_three_days_later_to_a_host_and_a_server_that_were_restarted(host, wire, tmp_path):
    browser = Browser(tmp_path)
    browser.origin = host.origin
    browser.call("rounds")
    answer_size(browser)
    browser.quit()
    with start_server(days=3) as wire.target:
        host.start(days=3)
        browser = Browser(tmp_path)
        browser.origin = host.origin
        browser.open()
        browser.follow("#calls a")
        answer_sure(browser)
        assert browser.result() == HEARD
        browser.quit()


def test_a_person_comes_back_after_the_session_has_ended_and_finds_nothing(visitor, host):
    path, form = visitor.call("rounds")
    host.start(days=29)
    assert visitor.get(path).status_code == 200
    host.start(days=31)
    assert visitor.post(path, data=form | {"decide": "0 decline"}).status_code == 403
    assert visitor.get(path).status_code == 404


def test_a_server_that_refuses_its_state_after_three_days_is_called_anew(browser, wire):
    key = "a key that two servers in a row seal their states by"
    with start_server("--sealed", key) as wire.target:
        browser.call("rounds")
    with start_server("--sealed", key, days=3) as wire.target:
        answer_size(browser, "1.5")
        assert browser.text("h1") == "The server refuses to go on"
        browser.press("Start anew")
        assert browser.text("h2") == "How large?"
        assert wire.sent[2] == wire.sent[0]
        answer_size(browser)
        answer_sure(browser)
        assert browser.result() == HEARD
