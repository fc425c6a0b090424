"""The README's Python blocks run against a small server in memory and do as the text around them says."""

import asyncio
import copy
import itertools
import json
import re
import webbrowser
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from adversary_client import Client
from vectors import FIXTURES, ROOT

from toolnexus_mrtr import Answer, Call, Form, Handlers, InvalidAnswer, LocalProtocolError, Request

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PAUSED = json.loads((FIXTURES / "examples" / "paused.json").read_bytes())["result"]

#: Each block by a text that only it contains.
SIGNS = ASKING, LOOP, GOING_ON, DRIVEN, SENDING, VETO, STORE, TESTED, CODEC, PAGE = (
    "def wait_for(",
    "def call_tool(",
    "def call_and_go_on(",
    "async def call_tool_async",
    "def send_over_http(",
    "def keep_numbers_back(",
    "sqlite3.connect",
    "def hostile_server(",
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
    request, answer, prompts = ask_about(asked, "yes", "", "many", "Window", "yes", "Ada", "2", "window")
    assert answer == Answer(request.id, ok=True, data={"name": "Ada", "guests": 2, "seat": "w"})
    assert capsys.readouterr().out.splitlines() == [
        "parcels (send_parcel) asks: Who is the booking for?",
        "Full name: expected at least 1 character",
        "guests: expected a whole number, digits only",
    ]
    guests = "guests (optional; Enter takes 1, a space clears it): "
    form = ["Full name (required): ", guests, "seat (Window | Aisle; optional): "]
    again = "Fill it in again (yes, or Enter to leave it)? "
    assert prompts == ["Go on (yes, no, or Enter to leave it)? ", *form, again, *form]


def test_the_readmes_wait_for_cancels_where_a_person_leaves_a_form_that_does_not_fit():
    request, answer, _ = ask_about(PAUSED["inputRequests"]["who"], "yes", "", "", "", "")
    assert answer == Answer(request.id, ok=False, reason="cancelled")


def test_the_readmes_wait_for_shows_a_list_as_it_is_typed_and_asks_for_nothing_that_cannot_be_shown():
    properties = {
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "default": ["a", "b"]},
        "where": {"type": "object"},
    }
    request, answer, prompts = ask_about(entry(requestedSchema={"type": "object", "properties": properties}), "yes", "")
    assert prompts[1:] == ["tags (a | b; optional; Enter takes a, b, a space clears it): "]
    assert answer == Answer(request.id, ok=True, data={"tags": ["a", "b"]})


def test_the_readmes_wait_for_takes_the_default_that_it_shows():
    schema = {"properties": {"a": {"type": "string", "description": "Who?", "default": "Ada"}}, "required": ["a"]}
    request, answer, prompts = ask_about(entry(requestedSchema={"type": "object", **schema}), "yes", "")
    assert answer == Answer(request.id, ok=True, data={"a": "Ada"})
    assert prompts[1] == "a (Who?; required; Enter takes Ada, a space clears it): "


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
    outcomes = iter([httpx.ConnectError("no route"), None, httpx.ReadError("cut off"), None])
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


@pytest.mark.parametrize("error", [httpx.ConnectError("no route"), ValueError("something else")], ids=repr)
def test_the_readmes_call_and_go_on_raises_where_nobody_goes_on(error):
    def failing(*_: object):
        raise error

    call_and_go_on = run_block(GOING_ON)["call_and_go_on"]
    with pytest.raises(type(error)):
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


def send_over(
    respond: Callable[[httpx.Request], httpx.Response], method: str = "tools/call", params: dict[str, Any] | None = None
) -> Any:
    """Send a request by the README's `send_over_http` to a server in memory."""
    block = run_block(SENDING)
    with block["http"]:
        pass
    with httpx.Client(transport=httpx.MockTransport(respond)) as block["http"]:
        return block["send_over_http"]("http://a.example/mcp", method, {} if params is None else params)


def respond_with(
    body: str | bytes, status: int = 200, media: str = "application/json"
) -> Callable[..., httpx.Response]:
    """A server that answers with this body; ID in it is the id of the request."""

    def respond(request: httpx.Request) -> httpx.Response:
        id = str(json.loads(request.content)["id"]).encode()
        data = body if isinstance(body, bytes) else body.encode()
        return httpx.Response(status, content=data.replace(b"ID", id), headers={"content-type": media})

    return respond


def test_the_readmes_send_over_http_writes_ascii_with_the_headers_of_the_call():
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return respond_with('{"jsonrpc": "2.0", "id": ID, "result": {"n": 1e2}}')(request)

    params = {"name": "t\u00e9", "requestState": "\ud800"}
    assert send_over(respond, "tools/call", params) == {"n": 100.0}
    assert send_over(respond, "tools/list") == {"n": 100.0}
    first = requests[0]
    message = json.loads(first.content.decode("ascii"))
    assert (message["jsonrpc"], message["method"], message["params"]) == ("2.0", "tools/call", params)
    assert (first.headers["Mcp-Name"], first.headers["Content-Type"]) == ("=?base64?dMOp?=", "application/json")
    assert first.headers["Accept"] == "application/json, text/event-stream"
    assert [request.headers["Mcp-Method"] for request in requests] == ["tools/call", "tools/list"]
    with pytest.raises(LocalProtocolError):
        send_over(respond, "tools/call", {"n": float("nan")})
    assert len(requests) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=ascii)
