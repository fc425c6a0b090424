"""`Call.receive` and `Pause.resume` of tasks, on generated servers: nothing asked twice, no answer astray."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_values import FORM, LINK, LLM, form, raised

from toolnexus_mrtr import (
    Answer,
    Call,
    Done,
    LocalProtocolError,
    MrtrError,
    Pause,
    TaskCancelled,
    TaskFailed,
    lint,
    request_meta,
)

ID = "task-1"
META = request_meta(form=True, url=True, tasks=True)
CAPABILITIES = META["io.modelcontextprotocol/clientCapabilities"]
BORN = {"resultType": "task", "taskId": ID, "status": "working"}


def task_call() -> Call:
    return Call("tools/call", {"name": "t", "_meta": META}, id="c")


def poll_call() -> Call:
    pause = task_call().receive(BORN)
    assert isinstance(pause, Pause)
    return pause.resume()


# Any poll

ABSENT = object()
entries = st.dictionaries(
    st.sampled_from(["a", "b/~", ""]), st.sampled_from([FORM, LINK, LLM, form("Who?"), None, {"method": 5}, {}])
)
members = st.fixed_dictionaries(
    {
        "resultType": st.sampled_from(["complete"] * 6 + ["task", "input_required", None, 5]),
        "taskId": st.sampled_from([ID] * 6 + [ABSENT, None, 5, ["x"]]),
        "status": st.sampled_from(
            ["working", "input_required", "completed", "failed", "cancelled"] * 3 + [ABSENT, None, "paused", 0, []]
        ),
        "inputRequests": entries | st.sampled_from([ABSENT, None, [], "a"]),
        "result": st.sampled_from([{"content": []}, {"resultType": "complete"}] * 2)
        | st.sampled_from([ABSENT, None, [], BORN, {"resultType": "input_required"}, {"resultType": "x"}]),
        "error": st.sampled_from([{"code": -32000, "message": "m"}] * 2)
        | st.sampled_from([ABSENT, None, {}, {"code": "x", "message": 5}, {"code": True, "message": "m"}, "e"]),
        "statusMessage": st.sampled_from([ABSENT, None, "s", 5]),
        "pollIntervalMs": st.sampled_from([ABSENT, None, 0, -1, 2000.5, 10**400, True, "1"]),
        "ttlMs": st.sampled_from([ABSENT, None, 60_000, "1"]),
    }
)
polls = members.map(lambda poll: {name: value for name, value in poll.items() if value is not ABSENT})


@given(polls)
def test_receive_of_a_poll_raises_the_first_error_of_lint(raw):
    # A task that has ended is no fault of its result.
    refused = []
    try:
        poll_call().receive(raw)
    except (TaskFailed, TaskCancelled):
        pass
    except MrtrError as error:
        refused = [(error.code, error.at)]
    # Of a member that a client does nothing with, only lint says that it is there, or of the wrong type.
    unused = ("/statusMessage", "/pollIntervalMs", "/ttlMs", "/createdAt", "/lastUpdatedAt")
    found = [
        (finding.code, finding.at)
        for finding in lint(raw, method="tasks/get", capabilities=CAPABILITIES)
        if finding.severity == "error" and finding.code != "unexpected_member" and finding.at not in unused
    ]
    assert refused == found[:1]


@given(polls)
def test_a_pause_of_any_poll_comes_back_from_its_bytes(raw):
    try:
        pause = poll_call().receive(raw)
    except MrtrError:
        return
    if isinstance(pause, Pause):
        again = Pause.from_json(pause.to_json(), server=None)
        assert again == pause
        assert (again.id, again.requests, again.delay) == (pause.id, pause.requests, pause.delay)
        assert 0.05 <= pause.delay <= 3600 or pause.requests


# Servers that keep the rules


class TaskServer:
    """A server with one task. It shows what was answered for some more polls, and asks more as it goes on."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.outstanding: dict[str, int | None] = {}
        self.answers: dict[str, Any] = {}
        self.asked, self.left = 0, draw(st.integers(0, 4))
        self.methods: list[str] = []

    def __call__(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.methods.append(method)
        assert params["_meta"] == META
        if method == "tools/call":
            return {**BORN, "pollIntervalMs": 700}
        assert params["taskId"] == ID
        if method == "tasks/update":
            self.take(params["inputResponses"])
            return {"resultType": "complete"}
        assert set(params) == {"taskId", "_meta"}
        return {"resultType": "complete", "taskId": ID, **self.go_on()}

    def take(self, responses: dict[str, Any]) -> None:
        assert responses
        for key, response in responses.items():
            assert self.outstanding[key] is None, "an answer to what was answered"
            self.answers[key] = response
            self.outstanding[key] = self.draw(st.integers(0, 2))

    def go_on(self) -> dict[str, Any]:
        for key, polls_left in list(self.outstanding.items()):
            if polls_left == 0:
                del self.outstanding[key]
            elif polls_left is not None:
                self.outstanding[key] = polls_left - 1
        for _ in range(self.draw(st.integers(0, min(2, self.left)))):
            self.outstanding[f"{ID}/{self.asked}"] = None
            self.asked, self.left = self.asked + 1, self.left - 1
        if self.outstanding:
            return {"status": "input_required", "inputRequests": {key: form(key) for key in self.outstanding}}
        if self.left:
            return {"status": "working"}
        return {"status": "completed", "result": {"content": [], "structuredContent": self.answers}}


def follow(server: TaskServer, keep: Any) -> Iterator[str]:
    """Go through the loop, store what `keep` says, and yield what a person is asked."""
    step: Call | Pause | Done = task_call()
    while not isinstance(step, Done):
        if keep():
            stored = step.to_json()
            step = type(step).from_json(stored, server=None)
            assert step.to_json() == stored
        if isinstance(step, Call):
            step = step.receive(server(step.method, step.params))
        else:
            assert step.delay == (0 if step.requests else 0.7)
            answers = {}
            for key, request in step.requests.items():
                yield request.prompt
                answers[key] = request.accept({"n": f"to {request.prompt}"})
            step = step.resume(answers)
    assert step.result["structuredContent"] == server.answers


@settings(max_examples=30)
@given(st.data())
def test_the_loop_asks_everything_of_a_task_once_and_answers_what_was_asked(data):
    server = TaskServer(data.draw)
    asked = list(follow(server, lambda: data.draw(st.booleans())))
    assert sorted(asked) == sorted(server.answers)
    assert len(set(asked)) == len(asked)
    expected = {key: {"action": "accept", "content": {"n": f"to {key}"}} for key in asked}
    assert server.answers == expected


@settings(max_examples=30)
@given(st.data())
def test_a_task_that_is_cancelled_asks_nobody_any_more_and_comes_to_its_end(data):
    server = TaskServer(data.draw)
    pause = task_call().receive(server("tools/call", task_call().params))
    for _ in range(data.draw(st.integers(0, 2))):
        if isinstance(pause, Pause) and not pause.requests:
            pause = pause.resume().receive(server("tasks/get", pause.resume().params))
    if not isinstance(pause, Pause):
        return
    cancelled = pause.cancel_task()
    assert (cancelled.method, cancelled.params) == ("tasks/cancel", {"taskId": ID, "_meta": META})
    step = cancelled.receive({"resultType": "complete"})
    for raw in (server.go_on(), {"status": "working"}):
        if raw["status"] != "completed":
            assert isinstance(step, Pause)
            assert (step.requests, step.input_requests) == ({}, {})
            step = step.resume().receive({"resultType": "complete", "taskId": ID, **raw})
    raised(TaskCancelled, step.resume().receive, {"taskId": ID, "status": "cancelled"})


# Stored bytes that a host did not write


@pytest.mark.parametrize("at", [("method",), ("retry",), ("task", "id"), ("params", "_meta")], ids="/".join)
def test_from_json_refuses_a_task_that_no_call_can_have_become(at):
    stored = json.loads(poll_call().receive({**BORN, "resultType": "complete"}).to_json())
    other = {"method": "prompts/get", "retry": 0, "id": "task-2", "_meta": request_meta(form=True)}
    holder = stored["call"]
    for name in at[:-1]:
        holder = holder[name]
    assert at[-1] in holder
    holder[at[-1]] = other[at[-1]]
    assert raised(LocalProtocolError, Pause.from_json, json.dumps(stored), server=None).code == "stored_pause_invalid"


def test_an_answer_to_one_task_is_refused_by_another():
    first = poll_call().receive(
        {**BORN, "resultType": "complete", "status": "input_required", "inputRequests": {"a": FORM}}
    )
    other = Call("tools/call", {"name": "t", "_meta": META}, id="c").receive({**BORN, "taskId": "task-2"}).resume()
    second = other.receive(
        {"resultType": "complete", "taskId": "task-2", "status": "input_required", "inputRequests": {"a": FORM}}
    )
    answer = Answer(first.requests["a"].id, ok=True, data={"n": "Ada"})
    assert first.resume({"a": answer}).params["inputResponses"] == {"a": {"action": "accept", "content": {"n": "Ada"}}}
    assert raised(LocalProtocolError, second.resume, {"a": answer}).code == "answer_id_mismatch"
