"""What both drivers do with a server and a host: in order, at once, in time, and nothing on anybody's behalf."""

import asyncio
import copy
import json
import math
import types
import zlib
from collections import defaultdict, deque
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RESULTS, json_objects, results
from vectors import VECTORS, Vector, json_text
from wire_values import FORM, LINK, LLM, MESSAGE, ROOTS, SCHEMA, UNKNOWN, HostAnswer, asking, form, raised

from toolnexus_mrtr import (
    Answer,
    Call,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitResult,
    Handlers,
    InvalidAnswer,
    ListRootsResult,
    LocalProtocolError,
    MrtrError,
    Pause,
    RemoteProtocolError,
    Request,
    RetryLimitExceeded,
    Root,
    _drivers,
    run,
    run_async,
)
from toolnexus_mrtr._json import copy_checked
from toolnexus_mrtr.cli._vectors._operations import new_call

WAIT = {"resultType": "input_required", "requestState": "p"}
DONE = {"resultType": "complete", "content": []}


def call(**options: Any) -> Call:
    return Call("tools/call", {"name": "t", "arguments": {"w": 1.0, "z": None, "k": []}}, id="c", **options)


class Server:
    """Gives one result after the other, and keeps what it was sent."""

    def __init__(self, *raws: Any) -> None:
        self.raws = iter(raws)
        self.methods: set[str] = set()
        self.sent: list[dict[str, Any]] = []

    def __call__(self, method: str, params: dict[str, Any]) -> Any:
        self.methods.add(method)
        self.sent.append(copy.deepcopy(params))
        return next(self.raws)

    @property
    def responses(self) -> Any:
        return self.sent[-1].get("inputResponses")


class Person:
    """Answers one request after the other, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Any:
        self.asked.append(request)
        answer = next(self.answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def yes(**data: Any) -> Answer:
    return Answer("h", ok=True, data=data)


NO = Answer("h", ok=False, reason="declined")


class Clock:
    """Time that passes only when somebody sleeps, or says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_drivers, "time", clock)
    monkeypatch.setattr(asyncio, "sleep", clock.sleep_async)
    return clock


def in_order(step: Any, send: Any, handlers: Any, **options: Any) -> Any:
    return run(step, send, handlers, **{"sleep": _drivers.time.sleep, **options})


def at_once(step: Any, send: Any, handlers: Any, **options: Any) -> Any:
    return asyncio.run(run_async(step, send, handlers, **options))


both = pytest.mark.parametrize("drive", [in_order, at_once])


# The vectors


def keys_asked(step: dict[str, Any]) -> list[str] | None:
    entries = step["receive"].get("inputRequests") or {}
    known = all("com.example" not in str(entry) for entry in entries.values()) if isinstance(entries, dict) else True
    return list(entries) if known else None


def playable(vector: Vector) -> bool:
    """Whether every answer of a vector is one that a handler can give."""
    return vector.operation == "exchange" and all(
        not {"stored", "meta"} & step.keys()
        and ("answers" not in step or (isinstance(step["answers"], dict) and list(step["answers"]) == keys_asked(step)))
        for step in vector.input["steps"]
    )


PLAYED = [vector for vector in VECTORS if playable(vector)]


class Script:
    """A vector as a server and a host: each handler gives the next answer of its kind."""

    def __init__(self, steps: list[dict[str, Any]]) -> None:
        self.server = Server(*(step["receive"] for step in steps))
        self.answers = iter([step.get("answers", {}) for step in steps])
        self.waiting: dict[str, deque[Any]] = {}

    def on_step(self, step: Call | Pause) -> None:
        if isinstance(step, Pause):
            given = next(self.answers)
            self.waiting = defaultdict(deque)
            for key, request in step.input_requests.items():
                self.waiting[type(request).__name__].append(given[key])

    @property
    def handlers(self) -> Handlers:
        return Handlers(
            lambda _: self.next("ElicitRequest"),
            lambda _: self.next("CreateMessageRequest"),
            lambda: self.next("ListRootsRequest"),
            sampling_tools=True,
        )

    def next(self, kind: str) -> Any:
        return self.waiting[kind].popleft()


