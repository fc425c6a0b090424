"""Another program that carries out the operations: a JSON line in, a JSON line out; it may crash, hang or babble."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from contextlib import suppress
from typing import Any, Final

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse
from toolnexus_mrtr.cli._process import kill, started, words

#: How often in a row a program may hang before it is given up.
_PATIENCE: Final = 3

#: The longest answer that is read, and how much is read or written at once, in bytes.
_LONGEST: Final = 1 << 20
_CHUNK: Final = 1 << 16


class NoAnswer(Exception):
    """The program did not answer one vector; the text says what it did."""


class Program:
    """Runs a command for as long as it answers, and starts it anew when it did not."""

    def __init__(self, command: str, seconds: float) -> None:
        self._words = words(command)
        self._seconds = seconds
        self._hung = 0
        self._process: subprocess.Popen[bytes] | None = None
        #: What was read behind the last answer.
        self._rest = b""

    def ask(self, line: str) -> dict[str, Any]:
        """Give the answer to one line; a program that only hangs is not asked for ever."""
        if self._hung == _PATIENCE:
            raise NoAnswer(f"not asked: it hung {_PATIENCE} times in a row; does it flush every line that it writes?")
        process = self._process = self._process or self._start()
        answer = self._asked(process, line.encode("ascii") + b"\n")
        if answer is None:
            self._hung += 1
            self.stop()
            raise NoAnswer(f"no answer within {self._seconds:g} seconds")
        self._hung = 0
        return self._read(answer)

    def stop(self) -> None:
        """End the program, and all that it started in its session."""
        process, self._process, self._rest = self._process, None, b""
        if process is not None:
            kill(process)

    def _start(self) -> subprocess.Popen[bytes]:
        process = started(self._words, subprocess.PIPE)
        os.set_blocking(_pipes(process)[0], False)
        return process

    def _asked(self, process: subprocess.Popen[bytes], line: bytes) -> bytes | None:
        """Write a line, read a line: what there was of it where the program has ended, `None` where it hangs."""
        deadline = time.monotonic() + self._seconds
        to_it, from_it = _pipes(process)
        with selectors.DefaultSelector() as pipes:
            pipes.register(to_it, selectors.EVENT_WRITE)
            pipes.register(from_it, selectors.EVENT_READ)
            while b"\n" not in self._rest and len(self._rest) < _LONGEST:
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                for key, event in pipes.select(left):
                    if event == selectors.EVENT_READ:
                        chunk = os.read(key.fd, _CHUNK)
                        if not chunk:
                            return self._rest
                        self._rest += chunk
                    else:
                        try:
                            line = line[os.write(key.fd, line[:_CHUNK]) :]
                        except OSError:
                            # Nobody reads it any more.
                            return self._rest
                        if not line:
                            pipes.unregister(key.fileobj)
        answer, newline, self._rest = self._rest.partition(b"\n")
        return answer + newline

    def _read(self, answer: bytes) -> dict[str, Any]:
        value: Any = None
        if answer.endswith(b"\n"):
            with suppress(BadInput, UnicodeDecodeError):
                value = parse(answer.decode())
            if isinstance(value, dict) and len(value.keys() & {"expect", "error"}) == 1:
                return value
        self.stop()
        raise NoAnswer("no line of JSON with expect or error" if answer else "the program ended")


def _pipes(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """The pipe to a program, and the one from it."""
    assert process.stdin is not None  # noqa: S101 - both were asked for
    assert process.stdout is not None  # noqa: S101 - as above
    return process.stdin.fileno(), process.stdout.fileno()
