"""A finding: one thing that is wrong or unwise in a result, with a link to the page of the specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from toolnexus_mrtr._errors import RemoteProtocolError
from toolnexus_mrtr._text import describe_unsendable, has_split_pair, json_type

SPEC: Final = "https://modelcontextprotocol.io/specification/2026-07-28/"
MRTR: Final = SPEC + "basic/patterns/mrtr"
SERVERS: Final = MRTR + "#server-requirements-basic-workflow"
ELICITATION: Final = SPEC + "client/elicitation"
SAMPLING: Final = SPEC + "client/sampling"
ROOTS: Final = SPEC + "client/roots"
META: Final = SPEC + "basic/index#meta"
RESULT_TYPE: Final = SPEC + "basic/index#resulttype"
SCHEMA: Final = ELICITATION + "#requested-schema"
SECRETS: Final = ELICITATION + "#form-mode-security"
URL_MODE: Final = ELICITATION + "#url-mode-elicitation-requests"
SAFE_URLS: Final = ELICITATION + "#safe-url-handling"

#: The extension has a page of its own.
TASKS: Final = "https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md"
TASK_STATUS: Final = TASKS + "#task-status"
TASK_CREATION: Final = TASKS + "#task-creation"
TASK_POLLING: Final = TASKS + "#task-polling"
TASK_UPDATES: Final = TASKS + "#task-update-requests"
TASK_NOTIFICATIONS: Final = TASKS + "#task-status-notifications"

#: A server could send a result with more findings than anyone reads, and make them cost more than the result.
MOST_FINDINGS: Final = 1_000


class Finding(Struct, frozen=True):
    """One rule that a result breaks.

    `code` is that of the reader's error for the same fault, or one of lint's own (REFERENCE.md has them all). `at` is a
    JSON Pointer into the result. `severity` is `"error"` where this library refuses such a result or the protocol
    forbids it, and `"warning"` where it is allowed but unwise. `message` is one sentence; `spec` links to the rule.
    """

    code: str
    at: str
    severity: Literal["error", "warning"]
    message: str
    spec: str


def raise_fault(fault: Finding | None) -> None:
    """Raise a fault, if there is one, as the error of the server that it is."""
    if fault is not None:
        raise RemoteProtocolError(fault.code, fault.message, fault.at)


def wrong_type(expected: str, value: object, at: str, spec: str) -> Finding:
    is_split = isinstance(value, str) and has_split_pair(value)
    found = describe_unsendable(value) if is_split else json_type(value)
    return Finding("wrong_type", at, "error", f"expected {expected}, found {found}", spec)


def key_faults(key: object) -> Iterator[Finding]:
    """A key of `inputRequests` is none that a JSON text can hold."""
    if not isinstance(key, str) or has_split_pair(key):
        yield wrong_type("keys that are strings", key, "/inputRequests", MRTR)


def error(code: str, message: str, at: str, spec: str) -> Finding:
    return Finding(code, at, "error", message, spec)


def warning(code: str, message: str, at: str, spec: str) -> Finding:
    return Finding(code, at, "warning", message, spec)