@both
@pytest.mark.parametrize("vector", PLAYED, ids=lambda vector: vector.id)
def test_vector_driven(drive, vector, clock):
    script = Script(copy.deepcopy(vector.input["steps"]))
    expected = vector.expect["outcome"]
    try:
        result = drive(new_call(vector.input["call"]), script.server, script.handlers, reask=0, on_step=script.on_step)
        outcome = {"done": result, "resultType": result.get("resultType", "complete")}
    except MrtrError as error:
        outcome = {"error": {"code": error.code, "at": error.at}}
        expected = {"error": {name: expected["error"][name] for name in ("code", "at")}}
    assert json_text(outcome) == json_text(expected)
    assert script.server.methods <= {vector.input["call"]["method"]}
    assert json_text(script.server.sent) == json_text(vector.expect["sends"])
    assert [round(seconds * 1000) for seconds in clock.slept] == [delay for delay in vector.expect["delays"] if delay]


def test_most_exchanges_among_the_vectors_can_be_driven():
    assert len(PLAYED) > sum(vector.operation == "exchange" for vector in VECTORS) * 3 / 4


# What is declared


@pytest.mark.parametrize(
    ("handlers", "declared"),
    [
        (Handlers(), {}),
        (Handlers(Person()), {"elicitation": {"form": {}, "url": {}}}),
        (Handlers(Person(), modes=["url"]), {"elicitation": {"url": {}}}),
        (Handlers(Person(), modes=("url", "form")), {"elicitation": {"form": {}, "url": {}}}),
        (Handlers(None, print), {"sampling": {}}),
        (Handlers(None, print, sampling_tools=True), {"sampling": {"tools": {}}}),
        (Handlers(sampling_tools=True), {}),
        (Handlers(list_roots=list), {"roots": {}}),
    ],
)
def test_capabilities_follow_from_the_handlers(handlers, declared):
    assert json_text(handlers.capabilities(), ordered=True) == json_text(declared, ordered=True)
    assert json_text(handlers.meta()) == json_text(
        {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": declared,
        }
    )


def test_what_is_declared_is_fresh_each_time():
    handlers, client = Handlers(Person()), types.MappingProxyType({"name": "cli", "version": "1"})
    meta = handlers.meta(client)
    assert meta["io.modelcontextprotocol/clientInfo"] == {"name": "cli", "version": "1"}
    meta["io.modelcontextprotocol/clientInfo"].clear()
    meta["io.modelcontextprotocol/clientCapabilities"].clear()
    assert handlers.meta(client)["io.modelcontextprotocol/clientInfo"] == dict(client)
    assert handlers.capabilities() == {"elicitation": {"form": {}, "url": {}}}


def test_handlers_are_a_value():
    person = Person()
    assert Handlers(person, modes=["form"]) == Handlers(wait_for=person, modes=("form",))
    with pytest.raises(AttributeError):
        Handlers(person).wait_for = None


@pytest.mark.parametrize("modes", [(), ("forms",), ["form", ""]])
def test_modes_that_are_none_are_refused(modes):
    error = raised(LocalProtocolError, Handlers, Person(), modes=modes)
    assert (error.code, error.at) == ("wrong_value", "/modes")


@pytest.mark.parametrize(
    "given",
    [
        {"wait_for": "x"},
        {"create_message": 1},
        {"list_roots": []},
        {"modes": "form"},
        {"modes": 1},
        {"sampling_tools": 1},
    ],
)
def test_handlers_of_a_wrong_type_are_refused(given):
    with pytest.raises(TypeError, match=next(iter(given))):
        Handlers(**given)


@both
def test_a_call_that_declares_its_handlers_is_gated_by_them(drive):
    handlers = Handlers(Person(), modes=["form"])
    server = Server(asking(a=FORM, b=LINK))
    declaring = Call("tools/call", {"name": "t", "_meta": handlers.meta()})
    error = raised(RemoteProtocolError, drive, declaring, server, handlers)
    assert (error.code, error.at) == ("undeclared_capability", "/inputRequests/b/params/mode")


# Asking


