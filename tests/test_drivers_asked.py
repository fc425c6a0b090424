"""`run` and `run_async` with a host: asking, asking again, `on_step`, and the errors that end a call."""

import json
import math
import re
from collections import deque
from typing import Any

import pytest
from driving import DONE, NO, WAIT, Person, Server, Veto, both, call, later, yes
from vectors import json_text
from wire_values import FORM, LINK, LLM, MESSAGE, ROOTS, SCHEMA, HostAnswer, asking, form, raised

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
    Pause,
    RemoteProtocolError,
    Request,
    RetryLimitExceeded,
    Root,
    run,
)

pytestmark = pytest.mark.usefixtures("clock")


@both
def test_run_asks_the_handler_of_each_kind_in_the_servers_order(drive):
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
    assert [request.kind for request in person.asked] == ["input", "authorization"]
    assert all(re.fullmatch("elc-c-0-[0-9a-f]{16}", request.id) for request in person.asked)
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
def test_run_takes_roots_from_list_roots_in_any_shape(drive, roots):
    server = Server(asking(r=ROOTS), DONE)
    drive(call(), server, Handlers(list_roots=lambda: roots))
    assert server.responses == {"r": {"roots": [{"uri": "file:///w", "name": "W"}]}}


@both
@pytest.mark.parametrize(
    ("handlers", "kind"),
    [
        (Handlers(lambda _: True), TypeError),
        (Handlers(lambda _: CreateMessageResult(**MESSAGE)), LocalProtocolError),
        (Handlers(list_roots=lambda: "file:///w"), TypeError),
        (Handlers(list_roots=lambda: b"file:///w"), TypeError),
        (Handlers(list_roots=lambda: [1]), LocalProtocolError),
        (Handlers(list_roots=lambda: ElicitResult(action="decline")), LocalProtocolError),
    ],
)
def test_run_ends_when_a_handler_returns_something_other_than_an_answer(drive, handlers, kind):
    server = Server(asking(a=FORM if handlers.wait_for else ROOTS), DONE)
    raised(kind, drive, call(), server, handlers)
    assert len(server.sent) == 1


@both
@pytest.mark.parametrize(
    ("handlers", "entry"),
    [
        (Handlers(lambda _: None), FORM),
        (Handlers(create_message=lambda _: None), LLM),
        (Handlers(list_roots=lambda: None), ROOTS),
    ],
    ids=["wait_for", "create_message", "list_roots"],
)
def test_run_names_the_handler_that_returns_none_and_the_key(drive, handlers, entry, request):
    error = raised(LocalProtocolError, drive, call(), Server(asking(**{"a/b": entry})), handlers)
    assert (error.code, error.at) == ("missing_answer", "/a~1b")
    assert request.node.callspec.id.rpartition("-")[0] in str(error)


@both
def test_run_sends_a_declined_answer_as_decline_and_an_expired_one_as_cancel(drive):
    server = Server(asking(a=FORM, b=FORM), DONE)
    drive(call(), server, Handlers(Person(NO, Answer("h", ok=False, reason="expired"))))
    assert server.responses == {"a": {"action": "decline"}, "b": {"action": "cancel"}}


@both
def test_run_accepts_nothing_for_a_person_who_entered_nothing(drive):
    server = Server(asking(a=FORM), DONE)
    error = raised(InvalidAnswer, drive, call(), server, Handlers(Person(Answer("h", ok=True))), reask=0)
    assert [(each.at, each.code) for each in error.errors] == [("/a/n", "required")]
    assert len(server.sent) == 1


@both
def test_run_serves_a_wait_for_that_was_written_for_toolnexus(drive):
    def wait_for(request: Any) -> HostAnswer:
        assert request.expiresAt is None
        if request.kind == "authorization":
            return HostAnswer(request.id, ok=True, data={"access_token": request.url})
        return HostAnswer(request.id, ok=True, data=dict.fromkeys(request.data["schema"]["required"], request.prompt))

    server = Server(asking(a=FORM, b=LINK), DONE)
    drive(call(), server, Handlers(wait_for))
    assert server.responses == {"a": {"action": "accept", "content": {"n": "m"}}, "b": {"action": "accept"}}


@both
def test_run_is_unmoved_by_changes_to_the_params_and_requests_it_hands_out(drive):
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


@both
def test_run_returns_a_copy_of_the_final_raw_result(drive):
    raw = {"content": [{"type": "text"}], "_meta": {}}
    result = drive(call(), Server(raw), Handlers())
    result["content"].clear()
    assert raw == {"content": [{"type": "text"}], "_meta": {}}


# Asking again


