"""Record tasks on real servers, message by message: python record_tasks.py FOLDER.

The client is written out here, without the library: what that sends is held against the recordings.
"""

import itertools
import json
import sys
import time
from pathlib import Path

import httpx
from peers import EXTENSION, FASTMCP, SCRIPT, TYPESCRIPT, started

TASKS = "io.modelcontextprotocol/tasks"
CAPABILITIES = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "recorder", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": CAPABILITIES | {"extensions": {TASKS: {}}},
}
UNDECLARED = META | {"io.modelcontextprotocol/clientCapabilities": CAPABILITIES}

#: Each recording: the tool that is called, and what the client declares. The last of those without tasks gets one.
CALLS = {
    "work": ("work", META),
    "survey": ("survey", META),
    "several": ("several", META),
    "mixed": ("mixed", META),
    "refuse": ("refuse", META),
    "fail": ("fail", META),
    "last": ("last", META),
    "ask_first": ("ask_first", META),
    "born_finished": ("born_finished", META),
    "unlimited": ("unlimited", META),
    "undeclared-survey": ("survey", UNDECLARED),
    "undeclared-task_alone": ("task_alone", UNDECLARED),
    "undeclared-task_undeclared": ("task_undeclared", UNDECLARED),
}
#: What FastMCP's server cannot do.
NOT_BY_FASTMCP = {"ask_first", "born_finished", "unlimited", "undeclared-task_undeclared"}

SERVERS = {"mcp": EXTENSION[0], "typescript": TYPESCRIPT[0], "fastmcp-tasks": FASTMCP[0]}

SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "a model"}


def answer(entry):
    if entry["method"] == "roots/list":
        return {"roots": [{"uri": "file:///work", "name": "work"}]}
    if entry["method"] == "sampling/createMessage":
        return SAMPLED
    if entry["params"].get("mode") == "url":
        return {"action": "accept"}
    entered = {name: SCRIPT["entered"][name] for name in entry["params"]["requestedSchema"]["properties"]}
    return {"action": "accept", "content": entered}


class Recorder:
    """One call, to its end: what is sent, and what comes back."""

    def __init__(self, http, url, name, meta):
        self.http, self.url, self.meta = http, url, meta
        self.ids = (f"{name}-{number}" for number in itertools.count(1))
        self.steps = []

    def send(self, method, params):
        params = params | {"_meta": self.meta}
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        headers = {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
            "Mcp-Name": params["name"] if method == "tools/call" else params["taskId"],
        }
        media = {"Accept": "application/json, text/event-stream"}
        response = self.http.post(self.url, json=message, headers=headers | media).json()
        self.steps.append({"request": message, "headers": headers, "response": response})
        return response.get("result", {})

    def call(self, name):
        first = {"name": name, "arguments": {}}
        result = self.send("tools/call", first)
        while result.get("resultType") == "input_required":
            retry = first | {"inputResponses": {key: answer(entry) for key, entry in result["inputRequests"].items()}}
            if "requestState" in result:
                retry["requestState"] = result["requestState"]
            result = self.send("tools/call", retry)
        if result.get("resultType") == "task" and self.meta is META:
            self.follow(result["taskId"], cancel=name == "last")
        return self.steps

    def follow(self, task, *, cancel):
        answered = set()
        while (state := self.send("tasks/get", {"taskId": task}))["status"] in ("working", "input_required"):
            if cancel:
                self.send("tasks/cancel", {"taskId": task})
            requests = {key: entry for key, entry in state.get("inputRequests", {}).items() if key not in answered}
            if requests:
                answered |= requests.keys()
                responses = {key: answer(entry) for key, entry in requests.items()}
                self.send("tasks/update", {"taskId": task, "inputResponses": responses})
            time.sleep(state["pollIntervalMs"] / 1000)


def record(folder):
    """Record every call on every server, a file each, in a folder for each server."""
    with httpx.Client(timeout=30, trust_env=False) as http:
        for server, peer in SERVERS.items():
            (folder / server).mkdir(parents=True, exist_ok=True)
            with started(peer.command) as url:
                for file in CALLS.keys() - (NOT_BY_FASTMCP if peer in FASTMCP else set()):
                    tool, meta = CALLS[file]
                    steps = Recorder(http, url, file, meta).call(tool)
                    (folder / server / f"{file}.json").write_text(json.dumps(steps, indent=2) + "\n", "ascii")


if __name__ == "__main__":
    record(Path(sys.argv[1]))
