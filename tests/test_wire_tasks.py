"""Recordings of tasks on real servers: the library sends what a client without it sent, and ends as the server says."""

import json
from pathlib import Path
from typing import Any

import pytest
from following import follow
from vectors import ROOT

OURS = sorted((ROOT / "tests" / "wire" / "tasks").rglob("*.json"))

#: Recordings of more servers, if they are beside the repository, each for its first call, to the end of that.
MORE = sorted((ROOT.parent / "shared" / "wire" / "tasks").rglob("*.json"))

#: Of those, what is no call that is answered to its end.
NOT_FOLLOWED = {"errors": "requests that are wrong, one by one", "ask_first": "a pause alone", "undeclared": "as above"}

HEADERS = {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}


def read(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_bytes())


def first_call(path: Path) -> list[dict[str, Any]]:
    """Give the exchange of a task up to its end, with the headers that are not of a transport."""
    steps = []
    for step in read(path):
        headers = {name: value for name, value in step["request_headers"].items() if name in HEADERS}
        steps.append({"request": step["request"], "headers": headers, "response": step["response"]})
        result = step["response"]["result"]
        if result.get("status") in ("completed", "failed", "cancelled") and result["resultType"] == "complete":
            break
    return steps


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


CALLS = [pytest.param(read(path), id=name_of(path)) for path in OURS]
CALLS += [pytest.param(first_call(path), id=name_of(path)) for path in MORE if path.stem not in NOT_FOLLOWED]


@pytest.mark.parametrize("steps", CALLS)
def test_the_library_sends_what_was_recorded_and_ends_as_the_server_says(steps):
    follow(steps)


@pytest.mark.parametrize("server", ["fastmcp-tasks", "mcp", "typescript"])
def test_the_recordings_of_a_server_hold_every_method_and_status(server):
    steps = [step for path in OURS if path.parent.name == server for step in read(path)]
    results = [step["response"].get("result", {}) for step in steps]
    assert {step["request"]["method"] for step in steps} == {"tools/call", "tasks/get", "tasks/update", "tasks/cancel"}
    assert {result.get("resultType", "error") for result in results} == {"complete", "error", "input_required", "task"}
    assert {result["status"] for result in results if "status" in result} == {
        *("working", "input_required", "completed", "failed", "cancelled")
    }


@pytest.mark.parametrize("path", OURS, ids=name_of)
def test_a_recording_of_a_task_is_ascii_and_names_no_machine(path):
    assert path.read_bytes().isascii()
    assert not any(place in path.read_text("ascii") for place in ("127.0.0.1", "localhost", "/tmp", "/home", "/root"))
