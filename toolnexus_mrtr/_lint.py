"""`lint`: all that is wrong with a server's result, and what is unwise in it; a reader stops at the first error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import UNSET

from toolnexus_mrtr._errors import MrtrError, pointer, require_type
from toolnexus_mrtr._findings import (
    META,
    MOST_FINDINGS,
    MRTR,
    RESULT_TYPE,
    SAFE_URLS,
    SAMPLING,
    SERVERS,
    TASK_CREATION,
    TASK_NOTIFICATIONS,
    TASK_POLLING,
    TASK_STATUS,
    URL_MODE,
    Finding,
    error,
    warning,
    wrong_type,
)
from toolnexus_mrtr._forms import form_findings, form_message_findings
from toolnexus_mrtr._json import copy_json
from toolnexus_mrtr._sampling import message_findings
from toolnexus_mrtr._tasks import (
    ACKNOWLEDGED_METHODS,
    COMPLETED,
    ENDED,
    FAILED,
    STATUS_METHODS,
    STATUSES,
    TASK_METHODS,
    asks,
    declares_tasks,
    identity_faults,
    is_task,
    status_faults,
    task_faults,
    task_type_faults,
)
from toolnexus_mrtr._text import json_type
from toolnexus_mrtr._types import (
    CALL_TOOL,
    COMPLETE,
    ELICIT,
    FORM,
    INPUT_REQUIRED,
    LIST_ROOTS,
    PAUSABLE_METHODS,
    SAMPLE,
    TASK_NOTIFICATION,
    URL,
)
from toolnexus_mrtr._urls import inspect_url
from toolnexus_mrtr._validation import (
    Entry,
    Limits,
    entry_faults,
    entry_of,
    input_requests_faults,
    member_faults,
    pause_faults,
    paused_result_faults,
    request_state_faults,
    require_result,
    result_type_faults,
)

_LIMITS: Final = Limits()

_METHODS: Final = (ELICIT, SAMPLE, LIST_ROOTS)

_TYPES: Final = (COMPLETE, INPUT_REQUIRED)

_PAUSE_MEMBERS: Final = ("inputRequests", "requestState")

#: The members of a task that belong to one status alone; a `requestState` belongs to none.
_MEMBERS_BY_STATUS: Final = {"inputRequests": INPUT_REQUIRED, "result": COMPLETED, "error": FAILED, "requestState": ""}

_URL_WARNINGS: Final = {
    "insecure_http": "expected https, this url is http and leaves the machine",
    "punycode": "expected a host without punycode, a label of this one stands for characters beyond ASCII",
    "ip_host": "expected the name of a host, found an address",
    "local_network": "expected a public host, this one is on the client's machine or network",
    "unusual_port": "expected the usual port, found another",
}


def lint(raw: Any, *, method: str | None = None, capabilities: Mapping[str, Any] | None = None) -> tuple[Finding, ...]:
    """List everything that is wrong with the result of a call, and what is unwise in it.

    `raw` is the result as it was received; what is no map is a finding too. A finding is an error where this
    library refuses such a result or the protocol forbids it, and a warning where it is allowed but unwise. `method`
    is that of the call, `capabilities` are what was declared to the server; without them, rules that need them are
    skipped. Limits are the defaults of `Limits`.

    The order is fixed: the type of the result, its method, `inputRequests`, the entries in the server's order,
    `requestState`, the nesting of the whole. Of one entry come first the errors that `Call.receive` would raise (its
    shape, capabilities, url, limits), then what lint alone reports. A form that this library cannot check is one
    error, beside warnings about its schema. There are at most 1,000 findings: the first 1,000 errors, always with the
    one that `Call.receive` would raise, and the first warnings that fit beside them. Behind that many errors nothing
    is looked at. Nothing is fetched, and no value of any JSON type raises.

    Raises `TypeError` when `method` is no `str` or `capabilities` no mapping.
    """
    require_type("method", method, str | None, "a str")
    require_type("capabilities", capabilities, Mapping | None, "a mapping")
    if not isinstance(raw, Mapping):
        return (wrong_type("an object", raw, "", MRTR),)
    findings, errors = _collect(_findings(raw, method, capabilities))
    if errors == MOST_FINDINGS:
        refusal = next(_refusals(raw, method, capabilities), None)
        if refusal is not None and refusal not in findings:
            findings[-1] = refusal
    return tuple(findings)


def _collect(findings: Iterable[Finding]) -> tuple[list[Finding], int]:
    """Keep the first errors, and the first warnings that fit beside them, in order; and count the errors."""
    kept: list[Finding] = []
    counts = {"error": 0, "warning": 0}
    for finding in findings:
        if counts[finding.severity] < MOST_FINDINGS:
            counts[finding.severity] += 1
            kept.append(finding)
        if counts["error"] == MOST_FINDINGS:
            break
    errors = counts["error"]
    warnings = [place for place, finding in enumerate(kept) if finding.severity == "warning"]
    left_out = frozenset(warnings[MOST_FINDINGS - errors :])
    return [finding for place, finding in enumerate(kept) if place not in left_out], errors


def _refusals(raw: Mapping[str, Any], method: str | None, capabilities: Mapping[str, Any] | None) -> Iterator[Finding]:
    """What `Call.receive` refuses the result for; it raises the first."""
    if _is_of_task(raw, method, capabilities):
        method = method or CALL_TOOL
        yield from task_faults(raw, method=method, capabilities=capabilities, limits=_LIMITS)
        yield from _not_json_of_task(raw, method)
        return
    yield from result_type_faults(raw, _TYPES)
    if raw.get("resultType") == INPUT_REQUIRED:
        yield from pause_faults(raw, method=method, capabilities=capabilities, limits=_LIMITS)
        yield from _not_json(raw)


def _findings(raw: Mapping[str, Any], method: str | None, capabilities: Mapping[str, Any] | None) -> Iterator[Finding]:
    try:
        require_result(raw)
    except MrtrError as fault:
        yield error(fault.code, fault.sentence, "", MRTR)
        return
    if "resultType" not in raw and method != TASK_NOTIFICATION:
        # Older servers leave it out, those of this revision must not (basic/index, "ResultType").
        yield error("missing_member", "expected a member 'resultType'", "/resultType", RESULT_TYPE)
    if _is_of_task(raw, method, capabilities):
        yield from _task_findings(raw, method or CALL_TOOL, capabilities)
    else:
        yield from _result_findings(raw, method, capabilities)


def _result_findings(
    raw: Mapping[str, Any], method: str | None, capabilities: Mapping[str, Any] | None
) -> Iterator[Finding]:
    result_type = raw.get("resultType")
    present = [name for name in _PAUSE_MEMBERS if name in raw]
    yield from result_type_faults(raw, _TYPES)
    if result_type == COMPLETE:
        # The results of other methods may have such members too.
        for name in present if method is None or method in PAUSABLE_METHODS else ():
            yield warning("not_paused", f"expected no {name} in a result that is complete", f"/{name}", MRTR)
        return
    if result_type == INPUT_REQUIRED:
        yield from paused_result_faults(raw, method)
    if present:
        yield from _null_member(raw, "inputRequests")
        yield from _entries_findings(raw, capabilities)
        yield from _null_member(raw, "requestState")
        yield from request_state_faults(raw, _LIMITS)
    if result_type == INPUT_REQUIRED:
        yield from _not_json(raw)


def _is_of_task(raw: Mapping[str, Any], method: str | None, capabilities: Mapping[str, Any] | None) -> bool:
    """Whether a result is one of a task, or says that a call became one, which may have been declared."""
    return method in TASK_METHODS or (is_task(raw) and (capabilities is None or declares_tasks(capabilities)))


def _task_findings(raw: Mapping[str, Any], method: str, capabilities: Mapping[str, Any] | None) -> Iterator[Finding]:
    yield from task_type_faults(raw, method)
    if method == TASK_NOTIFICATION:
        yield from _unexpected(raw, "resultType", TASK_NOTIFICATIONS)
    if method not in ACKNOWLEDGED_METHODS:
        yield from identity_faults(raw, _LIMITS)
        yield from _task_member_findings(raw, method)
    if method in STATUS_METHODS:
        yield from status_faults(raw)
    if asks(raw, method):
        yield from _entries_findings(raw, capabilities)
    yield from _not_json_of_task(raw, method)


def _task_member_findings(raw: Mapping[str, Any], method: str) -> Iterator[Finding]:
    """What no reader refuses in a task, and is wrong all the same (schema.ts of the extension, Task)."""
    yield from member_faults(raw, "createdAt", "a string", "", TASK_CREATION)
    yield from member_faults(raw, "lastUpdatedAt", "a string", "", TASK_CREATION)
    if "ttlMs" not in raw:
        yield error("missing_member", "expected a member 'ttlMs', null where it is unlimited", "/ttlMs", TASK_CREATION)
    for name in ("ttlMs", "pollIntervalMs"):
        value = raw.get(name)
        if name == "pollIntervalMs":
            yield from _null_member(raw, name, spec=TASK_POLLING)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value % 1):
            yield wrong_type("a whole number", value, f"/{name}", TASK_CREATION)
    yield from _null_member(raw, "statusMessage", spec=TASK_STATUS)
    yield from member_faults(raw, "statusMessage", "a string", "", TASK_STATUS, needed=False)
    status = raw.get("status") if method in STATUS_METHODS else None
    if method in STATUS_METHODS and status not in STATUSES:
        return
    # What belongs to another status, or to none; a call that has just become a task has nothing of it.
    for name, its_status in _MEMBERS_BY_STATUS.items():
        if its_status != status:
            yield from _unexpected(raw, name, TASK_STATUS)


def _unexpected(raw: Mapping[str, Any], name: str, spec: str) -> Iterator[Finding]:
    if name in raw:
        yield error("unexpected_member", f"expected no {name} here", f"/{name}", spec)


def _not_json_of_task(raw: Mapping[str, Any], method: str) -> Iterator[Finding]:
    """The same of a result that is a pause of a task; one that ends it is kept as it is."""
    if method not in STATUS_METHODS or raw.get("status") not in ENDED:
        yield from _not_json(raw)


def _entries_findings(raw: Mapping[str, Any], capabilities: Mapping[str, Any] | None) -> Iterator[Finding]:
    entries = raw.get("inputRequests")
    if isinstance(entries, Mapping) and not entries:
        yield warning("asks_nothing", "expected something to be asked, or no inputRequests", "/inputRequests", SERVERS)
    yield from input_requests_faults(raw, _LIMITS)
    for key, entry in entries.items() if isinstance(entries, Mapping) else ():
        yield from entry_faults(key, entry, capabilities, _LIMITS)
        if isinstance(entry, Mapping):
            yield from _entry_findings(key, entry, capabilities)


def _null_member(holder: Mapping[str, Any], name: str, at: str = "", spec: str = MRTR) -> Iterator[Finding]:
    if name in holder and holder[name] is None:
        yield error("null_member", f"expected {name} to be left out, found null", f"{at}/{name}", spec)


def _entry_findings(key: Any, raw: Mapping[str, Any], capabilities: Mapping[str, Any] | None) -> Iterator[Finding]:
    """What no reader refuses in one entry, and is wrong or unwise all the same."""
    at, entry = pointer("inputRequests", key), entry_of(raw)
    if not entry.params_at:
        yield error("flat_entry", "expected method and params, found an elicitation without them", at, MRTR)
    if isinstance(entry.method, str) and entry.method not in _METHODS:
        # An extension may have agreed on more; a client that does not know of it cannot answer.
        yield warning("unknown_method", "expected a method that the protocol names", at + "/method", SERVERS)
    if entry.method == LIST_ROOTS:
        yield from _null_member(raw, "params", at)
    # The key stands in front of every pointer: a long one must not be repeated for every fault behind it.
    if len(str(key)) > _LIMITS.key:
        return
    if entry.mode is not UNSET:
        yield from _elicitation_findings(entry, at + entry.params_at)
    if entry.method == SAMPLE and isinstance(entry.params, Mapping):
        yield from _sampling_findings(entry.params, at + entry.params_at, capabilities)


def _sampling_findings(params: Mapping[str, Any], at: str, capabilities: Mapping[str, Any] | None) -> Iterator[Finding]:
    messages, context = params.get("messages"), params.get("includeContext")
    if isinstance(messages, list | tuple):
        yield from message_findings(messages, at + "/messages")
    if context not in (None, "none") and capabilities is not None:
        sampling = capabilities.get("sampling")
        if not isinstance(sampling, Mapping) or sampling.get("context") is None:
            # A SHOULD NOT (client/sampling, "Capabilities").
            message = "expected no context beyond 'none' without the capability 'sampling.context'"
            yield warning("undeclared_context", message, at + "/includeContext", SAMPLING + "#capabilities")


def _elicitation_findings(entry: Entry, at: str) -> Iterator[Finding]:
    params, mode = entry.params, entry.mode
    url, schema = params.get("url"), params.get("requestedSchema")
    if "_meta" in params and not isinstance(params["_meta"], Mapping):
        yield error("bad_meta", f"expected an object, found {json_type(params['_meta'])}", at + "/_meta", META)
    if mode == URL and isinstance(url, str):
        for word in inspect_url(url).warnings:
            if word == "not_a_uri":
                # A MUST (client/elicitation, "URL Mode Elicitation Requests").
                yield error(word, "expected a valid url, by RFC 3986", at + "/url", URL_MODE)
            else:
                yield warning(word, _URL_WARNINGS[word], at + "/url", SAFE_URLS)
    if mode == FORM:
        yield from form_message_findings(params, at)
        if isinstance(schema, Mapping):
            yield from form_findings(schema, at + "/requestedSchema")


def _not_json(raw: Mapping[str, Any]) -> Iterator[Finding]:
    """A pause is nested deeper than the limits allow, or holds what JSON cannot."""
    try:
        copy_json(raw, depth=_LIMITS.depth, remote=True)
    except MrtrError as fault:
        yield error(fault.code, fault.sentence, fault.at, MRTR)
