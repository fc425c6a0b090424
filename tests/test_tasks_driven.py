"""`run` and `run_async` with a call that becomes a task: how it is followed, and when it is cancelled."""

import asyncio
import copy
import pickle
from typing import Any

import pytest
from driving import DONE, NO, Person, Server, Veto, at_once, both, call, in_order, yes
from wire_values import FORM, LLM, form, raised

from toolnexus_mrtr import (
    Call,
    CallTimeout,
    Handlers,
    InvalidAnswer,
    LocalProtocolError,
    Pause,
    RemoteProtocolError,
    RetryLimitExceeded,
    TaskCancelled,
    TaskFailed,
    _drivers,
    request_meta,
    run_async,
)

pytestmark = pytest.mark.usefixtures("clock")

ID = "task-7f3a"
BORN = {"resultType": "task", "taskId": ID, "status": "working", "pollIntervalMs": 2000}
ACKNOWLEDGED = {"resultType": "complete"}
COMPLETED = {"resultType": "complete", "taskId": ID, "status": "completed", "result": DONE}
FAILED = {"resultType": "complete", "taskId": ID, "status": "failed", "error": {"code": -32000, "message": ID}}
CANCELLED = {"resultType": "complete", "taskId": ID, "status": "cancelled", "statusMessage": "by hand"}
CANCEL = "tasks/cancel"


def poll(**entries: Any) -> dict[str, Any]:
    """Make the result of a `tasks/get`: the task asks for copies of these entries, or works."""
    status = "input_required" if entries else "working"
    raw = {"resultType": "complete", "taskId": ID, "status": status, "inputRequests": entries}
    return copy.deepcopy(raw)


def task_call() -> Call:
    return Call("tools/call", {"name": "t", "_meta": request_meta(form=True, url=True, sampling=True, tasks=True)})


def veto_calls_of(method: str) -> Any:
    def on_step(step: Call | Pause) -> None:
        if isinstance(step, Call) and step.method == method:
            raise Veto

    return on_step


@both
def test_run_follows_a_task_that_the_handlers_declared_at_the_pace_of_the_server(drive, clock):
    server, person = Server(BORN, poll(), poll(a=FORM), ACKNOWLEDGED, COMPLETED), Person(yes(n="Ada"))
    start = call(capabilities=None)
    assert drive(start, server, Handlers(person, tasks=True)) == DONE
    assert server.methods == ["tools/call", "tasks/get", "tasks/get", "tasks/update", "tasks/get"]
    assert clock.slept == [2.0, 2.0, 2.0]
    assert len(person.asked) == 1
    assert {params["taskId"] for params in server.sent[1:]} == {ID}
    declared = "io.modelcontextprotocol/clientCapabilities"
    assert all("io.modelcontextprotocol/tasks" in params["_meta"][declared]["extensions"] for params in server.sent)


@both
def test_run_asks_what_a_task_still_shows_after_the_answer_only_once(drive):
    server, person = Server(BORN, poll(a=FORM), ACKNOWLEDGED, poll(a=FORM), poll(a=FORM), COMPLETED), Person(NO)
    assert drive(task_call(), server, Handlers(person)) == DONE
    assert server.methods.count("tasks/update") == 1


#: What ends a driver while the task runs: the results, the handler's answers, other options, and the error.
FAILURES = {
    "a handler that raises": ([poll(a=FORM)], [Veto()], {}, Veto),
    "an interruption": ([poll(a=FORM)], [KeyboardInterrupt()], {}, KeyboardInterrupt),
    "a handler that returns nothing": ([poll(a=FORM)], [None], {}, LocalProtocolError),
    "a handler that is missing": ([poll(a=LLM)], [], {}, LocalProtocolError),
    "a veto of a poll": ([], [], {"on_step": veto_calls_of("tasks/get")}, Veto),
    "a veto of an answer": ([poll(a=FORM)], [NO], {"on_step": veto_calls_of("tasks/update")}, Veto),
    "a result that is refused": ([{"resultType": "complete"}], [], {}, RemoteProtocolError),
    "a result that is no object": ([None], [], {}, RemoteProtocolError),
}


@both
@pytest.mark.parametrize(("raws", "answers", "options", "error"), FAILURES.values(), ids=FAILURES)
def test_run_that_fails_cancels_its_task_once_and_raises_what_it_would_have_raised(
    drive, raws, answers, options, error
):
    server = Server(BORN, *raws, ACKNOWLEDGED)
    with pytest.raises(error):
        drive(task_call(), server, Handlers(Person(*answers)), **options)
    assert server.methods.count(CANCEL) == 1
    assert server.methods[-1] == CANCEL
    assert server.sent[-1] == {"taskId": ID, "_meta": server.sent[0]["_meta"]}