@both
def test_run_asks_again_only_for_the_invalid_answer(drive):
    server = Server(asking(a=form("a"), b=form("b"), c=form("c")), DONE)
    asked = []

    def wait_for(request: Request) -> Answer:
        asked.append(request)
        good = request.prompt != "b" or request.id.endswith(".3")
        return Answer(request.id, ok=True, data={"n": request.prompt if good else 7})

    drive(call(), server, Handlers(wait_for))
    assert server.responses == {key: {"action": "accept", "content": {"n": key}} for key in "abc"}
    first, second, third = [request.id for request in asked if request.prompt == "b"]
    assert (second, third) == (f"{first}.2", f"{first}.3")
    assert len({first, *(request.id for request in asked if request.prompt != "b")}) == 3
    first, *again = [request.data for request in asked if request.prompt == "b"]
    assert first == {"schema": SCHEMA}
    for data in again:
        assert data["content"] == {"n": 7}
        (error,) = data["errors"]
        assert (error.keys(), error["at"], error["code"]) == ({"at", "code", "message"}, "/n", "wrong_type")
        assert data["schema"] == SCHEMA


@both
@pytest.mark.parametrize("reask", [0, 1, 2])
def test_run_raises_invalid_answer_after_the_last_reask(drive, reask):
    server, person = Server(asking(**{"a/b": FORM})), Person(*[yes(n=7)] * 9)
    error = raised(InvalidAnswer, drive, call(), server, Handlers(person), reask=reask)
    assert [(each.at, each.code) for each in error.errors] == [("/a~1b/n", "wrong_type")]
    assert (len(person.asked), len(server.sent)) == (reask + 1, 1)


@both
def test_run_counts_reask_for_each_request_on_its_own(drive):
    server = Server(asking(a=FORM, b=FORM), DONE)
    person = Person(*[yes(n=7), yes(n="x")] * 2)
    drive(call(), server, Handlers(person), reask=1)
    first, again, other, other_again = [request.id for request in person.asked]
    assert (again, other_again) == (f"{first}.2", f"{other}.2")
    assert first != other


@both
def test_run_lets_a_form_that_cannot_be_checked_be_declined_but_not_accepted(drive):
    server = Server(asking(a=form(schema={"type": "float"})), DONE)
    drive(call(), server, Handlers(Person(NO)))
    assert server.responses == {"a": {"action": "decline"}}
    server = Server(asking(a=form(schema={"type": "float"})), DONE)
    error = raised(RemoteProtocolError, drive, call(), server, Handlers(Person(yes())))
    assert error.code == "schema_invalid"
    assert len(server.sent) == 1


# Seeing each step, and stopping it


@both
def test_on_step_sees_every_call_and_pause_before_it_is_acted_upon(drive):
    server, seen = Server(asking("s", a=FORM), WAIT, DONE), []
    drive(call(), server, Handlers(Person(NO)), on_step=lambda step: seen.append((step, len(server.sent))))
    assert [(type(step), sent) for step, sent in seen] == [(Call, 0), (Pause, 1), (Call, 1), (Pause, 2), (Call, 2)]
    assert [step.params for step, _ in seen if isinstance(step, Call)] == server.sent
    assert [step.id[:4] for step, _ in seen if isinstance(step, Pause)] == ["c-0-", "c-1-"]


@both
@pytest.mark.parametrize(("place", "sent", "asked"), [(1, 0, 0), (2, 1, 0), (3, 1, 1)])
def test_an_error_from_on_step_stops_run_before_the_step(drive, place, sent, asked):
    server, person, veto, seen = Server(asking(a=FORM), DONE), Person(NO), Veto(), []

    def on_step(step: Call | Pause) -> None:
        seen.append(step)
        if len(seen) == place:
            raise veto

    assert raised(Veto, drive, call(), server, Handlers(person), on_step=on_step) is veto
    assert (len(server.sent), len(person.asked)) == (sent, asked)


@both
def test_run_goes_on_from_a_pause_read_by_from_json(drive):
    server, stored = Server(asking("s", a=FORM), DONE), []
    drive(call(server="s1"), server, Handlers(Person(yes(n="x"))), on_step=lambda step: stored.append(step.to_json()))
    rest, seen = Server(DONE), []
    pause = Pause.from_json(stored[1], server="s1")
    assert drive(pause, rest, Handlers(Person(yes(n="x"))), on_step=seen.append) == DONE
    assert rest.sent == server.sent[1:]
    assert [step.to_json() for step in seen] == stored[1:]


@both
def test_run_hands_over_the_pause_in_retry_limit_exceeded(drive):
    server = Server(*[asking("s", a=FORM)] * 3)
    error = raised(RetryLimitExceeded, drive, call(max_retries=2), server, Handlers(Person(NO, NO)))
    assert (len(server.sent), error.pause.call.retry, error.step) == (3, 2, error.pause)
    assert drive(error.pause, Server(DONE), Handlers(Person(NO))) == DONE


@both
def test_run_with_max_retries_goes_on_for_so_many_sends_with_answers(drive):
    server = Server(*[asking("s", a=FORM)] * 3)
    error = raised(RetryLimitExceeded, drive, call(), server, Handlers(Person(NO, NO)), max_retries=2)
    server = Server(*[asking("s", a=FORM)] * 2, WAIT, asking("t", a=FORM))
    again = raised(RetryLimitExceeded, drive, error.step, server, Handlers(Person(*[NO] * 3)), max_retries=3)
    assert (len(server.sent), again.step.call.retry) == (4, 6)


