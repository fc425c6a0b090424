"""The terminal form as a person has it: a program on a pseudo-terminal."""

import json
import signal
import sys
from pathlib import Path

import pytest
from terminals import DECLINE, DOWN, ENTER, ESCAPE, INTERRUPT, READ_ON, PseudoTerminal, form, visit

ANSWERING = Path(__file__).parent / "answering.py"

NAME = form({"name": {"type": "string", "title": "Full name", "minLength": 2}}, "name", message="Who are you?")


@pytest.fixture
def start(tmp_path):
    """Give a function that starts the program with what is asked, on a pseudo-terminal."""
    terminals = []

    def start(environment=(), **asked):
        entries = {key: {"method": "elicitation/create", "params": params} for key, params in asked.items()}
        path = tmp_path / "paused.json"
        path.write_text(json.dumps({"resultType": "input_required", "inputRequests": entries}), "utf-8")
        terminals.append(PseudoTerminal([sys.executable, str(ANSWERING), str(path)], **dict(environment)))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.stop()


def test_a_form_is_filled_in_reviewed_and_sent(start):
    terminal = start(who=NAME)
    terminal.see('The server "parcels" asks, for the tool "send_parcel":').see("  | Who are you?")
    terminal.see("Full name").see("characters: at least 2").press("A").see("expected at least 2")
    terminal.press("da", ENTER).see("This leaves your machine").see('"name": "Ada"').see("Accept: send it")
    terminal.press(DOWN, ENTER)
    status, printed = terminal.end()
    assert (status, json.loads(printed)) == (0, {"who": {"action": "accept", "content": {"name": "Ada"}}})


@pytest.mark.parametrize(("key", "action"), [(ESCAPE, "cancel"), (DECLINE, "decline")])
def test_one_key_declines_or_cancels_and_nothing_that_was_typed_is_sent(start, key, action):
    terminal = start(who=NAME).see("Esc: cancel").press("Ada", key)
    status, printed = terminal.end()
    assert (status, json.loads(printed)) == (0, {"who": {"action": action}})


def test_ctrl_c_ends_it_and_sends_nothing(start):
    terminal = start(who=NAME).see("Ctrl-C: end, nothing is sent").press("Ada", INTERRUPT)
    assert terminal.end() == (130, "")


def test_a_signal_that_interrupts_ends_it_like_ctrl_c(start):
    terminal = start(who=NAME).see("Ctrl-C: end, nothing is sent").press("Ada").see("Ada")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == (130, "")


def test_a_terminal_that_hangs_up_answers_nothing(start):
    terminal = start(who=NAME).see("Esc: cancel").press("Ada")
    terminal.hang_up()
    status, printed = terminal.end()
    assert status != 0
    assert printed == ""


def test_a_terminal_that_cannot_move_its_cursor_answers_nothing(start):
    terminal = start({"TERM": "dumb"}, who=NAME).see("expected one that can move its cursor")
    assert terminal.end() == (1, "")


def test_a_visit_is_agreed_to_and_then_done_before_it_is_accepted(start):
    terminal = start(sign=visit("https://login.example.com/a?b=c"))
    terminal.see("host: login.example.com").see("https://login.example.com/a?b=c")
    terminal.see("Accept: I will open it in my browser").press(DOWN, ENTER)
    terminal.see("I am done there").see("Esc: cancel").press(DOWN, ENTER)
    status, printed = terminal.end()
    assert (status, json.loads(printed)) == (0, {"sign": {"action": "accept"}})


def test_a_secret_is_never_on_the_screen(start):
    terminal = start(who=form({"password": {"type": "string"}}, "password"))
    terminal.see("warning: this seems to ask for a secret").see("Esc: cancel").press("hunter2")
    terminal.see("*******").press(ENTER).see("This leaves").see('"password": (hidden)')
    terminal.see("Accept: send it").press(DOWN, ENTER)
    status, printed = terminal.end()
    assert (status, json.loads(printed)["who"]["content"]) == (0, {"password": "hunter2"})
    assert "hunter" not in terminal.shown


HOSTILE = "a\x1b[2J\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\b\u202egpj.exe\u2066\x9bx\r\nsecond\rline\u200b"


def test_no_text_of_a_server_reaches_the_terminal_as_a_command(start):
    field = {
        "type": "string",
        "title": HOSTILE,
        "description": HOSTILE,
        "default": HOSTILE,
        "examples": [HOSTILE],
        "pattern": "\x1b",
    }
    choice = {"type": "string", "oneOf": [{"const": HOSTILE, "title": HOSTILE + "2", "description": HOSTILE}]}
    asked = form({HOSTILE: field, "choice": choice}, "choice", message=HOSTILE, title=HOSTILE, description=HOSTILE)
    terminal = start(**{HOSTILE: asked}).see("1/2").see("Esc: cancel").press(ENTER).see("2/2").see("Esc: cancel")
    terminal.press(DOWN).see("> a").press(ENTER).see("This leaves").see("Accept: send it").press(DOWN, ENTER)
    status, printed = terminal.end()
    content = {HOSTILE: HOSTILE, "choice": HOSTILE}
    assert (status, json.loads(printed)) == (0, {HOSTILE: {"action": "accept", "content": content}})
    for command in ("\x1b[2J", "\x1b]", "\x07", "\x1b\\", "\u202e", "\u2066", "\x9b", "\u200b", "\rline"):
        assert command not in terminal.shown
    # Each line of the server has a prefix: none starts as one of the command does.
    assert "\nsecond" not in terminal.shown


@pytest.mark.parametrize(("count", "shown"), [(4_900, "1/4900"), (6_000, "can only be declined or cancelled")])
def test_a_form_of_thousands_of_fields_is_declined_without_reading_them(start, count, shown):
    terminal = start(who=form({f"f{n}": {} for n in range(count)})).see(shown).see("Ctrl-X: decline").press(DECLINE)
    status, printed = terminal.end()
    assert (status, json.loads(printed)) == (0, {"who": {"action": "decline"}})
    assert len(terminal.shown) < 5_000


def test_a_message_of_more_than_100_kilobytes_is_shown_a_page_at_a_time(start):
    message = "é" * 65_000
    assert len(message.encode()) > 100_000
    terminal = start(who={**NAME, "message": message}).see("more lines, Ctrl-T shows them").see("Ctrl-T: read on")
    assert len(terminal.shown) < 5_000
    terminal.press(READ_ON).see("more lines").see("Esc: cancel").press(ESCAPE)
    assert json.loads(terminal.end()[1]) == {"who": {"action": "cancel"}}
    assert len(terminal.shown) < 10_000
