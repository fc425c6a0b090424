"""A person at a terminal: reads until a text appears, with a deadline, and presses keys; nothing sleeps."""

import os
import pty
import re
import select
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from toolnexus_mrtr import Call, Pause
from toolnexus_mrtr.cli._call._terminal import TerminalAsker
from toolnexus_mrtr.cli._call._terminal_screen import Screen

ENTER, ESCAPE, UP, DOWN, LEFT, PAGE_UP, PAGE_DOWN = "\r", "\x1b", "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[5~", "\x1b[6~"
BACK, DECLINE, REVIEW, READ_ON, INTERRUPT, ERASE = "\x1b[Z", "\x18", "\x07", "\x14", "\x03", "\x7f"

DEADLINE = 20

#: What a terminal obeys of what the prompts write; the texts between them are what a person sees.
CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Shown:
    """The stream of a terminal: everything that was written to it, and a way to wait for a text in it."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""
        self.seen = 0
        self.changed = threading.Condition()

    def write(self, text):
        with self.changed:
            self.text += text
            self.changed.notify_all()
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True

    def plain(self):
        return CONTROLS.sub("", self.text)


class Person:
    """Answers a pause in this process; `see` waits for a text behind the one that was seen last."""

    def __init__(self, shown, keys, done):
        self.shown, self._keys, self._done = shown, keys, done

    def see(self, text):
        shown = self.shown
        with shown.changed:
            found = shown.changed.wait_for(lambda: text in shown.plain()[shown.seen :] or self._done.done(), DEADLINE)
            at = shown.plain().find(text, shown.seen)
            assert found, f"nothing new is shown: {shown.plain()[shown.seen :]!r}"
            assert at >= 0, f"not shown: {text!r}, but: {shown.plain()[shown.seen :]!r}"
            shown.seen = at + len(text)
        return self

    def press(self, *keys):
        for key in keys:
            self._keys.send_text(key)
        return self

    def hang_up(self):
        self._keys.close()

    def is_done(self):
        return self._done.done()

    def answers(self):
        return self._done.result(DEADLINE)


@contextmanager
def asked(pause, monkeypatch, columns=80):
    """Let a person answer a pause on a terminal of so many columns."""
    shown = Shown()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    output = Vt100_Output(shown, lambda: Size(rows=40, columns=columns), term="xterm", enable_cpr=False)
    with create_pipe_input() as keys, ThreadPoolExecutor(1) as pool:
        done = pool.submit(TerminalAsker(Screen(keys, output)).answer, pause)
        done.add_done_callback(lambda _: shown.write(""))
        try:
            yield Person(shown, keys, done)
        finally:
            # A prompt that still waits ends with its input.
            keys.close()


def pause_for(*, server="parcels", tool="send_parcel", **asked: Any) -> Pause:
    """Make the pause of a call that asks for these, by key: params of an elicitation, or a whole entry."""
    entries = {
        key: ask if "method" in ask else {"method": "elicitation/create", "params": ask} for key, ask in asked.items()
    }
    call = Call("tools/call", {} if tool is None else {"name": tool}, server=server)
    pause = call.receive({"resultType": "input_required", "inputRequests": entries, "requestState": "s"})
    assert isinstance(pause, Pause)
    return pause


def form(properties, *required, message="Please fill this in", **rest):
    """Make the params of a form."""
    schema = {"type": "object", "properties": properties, "required": list(required), **rest}
    return {"mode": "form", "message": message, "requestedSchema": schema}


def visit(url, message="Please sign in"):
    return {"mode": "url", "message": message, "url": url, "elicitationId": "e"}


class PseudoTerminal:
    """A program on a pseudo-terminal: its standard input and error; its standard output is a pipe, read at its end."""

    def __init__(self, arguments, **environment):
        self._main, side = pty.openpty()
        variables = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "PROMPT_TOOLKIT_NO_CPR": "1", **environment}
        self.process = subprocess.Popen(
            arguments, stdin=side, stderr=side, stdout=subprocess.PIPE, env=variables, text=True, start_new_session=True
        )
        os.close(side)
        self.shown = ""
        self._seen = 0

    def see(self, text):
        until = time.monotonic() + DEADLINE
        while (at := CONTROLS.sub("", self.shown).find(text, self._seen)) < 0:
            ready = select.select([self._main], [], [], max(0, until - time.monotonic()))[0]
            assert ready, f"nothing new is shown: {self.shown!r}"
            assert self._read(), f"not shown: {text!r}, but: {self.shown!r}"
        self._seen = at + len(text)
        return self

    def _read(self):
        try:
            read = os.read(self._main, 65536) if self._main is not None else b""
        except OSError:
            # The other side was closed.
            return False
        self.shown += read.decode("utf-8", "replace")
        return bool(read)

    def press(self, *keys):
        for key in keys:
            os.write(self._main, key.encode())
        return self

    def end(self):
        """Read on to the end of the program; give its exit status and what it printed."""
        while self._read():
            pass
        printed = self.process.communicate(timeout=DEADLINE)[0]
        return self.process.returncode, printed

    def hang_up(self):
        """Close the terminal, as a window that is closed does."""
        os.close(self._main)
        self._main = None

    def stop(self):
        """End the program if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        if self._main is not None:
            self.hang_up()
