"""A web server on loopback, in a thread: JSON messages at `/mcp`, and traps, urls that no client may request."""

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

from toolnexus_mrtr.cli._errors import BadInput, print_to_stderr
from toolnexus_mrtr.cli._json import parse_json

#: The most bytes of one message.
_MAX_MESSAGE: Final = 1 << 24

#: Finds the name of a trap in a path; anything may follow it.
_find_trap: Final = re.compile(r"/trap/(\w+)").search

_BAD_JSON: Final = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "expected one JSON object"}}


class MessageHandler(Protocol):
    """Answers the messages; never called twice at once."""

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Give the response to a message; `None` to a notification."""

    def note_unreadable(self) -> None:
        """Note a message that cannot be read as a JSON object."""

    def note_fetch(self, trap: str) -> None:
        """Note that the url of a trap was requested."""


class Loopback:
    """Listens on a port of 127.0.0.1, chosen by the system where it is 0; answers inside the block of `serve`."""

    def __init__(self, port: int) -> None:
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise BadInput(f"--port: expected a port that is free: {error.strerror}") from None
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.base}/mcp"

    @contextmanager
    def serve(self, handler: MessageHandler) -> Iterator[None]:
        """Pass the messages to a handler, one at a time, until the block ends; then close the port."""
        self._server.handler = handler
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()


# Not `http.server.HTTPServer`, which looks up the name of the machine when it starts.
class _Server(ThreadingTCPServer):
    handler: MessageHandler
    allow_reuse_address = True
    daemon_threads = True
    # Closing the server must not wait for connections that a client keeps open.
    block_on_close = False

    def __init__(self, *arguments: Any) -> None:
        self.one_at_a_time = threading.Lock()
        super().__init__(*arguments)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class has them
        # A client may hang up; only other errors are faults of this program.
        if not isinstance(sys.exception(), OSError):
            print_to_stderr(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    timeout = 30

    @property
    def _server(self) -> _Server:
        assert isinstance(self.server, _Server)  # noqa: S101 - only `_Server` makes handlers
        return self.server

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != "/mcp":
            self._refuse()
            return
        if not length.isdecimal() or int(length) > _MAX_MESSAGE:
            self._send(413 if length.isdecimal() else 411, None)
            return
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            # The client has hung up.
            return
        message = None
        with suppress(BadInput, UnicodeDecodeError):
            message = parse_json(body.decode("utf-8"))
        with self._server.one_at_a_time:
            if not isinstance(message, dict):
                self._server.handler.note_unreadable()
                self._send(400, _BAD_JSON)
            else:
                response = self._server.handler.answer(message)
                self._send(202 if response is None else 200, response)

    def _refuse(self) -> None:
        if trap := _find_trap(self.path):
            with self._server.one_at_a_time:
                self._server.handler.note_fetch(trap[1])
        self._send(405 if self.path == "/mcp" else 404, None)

    do_GET = do_HEAD = do_DELETE = do_OPTIONS = _refuse  # noqa: N815 - the names of the base class

    def _send(self, status: int, value: dict[str, Any] | None) -> None:
        body = b"" if value is None else json.dumps(value).encode("ascii")
        self.send_response(status)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: Any) -> None:
        """Log nothing: the report says what matters."""
