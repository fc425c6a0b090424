"""The rules that a result of a task can break, for `Call.receive` and `lint` alike.

A tool call has become a task where its result is of the type `task`. From then on the results are those of the methods
`tasks/get`, `tasks/update` and `tasks/cancel`, all of the type `complete`: a `tasks/get` says how the task stands, in a
`status` and what belongs to that; the other two only acknowledge. The params of `notifications/tasks` are a result of
`tasks/get` without a type. The references are to the page of the extension `io.modelcontextprotocol/tasks`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr._findings import (
    TASK_CREATION,
    TASK_POLLING,
    TASK_STATUS,
    TASKS,
    Finding,
    error,
)
from toolnexus_mrtr._text import quoted
from toolnexus_mrtr._types import (
    CALL_TOOL,
    CANCEL_TASK,
    COMPLETE,
    GET_TASK,
    INPUT_REQUIRED,
    TASK,
    TASK_NOTIFICATION,
    TASKS_EXTENSION,
    UPDATE_TASK,
)
from toolnexus_mrtr._validation import Limits, entry_faults, input_requests_faults, member_faults, result_type_faults

WORKING: Final = "working"
COMPLETED: Final = "completed"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"

#: A status of these never changes ("Task Status").
ENDED: Final = (COMPLETED, FAILED, CANCELLED)
STATUSES: Final = (WORKING, INPUT_REQUIRED, *ENDED)

#: The methods whose results, or params, say how a task stands; and those whose results only acknowledge.
STATUS_METHODS: Final = (GET_TASK, TASK_NOTIFICATION)
ACKNOWLEDGED_METHODS: Final = (UPDATE_TASK, CANCEL_TASK)
TASK_METHODS: Final = (*STATUS_METHODS, *ACKNOWLEDGED_METHODS)


def declares_tasks(capabilities: Any) -> bool:
    """Whether capabilities say that a call may become a task ("Capability Negotiation")."""
    extensions = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    return isinstance(extensions, Mapping) and extensions.get(TASKS_EXTENSION) is not None


def is_task(raw: Mapping[str, Any]) -> bool:
    """Whether a result says that its call has become a task."""
    result_type = raw.get("resultType")
    return isinstance(result_type, str) and result_type == TASK


def task_faults(
    raw: Mapping[str, Any],
    *,
    method: str,
    capabilities: Mapping[str, Any] | None,
    limits: Limits,
    task_id: str | None = None,
    result_types: Collection[str] = (),
) -> Iterator[Finding]:
    """What keeps a result from being used that says of `method` that it became a task, or that is about a task.

    `task_id` is that of the task, where it is known; `result_types` are those of the call that became it.
    """
    yield from task_type_faults(raw, method)
    if method in ACKNOWLEDGED_METHODS:
        return
    yield from identity_faults(raw, limits, task_id)
    if method != CALL_TOOL:
        yield from status_faults(raw, result_types)
    if asks(raw, method):
        yield from input_requests_faults(raw, limits)
        for key, entry in raw["inputRequests"].items():
            yield from entry_faults(key, entry, capabilities, limits)


def task_type_faults(raw: Mapping[str, Any], method: str) -> Iterator[Finding]:
    """The result is of another type than the method has, or the method is none that can become a task."""
    if method in TASK_METHODS:
        yield from result_type_faults(raw, (COMPLETE,))
    elif method != CALL_TOOL:
        message = f"expected a method that can become a task, found {quoted(method)}"
        yield error("method_not_supported", message, "/resultType", TASKS + "#supported-methods")


def identity_faults(raw: Mapping[str, Any], limits: Limits, task_id: str | None = None) -> Iterator[Finding]:
    """What is wrong with the id and the status, which every task has."""
    found = raw.get("taskId")
    yield from member_faults(raw, "taskId", "a string", "", TASK_CREATION)
    if isinstance(found, str) and task_id is not None and found != task_id:
        yield error("wrong_task", "expected the task that was asked for, found another", "/taskId", TASK_POLLING)
    if "status" not in raw:
        yield error("missing_member", "expected a member 'status'", "/status", TASK_STATUS)
    elif raw["status"] not in STATUSES:
        yield error("unknown_task_status", f"expected one of {', '.join(STATUSES)}", "/status", TASK_STATUS)
    for name, most in (("taskId", limits.request_state), ("statusMessage", limits.message)):
        text = raw.get(name)
        if isinstance(text, str) and len(text) > most:
            yield error("too_large", f"expected at most {most} characters", f"/{name}", TASKS)


def status_faults(raw: Mapping[str, Any], result_types: Collection[str] = ()) -> Iterator[Finding]:
    """What is wrong with that which belongs to the status; the entries of `inputRequests` have rules of their own."""
    status = raw.get("status")
    if status == INPUT_REQUIRED:
        yield from member_faults(raw, "inputRequests", "an object", "", TASK_POLLING)
    elif status == COMPLETED:
        yield from member_faults(raw, "result", "an object", "", TASK_POLLING)
        if isinstance(raw.get("result"), Mapping):
            # The final result of the call: neither a pause nor a task ("Task Status").
            final = {COMPLETE, *result_types} - {INPUT_REQUIRED, TASK}
            yield from result_type_faults(raw["result"], final, "/result")
    elif status == FAILED:
        yield from member_faults(raw, "error", "an object", "", TASK_POLLING)
        if isinstance(raw.get("error"), Mapping):
            yield from member_faults(raw["error"], "code", "a number", "/error", TASK_POLLING)
            yield from member_faults(raw["error"], "message", "a string", "/error", TASK_POLLING)


def status_message_of(raw: Mapping[str, Any]) -> str | None:
    """What a result says of the status, if anything."""
    message = raw.get("statusMessage")
    return str(message) if isinstance(message, str) else None


def asks(raw: Mapping[str, Any], method: str) -> bool:
    """Whether a result says that input is required, and of what kind."""
    is_asking = method in STATUS_METHODS and raw.get("status") == INPUT_REQUIRED
    return is_asking and isinstance(raw.get("inputRequests"), Mapping)
