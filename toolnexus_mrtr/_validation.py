"""The rules that a server's result can break, for readers, `Call.receive` and `lint` alike.

How it works: what ends in `_faults` yields a `Finding` for each rule that is broken, entries in the server's order, and
changes nothing. A reader, or `Call.receive`, raises the first of them; `lint` lists them all. Most entries of
`inputRequests` break none of the rules of `shape_faults` and `url_faults`, so `read_well_formed` looks at each first,
and these rules are asked only about an entry that it does not read: it must give `None` for all that they would fault.
Elsewhere are the rules on the schema of a form (`_forms`), on nesting (`_json`), and those that `lint` alone reports
(`_lint`).

An example. This result answers a `tools/call` whose client declared `{"elicitation": {}}`, forms alone:

    {"resultType": "input_required", "inputRequests": {
        "a": {"method": "elicitation/create", "params": {"message": 5}},
        "b": {"method": "elicitation/create", "params": {"mode": "url", "message": "Pay", "url": "ftp://host.example"}}}}

`pause_faults` finds, in this order:

    wrong_type             /inputRequests/a/params/message          found a number
    missing_member         /inputRequests/a/params/requestedSchema  an absent mode means a form, which needs one
    undeclared_capability  /inputRequests/b/params/mode             "elicitation.url"
    unsafe_url             /inputRequests/b/params/url              bad_scheme

`Call.receive` raises the first. The readers know no call, and would not find the third.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from msgspec import UNSET, Struct

from toolnexus_mrtr._errors import MAX_COUNT, LocalProtocolError, pointer, require_count, require_type
from toolnexus_mrtr._findings import (
    ELICITATION,
    MRTR,
    RESULT_TYPE,
    ROOTS,
    SAFE_URLS,
    SAMPLING,
    SERVERS,
    Finding,
    error,
    key_faults,
    wrong_type,
)
from toolnexus_mrtr._json import DEPTH
from toolnexus_mrtr._text import describe_unsendable, has_split_pair, json_type, quoted
from toolnexus_mrtr._types import (
    COMPLETE,
    ELICIT,
    FORM,
    LIST_ROOTS,
    MODES,
    PAUSABLE_METHODS,
    SAMPLE,
    URL,
    CreateMessageRequest,
    ElicitRequest,
    InputRequest,
    ListRootsRequest,
)
from toolnexus_mrtr._urls import inspect_url, plain_url

#: The deepest `Limits.depth`, well below Python's recursion limit.
_DEEPEST: Final = 256


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much one pause may hold; beyond it `receive` raises `too_large`.

    `input_requests` counts entries. `key`, `message` (of an elicitation) and `request_state` count characters. `depth`
    counts nested objects and arrays of the whole pause, itself included, and of a call's params (there it is
    `wrong_value`); at most 256. The length of a url is judged by `inspect_url`.

    Raises `TypeError` for what is no `int`, and `LocalProtocolError` `wrong_value` for one out of range.
    """

    input_requests: int = 100
    key: int = 256
    message: int = 65536
    request_state: int = 1048576
    depth: int = DEPTH

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            least, most = (1, _DEEPEST) if name == "depth" else (0, MAX_COUNT)
            require_count(name, getattr(self, name), least, most, "/limits")


class Entry(Struct, frozen=True):
    """One entry of `inputRequests` in either wire shape: `{method, params}`, or the params of an elicitation alone.

    `params_at` is the pointer from the entry to its params, `""` where the entry is the params, as Apache Juneau's
    servers write it. `mode` is that of an elicitation, and `UNSET` for any other entry and for one without params.
    Nothing is checked: `method` and `params` are as the server sent them, `None` where absent.
    """

    method: Any
    params: Any
    params_at: str
    mode: Any


def entry_of(entry: Any) -> Entry:
    """Tell method, params and mode of an entry; what is no object has none."""
    if not isinstance(entry, Mapping):
        return Entry(None, None, "/params", UNSET)
    method, params, params_at = entry.get("method"), entry.get("params"), "/params"
    if "method" not in entry and "params" not in entry:
        method, params, params_at = ELICIT, entry, ""
    # Without a mode it is a form, whatever else stands there (client/elicitation, "Elicitation Requests").
    mode = params.get("mode", FORM) if method == ELICIT and isinstance(params, Mapping) else UNSET
    return Entry(method, params, params_at, mode)