def test_the_readmes_send_over_http_finds_the_response_in_a_stream_of_events(end):
    stream = """\
: a comment
event: message
data: {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}

id: 7
data:

data: {"jsonrpc": "2.0", "id": ID,
data: "result": {"text": "\u2028"}}

"""
    respond = respond_with(stream.replace("\n", end), media="text/event-stream; charset=utf-8")
    assert send_over(respond) == {"text": "\u2028"}


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
def test_the_readmes_send_over_http_refuses_json_that_another_parser_reads_otherwise(body):
    with pytest.raises(ValueError, match=r"."):
        send_over(respond_with(body))


@pytest.mark.parametrize("status", [200, 400, 404])
@pytest.mark.parametrize("id", ["ID", "null"])
def test_the_readmes_send_over_http_raises_a_json_rpc_error_with_its_code(status, id):
    error = f'{{"id": {id}, "error": {{"code": -32602, "message": "m", "data": 1}}}}'
    with pytest.raises(Exception, match="-32602") as caught:
        send_over(respond_with(error, status))
    assert (type(caught.value).__name__, caught.value.code, caught.value.data) == ("ServerError", -32602, 1)


@pytest.mark.parametrize(
    "respond",
    [
        respond_with("<h1>busy</h1>", 503, "text/html"),
        respond_with('{"jsonrpc": "2.0", "id": "another", "result": {}}'),
        respond_with('data: {"method": "notifications/progress"}\n\n', media="text/event-stream"),
        respond_with('data: {"id": ID, "result": {}}', media="text/event-stream"),
        respond_with("[1]"),
        respond_with('{"id": ID, "error": "m"}'),
        respond_with('{"id": ID}'),
    ],
    ids=["another status", "another id", "no response in the stream", "half an event", "a list", "a text", "neither"],
)
def test_the_readmes_send_over_http_raises_an_error_of_httpx_where_there_is_no_response(respond):
    with pytest.raises(httpx.HTTPError):
        send_over(respond)


def stream_of(chunks: Iterable[bytes]) -> Callable[..., httpx.Response]:
    """A server that sends this stream of events, and fails the test if more of it is read."""

    def respond(_: httpx.Request) -> httpx.Response:
        def read() -> Iterator[bytes]:
            yield from chunks
            pytest.fail("read on")

        return httpx.Response(200, content=read(), headers={"content-type": "text/event-stream"})

    return respond


def test_the_readmes_send_over_http_reads_no_further_than_the_response():
    assert send_over(stream_of([b'data: {"id": null, "res', b'ult": {"n": 1}}\n\n'])) == {"n": 1}


