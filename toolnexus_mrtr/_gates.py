"""What one call lets a server ask of its client: declared kinds, within limits. Reads; changes nothing.

The rules here need to know the call; those of `_rules` look at the result alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from toolnexus_mrtr._errors import LocalProtocolError, pointer, require_int
from toolnexus_mrtr._findings import (
    ELICITATION,
    MRTR,
    RESULT_TYPE,
    ROOTS,
    SAMPLING,
    SERVERS,
    Finding,
    error,
    wrong_type,
)
from toolnexus_mrtr._json import DEPTH
from toolnexus_mrtr._rules import elicitation_params, is_flat, shape_faults, state_faults, url_faults
from toolnexus_mrtr._text import json_type, quoted
from toolnexus_mrtr._types import COMPLETE, ELICIT, INPUT_REQUIRED, LIST_ROOTS, MRTR_METHODS, SAMPLE

#: Deeper values would exhaust the stack of the standard library's JSON.
_DEEPEST: Final = 256

#: No other limit is above this: every JSON parser holds it exactly.
_MOST: Final = 2**53


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much one pause may hold; beyond it `receive` raises `too_large`.

    `input_requests` counts entries. `key`, `message` (of an elicitation) and `request_state` count characters. `depth`
    counts nested objects and arrays of the whole pause, itself included, and of a call's params; at most 256. The
    length of a url is `inspect_url`'s to judge.

    Raises `TypeError` for what is no `int`, and `LocalProtocolError` `wrong_value` for one that is no limit.
    """

    input_requests: int = 100
    key: int = 256
    message: int = 65536
    request_state: int = 1048576
    depth: int = DEPTH

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            limit = getattr(self, name)
            require_int(name, limit)
            least, most = (1, _DEEPEST) if name == "depth" else (0, _MOST)
            if not least <= limit <= most:
                expected = f"expected a limit from {least} to {most}"
                raise LocalProtocolError("wrong_value", expected, pointer("limits", name))


def result_type_faults(raw: Mapping[str, Any], result_types: Iterable[str] = ()) -> Iterator[Finding]:
    """A result of a type that nobody declared must not be used (base, "ResultType")."""
    found = raw.get("resultType", COMPLETE)
    if not isinstance(found, str):
        yield error("unknown_result_type", f"expected a string, found {json_type(found)}", "/resultType", RESULT_TYPE)
    elif found not in (COMPLETE, INPUT_REQUIRED, *result_types):
        message = f"expected a result type that was declared, found {quoted(found)}"
        yield error("unknown_result_type", message, "/resultType", RESULT_TYPE)


def pause_faults(
    raw: Mapping[str, Any], *, method: str | None, capabilities: Mapping[str, Any] | None, limits: Limits
) -> Iterator[Finding]:
    """What keeps a paused result from being taken up, in document order; nothing is gated where nothing is known."""
    yield from pausing_faults(raw, method)
    yield from asking_faults(raw, capabilities, limits)
    yield from keeping_faults(raw, limits)


def pausing_faults(raw: Mapping[str, Any], method: str | None) -> Iterator[Finding]:
    """What keeps a result from being a pause at all."""
    # Only these three requests may be paused (mrtr, "Supported Requests").
    if method is not None and method not in MRTR_METHODS:
        message = f"expected no pause of the method {quoted(method)}"
        yield error("method_not_supported", message, "/resultType", MRTR + "#supported-requests")
    # At least one of the two is there (mrtr, "Server Requirements", 6).
    if raw.get("inputRequests") is None and raw.get("requestState") is None:
        yield error("nothing_requested", "expected inputRequests, requestState or both", "", SERVERS)


def asking_faults(
    raw: Mapping[str, Any],
    capabilities: Mapping[str, Any] | None,
    limits: Limits,
    also: Callable[[str, Any, str], Iterable[Finding]] = lambda *_: (),
) -> Iterator[Finding]:
    """What keeps `inputRequests` from being taken up; behind each key what is `also` to be said of its entry."""
    entries = raw.get("inputRequests")
    if isinstance(entries, Mapping):
        yield from _too_large("entries", entries, limits.input_requests, "/inputRequests")
        for key, entry in entries.items():
            at = pointer("inputRequests", key)
            yield from _entry_faults(key, entry, at, capabilities, limits)
            yield from also(key, entry, at)
    elif entries is not None:
        yield wrong_type("an object", entries, "/inputRequests", MRTR)


def keeping_faults(raw: Mapping[str, Any], limits: Limits) -> Iterator[Finding]:
    """What keeps `requestState` from being echoed."""
    yield from state_faults(raw)
    yield from _too_large("characters", raw.get("requestState"), limits.request_state, "/requestState")


def _entry_faults(
    key: str, entry: Any, at: str, capabilities: Mapping[str, Any] | None, limits: Limits
) -> Iterator[Finding]:
    yield from shape_faults(entry, at, strict=True)
    if capabilities is not None and isinstance(entry, Mapping):
        yield from _undeclared(entry, at, capabilities)
    yield from url_faults(entry, at)
    yield from _too_large("characters", key, limits.key, at)
    params, inside = elicitation_params(entry)
    yield from _too_large("characters", params.get("message"), limits.message, f"{at}{inside}/message")


def _undeclared(entry: Mapping[str, Any], at: str, capabilities: Mapping[str, Any]) -> Iterator[Finding]:
    """A server must not ask for what this request did not declare (mrtr, "Server Requirements", 7)."""
    method = ELICIT if is_flat(entry) else entry.get("method")
    if method == ELICIT:
        yield from _undeclared_elicitation(entry, at, capabilities.get("elicitation"))
    elif method == SAMPLE:
        yield from _undeclared_sampling(entry.get("params"), at, capabilities.get("sampling"))
    elif method == LIST_ROOTS and capabilities.get("roots") is None:
        yield _not_declared("roots", at, ROOTS)


def _undeclared_elicitation(entry: Mapping[str, Any], at: str, declared: Any) -> Iterator[Finding]:
    modes = [mode for mode in ("form", "url") if isinstance(declared, Mapping) and declared.get(mode) is not None]
    params, inside = elicitation_params(entry)
    # Params that are no map have no mode, not even that of a form.
    has_params = is_flat(entry) or isinstance(entry.get("params"), Mapping)
    mode = params.get("mode", "form") if has_params else None
    if declared is None:
        yield _not_declared("elicitation", at, ELICITATION)
    # Without a mode it declares forms alone (elic, "Capabilities").
    elif mode in ("form", "url") and mode not in (modes or ["form"]):
        yield _not_declared(f"elicitation.{mode}", f"{at}{inside}/mode", ELICITATION)


def _undeclared_sampling(params: Any, at: str, declared: Any) -> Iterator[Finding]:
    if declared is None:
        yield _not_declared("sampling", at, SAMPLING)
    elif isinstance(params, Mapping) and not (isinstance(declared, Mapping) and declared.get("tools") is not None):
        # A client must refuse both (ts, CreateMessageRequestParams).
        for name in ("tools", "toolChoice"):
            if params.get(name) is not None:
                yield _not_declared("sampling.tools", f"{at}/params/{name}", SAMPLING)


def _not_declared(capability: str, at: str, spec: str) -> Finding:
    return error("undeclared_capability", f"expected nothing that needs the capability {capability!r}", at, spec)


def _too_large(unit: str, value: object, limit: int, at: str) -> Iterator[Finding]:
    if isinstance(value, str | Mapping) and len(value) > limit:
        yield error("too_large", f"expected at most {limit} {unit}", at, MRTR)