@both
def test_every_kind_is_answered_by_its_handler_in_the_servers_order(drive):
    server = Server(asking("s", a=FORM, b=LLM, c=ROOTS, d=LINK), DONE)
    person, sampled = Person(yes(n="x"), yes(token="t")), []

    def create_message(request: CreateMessageRequest) -> CreateMessageResult:
        sampled.append(request)
        return CreateMessageResult(**MESSAGE)

    handlers = Handlers(person, create_message, lambda: ListRootsResult(roots=[Root(uri="file:///w")]))
    assert drive(call(), server, handlers) == DONE
    assert json_text(server.responses, ordered=True) == json_text(
        {
            "a": {"action": "accept", "content": {"n": "x"}},
            "b": MESSAGE,
            "c": {"roots": [{"uri": "file:///w"}]},
            "d": {"action": "accept"},
        },
        ordered=True,
    )
    assert [(request.id, request.kind) for request in person.asked] == [
        ("elc-c-0-1", "input"),
        ("elc-c-0-4", "authorization"),
    ]
    assert [request.params for request in sampled] == [LLM["params"]]


@both
@pytest.mark.parametrize(
    "roots",
    [
        [Root(uri="file:///w", name="W")],
        (Root(uri="file:///w", name="W"),),
        deque([{"uri": "file:///w", "name": "W"}]),
        {"roots": [{"uri": "file:///w", "name": "W"}]},
        ListRootsResult(roots=[Root(uri="file:///w", name="W")]),
    ],
)
def test_roots_may_come_in_any_shape(drive, roots):
    server = Server(asking(r=ROOTS), DONE)
    drive(call(), server, Handlers(list_roots=lambda: roots))
    assert server.responses == {"r": {"roots": [{"uri": "file:///w", "name": "W"}]}}


@both
@pytest.mark.parametrize(
    ("handlers", "kind"),
    [
        (Handlers(lambda _: None), TypeError),
        (Handlers(lambda _: True), TypeError),
        (Handlers(lambda _: CreateMessageResult(**MESSAGE)), LocalProtocolError),
        (Handlers(list_roots=lambda: "file:///w"), TypeError),
        (Handlers(list_roots=lambda: b"file:///w"), TypeError),
        (Handlers(list_roots=lambda: [1]), LocalProtocolError),
        (Handlers(list_roots=lambda: ElicitResult(action="decline")), LocalProtocolError),
    ],
)
def test_what_is_no_answer_ends_the_call(drive, handlers, kind):
    server = Server(asking(a=FORM if handlers.wait_for else ROOTS), DONE)
    raised(kind, drive, call(), server, handlers)
    assert len(server.sent) == 1


@both
def test_no_and_never_mind_are_answers(drive):
    server = Server(asking(a=FORM, b=FORM), DONE)
    drive(call(), server, Handlers(Person(NO, Answer("h", ok=False, reason="expired"))))
    assert server.responses == {"a": {"action": "decline"}, "b": {"action": "cancel"}}


@both
def test_nothing_is_accepted_for_a_person_who_entered_nothing(drive):
    server = Server(asking(a=FORM), DONE)
    error = raised(InvalidAnswer, drive, call(), server, Handlers(Person(Answer("h", ok=True))), reask=0)
    assert [(each.at, each.code) for each in error.errors] == [("/a/n", "required")]
    assert len(server.sent) == 1


@both
def test_a_host_written_for_toolnexus_is_served(drive):
    def wait_for(request: Any) -> HostAnswer:
        assert request.expiresAt is None
        if request.kind == "authorization":
            return HostAnswer(request.id, ok=True, data={"access_token": request.url})
        return HostAnswer(request.id, ok=True, data=dict.fromkeys(request.data["schema"]["required"], request.prompt))

    server = Server(asking(a=FORM, b=LINK), DONE)
    drive(call(), server, Handlers(wait_for))
    assert server.responses == {"a": {"action": "accept", "content": {"n": "m"}}, "b": {"action": "accept"}}


@both
def test_what_others_are_handed_is_theirs_to_change(drive):
    tools = {"method": "sampling/createMessage", "params": {**LLM["params"], "messages": [{"role": "user"}]}}
    raw = asking("s", a=FORM, b=tools)
    before, server = json.dumps(raw), Server(raw, asking(a=FORM), DONE)

    def send(method: str, params: dict[str, Any]) -> Any:
        result = server(method, params)
        params["arguments"].clear()
        params.clear()
        return result

    def wait_for(request: Request) -> Any:
        answer = {"ok": True, "data": {} if len(request.data) == 1 else {"n": "x"}}
        request.data["schema"].clear()
        return answer

    def create_message(request: Any) -> Any:
        request.params["messages"].clear()
        return MESSAGE

    steps = []
    drive(call(), send, Handlers(wait_for, create_message), on_step=lambda step: steps.append((step, step.to_json())))
    assert json.dumps(raw) == before
    assert [step.to_json() for step, _ in steps] == [stored for _, stored in steps]
    assert [params["arguments"] for params in server.sent] == [{"w": 1.0, "z": None, "k": []}] * 3
    assert [params.get("requestState") for params in server.sent] == [None, "s", None]


