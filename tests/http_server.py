"""A server over HTTP on loopback that answers as a test says, and keeps what it was sent."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Reply(NamedTuple):
    """One response: its body is sent as it is; without a length, the end of the connection is its end."""

    body: bytes
    media_type: str = "application/json"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class Post(NamedTuple):
    """One request: its path, its headers and its message."""

    path: str
    headers: dict[str, str]
    message: dict


@contextmanager
def serve(answer):
    """Serve inside the block; `answer` makes the `Reply` to each message. Gives the url, and the list of requests."""
    posts = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            posts.append(Post(self.path, {name.lower(): value for name, value in self.headers.items()}, message))
            reply = answer(message)
            self.send_response(reply.status)
            self.send_header("content-type", reply.media_type)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp", posts
        finally:
            server.shutdown()
            thread.join()


def reply_with(message, response):
    """Make the `Reply` of a JSON-RPC response: its members beside the id."""
    return Reply(json.dumps({"jsonrpc": "2.0", "id": message["id"], **response}).encode())
