"""Speaks to a server that it starts: one message a line on its standard input and output."""

from __future__ import annotations

import io
import itertools
import queue
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, Self

from toolnexus_mrtr.cli._call._log import Log
from toolnexus_mrtr.cli._call._rpc import decode_message, encode_message, find_response, make_request, read_result
from toolnexus_mrtr.cli._errors import CallFailed
from toolnexus_mrtr.cli._process import kill, start

#: The most bytes of one message.
_MAX_LINE: Final = 1 << 26

#: How many seconds a server may take to end once its standard input is closed.
_END_SECONDS: Final = 2.0


class StdioServer:
    """A server in a process of its own; it is started when the block is entered, and has ended when it is left.

    `seconds` is how long it may take to answer one request.
    """

    def __init__(self, command: list[str], seconds: float, log: Log | None = None) -> None:
        self._command = command
        self._seconds = seconds
        self._log = log or Log()
        self._ids = itertools.count(1)
        #: The lines that the server wrote; `None` at their end.
        self._lines: queue.Queue[bytes | None] = queue.Queue()

    def __enter__(self) -> Self:
        self._process = start(self._command, subprocess.PIPE, "--stdio")
        # A thread reads, since no pipe can be read with a time limit on every system.
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # basic/transports/stdio, "Shutdown": a server ends when its standard input is closed.
        assert self._process.stdin is not None  # noqa: S101 - `start` was given PIPE
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        kill(self._process)

    def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and give its result; raises `CallFailed`."""
        request = make_request(next(self._ids), method, params)
        self._log.note_request(request)
        line = encode_message(request) + b"\n"
        assert self._process.stdin is not None  # noqa: S101 - `start` was given PIPE
        # A server that has ended is known by the end of what it wrote.
        with suppress(OSError):
            while line:
                line = line[self._process.stdin.write(line) :]
        response = find_response(self._read_messages(method), request)
        self._log.note_response(response)
        return read_result(response, method)

    def _read_messages(self, method: str) -> Iterator[dict[str, Any]]:
        deadline = time.monotonic() + self._seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise CallFailed(f"the server did not answer {method} within {self._seconds:g} seconds") from None
            if line is None:
                # Whoever asks again learns it again.
                self._lines.put(None)
                return
            if line.strip():
                yield decode_message(line)

    def _read(self, stdout: io.RawIOBase) -> None:
        with suppress(OSError, ValueError), io.BufferedReader(stdout) as lines:
            while line := lines.readline(_MAX_LINE):
                self._lines.put(line)
        self._lines.put(None)