@given(value=json_objects)
def test_a_copy_equals_and_shares_nothing_that_can_change(value):
    before = json_text(value, ordered=True)
    twin = copy_checked(value)
    assert json_text(twin, ordered=True) == before
    for box in boxes(twin):
        box.clear()
    assert json_text(value, ordered=True) == before


def boxes(value: Any) -> list[Any]:
    if not isinstance(value, dict | list):
        return []
    inner = list(value.values() if isinstance(value, dict) else value)
    return [value, *(box for item in inner for box in boxes(item))]


@both
def test_the_final_result_is_the_raw_one_and_fresh(drive):
    raw = {"content": [{"type": "text"}], "_meta": {}}
    result = drive(call(), Server(raw), Handlers())
    result["content"].clear()
    assert raw == {"content": [{"type": "text"}], "_meta": {}}


# Without a handler


@both
@pytest.mark.parametrize(
    ("entry", "handlers"),
    [
        (FORM, Handlers()),
        (LINK, Handlers(Person(), modes=["form"])),
        (FORM, Handlers(Person(), modes=["url"])),
        ({"message": "m", "requestedSchema": SCHEMA}, Handlers(Person(), modes=["url"])),
        (LLM, Handlers(Person())),
        ({**LLM, "params": {**LLM["params"], "tools": []}}, Handlers(create_message=Person())),
        ({**LLM, "params": {**LLM["params"], "toolChoice": {}}}, Handlers(create_message=Person())),
        (ROOTS, Handlers(Person(), Person())),
        (UNKNOWN, Handlers(Person(), Person(), list, sampling_tools=True)),
    ],
)
def test_what_has_no_handler_is_refused_before_anything_is_asked(drive, entry, handlers):
    asked = []
    handlers = Handlers(
        handlers.wait_for and asked.append,
        handlers.create_message and asked.append,
        handlers.list_roots and (lambda: asked.append("roots")),
        modes=handlers.modes,
        sampling_tools=handlers.sampling_tools,
    )
    sibling = LINK if handlers.modes == ("url",) else FORM
    entries = {"a": sibling, "b/c": entry} if handlers.wait_for else {"b/c": entry}
    server, steps = Server(asking(**entries), DONE), []
    error = raised(LocalProtocolError, drive, call(), server, handlers, on_step=steps.append)
    assert (error.code, error.at) == ("unsupported_request", "/b~1c")
    assert (asked, len(server.sent)) == ([], 1)
    assert [type(step) for step in steps] == [Call, Pause]


@both
def test_tools_are_sampled_by_a_handler_that_heeds_them(drive):
    entry = {**LLM, "params": {**LLM["params"], "tools": [], "toolChoice": {}}}
    server = Server(asking(a=entry), DONE)
    drive(call(), server, Handlers(create_message=lambda _: MESSAGE, sampling_tools=True))
    assert server.responses == {"a": MESSAGE}


# Asking again


@both
def test_only_the_invalid_answer_is_asked_again(drive):
    server = Server(asking(a=form("a"), b=form("b"), c=form("c")), DONE)
    asked = []

    def wait_for(request: Request) -> Answer:
        asked.append(request)
        good = request.prompt != "b" or request.id.endswith(".3")
        return Answer(request.id, ok=True, data={"n": request.prompt if good else 7})

    drive(call(), server, Handlers(wait_for))
    assert server.responses == {key: {"action": "accept", "content": {"n": key}} for key in "abc"}
    assert [request.id for request in asked if request.prompt == "b"] == ["elc-c-0-2", "elc-c-0-2.2", "elc-c-0-2.3"]
    assert [request.id for request in asked if request.prompt != "b"] == ["elc-c-0-1", "elc-c-0-3"]
    first, *again = [request.data for request in asked if request.prompt == "b"]
    assert first == {"schema": SCHEMA}
    for data in again:
        (error,) = data["errors"]
        assert (error.keys(), error["at"], error["code"]) == ({"at", "code", "message"}, "/n", "wrong_type")
        assert data["schema"] == SCHEMA


