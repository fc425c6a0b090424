"""The exchange, driven to its end: `run` and `run_async`. The only module that awaits or sleeps.

One generator of steps serves both drivers: it decides what happens next, and calls nothing of the host itself. It
yields a `HostCall`, a call still to be made, and gets its result back from `generator.send`; or it yields a list of
further generators, which may run in any order, and gets back the list of what they returned. `_run_steps` and
`_run_steps_async` are the loops that make those calls.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._answers import ask_again
from toolnexus_mrtr._errors import InvalidAnswer, LocalProtocolError, RemoteProtocolError, require_int, require_type
from toolnexus_mrtr._exchange import Call, Done, Pause
from toolnexus_mrtr._handlers import Handlers, HostCall, host_call_for, to_answer
from toolnexus_mrtr._state import PauseState, from_state, state_of
from toolnexus_mrtr._text import json_type
from toolnexus_mrtr._types import InputRequest

#: Seconds: a longer timeout counts as none.
_FOREVER: Final = 1e9

_Result: TypeAlias = Mapping[str, Any]


def run(
    call: Call | Pause,
    send: Callable[[str, dict[str, Any]], _Result],
    handlers: Handlers,
    *,
    timeout: float | None = None,
    reask: int = 2,
    on_step: Callable[[Call | Pause], object] | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> dict[str, Any]:
    """Send a `call`, answer its pauses by the `handlers`, one question after the other, and give its final raw result.

    Start from a `Call`, or go on from a stored `Pause`. `send(method, params)` returns the raw result; `params` are its
    own to change. `timeout` is in seconds, for all of it, and checked before each call of a function of yours: one that
    runs is not interrupted. A form whose answer is invalid is asked again, at most `reask` times, with the field errors
    under `data["errors"]` of a new `Request`: maps of `at` (`/<field>`), `code` and `message`. `on_step` sees every
    `Call` before it is sent and every `Pause` before it is answered, the one that you passed in included, so that you
    can store them; it may raise to veto. `sleep` waits out the `delay` of a pause, in seconds. A handler that raises
    ends the call; nothing is sent, and nothing is ever accepted on behalf of anybody.

    Raises what `send`, the handlers and `on_step` raise, unchanged; `TimeoutError`; what `Call.receive` and
    `Pause.resume` raise, `RetryLimitExceeded` among it; `LocalProtocolError` `unsupported_request` for what there is no
    handler for, before anything of its pause is asked, and `wrong_value` where `timeout` is NaN or `reask` negative;
    `TypeError` for a wrong type, and for an awaitable.
    """
    deadline = _deadline(timeout)
    drive = _Drive(send=send, handlers=handlers, reask=reask, on_step=on_step, sleep=sleep, deadline=deadline)
    result: dict[str, Any] = _run_steps(drive.steps(call), deadline)
    return result


async def run_async(
    call: Call | Pause,
    send: Callable[[str, dict[str, Any]], _Result | Awaitable[_Result]],
    handlers: Handlers,
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - one name in both drivers; asyncio.timeout is what enforces it
    reask: int = 2,
    on_step: Callable[[Call | Pause], object] | None = None,
) -> dict[str, Any]:
    """Do what `run` does in asyncio, and ask everything of a pause at once.

    `call`, `handlers`, `reask` and `on_step` are those of `run`. `send`, the handlers and `on_step` may each return an
    awaitable; a prompt that blocks belongs in `asyncio.to_thread`. When one question fails, the others are cancelled,
    and when they have ended that one exception is raised. `timeout` cuts short whatever is waited for. When the task is
    cancelled, so is everything that it waits for, and nothing more is sent.

    Raises what `run` raises.
    """
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    deadline = _deadline(timeout)
    drive = _Drive(send=send, handlers=handlers, reask=reask, on_step=on_step, sleep=asyncio.sleep, deadline=deadline)
    limit = asyncio.timeout(None if deadline == math.inf else max(0.0, deadline - time.monotonic()))
    try:
        async with limit:
            result: dict[str, Any] = await _run_steps_async(drive.steps(call), deadline)
            return result
    except TimeoutError:
        if not limit.expired():
            raise
    raise _timed_out()


#: A generator as the docstring of this module describes it; its return value is its outcome.
_Steps: TypeAlias = "Generator[HostCall | list[_Steps], Any, Any]"


class _Drive(Struct, frozen=True, kw_only=True):
    """What a driver was given, and the generators of steps that follow from it."""

    send: Callable[..., Any]
    handlers: Handlers
    reask: int
    on_step: Callable[..., Any] | None
    sleep: Callable[..., Any]
    deadline: float

    def __post_init__(self) -> None:
        require_type("send", self.send, Callable, "callable")
        require_type("handlers", self.handlers, Handlers, "Handlers")
        require_int("reask", self.reask)
        require_type("on_step", self.on_step, Callable | None, "callable")
        require_type("sleep", self.sleep, Callable, "callable")
        if self.reask < 0:
            raise LocalProtocolError("wrong_value", "expected 0 or more", "/reask")

    def steps(self, step: Call | Pause | Done) -> _Steps:
        """From a call or a pause to the final raw result."""
        require_type("call", step, Call | Pause, "a Call or a Pause")
        while not isinstance(step, Done):
            if self.on_step is not None:
                yield HostCall("on_step", self.on_step, (step,))
            if isinstance(step, Call):
                step = step.receive(_require_object((yield HostCall("send", self.send, (step.method, step.params)))))
            else:
                if step.delay:
                    yield HostCall("sleep", self.sleep, (min(step.delay, self.deadline - time.monotonic()),))
                step = yield from self._resume(step)
        return step.result

    def _resume(self, pause: Pause) -> _Steps:
        """From a pause to the next call. Where a handler is missing, none of its requests is asked."""
        state, host_requests = state_of(pause), pause.requests
        requests = state.input_requests()
        calls = {
            key: host_call_for(self.handlers, key, request, host_requests.get(key)) for key, request in requests.items()
        }
        responses = yield [self._ask(state, key, requests[key], call) for key, call in calls.items()]
        return from_state(Call, state.next_call(dict(zip(calls, responses, strict=True))))

    def _ask(self, pause: PauseState, key: str, request: InputRequest, call: HostCall) -> _Steps:
        """Ask for one thing until its answer fits, and return what is sent; raise once `reask` is used up."""
        attempt = 1
        while True:
            answer = to_answer(request, (yield call))
            response = pause.write_input_response(key, answer, request)
            if isinstance(response, dict):
                return response
            if attempt > self.reask:
                raise InvalidAnswer(response)
            attempt += 1
            # Copied anew: the request that the host was handed is the host's to change.
            again = ask_again(pause.host_request(key), key, response, attempt)
            call = HostCall(call.name, call.function, (again,))


def _require_object(result: Any) -> Any:
    """Refuse JSON that is no object, as the server's fault: a transport passes on whatever it got."""
    if result is None or isinstance(result, bool | int | float | str | list):
        raise RemoteProtocolError("wrong_type", f"expected an object as the result, found {json_type(result)}")
    return result


