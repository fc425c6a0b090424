"""What a result makes of a call: it is done or paused, it has become a task, or the task has ended in an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from toolnexus_mrtr._call_state import CallState
from toolnexus_mrtr._errors import MrtrError, RemoteProtocolError, TaskCancelled, TaskFailed, pointer
from toolnexus_mrtr._findings import raise_fault
from toolnexus_mrtr._json import ENDLESS, copy_json
from toolnexus_mrtr._pause_state import PauseState
from toolnexus_mrtr._reader import ElicitationRequests
from toolnexus_mrtr._task_state import TaskPause, hide_keys_of
from toolnexus_mrtr._tasks import CANCELLED, COMPLETED, FAILED, declares_tasks, is_task, status_message_of, task_faults
from toolnexus_mrtr._types import COMPLETE, GET_TASK, INPUT_REQUIRED, TASK
from toolnexus_mrtr._validation import pause_faults, require_result, result_type_faults


class Done(Struct, frozen=True):
    """The call is finished: `result` is a deep copy of the raw result, whole, and `result_type` its type.

    The type is `"complete"` where the server left it out; another one is listed in the `result_types` of the call.
    """

    result: dict[str, Any]
    result_type: str

    def __repr__(self) -> str:
        return f"Done(result_type={self.result_type!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("result_type", self.result_type)]


def receive(call: CallState, raw: Mapping[str, Any]) -> Done | PauseState:
    """Take the result of a call, or raise its first fault."""
    require_result(raw)
    if call.task is not None or _becomes_task(call, raw):
        try:
            return _receive_of_task(call, raw)
        except MrtrError as error:
            hide_keys_of(raw, error)
            raise
    raise_fault(next(result_type_faults(raw, (COMPLETE, INPUT_REQUIRED, *call.result_types)), None))
    if not ElicitationRequests.is_input_required(raw):
        return _finish(raw)
    faults = pause_faults(raw, method=call.method, capabilities=call.declared(), limits=call.limits)
    raise_fault(next(faults, None))
    return PauseState(call, copy_json(raw, depth=call.limits.depth, remote=True))


def _finish(result: Mapping[str, Any]) -> Done:
    # The call has ended, so that what JSON cannot carry is kept. Only a value that contains itself is refused.
    copy = copy_json(result, depth=ENDLESS, remote=True, keep=True)
    return Done(copy, copy.get("resultType", COMPLETE))


def _becomes_task(call: CallState, raw: Mapping[str, Any]) -> bool:
    """Whether a call has become a task, which it declared that it may."""
    return is_task(raw) and TASK not in call.result_types and declares_tasks(call.declared())


def _receive_of_task(call: CallState, raw: Mapping[str, Any]) -> Done | TaskPause:
    """Take the result that a call has become a task with, or one of the task."""
    method = call.sent[0]
    faults = task_faults(
        raw,
        method=method,
        capabilities=call.declared(),
        limits=call.limits,
        task_id=None if call.task is None else call.task.id,
        result_types=call.result_types,
    )
    raise_fault(next(faults, None))
    status = raw["status"] if method == GET_TASK else None
    if status == COMPLETED:
        return _finish(raw["result"])
    if status in (FAILED, CANCELLED):
        message = status_message_of(raw)
        if status == CANCELLED:
            raise TaskCancelled(message)
        raise TaskFailed(copy_json(raw["error"], depth=ENDLESS, remote=True, keep=True), message)
    pause = TaskPause(call, copy_json(raw, depth=call.limits.depth, remote=True))
    if status == INPUT_REQUIRED:
        _require_no_reused_key(pause)
    return pause


def _require_no_reused_key(pause: TaskPause) -> None:
    """A key stands for one request as long as the task lasts ("Task Update Requests")."""
    for key in pause.raw["inputRequests"]:
        answered = pause.task.answered.get(key)
        if answered is not None and pause.digest_of_request(key) != answered:
            expected = "expected the request that this key stood for before, found another"
            raise RemoteProtocolError("reused_key", expected, pointer("inputRequests", key))