@both
@pytest.mark.parametrize("reask", [0, 1, 2])
def test_an_answer_that_stays_invalid_is_raised_after_the_last_time(drive, reask):
    server, person = Server(asking(**{"a/b": FORM})), Person(*[yes(n=7)] * 9)
    error = raised(InvalidAnswer, drive, call(), server, Handlers(person), reask=reask)
    assert [(each.at, each.code) for each in error.errors] == [("/a~1b/n", "wrong_type")]
    assert (len(person.asked), len(server.sent)) == (reask + 1, 1)


@both
def test_each_request_has_its_own_number_of_times(drive):
    server = Server(asking(a=FORM, b=FORM), DONE)
    person = Person(*[yes(n=7), yes(n="x")] * 2)
    drive(call(), server, Handlers(person), reask=1)
    assert [request.id for request in person.asked] == [f"elc-c-0-{n}" for n in ("1", "1.2", "2", "2.2")]


@both
def test_a_form_that_cannot_be_checked_can_be_declined_and_not_accepted(drive):
    server = Server(asking(a=form(schema={"type": "float"})), DONE)
    drive(call(), server, Handlers(Person(NO)))
    assert server.responses == {"a": {"action": "decline"}}
    server = Server(asking(a=form(schema={"type": "float"})), DONE)
    error = raised(RemoteProtocolError, drive, call(), server, Handlers(Person(yes())))
    assert error.code == "schema_invalid"
    assert len(server.sent) == 1


# Seeing and vetoing


@both
def test_every_call_and_every_pause_is_seen_before_anything_comes_of_it(drive):
    server, seen = Server(asking("s", a=FORM), WAIT, DONE), []
    drive(call(), server, Handlers(Person(NO)), on_step=lambda step: seen.append((step, len(server.sent))))
    assert [(type(step), sent) for step, sent in seen] == [(Call, 0), (Pause, 1), (Call, 1), (Pause, 2), (Call, 2)]
    assert [step.params for step, _ in seen if isinstance(step, Call)] == server.sent
    assert [step.id for step, _ in seen if isinstance(step, Pause)] == ["c-0", "c-1"]


class Veto(Exception):
    """A host's own error."""


@both
@pytest.mark.parametrize(("place", "sent", "asked"), [(1, 0, 0), (2, 1, 0), (3, 1, 1)])
def test_a_veto_stops_everything_after_it(drive, place, sent, asked):
    server, person, veto, seen = Server(asking(a=FORM), DONE), Person(NO), Veto(), []

    def on_step(step: Call | Pause) -> None:
        seen.append(step)
        if len(seen) == place:
            raise veto

    assert raised(Veto, drive, call(), server, Handlers(person), on_step=on_step) is veto
    assert (len(server.sent), len(person.asked)) == (sent, asked)


@both
def test_a_stored_pause_goes_on_where_it_was(drive):
    whole, stored = Server(asking("s", a=FORM), DONE), []
    drive(call(server="s1"), whole, Handlers(Person(yes(n="x"))), on_step=lambda step: stored.append(step.to_json()))
    rest, seen = Server(DONE), []
    pause = Pause.from_json(stored[1], server="s1")
    assert drive(pause, rest, Handlers(Person(yes(n="x"))), on_step=seen.append) == DONE
    assert rest.sent == whole.sent[1:]
    assert [step.to_json() for step in seen] == stored[1:]


@both
def test_one_pause_too_many_is_handed_over(drive):
    server = Server(*[asking("s", a=FORM)] * 3)
    error = raised(RetryLimitExceeded, drive, call(max_retries=2), server, Handlers(Person(NO, NO)))
    assert (len(server.sent), error.pause.id) == (3, "c-2")
    assert drive(error.pause, Server(DONE), Handlers(Person(NO))) == DONE


@both
def test_pauses_that_ask_nothing_are_waited_for(drive, clock):
    server = Server(WAIT, WAIT, asking(a=FORM), WAIT, DONE)
    drive(call(), server, Handlers(Person(NO)))
    assert clock.slept == [0.05, 0.1, 0.05]
    assert "inputResponses" not in server.sent[-1]


# Errors of others


