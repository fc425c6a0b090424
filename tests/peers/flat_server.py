"""A server of the standard library alone that asks in the flat shape of Apache Juneau: entries without an envelope."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

INFO_KEY = "io.modelcontextprotocol/serverInfo"
INFO = {"name": "flat-server", "version": "\u2013"}
STATE = "flat-1"
ASKED = {
    "deployTarget": {
        "message": "Where to?",
        "requestedSchema": {
            "type": "object",
            "properties": {"target": {"type": "string", "enum": ["test", "live"]}},
            "required": ["target"],
        },
    },
    "approval": {
        "message": "Approved?",
        "requestedSchema": {
            "type": "object",
            "properties": {"approved": {"type": "boolean"}},
            "required": ["approved"],
        },
    },
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(**message)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def answer(method, params, **_):
    if method == "server/discover":
        discovered = {"supportedVersions": ["2026-07-28"], "capabilities": {}, "_meta": {INFO_KEY: INFO}}
        return {"resultType": "complete", **discovered}
    if "inputResponses" not in params:
        return {"resultType": "input_required", "inputRequests": ASKED, "requestState": STATE}
    heard = {"state": params.get("requestState"), "responses": params["inputResponses"]}
    return {"resultType": "complete", "content": [{"type": "text", "text": json.dumps(heard)}], "isError": False}


if __name__ == "__main__":
    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{http.server_port}/mcp", flush=True)
    http.serve_forever()
