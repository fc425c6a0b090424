"""The exchange, driven to its end: `run` and `run_async`. The only module that awaits or sleeps.

One generator of steps serves both drivers: it decides what happens next, and calls nothing of the host itself. It
yields a `HostCall`, a call still to be made, and gets its result back from `generator.send`; or it yields a list of
further generators, which may run in any order, and gets back the list of what they returned. `_run_steps` and
`_run_steps_async` are the loops that make those calls, each within the time that `_Drive` says is left for it.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
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
    pointer,
    require_count,
    require_type,
)
from toolnexus_mrtr._exchange import Call, Done, Pause, RetryLimitExceeded
from toolnexus_mrtr._frozen import from_state, state_of
from toolnexus_mrtr._handlers import Handlers, HostCall, host_call_for, to_answer
from toolnexus_mrtr._state import PauseState, with_call
from toolnexus_mrtr._text import json_type
from toolnexus_mrtr._types import InputRequest

#: Seconds: a longer timeout counts as none.
_FOREVER: Final = 1e9

#: The calls whose time is the server's; that of `on_step` is nobody's, and that of any other a person's.
_OF_THE_SERVER: Final = frozenset({"send", "sleep"})

_Result: TypeAlias = Mapping[str, Any]


def run(
    call: Call | Pause,
    send: Callable[[str, dict[str, Any]], _Result],
    handlers: Handlers,
    *,
    timeout: float | None = None,
    answer_timeout: float | None = None,
    reask: int = 2,
    max_retries: int | None = None,
    on_step: Callable[[Call | Pause], object] | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> dict[str, Any]:
    """Send a `call`, answer its pauses by the `handlers`, one question after the other, and give its final raw result.

    Start from a `Call`, or go on from a stored `Pause`; a `call` that declares no capabilities is given those of the
    `handlers`, in its `_meta`. `send(method, params)` returns the raw result; `params` are its own to change.

    `timeout` is the server's: seconds for all sends and delays together. `answer_timeout` is a person's: seconds for
    the answers to one pause; 0 means to run until somebody is needed. Both are looked at before each call of a function
    of yours: one that runs is not interrupted. `max_retries` says how many sends with answers there may be from here
    on, in place of what the call says.

    A form whose answer is invalid is asked again, at most `reask` times, by a new `Request` with what was entered under
    `data["content"]` and the field errors under `data["errors"]`: maps of `at` (`/<field>`), `code` and `message`.
    `on_step` sees every `Call` before it is sent and every `Pause` before it is answered, the one that you passed in
    included, so that you can store them; it may raise to veto. `sleep` waits out the `delay` of a pause, in seconds. A
    handler that raises ends the call; nothing is sent, and nothing is ever accepted on behalf of anybody.

    Raises what `send`, the handlers and `on_step` raise, unchanged: then go on from the last step that `on_step` saw.
    Raises, with the step to go on from as `step`: `CallTimeout`; what `Call.receive` and `Pause.resume` raise,
    `RetryLimitExceeded` among it; `LocalProtocolError` `unsupported_request` for what there is no handler for, before
    anything of its pause is asked, and `missing_answer` for a handler that returns `None`. Raises `LocalProtocolError`
    `wrong_value` for an argument that is NaN or out of bounds; `TypeError` for a wrong type, and for an awaitable.
    """
    drive = _Drive(
        send,
        handlers,
        timeout=_seconds("timeout", timeout),
        answer_timeout=_seconds("answer_timeout", answer_timeout),
        reask=reask,
        on_step=on_step,
        sleep=sleep,
    )
    result: dict[str, Any] = _run_steps(drive.steps(call, max_retries), drive)
    return result


async def run_async(
    call: Call | Pause,
    send: Callable[[str, dict[str, Any]], _Result | Awaitable[_Result]],
    handlers: Handlers,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - one name in both drivers; asyncio.timeout is what enforces it
    answer_timeout: float | None = None,
    reask: int = 2,
    max_retries: int | None = None,
    concurrency: int | None = None,
    on_step: Callable[[Call | Pause], object] | None = None,
) -> dict[str, Any]:
    """Do what `run` does in asyncio, and ask everything of a pause at once.

    `concurrency` says how many questions are open at a time: with 1 they are asked one after the other, in the server's
    order, as a terminal needs it. `send`, the handlers and `on_step` may each return an awaitable; a prompt that blocks
    belongs in `asyncio.to_thread`. When one question fails, no further one is asked, those that are open are cancelled,
    and when they have ended that one exception is raised. `timeout` and `answer_timeout` cut short what is waited for.
    When the task is cancelled, so is everything that it waits for, and nothing more is sent.

    `call`, `handlers`, `reask`, `max_retries` and the errors are those of `run`.
    """
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    drive = _Drive(
        send,
        handlers,
        timeout=_seconds("timeout", timeout),
        answer_timeout=_seconds("answer_timeout", answer_timeout),
        reask=reask,
        on_step=on_step,
        sleep=asyncio.sleep,
        concurrency=concurrency,
    )
    result: dict[str, Any] = await _run_steps_async(drive.steps(call, max_retries), drive)
    return result


#: A generator as the docstring of this module describes it; its return value is its outcome.
_Steps: TypeAlias = "Generator[HostCall | list[_Steps], Any, Any]"


class _Drive(Struct):
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

    def steps(self, start: Call | Pause, max_retries: int | None) -> _Steps:
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

    def _resume(self, pause: Pause) -> _Steps:
        """From a pause to the next call. Where a handler is missing, none of its requests is asked."""
        state, host_requests = state_of(pause), pause.requests
        requests = state.input_requests()
        calls = {
            key: host_call_for(self.handlers, key, request, host_requests.get(key)) for key, request in requests.items()
        }
        self.answers_due = time.monotonic() + self.answer_timeout
        responses = yield [self._ask(state, key, requests[key], call) for key, call in calls.items()]
        return from_state(Call, state.next_call(dict(zip(calls, responses, strict=True))))

    def _ask(self, pause: PauseState, key: str, request: InputRequest, call: HostCall) -> _Steps:
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

    def advance(self, steps: _Steps, result: Any) -> Any:
        """Let a generator go on with the result of its call; an error of its own says where to go on from."""
        try:
            return steps.send(result)
        except MrtrError as error:
            error.step = self.step
            raise

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


def _run_steps(steps: _Steps, drive: _Drive) -> Any:
    """Run a generator of steps to its end, one call after the other."""
    result: Any = None
    while True:
        try:
            step = drive.advance(steps, result)
        except StopIteration as stop:
            return stop.value
        if isinstance(step, list):
            result = [_run_steps(each, drive) for each in step]
        else:
            result = _call_without_awaiting(step, drive)


def _call_without_awaiting(call: HostCall, drive: _Drive) -> Any:
    with drive.time_of(call):
        result = call.function(*call.arguments)
    if isinstance(result, Awaitable):
        if isinstance(result, Coroutine):
            result.close()
        raise TypeError(f"{call.name} must return its result, not an awaitable: use run_async for that")
    return result


async def _run_steps_async(steps: _Steps, drive: _Drive) -> Any:
    """Run a generator of steps to its end: what it yields in a list at once, and all else one after the other."""
    result: Any = None
    while True:
        try:
            step = drive.advance(steps, result)
        except StopIteration as stop:
            return stop.value
        if isinstance(step, list):
            result = await _run_all_or_cancel(step, drive)
        else:
            result = await _call_in_time(step, drive)


async def _run_all_or_cancel(generators: list[_Steps], drive: _Drive) -> list[Any]:
    """Run all, so many at once as there may be, and give what they returned.

    When one fails or is cancelled, none is begun any more, and the others are cancelled; all have ended when it raises.
    A `TaskGroup` would raise a group of errors in place of that one.
    """
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    waiting = deque(enumerate(generators))
    results: list[Any] = [None] * len(generators)

    async def work() -> None:
        while waiting:
            place, steps = waiting.popleft()
            try:
                results[place] = await _run_steps_async(steps, drive)
            except BaseException:
                waiting.clear()
                raise

    tasks = [asyncio.create_task(work()) for _ in generators[: drive.concurrency]]
    try:
        for done in asyncio.as_completed(tasks):
            await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return results


async def _call_in_time(call: HostCall, drive: _Drive) -> Any:
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    with drive.time_of(call) as due:
        result = call.function(*call.arguments)
        if not isinstance(result, Awaitable):
            return result
        limit = asyncio.timeout(None if due == math.inf else max(0.0, due - time.monotonic()))
        try:
            async with limit:
                return await result
        except Exception:
            # Whatever a handler makes of being cancelled, its time was over.
            if not limit.expired():
                raise
    raise drive.time_out(call)


def _seconds(name: str, timeout: float | None) -> float:
    require_type(name, timeout, int | float | None, "a number of seconds")
    if timeout is None or timeout > _FOREVER:
        return math.inf
    if timeout <= 0:
        return 0.0
    if math.isnan(timeout):
        raise LocalProtocolError("wrong_value", "expected a number of seconds", pointer(name))
    return float(timeout)