@both
@pytest.mark.parametrize("error", [Veto(), TimeoutError(), ValueError("x"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("timeout", [None, 60])
def test_what_others_raise_goes_through_unchanged(drive, error, timeout):
    def send(_method: str, _params: Any) -> Any:
        raise error

    assert raised(type(error), drive, call(), send, Handlers(), timeout=timeout) is error
    server = Server(asking(a=FORM), DONE)
    assert raised(type(error), drive, call(), server, Handlers(Person(error)), timeout=timeout) is error
    assert len(server.sent) == 1


@both
@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"step": "tools/call"}, "call"),
        ({"send": None}, "send"),
        ({"handlers": None}, "handlers"),
        ({"handlers": Person()}, "handlers"),
        ({"timeout": "1"}, "timeout"),
        ({"reask": 1.0}, "reask"),
        ({"reask": True}, "reask"),
        ({"on_step": 1}, "on_step"),
    ],
)
def test_a_wrong_type_is_refused_before_anything_is_sent(drive, given, name):
    server = Server(DONE)
    with pytest.raises(TypeError, match=f"^{name} "):
        drive(**{"step": call(), "send": server, "handlers": Handlers(), **given})
    assert server.sent == []


@both
@pytest.mark.parametrize(("given", "at"), [({"reask": -1}, "/reask"), ({"timeout": math.nan}, "/timeout")])
def test_a_number_that_makes_no_sense_is_refused(drive, given, at):
    error = raised(LocalProtocolError, drive, call(), Server(DONE), Handlers(), **given)
    assert (error.code, error.at) == ("wrong_value", at)


@both
def test_what_a_transport_gives_must_be_a_map(drive):
    raised(TypeError, drive, call(), Server(object()), Handlers())


@both
@pytest.mark.parametrize("result", [None, True, 5, 0.5, "x", []], ids=repr)
def test_what_a_server_gives_must_be_an_object(drive, result):
    assert raised(RemoteProtocolError, drive, call(), Server(result), Handlers()).code == "wrong_type"


async def later(value: Any) -> Any:
    return value


class Later:
    """Something to await that is no coroutine."""

    def __await__(self) -> Any:
        yield


@pytest.mark.parametrize("make", [lambda: later(NO), Later])
def test_in_order_nothing_can_be_awaited(make):
    server = Server(asking(a=FORM), DONE)
    made = [make() for _ in range(4)]
    with pytest.raises(TypeError, match="^send "):
        run(call(), lambda *_: made[0], Handlers())
    with pytest.raises(TypeError, match="^wait_for "):
        run(call(), server, Handlers(lambda _: made[1]))
    with pytest.raises(TypeError, match="^on_step "):
        run(call(), server, Handlers(), on_step=lambda _: made[2])
    with pytest.raises(TypeError, match="^sleep "):
        run(call(), Server(WAIT), Handlers(), sleep=lambda _: made[3])
    assert len(server.sent) == 1


# In time


@both
@pytest.mark.parametrize("timeout", [0, -1, -math.inf, -(10**400)], ids=["none", "past", "long ago", "longer ago"])
def test_nothing_is_sent_after_the_deadline(drive, timeout):
    server = Server(DONE)
    raised(TimeoutError, drive, call(), server, Handlers(), timeout=timeout)
    assert server.sent == []


@both
@pytest.mark.parametrize("timeout", [None, math.inf, 10**400], ids=["none", "infinite", "huge"])
def test_without_a_deadline_everything_may_take_its_time(drive, timeout, clock):
    def wait_for(_: Request) -> Answer:
        clock.now += 1e6
        return NO

    assert drive(call(), Server(asking(a=FORM), WAIT, DONE), Handlers(wait_for), timeout=timeout) == DONE


@both
def test_the_deadline_is_looked_at_between_steps(drive, clock):
    server, asked = Server(asking(a=FORM, b=FORM), DONE), []

    def wait_for(request: Request) -> Answer:
        asked.append(request.id)
        clock.now += 5
        return NO

    raised(TimeoutError, drive, call(), server, Handlers(wait_for), timeout=5)
    assert (asked, len(server.sent)) == (["elc-c-0-1"], 1)


@both
def test_a_result_that_comes_late_is_still_a_result(drive, clock):
    def send(_method: str, _params: Any) -> Any:
        clock.now += 60
        return DONE

    assert drive(call(), send, Handlers(), timeout=1) == DONE


@both
def test_nobody_sleeps_past_the_deadline(drive, clock):
    server = Server(WAIT, WAIT, DONE)
    raised(TimeoutError, drive, call(), server, Handlers(), timeout=0.125)
    assert clock.slept == pytest.approx([0.05, 0.075])
    assert len(server.sent) == 2


