"""The README's Python blocks run, against a small server in memory, and do what the text around them says."""

import asyncio
import copy
import json
import re
from typing import Any

import pytest
from vectors import FIXTURES, ROOT

from toolnexus_mrtr import Answer, Done

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PAUSED = json.loads((FIXTURES / "examples" / "paused.json").read_bytes())["result"]

#: Each block by a sign that it alone holds.
SIGNS = LOOP, ASKING, DRIVEN, CODEC, STORE, VECTORS = (
    "def call_tool(",
    "def ask(request)",
    "async def wait_for",
    "ElicitationResponses.to_input_responses",
    "sqlite3.connect",
    "Path(",
)

ANSWERED = {"who": {"action": "accept", "content": {"name": "Ada"}}}


def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """A server that asks who it is for, and gives back what it was answered."""
    assert (method, params["name"]) == ("tools/call", "send_parcel")
    if "inputResponses" not in params:
        return copy.deepcopy(PAUSED)
    assert params["requestState"] == PAUSED["requestState"]
    return {"resultType": "complete", "content": [], "structuredContent": params["inputResponses"]}


def run_block(sign: str, **names: Any) -> dict[str, Any]:
    """Run the one block that holds a sign, with what the text before it calls the reader's own."""
    (block,) = [block for block in BLOCKS if sign in block]
    namespace = {"__name__": "readme", **names}
    exec(compile(block, "README.md", "exec"), namespace)
    return namespace


def test_every_block_is_run_here():
    assert [sum(sign in block for sign in SIGNS) for block in BLOCKS] == [1] * len(SIGNS)


def test_a_loop_of_ones_own():
    def ask(request):
        assert request.prompt == "Who is the booking for?"
        return Answer(request.id, ok=True, data={"name": "Ada"})

    assert run_block(LOOP, send=send, ask=ask)["result"]["structuredContent"] == ANSWERED


@pytest.mark.parametrize(("typed", "ok"), [(["Ada", "2", "Window"], True), (["Ada", "many", ""], False)])
def test_asking_at_a_terminal(typed, ok, capsys):
    seen = {}

    def remember(request):
        seen["request"] = request
        return Answer(request.id, ok=False)

    run_block(LOOP, send=lambda _, params: send(_, params) if "inputResponses" not in params else {}, ask=remember)
    answers = iter(typed)
    ask = run_block(ASKING, input=lambda _: next(answers))["ask"]
    answer = ask(seen["request"])
    assert answer.ok is ok
    assert "Who is the booking for?" in capsys.readouterr().out
    if ok:
        assert answer.data == {"name": "Ada", "guests": 2, "seat": "w"}


def test_all_questions_at_once():
    async def send_async(method, params):
        return send(method, params)

    call_tool_async = run_block(DRIVEN)["call_tool_async"]
    assert asyncio.run(call_tool_async(send_async))["structuredContent"] == ANSWERED


def test_only_reading_and_writing():
    params = run_block(CODEC, send=send)["params"]
    assert params == {"name": "send_parcel", "inputResponses": ANSWERED, "requestState": PAUSED["requestState"]}


def test_resuming_in_another_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = run_block(STORE)
    id = here["begin"](send)
    here["store"].close()
    there = run_block(STORE)
    done = there["go_on"](send, id, {"name": "Ada"})
    there["store"].close()
    assert isinstance(done, Done)
    assert done.result["structuredContent"] == ANSWERED


def test_running_the_vectors(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run_block(VECTORS)["file"]["operation"] == "is_input_required"
