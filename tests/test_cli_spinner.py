"""The line on a terminal that says that something is waited for."""

import threading
from contextlib import redirect_stderr

import pytest
from command_line import Terminal

from toolnexus_mrtr.cli._call import _spinner


class Watched(Terminal):
    """A terminal that says when something was drawn on it."""

    def __init__(self):
        super().__init__()
        self.drawn = threading.Event()

    def write(self, text):
        super().write(text)
        self.drawn.set()


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(_spinner, "_PACE", 0.001)
    return Watched()


def spin(terminal, text):
    with redirect_stderr(terminal), _spinner.spin(text):
        assert terminal.drawn.wait(5)
    frames = terminal.getvalue().split("\r\x1b[2K")
    assert (frames[0], frames[-1]) == ("", "")
    return frames[1]


def test_the_spinner_draws_a_line_and_takes_it_away_again(terminal):
    assert spin(terminal, "request 1: looking") == "- 0 s  request 1: looking"


def test_the_spinner_shows_no_more_than_fits_and_nothing_that_a_terminal_obeys(terminal):
    assert spin(terminal, "a\x1b[2J\n" + "x" * 100) == "- 0 s  a\\x1b[2J\\n" + "x" * 22


def test_the_spinner_leaves_room_for_wide_characters(terminal):
    assert spin(terminal, "界" * 100) == "- 0 s  " + "界" * 8


def test_the_spinner_draws_nothing_that_was_over_at_once(terminal, monkeypatch):
    monkeypatch.setattr(_spinner, "_PACE", 60)
    with redirect_stderr(terminal), _spinner.spin("x"):
        pass
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_spinner_draws_nothing_where_a_line_cannot_be_taken_away(terminal, monkeypatch, is_terminal):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(terminal, "isatty", lambda: is_terminal)
    with redirect_stderr(terminal), _spinner.spin("x"):
        pass
    assert terminal.getvalue() == ""


def test_the_spinner_ends_nothing_where_it_cannot_draw(terminal, monkeypatch):
    def fail(_):
        terminal.drawn.set()
        raise OSError

    monkeypatch.setattr(terminal, "write", fail)
    with redirect_stderr(terminal), _spinner.spin("x"):
        assert terminal.drawn.wait(5)
