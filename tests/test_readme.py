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
SIGNS = ASKING, LOOP, DRIVEN, VETO, STORE, CODEC, PAGE = (
    "def ask(request)",
    "def call_tool(",
    "async def call_tool_async",
    "def keep_numbers_back(",
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
    assert call_tool(send, ask, "send_parcel", {"weight": 1.5})["structuredContent"] == {
        "who": {"action": "accept", "content": {"name": "Ada", "guests": 1}}
    }


def ask_about(entry: dict[str, Any], *lines: str) -> tuple[Request, Answer, list[str]]:
    """Ask what a server asks, by the README's `ask`: the request, its answer, and the prompts that were shown."""
    call = Call("tools/call", {"name": "send_parcel"}, server="parcels")
    (request,) = call.receive({"resultType": "input_required", "inputRequests": {"k": entry}}).requests.values()
    prompts: list[str] = []
    typed = iter(lines)
    ask = run_block(ASKING, input=lambda prompt: (prompts.append(prompt), next(typed))[1])["ask"]
    return request, ask(request), prompts


def entry(**params: Any) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": {"message": "m", **params}}


def test_the_readmes_ask_shows_a_form_at_a_terminal_and_says_who_asks(capsys):
    asked = PAUSED["inputRequests"]["who"]
    request, answer, prompts = ask_about(asked, "yes", "", "many", "Window", "Ada", "2", "window")
    assert answer == Answer(request.id, ok=True, data={"name": "Ada", "guests": 2, "seat": "w"})
    assert capsys.readouterr().out.splitlines() == [
        "parcels asks (send_parcel): Who is the booking for?",
        "/name: expected at least 1 character",
        "/guests: expected a whole number, digits only",
    ]
    assert prompts == [
        "Fill it in (yes, no, or Enter to leave it)? ",
        *["Full name (required): ", "guests (optional; Enter takes 1): ", "seat (Window | Aisle; optional): "] * 2,
    ]


def test_the_readmes_ask_takes_the_default_that_it_shows():
    schema = {"properties": {"a": {"type": "string", "description": "Who?", "default": "Ada"}}, "required": ["a"]}
    request, answer, prompts = ask_about(entry(requestedSchema={"type": "object", **schema}), "yes", "")
    assert answer == Answer(request.id, ok=True, data={"a": "Ada"})
    assert prompts[1] == "a (Who?; required; Enter takes Ada): "


@pytest.mark.parametrize(("typed", "reason"), [("no", "declined"), ("", "cancelled")])
def test_the_readmes_ask_declines_only_what_a_person_declined(typed, reason):
    request, answer, _ = ask_about(entry(requestedSchema={"type": "object", "properties": {}}), typed)
    assert answer == Answer(request.id, ok=False, reason=reason)


@pytest.mark.parametrize(
    "asked",
    [
        entry(mode="url", url="https://a.example/"),
        entry(requestedSchema={"type": "object", "properties": {"a": {"$ref": "https://a.example/"}}}),
        entry(requestedSchema={"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}),
    ],
    ids=["a visit", "a form that cannot be checked", "a form that nobody can fill in"],
)
def test_the_readmes_ask_cancels_what_nobody_saw(asked):
    request, answer, prompts = ask_about(asked)
    assert (answer, prompts) == (Answer(request.id, ok=False, reason="cancelled"), [])


def test_the_readmes_run_async_asks_everything_and_prints_each_step(capsys):
    async def send_async(method, params):
        return send(method, params)

    async def wait_for(request):
        return Answer(request.id, ok=True, data={"name": "Ada"})

    call_tool_async = run_block(DRIVEN)["call_tool_async"]
    done = asyncio.run(call_tool_async(send_async, wait_for, None, None))
    assert done["structuredContent"] == ANSWERED
    assert [line.partition("(")[0] for line in capsys.readouterr().out.splitlines()] == ["Call", "Pause", "Call"]


def test_the_readmes_veto_by_disclosures_keeps_a_number_back():
    keep_numbers_back = run_block(VETO)["keep_numbers_back"]
    pause = Call("tools/call", {}).receive(PAUSED)
    keep_numbers_back(pause)
    keep_numbers_back(pause.call)
    keep_numbers_back(pause.resume({"who": {"action": "accept", "content": {"name": "Ada"}}}))
    with pytest.raises(PermissionError):
        keep_numbers_back(pause.resume({"who": {"action": "accept", "content": {"name": "Ada", "guests": 2}}}))


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