def require_result(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a result back. A whole response is refused: without `resultType` it would pass for a finished call."""
    if type(raw) is not dict:
        require_type("raw", raw, Mapping, "a mapping")
    if raw.get("jsonrpc") == "2.0" and "resultType" not in raw and ("result" in raw or "error" in raw):
        raise LocalProtocolError("not_a_result", "expected the 'result' member of a response, found the whole response")
    return raw


def read_well_formed(entry: Any) -> InputRequest | None:
    """Read an entry of the specification's shape that breaks no rule of `shape_faults` and `url_faults`.

    `None` means that the rules have to be asked: the entry may still be right. Written by hand, since every entry comes
    by here: `msgspec.convert` to a tagged union takes eight times as long for one.
    """
    if type(entry) is not dict:
        return None
    try:
        method = entry["method"]
        if method == ELICIT:
            return _read_well_formed_elicitation(entry["params"])
        if method == SAMPLE:
            params = entry["params"]
            if type(params) is dict and type(params["messages"]) is list and type(params["maxTokens"]) is int:
                return CreateMessageRequest(params=params)
        elif method == LIST_ROOTS and "params" not in entry:
            return ListRootsRequest()
    except KeyError:
        pass
    return None


def _read_well_formed_elicitation(params: Any) -> ElicitRequest | None:
    if type(params) is not dict:
        return None
    message, mode = params["message"], params.get("mode")
    if type(message) is not str or (not message.isascii() and has_split_pair(message)):
        return None
    if mode == URL:
        url = params["url"]
        if type(url) is str and plain_url(url) and "requestedSchema" not in params and "_meta" not in params:
            return ElicitRequest(message=message, mode=mode, url=url)
    elif mode == FORM or (mode is None and "mode" not in params):
        schema = params["requestedSchema"]
        if type(schema) is dict and "url" not in params and "_meta" not in params:
            return ElicitRequest(message=message, requested_schema=schema, mode=mode)
    return None


def result_type_faults(raw: Mapping[str, Any], known: Container[str], at: str = "") -> Iterator[Finding]:
    """A result of a type that is not known must not be used (basic/index, "ResultType")."""
    found = raw.get("resultType", COMPLETE)
    if not isinstance(found, str):
        message = f"expected a string, found {json_type(found)}"
        yield error("unknown_result_type", message, at + "/resultType", RESULT_TYPE)
    elif found not in known:
        message = f"expected a result type that was declared and fits here, found {quoted(found)}"
        yield error("unknown_result_type", message, at + "/resultType", RESULT_TYPE)


def pause_faults(
    raw: Mapping[str, Any], *, method: str | None, capabilities: Mapping[str, Any] | None, limits: Limits
) -> Iterator[Finding]:
    """What keeps a paused result from being accepted; rules that need a method or capabilities are skipped without."""
    yield from paused_result_faults(raw, method)
    yield from input_requests_faults(raw, limits)
    entries = raw.get("inputRequests")
    for key, entry in entries.items() if isinstance(entries, Mapping) else ():
        yield from entry_faults(key, entry, capabilities, limits)
    yield from request_state_faults(raw, limits)


def paused_result_faults(raw: Mapping[str, Any], method: str | None) -> Iterator[Finding]:
    """A result that cannot be a pause: its method is never paused, or it neither asks nor has a state."""
    if method is not None and method not in PAUSABLE_METHODS:
        # basic/patterns/mrtr, "Supported Requests".
        message = f"expected a method that can be paused, found {quoted(method)}"
        yield error("method_not_supported", message, "/resultType", MRTR + "#supported-requests")
    if raw.get("inputRequests") is None and raw.get("requestState") is None:
        # basic/patterns/mrtr, "Server Requirements", 6.
        yield error("nothing_requested", "expected inputRequests, requestState or both", "", SERVERS)


def input_requests_faults(raw: Mapping[str, Any], limits: Limits | None = None) -> Iterator[Finding]:
    """`inputRequests` is no map, or a larger one than the limits allow."""
    entries = raw.get("inputRequests")
    if entries is not None and not isinstance(entries, Mapping):
        yield wrong_type("an object", entries, "/inputRequests", MRTR)
    elif limits is not None and entries is not None and len(entries) > limits.input_requests:
        yield error("too_large", f"expected at most {limits.input_requests} entries", "/inputRequests", MRTR)


def request_state_faults(raw: Mapping[str, Any], limits: Limits | None = None) -> Iterator[Finding]:
    """`requestState` is no string, or a longer one than the limits allow."""
    state = raw.get("requestState")
    if state is not None and (not isinstance(state, str) or has_split_pair(state)):
        yield wrong_type("a string", state, "/requestState", MRTR)
    elif limits is not None and state is not None and len(state) > limits.request_state:
        yield error("too_large", f"expected at most {limits.request_state} characters", "/requestState", MRTR)


def entry_faults(key: Any, entry: Any, capabilities: Mapping[str, Any] | None, limits: Limits) -> Iterator[Finding]:
    """All that keeps one entry of a pause from being accepted."""
    yield from key_faults(key)
    at, parts = pointer("inputRequests", key), entry_of(entry)
    is_well_formed = read_well_formed(entry) is not None
    if not is_well_formed:
        yield from shape_faults(entry, at, strict=True)
    if capabilities is not None:
        yield from _undeclared(parts, at, capabilities)
    if not is_well_formed:
        yield from url_faults(entry, at)
    message = parts.params.get("message") if parts.mode is not UNSET else None
    for text, most, place in ((key, limits.key, at), (message, limits.message, f"{at}{parts.params_at}/message")):
        if isinstance(text, str) and len(text) > most:
            yield error("too_large", f"expected at most {most} characters", place, MRTR)


def shape_faults(entry: Any, at: str, *, strict: bool) -> Iterator[Finding]:
    """What is missing or mistyped in one entry.

    Strictly, an entry is held to the protocol. Leniently, as Apache Juneau's client reads, it may be null; of an
    elicitation, members that are there must have the right type, `mode` may be any string, and null means absent
    except in `method`, `mode` and `message`; of any other entry `method` alone is looked at.
    """
    if not isinstance(entry, Mapping):
        return iter(() if entry is None and not strict else (wrong_type("an object", entry, at, MRTR),))
    parts = entry_of(entry)
    faults: list[Iterator[Finding]] = []
    if parts.params_at and (strict or "method" in entry):
        faults.append(member_faults(entry, "method", "a string", at, MRTR))
    if parts.params_at and parts.method == ELICIT:
        faults.append(member_faults(entry, "params", "an object", at, ELICITATION, needed=strict))
    if parts.mode is not UNSET:
        faults.append(_elicitation_faults(parts, at + parts.params_at, strict=strict))
    elif strict and parts.method == SAMPLE:
        faults.append(member_faults(entry, "params", "an object", at, SAMPLING))
        if isinstance(parts.params, Mapping):
            faults.append(member_faults(parts.params, "messages", "an array", at + "/params", SAMPLING))
            faults.append(member_faults(parts.params, "maxTokens", "a number", at + "/params", SAMPLING))
    elif strict and parts.method == LIST_ROOTS:
        faults.append(member_faults(entry, "params", "an object", at, ROOTS, needed=False))
    return chain.from_iterable(faults)


def url_faults(entry: Any, at: str) -> Iterator[Finding]:
    """The url of one entry is refused by `inspect_url` (client/elicitation, "Safe URL Handling")."""
    parts = entry_of(entry)
    url = parts.params.get("url") if parts.mode == URL else None
    if isinstance(url, str) and (refusal := inspect_url(url).refusal):
        message = f"expected a url that a person can safely be shown, this one is refused ({refusal})"
        yield error("unsafe_url", message, f"{at}{parts.params_at}/url", SAFE_URLS)


def _elicitation_faults(parts: Entry, at: str, *, strict: bool) -> Iterator[Finding]:
    params, mode = parts.params, parts.mode
    if not isinstance(mode, str) or has_split_pair(mode) or (strict and mode not in MODES):
        found = quoted(mode) if isinstance(mode, str) else json_type(mode)
        yield error("unknown_mode", f"expected the mode 'form' or 'url', found {found}", at + "/mode", ELICITATION)
    members = [("requestedSchema", "an object"), ("url", "a string")]
    own, other = reversed(members) if mode == URL else members
    yield from member_faults(params, "message", "a string", at, ELICITATION, needed=strict or "message" in params)
    yield from member_faults(params, *own, at, ELICITATION, needed=strict and mode in MODES)
    yield from member_faults(params, *other, at, ELICITATION, needed=False)


def member_faults(
    params: Mapping[str, Any], name: str, expected: str, at: str, spec: str, *, needed: bool = True
) -> Iterator[Finding]:
    """One member is absent, or of another type; where it is not needed, it may be absent or null."""
    value = params.get(name, UNSET if needed else None)
    found = describe_unsendable(value) if isinstance(value, str) and has_split_pair(value) else json_type(value)
    if value is UNSET:
        yield error("missing_member", f"expected a member {name!r}", f"{at}/{name}", spec)
    elif found != expected and (needed or value is not None):
        yield error("wrong_type", f"expected {expected}, found {found}", f"{at}/{name}", spec)


def _undeclared(parts: Entry, at: str, capabilities: Mapping[str, Any]) -> Iterator[Finding]:
    """A server must not ask for what this request did not declare (basic/patterns/mrtr, "Server Requirements", 7)."""
    if parts.method == ELICIT:
        declared = capabilities.get("elicitation")
        if declared is None:
            yield _not_declared("elicitation", at, ELICITATION)
        elif parts.mode in MODES and parts.mode not in _declared_modes(declared):
            yield _not_declared(f"elicitation.{parts.mode}", f"{at}{parts.params_at}/mode", ELICITATION)
    elif parts.method == SAMPLE:
        declared = capabilities.get("sampling")
        has_tools = isinstance(declared, Mapping) and declared.get("tools") is not None
        if declared is None:
            yield _not_declared("sampling", at, SAMPLING)
        elif isinstance(parts.params, Mapping) and not has_tools:
            # A client must refuse `tools` and `toolChoice` (schema.ts, CreateMessageRequestParams).
            for name in ("tools", "toolChoice"):
                if parts.params.get(name) is not None:
                    yield _not_declared("sampling.tools", f"{at}/params/{name}", SAMPLING)
    elif parts.method == LIST_ROOTS and capabilities.get("roots") is None:
        yield _not_declared("roots", at, ROOTS)


def _declared_modes(elicitation: Any) -> tuple[str, ...]:
    """The modes that a capability declares; one that names none means forms (client/elicitation, "Capabilities")."""
    named = elicitation if isinstance(elicitation, Mapping) else {}
    return tuple(mode for mode in MODES if named.get(mode) is not None) or (FORM,)


def _not_declared(capability: str, at: str, spec: str) -> Finding:
    return error("undeclared_capability", f"expected only what was declared, this needs {capability!r}", at, spec)
