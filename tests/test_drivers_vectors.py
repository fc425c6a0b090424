"""`run` and `run_async` on the exchange vectors and on generated results: both end alike."""

import copy
import zlib
from collections import defaultdict, deque
from typing import Any

import pytest
from driving import DONE, NO, Server, Veto, at_once, both, call, in_order, yes
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import RESULTS, results
from vectors import VECTORS, Vector, json_text
from wire_values import FORM, LINK, MESSAGE, asking

from toolnexus_mrtr import Call, Handlers, MrtrError, Pause
from toolnexus_mrtr.cli._vectors._operations import build_call

pytestmark = pytest.mark.usefixtures("clock")


def keys_asked(step: dict[str, Any]) -> list[str] | None:
    entries = step["receive"].get("inputRequests") or {}
    known = all("com.example" not in str(entry) for entry in entries.values()) if isinstance(entries, dict) else True
    return list(entries) if known else None


def declares(call: dict[str, Any]) -> bool:
    """Whether a call declares its capabilities itself: to any other a driver adds those of the handlers."""
    meta = call["params"].get("_meta")
    declared = meta.get("io.modelcontextprotocol/clientCapabilities") if isinstance(meta, dict) else None
    return "capabilities" in call or declared is not None


def playable(vector: Vector) -> bool:
    """Whether every answer of a vector is one that a handler can give."""
    return (
        vector.operation == "exchange"
        and declares(vector.input["call"])
        and vector.expect["outcome"].get("error", {}).get("code") != "unexpected_answer"
        and all(
            not {"stored", "meta", "maxRetries", "restart", "cancelTask"} & step.keys()
            and (
                "answers" not in step
                or (isinstance(step["answers"], dict) and list(step["answers"]) == keys_asked(step))
            )
            for step in vector.input["steps"]
        )
    )


PLAYED = [vector for vector in VECTORS if playable(vector)]

#: The errors that leave a task running, or that it ended in itself.
LEAVES_RUNNING = {"invalid_answer", "retry_limit", "task_failed", "task_cancelled"}


def leaves_task_behind(vector: Vector) -> bool:
    """Whether the error that an exchange ends in leaves a task behind, which a driver cancels."""
    code = vector.expect["outcome"].get("error", {}).get("code")
    paused = [step["receive"] for step in vector.input["steps"][: len(vector.expect["delays"])]]
    return code not in {None, *LEAVES_RUNNING} and any(raw.get("resultType") == "task" for raw in paused)


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
def test_run_and_run_async_play_the_exchange_vectors(drive, vector, clock):
    script = Script(copy.deepcopy(vector.input["steps"]))
    expected = vector.expect["outcome"]
    try:
        result = drive(
            build_call(vector.input["call"]), script.server, script.handlers, reask=0, on_step=script.on_step
        )
        outcome = {"done": result, "resultType": result.get("resultType", "complete")}
    except MrtrError as error:
        outcome = {"error": {"code": error.code, "at": error.at}}
        expected = {"error": {name: expected["error"][name] for name in ("code", "at")}}
    assert json_text(outcome) == json_text(expected)
    if leaves_task_behind(vector):
        assert script.server.methods.pop() == "tasks/cancel"
        assert script.server.sent.pop() == {"taskId": script.server.sent[-1]["taskId"]}
    assert set(script.server.methods) <= {vector.input["call"]["method"], "tasks/get", "tasks/update"}
    if "headers" in vector.expect:
        sent = zip(script.server.methods, script.server.sent, strict=True)
        assert [Call(method, params).headers for method, params in sent] == vector.expect["headers"]
    assert json_text(script.server.sent) == json_text(vector.expect["sends"])
    assert [round(seconds * 1000) for seconds in clock.slept] == [delay for delay in vector.expect["delays"] if delay]


def test_run_can_play_most_of_the_exchange_vectors():
    assert len(PLAYED) > sum(vector.operation == "exchange" for vector in VECTORS) * 3 / 4


# Generated results and answers


answers = st.sampled_from(
    [yes(n="x"), yes(n="x", i=3.0), yes(), NO, yes(n=7), {"action": "cancel"}, {"action": "maybe"}, MESSAGE, None, Veto]
)


def played(drive: Any, raws: list[Any], pool: list[Any], options: dict[str, Any]) -> Any:
    """Give the end of an exchange and all that was sent; the answer depends on the request alone, not on its time."""
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
def test_run_and_run_async_end_alike_whatever_is_sent_and_answered(raws, pool, reask):
    options = {"reask": reask}
    assert played(in_order, raws, pool, options) == played(at_once, raws, pool, options)
