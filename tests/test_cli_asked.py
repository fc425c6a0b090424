"""Calls from a terminal: a person is asked there, and nobody else answers for them."""

import argparse
import json
import signal
import sys

import pytest
from command_line import form, pause_of
from http_server import Reply, serve
from terminals import DOWN, ENTER, ESCAPE, INTERRUPT, PseudoTerminal

from toolnexus_mrtr import Call
from toolnexus_mrtr.cli._call._asking import NobodyToAsk, ScriptedAsker, choose_asker
from toolnexus_mrtr.cli._call._terminal import TerminalAsker
from toolnexus_mrtr.cli._demo import _server

PROGRAM = [sys.executable, "-m", "toolnexus_mrtr"]


@pytest.fixture
def start():
    """Give a function that runs a command on a pseudo-terminal."""
    terminals = []

    def start(*arguments):
        terminals.append(PseudoTerminal([*PROGRAM, *arguments]))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.stop()


@pytest.fixture
def demo():
    """The server of the demo over HTTP: its url, and the requests that it got."""
    server = _server.Server()
    with serve(lambda message: Reply(json.dumps(server.answer(json.dumps(message).encode())).encode())) as served:
        yield served


def test_demo_asks_the_person_at_the_terminal_in_every_round(start):
    terminal = start("demo").see('The server "demo" asks, for the tool "booking":').see("Full name")
    terminal.see("Esc: cancel").press("Ada", ENTER).see("Guests").see("Esc: cancel").press(ENTER)
    terminal.see("Accept: send it").see("Esc: cancel").press(DOWN, ENTER)
    terminal.see("Which day suits Ada?").see("Esc: cancel").press("2026-07-28", ENTER)
    terminal.see("Seat").see("Esc: cancel").press(ENTER)
    terminal.see("Accept: send it").see("Esc: cancel").press(DOWN, ENTER)
    status, printed = terminal.end()
    assert status == 0, terminal.shown
    assert json.loads(printed)["structuredContent"]["name"] == "Ada"
    assert terminal.shown.count("Who is the table for?") == 1


def test_call_sends_the_cancel_of_a_person_who_presses_escape(start, demo):
    url, posts = demo
    status, _ = start("call", url, "decline").see("Three drafts").see("Esc: cancel").press(ESCAPE).end()
    assert status == 0
    assert posts[-1].message["params"]["inputResponses"] == {"delete": {"action": "cancel"}}


def test_ctrl_c_answers_nothing_and_the_call_is_gone_on_with_from_what_save_stored(start, demo, tmp_path):
    url, posts = demo
    saved = str(tmp_path / "saved.json")
    terminal = (
        start("call", url, "task", "--save", saved).see("When shall it come?").see("Esc: cancel").press(INTERRUPT)
    )
    assert terminal.end() == (128 + signal.SIGINT, "")
    assert "`toolnexus-mrtr resume` goes on from it" in terminal.shown
    assert {post.message["method"] for post in posts} == {"tools/call", "tasks/get"}
    terminal = start("resume", url, saved).see("When shall it come?").see("Esc: cancel").press(ESCAPE)
    status, printed = terminal.end()
    assert (status, json.loads(printed)["content"][0]["text"]) == (0, "The parcel stays.")


def test_ctrl_c_without_save_cancels_the_task(start, demo):
    url, posts = demo
    terminal = start("call", url, "task").see("When shall it come?").see("Esc: cancel").press(INTERRUPT)
    assert terminal.end() == (128 + signal.SIGINT, "")
    assert posts[-1].message["method"] == "tasks/cancel"
    assert "the task of the call was cancelled" in terminal.shown


NO_ANSWERS = {"accept": [], "decline": [], "cancel": [], "json": [], "answers": None}


@pytest.fixture
def _terminal(monkeypatch):
    monkeypatch.setattr("toolnexus_mrtr.cli._call._asking._is_person_there", lambda: True)


def choose(**options):
    return choose_asker(argparse.Namespace(**NO_ANSWERS | options))


@pytest.mark.usefixtures("_terminal")
def test_a_person_is_asked_unless_there_are_answers_already(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text("{}", "ascii")
    assert isinstance(choose(), TerminalAsker)
    for given in ({"accept": ["a"]}, {"decline": ["a"]}, {"cancel": ["a"]}, {"json": ["a={}"]}, {"answers": str(path)}):
        assert isinstance(choose(**given), ScriptedAsker)


@pytest.mark.parametrize("closed", ["stdin", "stderr"])
def test_nobody_is_asked_where_standard_input_or_standard_error_is_closed(monkeypatch, closed):
    monkeypatch.setattr(sys, closed, None)
    assert isinstance(choose(), ScriptedAsker)


@pytest.mark.usefixtures("_terminal")
def test_without_the_extra_a_question_at_a_terminal_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "prompt_toolkit.buffer", None)
    for module in ("_terminal", "_terminal_form", "_terminal_prompts"):
        monkeypatch.delitem(sys.modules, f"toolnexus_mrtr.cli._call.{module}")
    pause = Call("tools/call", {"name": "t"}).receive(pause_of({"a": form()}))
    with pytest.raises(NobodyToAsk, match=r"or to be asked on this terminal: pip install 'toolnexus-mrtr\[call\]'$"):
        choose().answer(pause)
