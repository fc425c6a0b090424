"""Another program that carries out the operations: a JSON line in, a JSON line out; it may crash, hang or babble."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from toolnexus_mrtr.cli._input import BadInput, parse

#: How often in a row a program may hang before it is given up.
_PATIENCE: Final = 3

#: The longest answer that is read, in bytes.
_LONGEST: Final = 1 << 24


class NoAnswer(Exception):
    """The program did not answer one vector; the text says what it did."""


class Program:
    """Runs a command for as long as it answers, and starts it anew when it did not."""

    def __init__(self, command: str, seconds: float) -> None:
        self._seconds = seconds
        self._hung = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._threads = ThreadPoolExecutor(1)
        try:
            self._words = shlex.split(command)
        except ValueError:
            self._words = []
        if not self._words:
            raise BadInput("--cmd: expected a command")

    def ask(self, line: str) -> dict[str, Any]:
        """Give the answer to one line; a program that only hangs is not asked for ever."""
        if self._hung == _PATIENCE:
            raise NoAnswer(f"not asked: it hung {_PATIENCE} times in a row; does it flush every line that it writes?")
        process = self._process = self._process or self._start()
        asked = self._threads.submit(_asked, process, line)
        try:
            answer = asked.result(self._seconds)
        except TimeoutError:
            answer = None
        if answer is None:
            self._hung += 1
            self.stop()
            asked.result()
            raise NoAnswer(f"no answer within {self._seconds:g} seconds")
        self._hung = 0
        return self._read(answer)

    def stop(self) -> None:
        """End the program, and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        # Leaving closes the pipes, and waits for the program to end.
        with suppress(BrokenPipeError), process, suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the program and let go of the thread that waits for it."""
        self.stop()
        self._threads.shutdown()

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            reason = error.strerror
        raise BadInput(f"--cmd: expected a program that runs: {reason}")

    def _read(self, answer: bytes) -> dict[str, Any]:
        value: Any = None
        if answer.endswith(b"\n"):
            with suppress(BadInput, UnicodeDecodeError):
                value = parse(answer.decode())
            if isinstance(value, dict) and len(value.keys() & {"expect", "error"}) == 1:
                return value
        self.stop()
        raise NoAnswer("no line of JSON with expect or error" if answer else "the program ended")


def _asked(process: subprocess.Popen[bytes], line: str) -> bytes:
    """Write a line, read a line; nothing where the program has ended."""
    assert process.stdin is not None  # noqa: S101 - both are pipes
    assert process.stdout is not None  # noqa: S101 - as above
    try:
        process.stdin.write(line.encode("ascii") + b"\n")
        process.stdin.flush()
        return process.stdout.readline(_LONGEST)
    except OSError:
        return b""
