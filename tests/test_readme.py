"""The README's Python blocks run against a small server in memory and do as the text around them says."""

import asyncio
import copy
import json
import re
from contextlib import ExitStack
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import pytest
from vectors import FIXTURES, ROOT

from toolnexus_mrtr import Answer, Call, Form, InvalidAnswer, LocalProtocolError, Request

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


class Server:
    """The server of `send`, but that it first gives or raises what is in `script`; it keeps what it was sent."""

    def __init__(self, *script: dict[str, Any] | Exception) -> None:
        self.script = list(script)
        self.sent: list[dict[str, Any]] = []

    def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.sent.append(params)
        if not self.script:
            return send(method, params)
        result = self.script.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


@pytest.fixture
def process(tmp_path, monkeypatch):
    """Start a process: run the README's block on one database, as often as a test likes."""
    monkeypatch.chdir(tmp_path)
    with ExitStack() as stack:

        def start() -> dict[str, Any]:
            block = run_block(STORE)
            stack.callback(block["store"].close)
            return block

        yield start


ADA = {"who": Answer("1", ok=True, data={"name": "Ada"})}
EVE = {"who": Answer("1", ok=True, data={"name": "Eve"})}


def begun(block: dict[str, Any], server: Server) -> tuple[str, Any]:
    """Begin a call and send it: its id, and what it came to."""
    call = Call("tools/call", {"name": "send_parcel"}, server="parcels")
    block["begin"](call)
    return call.id, block["advance"](server.send, call.id)


def test_the_readmes_store_goes_on_from_a_pause_in_another_process(process):
    server = Server()
    id, pause = begun(process(), server)
    there = process()
    assert there["load"](id)[0] == pause
    there["answer"](id, pause.id, ADA)
    done = there["advance"](server.send, id)
    assert done.result["structuredContent"] == ANSWERED
    assert process()["advance"](server.send, id) == done
    assert len(server.sent) == 2


def test_the_readmes_store_lets_one_of_two_tabs_answer(process):
    server = Server()
    here, there = process(), process()
    id, pause = begun(here, server)
    here["answer"](id, pause.id, ADA)
    with pytest.raises(RuntimeError, match="somebody else"):
        there["answer"](id, pause.id, EVE)
    assert here["advance"](server.send, id).result["structuredContent"] == ANSWERED
    with pytest.raises(RuntimeError, match="somebody else"):
        there["answer"](id, pause.id, EVE)


def test_the_readmes_store_lets_one_through_where_both_have_read_the_same_pause(process):
    block = process()
    id, pause = begun(block, Server())
    other = process()
    version = block["load"](id)[1]
    block["answer"](id, pause.id, ADA)
    stored = other["load"](id)
    with pytest.raises(RuntimeError, match="somebody else"):
        other["replace"](id, version, pause.resume(EVE))
    assert other["load"](id) == stored == (pause.resume(ADA), version + 1)


def test_the_readmes_store_answers_no_other_question_than_the_one_that_was_seen(process):
    block, server = process(), Server(PAUSED, PAUSED | {"requestState": "another"})
    id, seen = begun(block, server)
    block["answer"](id, seen.id, ADA)
    asked = block["advance"](server.send, id)
    with pytest.raises(RuntimeError, match="somebody else"):
        block["answer"](id, seen.id, ADA)
    assert block["load"](id)[0] == asked


def test_the_readmes_store_keeps_a_pause_whose_answer_does_not_fit(process):
    block = process()
    id, pause = begun(block, Server())
    with pytest.raises(InvalidAnswer):
        block["answer"](id, pause.id, {"who": Answer("1", ok=True, data={})})
    assert block["load"](id)[0] == pause


def test_the_readmes_store_waits_out_what_asks_nothing_and_resumes_it(process):
    idle = {"resultType": "input_required", "requestState": PAUSED["requestState"]}
    block, server = process(), Server(idle, idle)
    slept: list[float] = []
    block["time"] = SimpleNamespace(sleep=slept.append)
    id, pause = begun(block, server)
    assert [params.get("requestState") for params in server.sent] == [None, idle["requestState"], idle["requestState"]]
    assert slept == [0.05, 0.1]
    assert list(pause.requests) == ["who"]
    assert block["load"](id)[0] == pause


def test_the_readmes_store_sends_again_what_a_failed_send_carried(process):
    server = Server(PAUSED, ConnectionError("no route"))
    block = process()
    id, pause = begun(block, server)
    block["answer"](id, pause.id, ADA)
    with pytest.raises(ConnectionError):
        block["advance"](server.send, id)
    there = process()
    call, version = there["load"](id)
    there["replace"](id, version, call)
    with pytest.raises(RuntimeError, match="somebody else"):
        block["replace"](id, version, call)
    assert there["advance"](server.send, id).result["structuredContent"] == ANSWERED
    assert server.sent[1] == server.sent[2] == pause.resume(ADA).params


def test_the_readmes_store_starts_anew_where_the_server_refuses_its_state(process):
    server = Server(PAUSED, ValueError(-32602))
    block = process()
    id, pause = begun(block, server)
    block["answer"](id, pause.id, EVE)
    with pytest.raises(ValueError, match="-32602"):
        block["advance"](server.send, id)
    refused, version = block["load"](id)
    block["replace"](id, version, refused.restart())
    again = block["advance"](server.send, id)
    assert server.sent[2] == server.sent[0]
    assert again.call.id != pause.call.id
    block["answer"](id, again.id, ADA)
    assert block["advance"](server.send, id).result["structuredContent"] == ANSWERED


def test_the_readmes_store_gives_nothing_that_was_stored_for_another_server(process):
    block = process()
    call = Call("tools/call", {"name": "send_parcel"}, server="the bank")
    block["begin"](call)
    with pytest.raises(LocalProtocolError) as caught:
        block["advance"](send, call.id)
    assert caught.value.code == "wrong_server"


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
