"""The README's Python blocks run against a small server in memory and do as the text around them says."""

import asyncio
import copy
import json
import re
from datetime import UTC
from typing import Any

import pytest
from vectors import FIXTURES, ROOT

from toolnexus_mrtr import Answer, Call, Form, Request

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PAUSED = json.loads((FIXTURES / "examples" / "paused.json").read_bytes())["result"]

#: Each block by a text that only it contains.
SIGNS = ASKING, LOOP, DRIVEN, STORE, CODEC, PAGE = (
    "def ask(request)",
    "def call_tool(",
    "async def call_tool_async",
    "sqlite3.connect",
    "def retry(",
    "def read_page(",
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
    """Run the one block that contains a text, with the names that the README leaves to its reader."""
    (block,) = [block for block in BLOCKS if sign in block]
    namespace = {"__name__": "readme", **names}
    exec(compile(block, "README.md", "exec"), namespace)
    return namespace


def test_every_block_of_the_readme_is_run_here():
    assert [sum(sign in block for sign in SIGNS) for block in BLOCKS] == [1] * len(SIGNS)


def say(*lines: str) -> Any:
    """A person at a terminal, who types these lines."""
    coming = iter(lines)
    return lambda _: next(coming)


def test_the_readmes_own_loop_answers_with_receive_and_resume():
    call_tool = run_block(LOOP)["call_tool"]
    ask = run_block(ASKING, input=say("yes", "Ada", "", ""))["ask"]
    assert call_tool(send, ask, "send_parcel", {"weight": 1.5})["structuredContent"] == ANSWERED


def test_the_readmes_ask_fills_in_a_form_at_a_terminal(capsys):
    request = Call("tools/call", {}).receive(PAUSED).requests["who"]
    ask = run_block(ASKING, input=say("yes", "", "many", "Window", "Ada", "2", "window"))["ask"]
    assert ask(request) == Answer(request.id, ok=True, data={"name": "Ada", "guests": 2, "seat": "w"})
    printed = capsys.readouterr().out
    assert printed.splitlines() == [
        "Who is the booking for?",
        "/name: expected at least 1 character",
        "/guests: expected a whole number, digits only",
    ]


@pytest.mark.parametrize(
    "request_",
    [
        Request("1", "authorization", "Sign in.", url="https://a.example/"),
        Request("1", "input", "Say no.", data={"schema": {"type": "object"}}),
        Request("1", "input", "Fetch.", data={"schema": {"properties": {"a": {"$ref": "https://a.example/"}}}}),
    ],
    ids=["a visit", "a no", "a form that cannot be checked"],
)
def test_the_readmes_ask_declines_at_a_terminal(request_):
    ask = run_block(ASKING, input=say("yes" if request_.prompt == "Fetch." else "no"))["ask"]
    assert ask(request_) == Answer("1", ok=False, reason="declined")


def test_the_readmes_run_async_asks_everything_and_prints_each_step(capsys):
    async def send_async(method, params):
        return send(method, params)

    async def wait_for(request):
        return Answer(request.id, ok=True, data={"name": "Ada"})

    call_tool_async = run_block(DRIVEN)["call_tool_async"]
    done = asyncio.run(call_tool_async(send_async, wait_for, None, None))
    assert done["structuredContent"] == ANSWERED
    assert [line.partition("(")[0] for line in capsys.readouterr().out.splitlines()] == ["Call", "Pause", "Call"]


def test_the_readmes_retry_only_reads_and_writes():
    retry = run_block(CODEC)["retry"]
    declined = {"who": {"action": "decline"}}
    assert retry({"name": "t"}, PAUSED) == {
        "name": "t",
        "inputResponses": declined,
        "requestState": PAUSED["requestState"],
    }
    assert retry({"name": "t"}, {"content": []}) is None


def test_the_readmes_store_resumes_a_pause_by_from_json_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = run_block(STORE)
    id = here["begin"](send, print)
    here["store"].close()
    there = run_block(STORE)
    done = there["go_on"](send, id, {"who": Answer("1", ok=True, data={"name": "Ada"})})
    with pytest.raises(RuntimeError, match="somebody else"):
        there["go_on"](send, id, {"who": Answer("1", ok=True, data={"name": "Ada"})})
    there["store"].close()
    assert done["structuredContent"] == ANSWERED


def test_the_readmes_page_sends_empty_what_a_person_cleared_by_parse_with_prefilled():
    properties = {
        "note": {"type": "string", "default": "Hello"},
        "ways": {"type": "array", "items": {"enum": ["mail", "sms"]}, "default": ["mail"]},
        "news": {"type": "boolean", "default": True},
        "guests": {"type": "integer", "default": 2},
        "when": {"type": "string", "format": "date-time"},
    }
    form = Form.of({"type": "object", "properties": properties})
    page = run_block(PAGE)
    shown = page["fill_in"](form)
    assert shown == {"note": "Hello", "ways": ["mail"], "news": "true", "guests": "2"}
    posted = {"note": "", "guests": "3", "when": "2026-07-28T10:00"}
    read = {"note": "", "ways": [], "news": False, "guests": 3, "when": "2026-07-28T10:00:00+00:00"}
    assert page["read_page"](form, posted, UTC) == (read, ())
