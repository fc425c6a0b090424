"""A web server on loopback, in a thread: JSON messages in and out at `/mcp`, and traps that nobody may walk into."""

from __future__ import annotations

import json
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, Final, Protocol

from toolnexus_mrtr.cli._errors import BadInput, say
from toolnexus_mrtr.cli._json import parse

#: The longest message that is read, in bytes.
_LONGEST: Final = 1 << 24

#: A trap has a name; what stands behind it does not matter.
_trap: Final = re.compile(r"/trap/(\w+)").search

_BAD_JSON: Final = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "expected one JSON object"}}


class Player(Protocol):
    """Who answers the messages."""

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Give the response to a message; none to a notification."""

    def unreadable(self) -> None:
        """Note a message that was no JSON object."""

    def fetched(self, trap: str) -> None:
        """Note that a trap was requested."""


class Loopback:
    """Listens on a port of 127.0.0.1, the system's choice where it is 0; answers once it is `serving` a player."""

    def __init__(self, port: int) -> None:
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise BadInput(f"--port: expected a port that is free: {error.strerror}") from None
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.base}/mcp"

    @contextmanager
    def serving(self, player: Player) -> Iterator[None]:
        """Answer for as long as the block lasts, one message at a time; then close the port."""
        self._server.player = player
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()


# The server of `http.server` would look up the name of the machine.
class _Server(ThreadingTCPServer):
    player: Player
    allow_reuse_address = True
    daemon_threads = True
    # A client that keeps its connection open does not keep the server up.
    block_on_close = False

    def __init__(self, *arguments: Any) -> None:
        self.one_at_a_time = threading.Lock()
        super().__init__(*arguments)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class has them
        # A client that hangs up has its reasons.
        if not isinstance(sys.exception(), OSError):
            say(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    timeout = 30

    @property
    def _server(self) -> _Server:
        assert isinstance(self.server, _Server)  # noqa: S101 - nothing else makes one
        return self.server

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != "/mcp":
            self._elsewhere()
            return
        if not length.isdecimal() or int(length) > _LONGEST:
            self._send(413 if length.isdecimal() else 411, None)
            return
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            # The client has hung up.
            return
        message = None
        with suppress(BadInput, UnicodeDecodeError):
            message = parse(body.decode("utf-8"))
        with self._server.one_at_a_time:
            if not isinstance(message, dict):
                self._server.player.unreadable()
                self._send(400, _BAD_JSON)
            else:
                response = self._server.player.answer(message)
                self._send(202 if response is None else 200, response)

    def _elsewhere(self) -> None:
        if trap := _trap(self.path):
            with self._server.one_at_a_time:
                self._server.player.fetched(trap[1])
        self._send(405 if self.path == "/mcp" else 404, None)

    do_GET = do_HEAD = do_DELETE = do_OPTIONS = _elsewhere  # noqa: N815 - the names of the base class

    def _send(self, status: int, value: dict[str, Any] | None) -> None:
        body = b"" if value is None else json.dumps(value).encode("ascii")
        self.send_response(status)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: Any) -> None:
        """Say nothing: the report does."""