@both
def test_run_whose_send_fails_cancels_its_task(drive):
    methods: list[str] = []

    def send(method: str, _: dict[str, Any]) -> Any:
        methods.append(method)
        if method == "tools/call":
            return BORN
        raise Veto(method)

    # The send of the cancel fails too, and that is forgiven.
    assert raised(Veto, drive, task_call(), send, Handlers()).args == ("tasks/get",)
    assert methods == ["tools/call", "tasks/get", CANCEL]


@both
def test_run_cancels_nothing_before_the_call_is_a_task(drive):
    server = Server({"resultType": "input_required", "inputRequests": {"a": FORM}})
    raised(Veto, drive, task_call(), server, Handlers(Person(Veto())))
    assert server.methods == ["tools/call"]


@both
def test_run_does_not_show_the_cancel_that_it_sends_to_on_step(drive):
    seen: list[Call | Pause] = []

    def on_step(step: Call | Pause) -> None:
        seen.append(step)
        if isinstance(step, Pause):
            raise Veto

    server = Server(BORN, ACKNOWLEDGED)
    raised(Veto, drive, task_call(), server, Handlers(), on_step=on_step)
    assert server.methods == ["tools/call", CANCEL]
    assert [type(step) for step in seen] == [Call, Pause]


@both
def test_run_does_not_cancel_a_task_again_that_is_being_cancelled(drive):
    pause = task_call().receive(BORN)
    server = Server(ACKNOWLEDGED, poll(a=FORM), ACKNOWLEDGED)
    raised(Veto, drive, pause.cancel_task(), server, Handlers(), on_step=veto_calls_of("tasks/get"))
    assert server.methods == [CANCEL]


#: What time or a person can mend, and how a task ends by itself: the results, the answers, and other options.
NOT_CANCELLED = {
    "timeout": ([poll()], [], {"timeout": 3}, CallTimeout),
    "answer_timeout": ([poll(a=FORM)], [], {"answer_timeout": 0}, CallTimeout),
    "invalid answer": ([poll(a=FORM)], [yes(n=1)], {"reask": 0}, InvalidAnswer),
    "retry limit": ([poll(a=FORM)], [], {"max_retries": 0}, RetryLimitExceeded),
    "failed": ([FAILED], [], {}, TaskFailed),
    "cancelled": ([CANCELLED], [], {}, TaskCancelled),
}


@both
@pytest.mark.parametrize(("raws", "answers", "options", "error"), NOT_CANCELLED.values(), ids=NOT_CANCELLED)
def test_run_leaves_a_task_that_can_be_gone_on_with_or_has_ended(drive, raws, answers, options, error):
    server = Server(BORN, *raws)
    caught = raised(error, drive, task_call(), server, Handlers(Person(*answers)), **options)
    assert CANCEL not in server.methods
    cancel = caught.step.cancel_task()
    assert (cancel.method, cancel.params["taskId"]) == (CANCEL, ID)


@both
def test_run_goes_on_with_a_task_after_a_timeout(drive):
    server = Server(BORN, poll(), COMPLETED)
    step = raised(CallTimeout, drive, task_call(), server, Handlers(), timeout=3).step
    assert drive(step, server, Handlers()) == DONE
    assert server.methods == ["tools/call", "tasks/get", "tasks/get"]


def test_run_refuses_an_awaitable_cancel_silently_and_closes_it():
    async def acknowledge() -> Any:
        raise AssertionError

    def send(method: str, _: dict[str, Any]) -> Any:
        return BORN if method == "tools/call" else acknowledge()

    raised(TypeError, in_order, task_call(), send, Handlers())


class Cancelling:
    """A `send` that holds the `tasks/cancel` back until it is let go."""

    def __init__(self) -> None:
        self.polled, self.reached, self.let_go = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.methods: list[str] = []
        self.is_acknowledged = False

    async def __call__(self, method: str, _: dict[str, Any]) -> Any:
        self.methods.append(method)
        if method == CANCEL:
            self.reached.set()
            await self.let_go.wait()
            self.is_acknowledged = True
            return ACKNOWLEDGED
        if method == "tools/call":
            return BORN
        self.polled.set()
        return await asyncio.get_running_loop().create_future()


async def follow(send: Any) -> Any:
    """Begin to follow a task until its first poll is under way."""
    following = asyncio.create_task(run_async(task_call(), send, Handlers()))
    await send.polled.wait()
    return following