def _run_steps(steps: _Steps, deadline: float) -> Any:
    """Run a generator of steps to its end, one call after the other."""
    result: Any = None
    while True:
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value
        if isinstance(step, list):
            result = [_run_steps(each, deadline) for each in step]
        else:
            result = _call_without_awaiting(step, deadline)


async def _run_steps_async(steps: _Steps, deadline: float) -> Any:
    """Run a generator of steps to its end: what it yields in a list at once, and all else one after the other."""
    result: Any = None
    while True:
        try:
            step = steps.send(result)
        except StopIteration as stop:
            return stop.value
        if isinstance(step, list):
            result = await _run_all_or_cancel([_run_steps_async(each, deadline) for each in step])
        else:
            result = _call(step, deadline)
            if isinstance(result, Awaitable):
                result = await result


async def _run_all_or_cancel(coroutines: list[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Run all at once. The first that fails or is cancelled cancels the others; all have ended when it raises.

    A `TaskGroup` would raise a group of errors in place of that one.
    """
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        for done in asyncio.as_completed(tasks):
            await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [task.result() for task in tasks]


def _call(call: HostCall, deadline: float) -> Any:
    """Call the host's function; raise where the deadline has passed."""
    if time.monotonic() >= deadline:
        raise _timed_out()
    return call.function(*call.arguments)


def _call_without_awaiting(call: HostCall, deadline: float) -> Any:
    result = _call(call, deadline)
    if isinstance(result, Awaitable):
        if isinstance(result, Coroutine):
            result.close()
        raise TypeError(f"{call.name} must return its result, not an awaitable: use run_async for that")
    return result


def _deadline(timeout: float | None) -> float:
    require_type("timeout", timeout, int | float | None, "a number of seconds")
    if timeout is None or timeout > _FOREVER:
        return math.inf
    if timeout <= 0:
        return -math.inf
    if math.isnan(timeout):
        raise LocalProtocolError("wrong_value", "expected a number of seconds", "/timeout")
    return time.monotonic() + timeout


def _timed_out() -> TimeoutError:
    return TimeoutError("the call was not done in time")
