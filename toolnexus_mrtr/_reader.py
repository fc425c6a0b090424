"""Raw to typed: what a paused result asks, read leniently, as Apache Juneau's client does, or by the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from toolnexus_mrtr._errors import pointer
from toolnexus_mrtr._findings import key_faults, raise_fault
from toolnexus_mrtr._types import (
    ELICIT,
    INPUT_REQUIRED,
    LIST_ROOTS,
    SAMPLE,
    UNREAD,
    CreateMessageRequest,
    ElicitRequest,
    InputRequest,
    ListRootsRequest,
    UnknownRequest,
)
from toolnexus_mrtr._validation import (
    Entry,
    entry_of,
    input_requests_faults,
    read_well_formed,
    request_state_faults,
    require_result,
    shape_faults,
    url_faults,
)


@final
class ElicitationRequests:
    """Reads a paused result, as the class of this name in Apache Juneau's client does: a namespace, never instantiated.

    Each method takes `raw`, the `result` map of a JSON-RPC response, and leaves it as it is.

    Raises `LocalProtocolError` `not_a_result` for a whole response instead of its result, and `TypeError` for what is
    no map.
    """

    @staticmethod
    def is_input_required(raw: Mapping[str, Any]) -> bool:
        """Whether the server paused the call: `resultType` is exactly `"input_required"` (basic/index, "ResultType").

        Ask this before anything else is read from the map; an absent `resultType` is a finished call.
        """
        result_type = require_result(raw).get("resultType")
        return isinstance(result_type, str) and result_type == INPUT_REQUIRED

    @staticmethod
    def requests(raw: Mapping[str, Any]) -> dict[str, ElicitRequest | None]:
        """Read what is asked, leniently: one `ElicitRequest` for each entry, in the server's order.

        Absent or null `inputRequests` give `{}`, a null entry gives `None`, and an entry of another method an
        `ElicitRequest` with every field `None`; any string is taken for a mode. Both the specification's entries and
        Juneau's flat ones are read. `input_requests` reads the other kinds too.

        Raises `RemoteProtocolError`, its `at` pointing to the entry or to `inputRequests`: `wrong_type`, `unknown_mode`
        for a mode that is no string, `unsafe_url` for a url that `inspect_url` refuses.
        """
        requests: dict[str, ElicitRequest | None] = {}
        for key, entry in _entries(raw).items():
            name = key if type(key) is str and key.isascii() else _plain_key(key)
            request = read_well_formed(entry)
            if request is None:
                requests[name] = None if entry is None else read_leniently(entry, pointer("inputRequests", name))
            else:
                requests[name] = request if type(request) is ElicitRequest else UNREAD
        return requests

    @staticmethod
    def request_state(raw: Mapping[str, Any]) -> str | None:
        """Give the state to echo in the retry, the very same string; `None` when there is none to echo.

        `""` is a state like any other: test with `is not None` (basic/patterns/mrtr, "Client Requirements", 2).

        Raises `RemoteProtocolError` `wrong_type` when it is no string.
        """
        raise_fault(next(request_state_faults(require_result(raw)), None))
        state: str | None = raw.get("requestState")
        return state


def input_requests(raw: Mapping[str, Any]) -> dict[str, InputRequest]:
    """Read what is asked, strictly: every entry as the request of its method, in the server's order.

    `elicitation/create` gives an `ElicitRequest`, `sampling/createMessage` a `CreateMessageRequest`, `roots/list` a
    `ListRootsRequest`; any other method gives an `UnknownRequest`, so that one foreign entry does not hide the rest.
    Absent or null `inputRequests` give `{}`. `resultType` is not looked at. Schemas and params are kept whole and
    shared with `raw`: copy them before you change them.

    Raises `RemoteProtocolError` for the first fault, entries in the server's order: `wrong_type`, `missing_member`,
    `unknown_mode`, `unsafe_url`; `LocalProtocolError` `not_a_result` for a whole JSON-RPC response; `TypeError` for
    what is no map.
    """
    requests: dict[str, InputRequest] = {}
    for key, entry in _entries(raw).items():
        name = key if type(key) is str and key.isascii() else _plain_key(key)
        requests[name] = read_well_formed(entry) or _read_strictly(entry, pointer("inputRequests", name))
    return requests


def read_leniently(entry: Mapping[str, Any], at: str = "") -> ElicitRequest:
    """Read one entry as `ElicitationRequests.requests` does; errors point to it at `at`."""
    _raise_first_fault(entry, at, strict=False)
    parts = entry_of(entry)
    return _elicitation(parts) if parts.method == ELICIT else UNREAD


def _read_strictly(entry: Any, at: str) -> InputRequest:
    _raise_first_fault(entry, at, strict=True)
    parts = entry_of(entry)
    if parts.method == ELICIT:
        return _elicitation(parts)
    if parts.method == SAMPLE:
        return CreateMessageRequest(params=parts.params)
    if parts.method == LIST_ROOTS:
        return ListRootsRequest(params=parts.params)
    return UnknownRequest(method=parts.method, params=parts.params)


def _raise_first_fault(entry: Any, at: str, *, strict: bool) -> None:
    """Raise the first fault of an entry, if it has one."""
    raise_fault(next(shape_faults(entry, at, strict=strict), None))
    raise_fault(next(url_faults(entry, at), None))


def _elicitation(entry: Entry) -> ElicitRequest:
    """Give an elicitation in which no fault was found."""
    params = entry.params or {}
    meta = params.get("_meta")
    return ElicitRequest(
        message=params.get("message"),
        requested_schema=params.get("requestedSchema"),
        mode=params.get("mode"),
        url=params.get("url"),
        meta=meta if isinstance(meta, Mapping) else None,
    )


def _entries(raw: Mapping[str, Any]) -> Mapping[Any, Any]:
    """Give the `inputRequests` of a result; absent and null are none."""
    entries = require_result(raw).get("inputRequests")
    if type(entries) is dict:
        return entries
    raise_fault(next(input_requests_faults(raw), None))
    return entries or {}


def _plain_key(key: Any) -> str:
    raise_fault(next(key_faults(key), None))
    return str.__str__(key)