# At once


class Prompts:
    """Prompts that wait until they are answered or cancelled."""

    def __init__(self, *, fail_when_cancelled: bool = False) -> None:
        self.open: dict[str, asyncio.Future[Any]] = {}
        self.cancelled: list[str] = []
        self.all_open = asyncio.Event()
        self.expected = 2
        self.fail_when_cancelled = fail_when_cancelled

    async def wait_for(self, request: Request) -> Any:
        answer = self.open[request.prompt] = asyncio.get_running_loop().create_future()
        if len(self.open) == self.expected:
            self.all_open.set()
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancelled.append(request.prompt)
            if self.fail_when_cancelled:
                raise Veto from None
            raise


def test_everything_of_a_pause_is_asked_at_once_and_answered_in_any_order():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=60))
        await prompts.all_open.wait()
        prompts.open["b"].set_result(yes(n="b"))
        prompts.open["a"].set_result(NO)
        assert await task == DONE
        assert json_text(server.responses, ordered=True) == json_text(
            {"a": {"action": "decline"}, "b": {"action": "accept", "content": {"n": "b"}}}, ordered=True
        )

    asyncio.run(main())


def test_an_invalid_answer_is_asked_again_while_others_wait():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for)))
        await prompts.all_open.wait()
        prompts.all_open.clear()
        prompts.open["b"].set_result(yes(n=7))
        await prompts.all_open.wait()
        for prompt in prompts.open.values():
            prompt.set_result(yes(n="x"))
        assert await task == DONE
        assert len(server.sent) == 2

    asyncio.run(main())


@pytest.mark.parametrize("fail_when_cancelled", [False, True])
def test_the_first_failure_cancels_the_others_and_is_raised_alone(fail_when_cancelled):
    failure = ValueError("first")

    async def main() -> None:
        server = Server(asking(a=form("a"), b=form("b")), DONE)
        prompts = Prompts(fail_when_cancelled=fail_when_cancelled)
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=60))
        await prompts.all_open.wait()
        prompts.open["b"].set_exception(failure)
        await asyncio.wait([task])
        assert task.exception() is failure
        assert (prompts.cancelled, len(server.sent)) == (["a"], 1)
        await task

    assert raised(ValueError, asyncio.run, main()) is failure


def test_an_answer_that_stays_invalid_cancels_the_others():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), reask=0))
        await prompts.all_open.wait()
        prompts.open["b"].set_result(yes())
        await asyncio.wait([task])
        assert (task.exception().at, prompts.cancelled, len(server.sent)) == ("/b/n", ["a"], 1)

    asyncio.run(main())


def test_a_prompt_that_gives_itself_up_is_no_answer_and_ends_the_call():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=60))
        await prompts.all_open.wait()
        prompts.open["b"].cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert (prompts.cancelled, len(server.sent)) == (["b", "a"], 1)

    asyncio.run(main())


@pytest.mark.parametrize("fail_when_cancelled", [False, True])
@pytest.mark.parametrize("timeout", [None, 60])
def test_cancelling_while_prompts_wait_cancels_them_and_sends_nothing(fail_when_cancelled, timeout):
    async def main() -> None:
        server = Server(asking(a=form("a"), b=form("b")), DONE)
        prompts = Prompts(fail_when_cancelled=fail_when_cancelled)
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=timeout))
        await prompts.all_open.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert (sorted(prompts.cancelled), len(server.sent)) == (["a", "b"], 1)

    asyncio.run(main())


@pytest.mark.parametrize("fail_when_cancelled", [False, True])
def test_the_deadline_cuts_a_prompt_short(fail_when_cancelled):
    server = Server(asking(a=form("a"), b=form("b")), DONE)

    async def main() -> None:
        prompts = Prompts(fail_when_cancelled=fail_when_cancelled)
        try:
            await run_async(call(), server, Handlers(prompts.wait_for), timeout=0.005)
        finally:
            assert sorted(prompts.cancelled) == ["a", "b"]

    raised(TimeoutError, asyncio.run, main())
    assert len(server.sent) == 1


def test_the_deadline_cuts_a_transport_short():
    async def main() -> None:
        await run_async(call(), lambda *_: asyncio.get_running_loop().create_future(), Handlers(), timeout=0.005)

    raised(TimeoutError, asyncio.run, main())


