"""A web server on loopback, in threads: JSON messages at `/mcp`, and traps, urls that no client may request.

It takes a bounded number of connections and bounded messages, and nothing from a web page of another site.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from toolnexus_mrtr.cli._adversary._messages import BadMessage, read_message
from toolnexus_mrtr.cli._errors import BadInput, print_to_stderr

#: The most bytes of one message, and of one line that says how long a chunk is.
_MAX_MESSAGE: Final = 1 << 20
_MAX_CHUNK_LINE: Final = 1 << 10

#: The most connections at once.
_MAX_CONNECTIONS: Final = 128

#: Finds the name of a trap in a path; anything may follow it.
_find_trap: Final = re.compile(r"/trap/(\w+)").search

_LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost", "::1")

_BAD_JSON: Final = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "expected one JSON object"}}

#: The status of a response with a JSON-RPC error (basic/transports/streamable-http, "Protocol Version Header").
_STATUSES: Final = {-32601: 404, -32022: 400}


class MessageHandler(Protocol):
    """Answers the messages; never called twice at once."""

    def answer(self, message: dict[str, Any], name: str | None) -> dict[str, Any] | None:
        """Give the response to a message, `None` to a notification; `name` is its header `Mcp-Name`."""

    def note(self, rule: str, sentence: str) -> None:
        """Note that a rule was broken."""

    def note_fetch(self, trap: str) -> None:
        """Note that the url of a trap was requested."""


class Loopback:
    """Listens on a port of 127.0.0.1, chosen by the system where it is 0; answers inside the block of `serve`."""

    def __init__(self, port: int) -> None:
        try:
            self.server = _Server(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise BadInput(f"--port: expected a port that is free: {error.strerror}") from None
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.url = f"{self.base}/mcp"

    @contextmanager
    def serve(self, handler: MessageHandler) -> Iterator[None]:
        """Pass the messages to a handler, one at a time, until the block ends; then close the port."""
        self.server.handler = handler
        thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.server.shutdown()
            thread.join()
            self.server.close()


# Not `http.server.HTTPServer`, which looks up the name of the machine when it starts.
class _Server(ThreadingTCPServer):
    handler: MessageHandler
    allow_reuse_address = True
    request_queue_size = _MAX_CONNECTIONS

    def __init__(self, *arguments: Any) -> None:
        self.one_at_a_time = threading.Lock()
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._ids: Counter[str] = Counter()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own; close it if there are too many."""
        with self._lock:
            has_room = len(self._connections) < _MAX_CONNECTIONS
            if has_room:
                self._connections.add(request)
        if has_room:
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def close(self) -> None:
        """Close the port, and the connections that clients keep open; wait for their threads."""
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def handle_message(self, message: dict[str, Any], name: str | None) -> dict[str, Any] | None:
        """Pass a message to the handler; notes an id that is in flight, from here until the response is about to go."""
        id = json.dumps(message.get("id"))
        with self._lock:
            is_in_flight = self._ids[id] > 0 and "id" in message
            self._ids[id] += 1
        try:
            with self.one_at_a_time:
                if is_in_flight:
                    self.handler.note("id-in-flight", "expected an id that no request in flight has")
                return self.handler.answer(message, name)
        finally:
            with self._lock:
                self._ids[id] -= 1
                self._ids += Counter()  # Drops those that are not in flight any more.

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class has them
        # A client may hang up; only other errors are faults of this program.
        if not isinstance(sys.exception(), OSError):
            print_to_stderr(traceback.format_exc())


class _Refused(Exception):
    """A request that is answered with this status alone, and whose body is not read."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    # Else an answer in two writes waits for the acknowledgement of the first.
    disable_nagle_algorithm = True

    @property
    def _server(self) -> _Server:
        assert isinstance(self.server, _Server)  # noqa: S101 - only `_Server` makes handlers
        return self.server

    def _handle(self) -> None:
        try:
            self._require_loopback()
            if self.command != "POST" or self.path != "/mcp":
                self._refuse()
            body = self._read_body()
        except _Refused as refused:
            # What was not read of the body would be taken for the next request.
            self.close_connection = True
            self._send(refused.status, None)
            self._discard()
            return
        if body is None:
            # The client has hung up.
            self.close_connection = True
            return
        try:
            response = self._server.handle_message(read_message(body), self.headers.get("Mcp-Name"))
        except BadMessage as error:
            with self._server.one_at_a_time:
                self._server.handler.note(error.rule, str(error))
            self._send(400, _BAD_JSON)
            return
        code = response.get("error", {}).get("code", 0) if response else 0
        self._send(_STATUSES.get(code, 200) if response else 202, response)

    do_POST = do_GET = do_HEAD = do_DELETE = do_OPTIONS = _handle  # noqa: N815 - the names of the base class

    def _require_loopback(self) -> None:
        """Refuse what a page of another site sends, by its own name or by one that it made lead here.

        basic/transports/streamable-http, "Security & Endpoint".
        """
        for header, prefix in (("Origin", ""), ("Host", "//")):
            for value in self.headers.get_all(header, ()):
                try:
                    host = urlsplit(prefix + value).hostname
                except ValueError:
                    host = None
                if host not in _LOOPBACK_HOSTS:
                    raise _Refused(403)

    def _refuse(self) -> None:
        if trap := _find_trap(self.path):
            with self._server.one_at_a_time:
                self._server.handler.note_fetch(trap[1])
        raise _Refused(405 if self.path == "/mcp" else 404)

    def _read_body(self) -> bytes | None:
        """Read the body, in one piece or in chunks; `None` if it ends early."""
        coding = self.headers.get("Transfer-Encoding")
        if coding is not None:
            if coding.strip().lower() != "chunked":
                raise _Refused(501)
            return self._read_chunks()
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            raise _Refused(411)
        size = _parse_size(length, 10)
        body = self.rfile.read(size)
        return body if len(body) == size else None

    def _read_chunks(self) -> bytes | None:
        body = b""
        while True:
            line = self.rfile.readline(_MAX_CHUNK_LINE)
            digits = line.partition(b";")[0].strip().decode("latin-1")
            if not re.fullmatch("[0-9a-fA-F]+", digits):
                return None
            size = _parse_size(digits, 16)
            if size + len(body) > _MAX_MESSAGE:
                raise _Refused(413)
            if size == 0:
                break
            chunk = self.rfile.read(size + 2)
            if len(chunk) < size + 2:
                return None
            body += chunk[:size]
        # Fields may follow; an empty line ends them.
        for _ in range(100):
            if self.rfile.readline(_MAX_CHUNK_LINE).strip() == b"":
                return body
        return None

    def _discard(self) -> None:
        """Discard some of what the client goes on sending: closing at once could cost it the answer."""
        with suppress(OSError):
            self.connection.settimeout(1)
            self.connection.shutdown(socket.SHUT_WR)
            self.rfile.read(_MAX_MESSAGE)

    def _send(self, status: int, value: dict[str, Any] | None) -> None:
        body = b"" if value is None else json.dumps(value).encode("ascii")
        self.send_response(status)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *_: Any) -> None:
        """Log nothing: the report says what matters."""


def _parse_size(digits: str, base: int) -> int:
    """Parse a number of bytes; refuses more than a message may have, however many digits say so."""
    significant = digits.lstrip("0") or "0"
    if len(significant) > 8 or int(significant, base) > _MAX_MESSAGE:
        raise _Refused(413)
    return int(significant, base)
