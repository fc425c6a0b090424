"""Runs another program that answers vectors, one JSON line for each; it may crash, hang or write junk."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from contextlib import suppress
from typing import Any, Final

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse_json
from toolnexus_mrtr.cli._process import kill, split_command, start
from toolnexus_mrtr.cli._text import quote_short

#: How often in a row a program may hang before no more vectors are sent to it.
_MAX_HANGS: Final = 3

#: The most bytes of one answer, and of one read or write.
_MAX_ANSWER: Final = 1 << 20
_CHUNK: Final = 1 << 16

#: How many bytes of a line that is no answer are looked at; fewer characters are shown.
_MAX_QUOTED: Final = 1 << 10


class VectorFailed(Exception):
    """A vector failed without an outcome to compare; the text says why."""


class Program:
    """Starts a command when the first line is sent to it, and again after each line that it did not answer."""

    def __init__(self, command: str, seconds: float) -> None:
        self._command = split_command(command)
        self._seconds = seconds
        self._hangs = 0
        self._process: subprocess.Popen[bytes] | None = None
        #: Bytes that the program wrote after its last answer.
        self._unread = b""

    def ask(self, line: str) -> dict[str, Any]:
        """Send one line and give the answer, or raise `VectorFailed`; after several hangs in a row nothing is sent."""
        if self._hangs == _MAX_HANGS:
            raise VectorFailed(
                f"not asked: it hung {_MAX_HANGS} times in a row; does it flush every line that it writes?"
            )
        process = self._process or self._start()
        answer = self._exchange_lines(process, line.encode("ascii") + b"\n")
        if answer is None:
            self._hangs += 1
            self.stop()
            raise VectorFailed(f"no answer within {self._seconds:g} seconds")
        self._hangs = 0
        return self._parse_answer(answer)

    def stop(self) -> None:
        """Kill the program and every process of its process group."""
        process, self._process, self._unread = self._process, None, b""
        if process is not None:
            kill(process)

    def _start(self) -> subprocess.Popen[bytes]:
        process = self._process = start(self._command, subprocess.PIPE)
        os.set_blocking(_get_pipes(process)[0], False)
        return process

    def _exchange_lines(self, process: subprocess.Popen[bytes], line: bytes) -> bytes | None:
        """Write a line and read one: only a part of it where the program has ended, `None` where it hangs."""
        deadline = time.monotonic() + self._seconds
        stdin, stdout = _get_pipes(process)
        with selectors.DefaultSelector() as pipes:
            pipes.register(stdin, selectors.EVENT_WRITE)
            pipes.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread and len(self._unread) < _MAX_ANSWER:
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                for key, event in pipes.select(left):
                    if event == selectors.EVENT_READ:
                        chunk = os.read(key.fd, _CHUNK)
                        if not chunk:
                            return self._unread
                        self._unread += chunk
                    else:
                        try:
                            line = line[os.write(key.fd, line[:_CHUNK]) :]
                        except OSError:
                            # The program has closed its standard input.
                            return self._unread
                        if not line:
                            pipes.unregister(key.fileobj)
        answer, newline, self._unread = self._unread.partition(b"\n")
        return answer + newline

    def _parse_answer(self, answer: bytes) -> dict[str, Any]:
        value: Any = None
        if answer.endswith(b"\n"):
            with suppress(BadInput, UnicodeDecodeError):
                value = parse_json(answer.decode())
            if isinstance(value, dict) and len(value.keys() & {"expect", "error"}) == 1:
                return value
        self.stop()
        if not answer:
            raise VectorFailed("the program ended")
        found = quote_short(answer[:_MAX_QUOTED].decode(errors="backslashreplace").strip())
        raise VectorFailed(f"expected one line of JSON, at most 1 MiB, with either expect or error, found {found}")


def _get_pipes(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """Give the file descriptors of a program's standard input and output."""
    assert process.stdin is not None  # noqa: S101 - `start` was given PIPE for both
    assert process.stdout is not None  # noqa: S101 - `start` was given PIPE for both
    return process.stdin.fileno(), process.stdout.fileno()