def test_at_once_anything_may_be_awaited():
    server, seen = Server(asking(a=FORM, b=LLM, c=ROOTS), DONE), []

    async def on_step(step: Call | Pause) -> None:
        seen.append(type(step))

    handlers = Handlers(lambda _: later(NO), lambda _: later(MESSAGE), lambda: later([]))
    result = at_once(call(), lambda *arguments: later(server(*arguments)), handlers, on_step=on_step)
    assert (result, seen) == (DONE, [Call, Pause, Call])
    assert server.responses == {"a": {"action": "decline"}, "b": MESSAGE, "c": {"roots": []}}


def test_a_blocking_prompt_runs_in_a_thread_of_its_own():
    async def wait_for(request: Request) -> Any:
        return await asyncio.to_thread(Person(yes(n="x")), request)

    server = Server(asking(a=FORM), DONE)
    assert at_once(call(), server, Handlers(wait_for)) == DONE
    assert server.responses == {"a": {"action": "accept", "content": {"n": "x"}}}


def test_two_calls_at_once_with_the_same_keys_do_not_mix():
    async def main() -> None:
        open_prompts: dict[str, asyncio.Future[Any]] = {}
        both_open = asyncio.Event()

        async def wait_for(request: Request) -> Any:
            open_prompts[request.id] = asyncio.get_running_loop().create_future()
            if len(open_prompts) == 2:
                both_open.set()
            return await open_prompts[request.id]

        servers = [Server(asking(state, confirm=FORM), DONE) for state in "AB"]
        calls = [Call("tools/call", {"name": name}) for name in "ab"]
        tasks = [
            asyncio.create_task(run_async(one, server, Handlers(wait_for)))
            for one, server in zip(calls, servers, strict=True)
        ]
        await both_open.wait()
        for name, one in reversed([*zip("ab", calls, strict=True)]):
            id = f"elc-{one.id}-0-1"
            open_prompts[id].set_result(Answer(id, ok=True, data={"n": name}))
        assert await asyncio.gather(*tasks) == [DONE, DONE]
        for name, state, server in zip("ab", "AB", servers, strict=True):
            content = {"confirm": {"action": "accept", "content": {"n": name}}}
            assert server.sent[1] == {"name": name, "inputResponses": content, "requestState": state}

    asyncio.run(main())


def test_the_answer_to_another_call_is_refused():
    server = Server(asking(confirm=FORM), DONE)
    error = raised(LocalProtocolError, run, call(), server, Handlers(Person(Answer("elc-d-0-1", ok=False))))
    assert (error.code, error.at) == ("answer_id_mismatch", "/confirm/id")


# Whatever the server and the host do

answers = st.sampled_from(
    [yes(n="x"), yes(n="x", i=3.0), yes(), NO, yes(n=7), {"action": "cancel"}, {"action": "maybe"}, MESSAGE, None, Veto]
)


def played(drive: Any, raws: list[Any], pool: list[Any], options: dict[str, Any]) -> Any:
    """How an exchange ends, with all that was sent; a host answers by what it is asked, not by when."""
    server = Server(*copy.deepcopy(raws), DONE)

    def answer(text: str) -> Any:
        chosen = pool[zlib.crc32(text.encode("utf-8", "surrogatepass")) % len(pool)]
        if chosen is Veto:
            raise Veto
        return chosen

    handlers = Handlers(
        lambda request: answer(request.id + request.prompt),
        lambda request: MESSAGE if len(request.params) % 2 else answer(repr(request.max_tokens)),
        lambda: [{"uri": "file:///w"}],
    )
    try:
        ending: Any = drive(call(), server, handlers, **options)
    except MrtrError as error:
        assert error.__context__ is None
        ending = [type(error).__name__, error.code, error.at, str(error)]
    except (TypeError, Veto, TimeoutError) as error:
        ending = [type(error).__name__, str(error)]
    return json_text([ending, server.sent], ordered=True)


@given(
    raws=st.lists(st.one_of(st.sampled_from([*RESULTS[:2], asking("s", a=FORM, b=LINK)]), results), max_size=5),
    pool=st.lists(answers, min_size=1, max_size=4),
    reask=st.integers(0, 2),
)
@settings(max_examples=300)
def test_in_order_and_at_once_come_to_the_same(raws, pool, reask):
    options = {"reask": reask}
    assert played(in_order, raws, pool, options) == played(at_once, raws, pool, options)