@pytest.mark.parametrize("line", [b":" + b" " * 999 + b"\n", b"data: ["])
def test_the_readmes_send_over_http_gives_up_on_a_stream_without_end(line):
    with pytest.raises(httpx.HTTPError, match="shorter"):
        send_over(stream_of([line * (1_000_000 // len(line))] * 18))


def test_the_readmes_send_over_http_gives_up_on_a_stream_that_drips(monkeypatch):
    monkeypatch.setattr("time.monotonic", itertools.count(step=25).__next__)
    with pytest.raises(httpx.HTTPError, match="shorter"):
        send_over(stream_of([b":\n"] * 3))


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
    return lambda: run_block(STORE)


ADA = {"who": Answer("1", ok=True, data={"name": "Ada"})}
EVE = {"who": Answer("1", ok=True, data={"name": "Eve"})}


def begun(block: dict[str, Any], server: Server) -> tuple[str, Any]:
    """Begin a call: its id, and what it came to."""
    call = Call("tools/call", {"name": "send_parcel"}, server="parcels")
    return call.id, block["begin"](server.send, call)


def test_the_readmes_store_goes_on_from_a_pause_in_another_process(process):
    server = Server()
    id, pause = begun(process(), server)
    there = process()
    assert there["load"](id)[1] == pause
    done = there["answer"](server.send, id, pause.id, ADA)
    assert done.result["structuredContent"] == ANSWERED
    assert process()["load"](id)[1] == done
    assert len(server.sent) == 2


def test_the_readmes_store_lets_one_of_two_tabs_answer(process):
    server = Server()
    here, there = process(), process()
    id, pause = begun(here, server)
    assert here["answer"](server.send, id, pause.id, ADA).result["structuredContent"] == ANSWERED
    with pytest.raises(RuntimeError, match="somebody else"):
        there["answer"](server.send, id, pause.id, EVE)
    assert len(server.sent) == 2


def test_the_readmes_store_sends_once_where_both_tabs_have_read_the_same_pause(process):
    server, sent_meanwhile = Server(), []
    block = process()
    id, pause = begun(block, server)
    replace = block["replace"]

    def replace_later(*arguments: Any) -> int:
        # The other tab comes between what this one has read and what it writes.
        block["replace"] = replace
        sent_meanwhile.append(process()["answer"](server.send, id, pause.id, ADA))
        return replace(*arguments)

    block["replace"] = replace_later
    with pytest.raises(RuntimeError, match="somebody else"):
        block["answer"](server.send, id, pause.id, EVE)
    assert (len(server.sent), block["load"](id)[1]) == (2, sent_meanwhile[0])


def test_the_readmes_store_answers_no_other_question_than_the_one_that_was_seen(process):
    block, server = process(), Server(PAUSED, PAUSED | {"requestState": "another"})
    id, seen = begun(block, server)
    asked = block["answer"](server.send, id, seen.id, ADA)
    with pytest.raises(RuntimeError, match="somebody else"):
        block["answer"](server.send, id, seen.id, ADA)
    assert block["load"](id)[1] == asked


def test_the_readmes_store_keeps_a_pause_whose_answer_does_not_fit(process):
    block, server = process(), Server()
    id, pause = begun(block, server)
    with pytest.raises(InvalidAnswer):
        block["answer"](server.send, id, pause.id, {"who": Answer("1", ok=True, data={})})
    assert (block["load"](id)[1], len(server.sent)) == (pause, 1)


def test_the_readmes_store_waits_out_what_asks_nothing_and_resumes_it(process):
    idle = {"resultType": "input_required", "requestState": PAUSED["requestState"]}
    block, server = process(), Server(idle, idle)
    slept: list[float] = []
    block["time"] = SimpleNamespace(sleep=slept.append)
    id, pause = begun(block, server)
    assert [params.get("requestState") for params in server.sent] == [None, idle["requestState"], idle["requestState"]]
    assert slept == [0.05, 0.1]
    assert list(pause.requests) == ["who"]
    assert block["load"](id)[1] == pause


def test_the_readmes_store_sends_again_what_a_failed_send_carried(process):
    server = Server(PAUSED, ConnectionError("no route"))
    block = process()
    id, pause = begun(block, server)
    with pytest.raises(ConnectionError):
        block["answer"](server.send, id, pause.id, ADA)
    there = process()
    version, _ = there["load"](id)
    assert there["send_again"](server.send, id, version).result["structuredContent"] == ANSWERED
    with pytest.raises(RuntimeError, match="somebody else"):
        block["send_again"](server.send, id, version)
    assert server.sent[1:] == [pause.resume(ADA).params] * 2


def test_the_readmes_store_starts_anew_where_the_server_refuses_its_state(process):
    server = Server(PAUSED, ValueError(-32602))
    block = process()
    id, pause = begun(block, server)
    with pytest.raises(ValueError, match="-32602"):
        block["answer"](server.send, id, pause.id, EVE)
    version, _ = block["load"](id)
    again = block["send_again"](server.send, id, version, anew=True)
    assert server.sent[2] == server.sent[0]
    assert again.call.id != pause.call.id
    assert block["answer"](server.send, id, again.id, ADA).result["structuredContent"] == ANSWERED


def test_the_readmes_store_gives_nothing_that_was_stored_for_another_server(process):
    block = process()
    call = Call("tools/call", {"name": "send_parcel"}, server="the bank")
    block["begin"](send, call)
    with pytest.raises(LocalProtocolError) as caught:
        block["load"](call.id)
    assert caught.value.code == "wrong_server"


def test_the_readmes_store_knows_no_call_that_was_not_begun(process):
    block = process()
    begun(block, Server())
    with pytest.raises(LookupError):
        block["load"]("another")


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
    shown = page["fill_page"](form)
    assert shown == {"note": "Hello", "ways": ["mail"], "news": "true", "guests": "2"}
    posted = {"note": "", "guests": "3", "when": "2026-07-28T10:00"}
    read = {"note": "", "ways": [], "news": False, "guests": 3, "when": "2026-07-28T10:00:00+00:00"}
    assert page["read_page"](form, posted, UTC) == (read, ())


def test_the_readmes_page_takes_a_blank_box_and_an_unpicked_list_as_no_answer_unless_they_were_filled():
    listed = {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}
    properties = {"n": {"type": "string"}, "o": {"type": "string"}, "l": listed, "d": {**listed, "default": ["a"]}}
    form = Form.of({"type": "object", "properties": properties, "required": ["n"]})
    content, errors = run_block(PAGE)["read_page"](form, {"n": "", "o": ""}, None)
    assert content == {"d": []}
    assert [(error.field, error.code) for error in errors] == [("n", "required"), ("d", "too_few")]


def test_the_readmes_hostile_server_judges_a_client_inside_a_test():
    hostile_server = run_block(TESTED)["hostile_server"]
    with hostile_server() as url:
        Client(url).play()
    with pytest.raises(AssertionError, match="state-unchanged"), hostile_server():
        pass


def test_the_readmes_hostile_server_ends_with_a_test_that_fails():
    with pytest.raises(ZeroDivisionError), run_block(TESTED)["hostile_server"]() as url:
        raise ZeroDivisionError
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)
