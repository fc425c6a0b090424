"""The steps of an exchange, for both drivers: what happens next, and how much time is left for it.

One generator serves `run` and `run_async`, and calls nothing of the host itself. It yields a `HostCall`, a call still
to be made, and gets its result back from `generator.send`; or it yields a list of further generators, which may run in
any order, and gets back the list of what they returned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._answers import ask_again
from toolnexus_mrtr._errors import (
    CallTimeout,
    InvalidAnswer,
    LocalProtocolError,
    MrtrError,
    RemoteProtocolError,
    TaskCancelled,
    TaskFailed,
    pointer,
    require_count,
    require_type,
)
from toolnexus_mrtr._exchange import Call, Pause, RetryLimitExceeded
from toolnexus_mrtr._frozen import from_state, state_of
from toolnexus_mrtr._handlers import Handlers, HostCall, host_call_for, to_answer
from toolnexus_mrtr._pause_state import PauseState, with_call
from toolnexus_mrtr._receiving import Done
from toolnexus_mrtr._text import json_type
from toolnexus_mrtr._types import InputRequest

#: Seconds: a longer timeout counts as none.
_FOREVER: Final = 1e9

#: The calls whose time is the server's; that of `on_step` is nobody's, and that of any other a person's.
_OF_THE_SERVER: Final = frozenset({"send", "sleep"})

#: What leaves a task running: time or a person can mend it, or the task has ended. A coroutine that is closed cannot
#: wait for anything any more.
_LEAVES_RUNNING: Final = (CallTimeout, InvalidAnswer, RetryLimitExceeded, TaskFailed, TaskCancelled, GeneratorExit)

#: A generator as the docstring of this module describes it; its return value is its outcome.
Steps: TypeAlias = "Generator[HostCall | list[Steps], Any, Any]"


class Drive(Struct):
    """What a driver was given, and the generators of steps that follow from it.

    Of `timeout` the time of sends and delays is taken off as it passes; an `answer_timeout` begins anew with each
    pause, and ends at `answers_due`. `step` is where to go on from after an error.
    """

    send: Callable[..., Any]
    handlers: Handlers
    timeout: float
    answer_timeout: float
    reask: int
    on_step: Callable[..., Any] | None
    sleep: Callable[..., Any]
    concurrency: int | None = None
    answers_due: float = math.inf
    step: Call | Pause | None = None

    def __post_init__(self) -> None:
        require_type("send", self.send, Callable, "callable")
        require_type("handlers", self.handlers, Handlers, "Handlers")
        require_count("reask", self.reask)
        require_type("on_step", self.on_step, Callable | None, "callable")
        require_type("sleep", self.sleep, Callable, "callable")
        if self.concurrency is not None:
            require_count("concurrency", self.concurrency, least=1)

    def steps(self, start: Call | Pause, max_retries: int | None) -> Steps:
        """From a call or a pause to the final raw result."""
        require_type("call", start, Call | Pause, "a Call or a Pause")
        if max_retries is not None:
            require_count("max_retries", max_retries)
        meta = self.handlers.meta()
        step: Call | Pause | Done = with_call(start, lambda call: call.bound(max_retries).declare(meta))
        while not isinstance(step, Done):
            self.step = step
            if self.on_step is not None:
                yield HostCall("on_step", self.on_step, (step,))
            if isinstance(step, Call):
                step = self._receive(step, (yield HostCall("send", self.send, (step.method, step.params))))
            else:
                if step.delay:
                    yield HostCall("sleep", self.sleep, (min(step.delay, self.timeout),))
                step = yield from self._resume(step)
        return step.result

    def _receive(self, call: Call, raw: Any) -> Done | Pause:
        try:
            return call.receive(_require_object(raw))
        except RetryLimitExceeded as error:
            self.step = error.pause
            raise

    def _resume(self, pause: Pause) -> Steps:
        """From a pause to the next call. Where a handler is missing, none of its requests is asked."""
        state, host_requests = state_of(pause), pause.requests
        requests = state.input_requests()
        calls = {
            key: host_call_for(self.handlers, key, request, host_requests.get(key)) for key, request in requests.items()
        }
        self.answers_due = time.monotonic() + self.answer_timeout
        responses = yield [self._ask(state, key, requests[key], call) for key, call in calls.items()]
        return from_state(Call, state.next_call(dict(zip(calls, responses, strict=True))))

    def _ask(self, pause: PauseState, key: str, request: InputRequest, call: HostCall) -> Steps:
        """Ask for one thing until its answer fits, and return what is sent; raise once `reask` is used up."""
        attempt = 1
        while True:
            answer = to_answer(key, request, call.name, (yield call))
            response = pause.write_input_response(key, answer, request)
            if isinstance(response, dict):
                return response
            if attempt > self.reask:
                raise InvalidAnswer(response)
            attempt += 1
            # Copied anew: the request that the host was handed is the host's to change.
            again = ask_again(pause.host_request(key), key, answer, response, attempt)
            call = HostCall(call.name, call.function, (again,))

    def advance(self, steps: Steps, result: Any) -> Any:
        """Let a generator go on with the result of its call; an error of its own says where to go on from."""
        try:
            return steps.send(result)
        except MrtrError as error:
            error.step = self.step
            if isinstance(self.step, Pause):
                state_of(self.step).hide_keys(error)
            raise

    def task_to_cancel(self, error: BaseException) -> HostCall | None:
        """Give the call that cancels the task that an error leaves behind, if there is one and it is not cancelled."""
        step = self.step
        if step is None or step.task_id is None or isinstance(error, _LEAVES_RUNNING):
            return None
        if state_of(step).task.stage != "open":
            return None
        cancel = step.cancel_task()
        return HostCall("send", self.send, (cancel.method, cancel.params))

    @contextmanager
    def time_of(self, call: HostCall) -> Iterator[float]:
        """Give the time at which a call has to be done, and take what it lasts from the server's time if it is that.

        Raises `CallTimeout` where that time has come.
        """
        began = time.monotonic()
        if call.name == "on_step":
            due = math.inf
        else:
            due = began + self.timeout if call.name in _OF_THE_SERVER else self.answers_due
        if began >= due:
            raise self.time_out(call)
        try:
            yield due
        finally:
            if call.name in _OF_THE_SERVER:
                self.timeout -= time.monotonic() - began

    def time_out(self, call: HostCall) -> CallTimeout:
        """Make the error for a call that was not done in time."""
        if call.name in _OF_THE_SERVER:
            error = CallTimeout("timeout", "expected the call to be finished in time", "/timeout")
        else:
            error = CallTimeout("timeout", "expected every answer in time", "/answer_timeout")
        error.step = self.step
        return error


def _require_object(result: Any) -> Any:
    """Refuse JSON that is no object, as the server's fault: a transport passes on whatever it got."""
    if result is None or isinstance(result, bool | int | float | str | list):
        raise RemoteProtocolError("wrong_type", f"expected an object as the result, found {json_type(result)}")
    return result


def to_seconds(name: str, timeout: float | None) -> float:
    require_type(name, timeout, int | float | None, "a number of seconds")
    if timeout is None or timeout > _FOREVER:
        return math.inf
    if timeout <= 0:
        return 0.0
    if math.isnan(timeout):
        raise LocalProtocolError("wrong_value", "expected a number of seconds", pointer(name))
    return float(timeout)
