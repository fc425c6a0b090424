"""A client of MCP 2026-07-28 that does all that the adversary asks, and does it well; it never really waits."""

import contextlib
import itertools
import json
import sys
import urllib.request

from toolnexus_mrtr import Call, Done, MrtrError

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}},
}


def post(url, body, headers=None):
    headers = {"Content-Type": "application/json"} | (headers or {})
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
        return json.load(response) if response.status == 200 else response.status


class Client:
    """A good client. A bad one overrides what it does not do well."""

    meta = META
    result_types = ()

    def __init__(self, url, clock=None):
        self.url, self.clock, self.ids = url, clock, itertools.count(1)

    def wait(self, seconds):
        if self.clock is not None:
            self.clock.now += seconds

    def send(self, method, params):
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        return self.post(json.dumps(message).encode("ascii"))["result"]

    def post(self, body):
        return post(self.url, body)

    def play(self):
        for tool in self.send("tools/list", {"_meta": self.meta})["tools"]:
            with contextlib.suppress(MrtrError):
                self.call(tool["name"], tool["_meta"]["host"], tool["_meta"]["arguments"])
        with contextlib.suppress(MrtrError):
            Call("prompts/list", {}).receive(self.send("prompts/list", {"_meta": self.meta}))

    def call(self, name, host, arguments):
        params = {"name": name, "arguments": arguments, "_meta": self.meta}
        call = Call("tools/call", params, result_types=self.result_types)
        params = self.first(name, call.params)
        while not isinstance(pause := call.receive(self.send(call.method, params)), Done):
            self.wait(pause.delay)
            call = pause.resume({key: self.answer(host[key]) for key in pause.requests})
            params = self.retry(name, call.params)
        return pause

    def answer(self, chosen):
        return chosen or {"action": "cancel"}

    def first(self, name, params):  # noqa: ARG002 - a bad client looks at it
        return params

    retry = first


if __name__ == "__main__":
    Client(sys.argv[-1]).play()
