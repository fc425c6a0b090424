"""The exchange, driven to its end: `run` and `run_async`. The only module that awaits or sleeps.

`_run_steps` and `_run_steps_async` are the loops that make the calls of `_steps`, each within the time that is left
for it.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from toolnexus_mrtr._exchange import Call, Pause
from toolnexus_mrtr._handlers import Handlers, HostCall
from toolnexus_mrtr._steps import Drive, Steps, to_seconds

#: How many seconds `run_async` waits at most until a `tasks/cancel` is sent and acknowledged.
_CANCEL_TIMEOUT: Final = 5.0

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
    handler that raises ends the call; no answer is sent, and nothing is ever accepted on behalf of anybody.

    A call that becomes a task is followed to its end, at the pace that the server asks for. Whatever ends `run` before,
    a veto, an error of yours and a `KeyboardInterrupt` included, first sends one `tasks/cancel`: `on_step` does not see
    it, and neither its result nor its failure matters. It is sent in this thread, which waits for it, however long that
    takes. `CallTimeout`, `InvalidAnswer` and `RetryLimitExceeded` leave the task running: go on from `step`, or send
    what `step.cancel_task()` gives.

    Raises what `send`, the handlers and `on_step` raise, unchanged: then go on from the last step that `on_step` saw.
    Raises, with the step to go on from as `step`: `CallTimeout`; what `Call.receive` and `Pause.resume` raise,
    `RetryLimitExceeded`, `TaskFailed` and `TaskCancelled` among it; `LocalProtocolError` `unsupported_request` for what
    there is no handler for, before anything of its pause is asked, and `missing_answer` for a handler that returns
    `None`. Raises `LocalProtocolError` `wrong_value` for an argument that is NaN or out of bounds; `TypeError` for a
    wrong type, and for an awaitable.
    """
    drive = Drive(
        send,
        handlers,
        timeout=to_seconds("timeout", timeout),
        answer_timeout=to_seconds("answer_timeout", answer_timeout),
        reask=reask,
        on_step=on_step,
        sleep=sleep,
    )
    try:
        result: dict[str, Any] = _run_steps(drive.steps(call, max_retries), drive)
    except BaseException as error:
        cancel = drive.task_to_cancel(error)
        if cancel is not None:
            with suppress(Exception):
                _refuse_awaitable(cancel.function(*cancel.arguments), cancel.name)
        raise
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
    When the asyncio task is cancelled, so is everything that it waits for.

    The `tasks/cancel` of a call that became a task is sent by an asyncio task of its own, so that it gets out even when
    this one is cancelled again or runs in a scope that is; it is waited for, but no longer than 5 seconds.

    `call`, `handlers`, `reask`, `max_retries` and the errors are those of `run`.
    """
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    drive = Drive(
        send,
        handlers,
        timeout=to_seconds("timeout", timeout),
        answer_timeout=to_seconds("answer_timeout", answer_timeout),
        reask=reask,
        on_step=on_step,
        sleep=asyncio.sleep,
        concurrency=concurrency,
    )
    try:
        result: dict[str, Any] = await _run_steps_async(drive.steps(call, max_retries), drive)
    except BaseException as error:
        cancel = drive.task_to_cancel(error)
        if cancel is not None:
            await _call_apart(cancel)
        raise
    return result


def _run_steps(steps: Steps, drive: Drive) -> Any:
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


def _call_without_awaiting(call: HostCall, drive: Drive) -> Any:
    with drive.time_of(call):
        result = call.function(*call.arguments)
    _refuse_awaitable(result, call.name)
    return result


def _refuse_awaitable(result: Any, name: str) -> None:
    if isinstance(result, Awaitable):
        if isinstance(result, Coroutine):
            result.close()
        raise TypeError(f"{name} must return its result, not an awaitable: use run_async for that")


async def _run_steps_async(steps: Steps, drive: Drive) -> Any:
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


async def _run_all_or_cancel(generators: list[Steps], drive: Drive) -> list[Any]:
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


async def _call_in_time(call: HostCall, drive: Drive) -> Any:
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    with drive.time_of(call) as due:
        result = call.function(*call.arguments)
        if not isinstance(result, Awaitable):
            return result
        limit = asyncio.timeout(None if due == math.inf else max(0.0, due - time.monotonic()))
        has_failed = False
        try:
            async with limit:
                result = await result
        except Exception:
            # Whatever a handler makes of being cancelled, its time was over.
            if not limit.expired():
                raise
            has_failed = True
        # What a server did is done, however late it says so; an answer that comes too late is none.
        if has_failed or (limit.expired() and call.name != "send"):
            raise drive.time_out(call)
        return result


async def _call_apart(call: HostCall) -> None:
    """Make a call in a task of its own, which no cancellation of the current one cuts off, and wait for its end."""
    import asyncio  # noqa: PLC0415 - loaded only where it is used

    async def make() -> None:
        with suppress(Exception):
            result = call.function(*call.arguments)
            if isinstance(result, Awaitable):
                await result

    task, loop = asyncio.create_task(make()), asyncio.get_running_loop()
    end = loop.time() + _CANCEL_TIMEOUT
    while not task.done() and loop.time() < end:
        # The error that led here is raised in the end, whatever is asked of this task meanwhile.
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task}, timeout=end - loop.time())
    task.cancel()
