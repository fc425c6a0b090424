"""The way from the host to the real server: it keeps what goes by, and can be cut, held, or say something else."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


class Wire:
    """A proxy on loopback, in front of `target`. Another site's page, `page`, is here as well, under another name."""

    def __init__(self, target):
        self.target = target
        self.sent = []
        self.arrived = threading.Semaphore(0)
        #: Where it is cut: "before" the server hears the request, or "behind" it, so that the response is lost.
        self.cut = ""
        #: Clear it to hold requests back.
        self.open = threading.Event()
        self.open.set()
        #: Results to give in place of the server's next ones.
        self.results = []
        #: Errors to give in place of them.
        self.errors = []
        self.page, self.visits = "", []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"wire": self}))
        self.url = f"http://127.0.0.1:{self.http.server_port}/mcp"
        self.site = f"http://localhost:{self.http.server_port}/"

    def __enter__(self):
        self._thread = threading.Thread(target=self.http.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.open.set()
        self.http.shutdown()
        self.http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    wire: Wire

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/":
            self.wire.visits.append(dict(self.headers))
            self._respond(200, "text/html", self.wire.page.encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        if self.wire.cut == "before":
            return
        self.wire.sent.append(request["params"])
        self.wire.arrived.release()
        self.wire.open.wait(20)
        if self.wire.results or self.wire.errors:
            outcome = {"error": self.wire.errors.pop(0)} if self.wire.errors else {"result": self.wire.results.pop(0)}
            response = {"jsonrpc": "2.0", "id": request["id"], **outcome}
            self._respond(200, "application/json", json.dumps(response).encode())
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
        answer = httpx.post(self.wire.target, content=body, headers=headers, trust_env=False)
        if self.wire.cut != "behind":
            self._respond(answer.status_code, answer.headers["content-type"], answer.content)

    def _respond(self, status, content_type, content):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