@pytest.mark.parametrize("times", [1, 2, 5])
def test_run_async_sends_the_cancel_whole_however_often_it_is_cancelled(times):
    async def check() -> None:
        send = Cancelling()
        following = await follow(send)
        following.cancel()
        await send.reached.wait()
        for _ in range(times - 1):
            following.cancel()
            await asyncio.wait([following], timeout=0)
        assert not following.done()
        send.let_go.set()
        with pytest.raises(asyncio.CancelledError):
            await following
        assert send.is_acknowledged
        assert send.methods == ["tools/call", "tasks/get", CANCEL]

    asyncio.run(check())


def test_run_async_waits_for_its_cancel_for_a_bounded_time(monkeypatch):
    monkeypatch.setattr(_drivers, "_CANCEL_TIMEOUT", 0.01)

    async def check() -> None:
        send = Cancelling()
        following = await follow(send)
        following.cancel()
        with pytest.raises(asyncio.CancelledError):
            await following
        assert send.methods[-1] == CANCEL
        assert not send.is_acknowledged

    asyncio.run(check())


def test_run_async_takes_a_cancel_that_is_acknowledged_without_waiting():
    server = Server(BORN, {"resultType": "complete"}, ACKNOWLEDGED)
    raised(RemoteProtocolError, at_once, task_call(), server, Handlers())
    assert server.methods[-1] == CANCEL


def test_run_async_that_is_closed_without_its_loop_sends_nothing():
    server = Server(BORN)

    async def wait_for_pause(step: Call | Pause) -> None:
        if isinstance(step, Pause):
            await asyncio.Event().wait()

    async def check() -> None:
        following = run_async(task_call(), server, Handlers(), on_step=wait_for_pause)
        following.send(None)
        following.close()

    asyncio.run(check())
    assert CANCEL not in server.methods


@both
def test_errors_of_a_task_that_go_into_a_log_show_no_id_and_no_key(drive):
    key = f"{ID}/who"
    server = Server(BORN, poll(**{key: form(schema={"type": "object", "required": ["n"]})}), ACKNOWLEDGED)
    error = raised(InvalidAnswer, drive, task_call(), server, Handlers(Person(yes())), reask=0)
    assert error.at == "/task-7f3a~1who/n"
    assert error.errors[0].at == error.at
    for shown in (str(error), repr(error), error.sentence, repr(error.args), repr(error.step), str(error.step)):
        assert ID not in shown
    assert "/<request 1>/n" in str(error)


@pytest.mark.parametrize("error", [TaskFailed({"code": -1, "message": "m"}, "s"), TaskCancelled("s"), TaskCancelled()])
def test_task_errors_can_be_copied_and_pickled(error):
    error.step = task_call().receive(BORN)
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(again), str(again), again.status_message) == (type(error), str(error), error.status_message)
        assert again.step == error.step
        assert getattr(again, "error", None) == getattr(error, "error", None)


def test_invalid_answer_of_a_task_keeps_its_text_when_it_is_pickled():
    pause = task_call().receive(BORN).resume().receive(poll(**{ID: FORM}))
    error = raised(InvalidAnswer, pause.resume, {ID: yes(n=1)})
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.errors, again.args) == (str(error), error.errors, error.args)
    assert ID not in str(again)


def test_task_failed_names_the_code_and_nothing_else_of_the_servers_error():
    call_of_poll = task_call().receive(BORN).resume()
    error = raised(TaskFailed, call_of_poll.receive, {**FAILED, "statusMessage": "paper jam"})
    assert str(error) == "expected the task to be completed, it failed with the error -32000"
    assert error.error == FAILED["error"]
    assert error.status_message == "paper jam"
    assert error.error is not FAILED["error"]


@pytest.mark.parametrize("code", [10**400, float("nan"), float("inf")], ids=["huge", "nan", "infinite"])
def test_task_failed_with_an_absurd_code_says_only_that_it_failed(code):
    error = TaskFailed({"code": code, "message": "m"})
    assert str(error) == "expected the task to be completed, it failed"


def test_pause_without_a_task_has_no_id_and_no_status_message():
    pause = task_call().receive({"resultType": "input_required", "inputRequests": {"a": FORM}})
    assert (pause.task_id, pause.status_message) == (None, None)


def test_pause_of_a_task_shows_its_id_to_who_asks_for_it_alone():
    pause = task_call().receive({**BORN, "statusMessage": "at work"})
    assert (pause.task_id, pause.status_message, pause.call.task_id) == (ID, "at work", None)
    poll_call = pause.resume()
    assert poll_call.task_id == ID
    assert ID not in repr(pause) + repr(poll_call) + str(pause) + str(poll_call)