# The step to go on from


@both
def test_an_error_of_run_says_which_step_to_go_on_from(drive):
    first, second = asking("1", a=form("first")), asking("2", a=form("second"))
    handlers = Handlers(Person(yes(n="x"), yes(n=7)))
    server = Server(first, second)
    error = raised(InvalidAnswer, drive, call(), server, handlers, reask=0)
    assert (type(error.step), error.step.requests["a"].prompt) == (Pause, "second")
    rest = Server(DONE)
    assert drive(error.step, rest, Handlers(Person(yes(n="y")))) == DONE
    assert rest.sent == [{**call().params, "inputResponses": {"a": yes_on_the_wire(n="y")}, "requestState": "2"}]


@both
def test_an_error_about_a_result_says_to_send_the_call_again(drive):
    server = Server(asking("1", a=FORM), {"resultType": "none"}, DONE)
    error = raised(RemoteProtocolError, drive, call(), server, Handlers(Person(yes(n="x"))))
    assert type(error.step) is Call
    assert error.step.params == server.sent[1]
    assert drive(error.step, server, Handlers(Person())) == DONE


@both
def test_an_error_of_a_missing_handler_says_which_pause_to_go_on_from(drive):
    error = raised(LocalProtocolError, drive, call(), Server(asking(a=FORM)), Handlers())
    assert (error.code, error.step.requests["a"].prompt) == ("unsupported_request", "m")


@both
def test_run_adds_no_step_to_an_error_that_a_function_of_the_host_raised(drive):
    own = LocalProtocolError("wrong_value", "expected something else")
    raised(LocalProtocolError, drive, call(), Server(asking(a=FORM)), Handlers(Person(own)))
    assert own.step is None


@both
def test_after_an_exception_of_send_run_goes_on_from_the_last_call_that_on_step_saw(drive):
    server, seen = Server(asking("s", a=FORM), DONE), []

    def send(method: str, params: dict[str, Any]) -> Any:
        if len(seen) == 3:
            raise ConnectionError
        return server(method, params)

    raised(ConnectionError, drive, call(), send, Handlers(Person(yes(n="x"))), on_step=seen.append)
    assert drive(seen[-1], server, Handlers(Person())) == DONE
    assert server.sent[-1]["inputResponses"] == {"a": yes_on_the_wire(n="x")}


def yes_on_the_wire(**content: Any) -> dict[str, Any]:
    return {"action": "accept", "content": content}


# Errors


@both
@pytest.mark.parametrize("error", [Veto(), TimeoutError(), ValueError("x"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("timeout", [None, 60])
def test_run_passes_on_errors_of_send_and_handlers_unchanged(drive, error, timeout):
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
        ({"answer_timeout": "1"}, "answer_timeout"),
        ({"max_retries": 1.0}, "max_retries"),
        ({"on_step": 1}, "on_step"),
    ],
)
def test_run_refuses_an_argument_of_a_wrong_type_before_anything_is_sent(drive, given, name):
    server = Server(DONE)
    with pytest.raises(TypeError, match=f"^{name} "):
        drive(**{"step": call(), "send": server, "handlers": Handlers(), **given})
    assert server.sent == []


@both
@pytest.mark.parametrize(
    "given", [{"reask": -1}, {"timeout": math.nan}, {"answer_timeout": math.nan}, {"max_retries": -1}], ids=str
)
def test_run_refuses_a_number_out_of_bounds_before_anything_is_sent(drive, given):
    server = Server(DONE)
    error = raised(LocalProtocolError, drive, call(), server, Handlers(), **given)
    assert (error.code, error.at, server.sent) == ("wrong_value", f"/{next(iter(given))}", [])


@both
def test_run_raises_a_type_error_when_send_returns_a_foreign_object(drive):
    raised(TypeError, drive, call(), Server(object()), Handlers())


@both
@pytest.mark.parametrize("result", [None, True, 5, 0.5, "x", []], ids=repr)
def test_run_refuses_any_other_json_than_an_object_from_send(drive, result):
    assert raised(RemoteProtocolError, drive, call(), Server(result), Handlers()).code == "wrong_type"


class Later:
    """An awaitable other than a coroutine."""

    def __await__(self) -> Any:
        yield


@pytest.mark.parametrize("make", [lambda: later(NO), Later])
def test_run_refuses_awaitables_from_send_wait_for_on_step_and_sleep(make):
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


def test_run_refuses_an_answer_with_the_id_of_another_call():
    server = Server(asking(confirm=FORM), DONE)
    error = raised(
        LocalProtocolError, run, call(), server, Handlers(Person(Answer("elc-d-0-0123456789abcdef", ok=False)))
    )
    assert (error.code, error.at) == ("answer_id_mismatch", "/confirm/id")
