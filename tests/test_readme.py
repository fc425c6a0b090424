"""The README's Python blocks run against a small server in memory and do as the text around them says."""

import asyncio
import copy
import json
import re
import webbrowser
from contextlib import ExitStack
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import pytest
from vectors import FIXTURES, ROOT

from toolnexus_mrtr import Answer, Call, Form, Handlers, InvalidAnswer, LocalProtocolError, Request

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PAUSED = json.loads((FIXTURES / "examples" / "paused.json").read_bytes())["result"]

#: Each block by a text that only it contains.
SIGNS = ASKING, LOOP, GOING_ON, DRIVEN, SENDING, VETO, STORE, CODEC, PAGE = (
    "def wait_for(",
    "def call_tool(",
    "def call_and_go_on(",
    "async def call_tool_async",
    "def send_over(",
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
    wait_for = run_block(ASKING, input=say("yes", "Ada", "", ""))["wait_for"]
    assert call_tool(send, wait_for, "send_parcel", {"weight": 1.5})["structuredContent"] == {
        "who": {"action": "accept", "content": {"name": "Ada", "guests": 1}}
    }


def ask_about(entry: dict[str, Any], *lines: str) -> tuple[Request, Answer, list[str]]:
    """Ask what a server asks, by the README's `wait_for`: the request, its answer, and the prompts that were shown."""
    call = Call("tools/call", {"name": "send_parcel"}, server="parcels")
    (request,) = call.receive({"resultType": "input_required", "inputRequests": {"k": entry}}).requests.values()
    prompts: list[str] = []
    typed = iter(lines)
    wait_for = run_block(ASKING, input=lambda prompt: (prompts.append(prompt), next(typed))[1])["wait_for"]
    return request, wait_for(request), prompts


def entry(**params: Any) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": {"message": "m", **params}}


def test_the_readmes_wait_for_shows_a_form_at_a_terminal_and_says_who_asks(capsys):
    asked = PAUSED["inputRequests"]["who"]
    request, answer, prompts = ask_about(asked, "yes", "", "many", "Window", "Ada", "2", "window")
    assert answer == Answer(request.id, ok=True, data={"name": "Ada", "guests": 2, "seat": "w"})
    assert capsys.readouterr().out.splitlines() == [
        "parcels (send_parcel) asks: Who is the booking for?",
        "Full name: expected at least 1 character",
        "guests: expected a whole number, digits only",
    ]
    guests = "guests (optional; Enter takes 1, a blank clears it): "
    assert prompts == [
        "Go on (yes, no, or Enter to leave it)? ",
        *["Full name (required): ", guests, "seat (Window | Aisle; optional): "] * 2,
    ]


def test_the_readmes_wait_for_takes_the_default_that_it_shows():
    schema = {"properties": {"a": {"type": "string", "description": "Who?", "default": "Ada"}}, "required": ["a"]}
    request, answer, prompts = ask_about(entry(requestedSchema={"type": "object", **schema}), "yes", "")
    assert answer == Answer(request.id, ok=True, data={"a": "Ada"})
    assert prompts[1] == "a (Who?; required; Enter takes Ada, a blank clears it): "


def test_the_readmes_wait_for_clears_a_default_where_a_blank_is_typed():
    properties = {"a": {"type": "string", "default": "Ada"}, "n": {"type": "integer", "default": 1}}
    request, answer, _ = ask_about(entry(requestedSchema={"type": "object", "properties": properties}), "yes", " ", " ")
    assert answer == Answer(request.id, ok=True, data={"a": ""})


def test_the_readmes_wait_for_opens_a_url_after_a_yes_and_accepts_when_the_visit_is_done(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    link = entry(mode="url", url="http://a.example/x")
    request, answer, prompts = ask_about(link, "no")
    assert (answer, opened) == (Answer(request.id, ok=False, reason="declined"), [])
    capsys.readouterr()
    request, answer, prompts = ask_about(link, "yes", "")
    assert (answer, opened) == (Answer(request.id, ok=True), ["http://a.example/x"])
    assert capsys.readouterr().out.splitlines()[1] == "http://a.example/x leads to a.example insecure_http"
    assert len(prompts) == 2


@pytest.mark.parametrize(("typed", "reason"), [("no", "declined"), ("", "cancelled")])
def test_the_readmes_wait_for_declines_only_what_a_person_declined(typed, reason):
    request, answer, _ = ask_about(entry(requestedSchema={"type": "object", "properties": {}}), typed)
    assert answer == Answer(request.id, ok=False, reason=reason)


@pytest.mark.parametrize(
    "asked",
    [
        entry(requestedSchema={"type": "object", "properties": {"a": {"$ref": "https://a.example/"}}}),
        entry(requestedSchema={"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]}),
    ],
    ids=["a form that cannot be checked", "a form that nobody can fill in"],
)
def test_the_readmes_wait_for_cancels_what_nobody_saw(asked):
    request, answer, prompts = ask_about(asked)
    assert (answer, prompts) == (Answer(request.id, ok=False, reason="cancelled"), [])


def test_the_readmes_run_async_declares_and_asks():
    declared = []

    async def send_async(method, params):
        declared.append(params["_meta"]["io.modelcontextprotocol/clientCapabilities"].keys())
        return send(method, params)

    async def wait_for(request):
        return Answer(request.id, ok=True, data={"name": "Ada"})

    call_tool_async = run_block(DRIVEN)["call_tool_async"]
    done = asyncio.run(call_tool_async(send_async, wait_for, print, print))
    assert done["structuredContent"] == ANSWERED
    assert declared == [{"elicitation", "sampling", "roots"}] * 2


def test_the_readmes_call_and_go_on_loses_no_answer_when_send_fails():
    outcomes = iter([ConnectionError, None, ConnectionError, None])
    sent = []

    def failing(method, params):
        sent.append(params.get("inputResponses"))
        if (error := next(outcomes)) is not None:
            raise error
        return send(method, params)

    asked, may_go_on = [], iter([True, True])
    handlers = Handlers(lambda request: (asked.append(request), request.accept({"name": "Ada"}))[1])
    call_and_go_on = run_block(GOING_ON)["call_and_go_on"]
    call = Call("tools/call", {"name": "send_parcel"}, server="parcels")
    done = call_and_go_on(failing, handlers, call, lambda: next(may_go_on))
    assert done["structuredContent"] == ANSWERED
    assert (sent, len(asked)) == ([None, None, ANSWERED, ANSWERED], 1)


@pytest.mark.parametrize("error", [ConnectionError, ValueError])
def test_the_readmes_call_and_go_on_raises_where_nobody_goes_on(error):
    def failing(*_: object):
        raise error

    call_and_go_on = run_block(GOING_ON)["call_and_go_on"]
    with pytest.raises(error):
        call_and_go_on(failing, Handlers(), Call("tools/call", {"name": "send_parcel"}), lambda: False)


def test_the_readmes_call_and_go_on_goes_on_from_the_pause_beyond_the_limit():
    pauses = [
        {"resultType": "input_required", "inputRequests": {"k": entry(requestedSchema={}, message=str(number))}}
        for number in range(12)
    ]
    results = iter([*pauses, {"content": []}])
    handlers = Handlers(lambda request: request.decline())
    may_go_on = iter([True])
    call_and_go_on = run_block(GOING_ON)["call_and_go_on"]
    done = call_and_go_on(lambda *_: next(results), handlers, Call("tools/call", {}), lambda: next(may_go_on))
    assert (done, list(results), list(may_go_on)) == ({"content": []}, [], [])


def test_the_readmes_send_over_writes_ascii_with_the_headers_of_the_call():
    posted = []

    def post(body, headers):
        posted.append((json.loads(body.decode("ascii")), headers))
        return b'{"jsonrpc": "2.0", "id": 1, "result": {"n": 1e2}}'

    send_over = run_block(SENDING)["send_over"]
    params = {"name": "t\u00e9", "requestState": "\ud800"}
    assert send_over(post, "tools/call", params) == {"n": 100.0}
    assert send_over(post, "tools/list", {}) == {"n": 100.0}
    (first, headers), (second, _) = posted
    assert (first["method"], first["params"], first["id"] != second["id"]) == ("tools/call", params, True)
    assert (
        headers.items()
        >= {"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?dMOp?=", "Content-Type": "application/json"}.items()
    )
    with pytest.raises(ValueError, match="JSON"):
        send_over(post, "tools/call", {"n": float("nan")})


@pytest.mark.parametrize(
    "body",
    [
        b'{"result": {"n": NaN}}',
        b'{"result": {"n": 1e999}}',
        b'{"result": {"n": 1, "n": 2}}',
        b'{"result": {"n": %s}}' % (b"9" * 5000),
        b'{"result": {"n": "\xed\xa0\xbd\xed\xb8\x80"}}',
    ],
    ids=["NaN", "beyond a double", "a name twice", "5,000 digits", "halves of a pair as bytes"],
)
def test_the_readmes_send_over_refuses_json_that_another_parser_reads_otherwise(body):
    with pytest.raises(ValueError, match=r"."):
        run_block(SENDING)["send_over"](lambda *_: body, "tools/call", {})


def test_the_readmes_send_over_raises_a_json_rpc_error_with_its_code():
    block = run_block(SENDING)
    with pytest.raises(block["ServerError"]) as caught:
        block["send_over"](lambda *_: b'{"error": {"code": -32602, "message": "m", "data": 1}}', "tools/call", {})
    assert (caught.value.code, caught.value.data) == (-32602, 1)


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
