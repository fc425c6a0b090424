"""Raw to typed: one quick path for the well-formed entry; where it is not, `_rules` says what and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

from toolnexus_mrtr._errors import LocalProtocolError, pointer, require_type
from toolnexus_mrtr._findings import raise_first
from toolnexus_mrtr._rules import elicitation_params, entry_faults, is_flat, request_faults, state_faults
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
from toolnexus_mrtr._urls import plain_url


@final
class ElicitationRequests:
    """Reads a paused result, as the class of this name in Apache Juneau's client does: a namespace, never instantiated.

    Each method takes the raw `result` map of a JSON-RPC response and leaves it as it is. A whole response instead of
    its result is a `LocalProtocolError` `not_a_result`; what is no map is a `TypeError`.
    """

    @staticmethod
    def is_input_required(raw: Mapping[str, Any]) -> bool:
        """Whether the server paused the call: `resultType` is exactly `"input_required"` (base, "ResultType").

        Ask this before anything else is read from the map; an absent `resultType` is a finished call.
        """
        return is_input_required(raw)

    @staticmethod
    def requests(raw: Mapping[str, Any]) -> dict[str, ElicitRequest | None]:
        """Read what is asked, leniently: every entry as an elicitation, in the server's order.

        Absent or null `inputRequests` give `{}`, a null entry gives `None`, and an entry of another method an
        `ElicitRequest` with every field `None`. Both the specification's entries and Juneau's flat ones are read.
        `input_requests` reads the other kinds too.

        Raises `RemoteProtocolError` whose `at` names the key: `wrong_type`, `unknown_mode` for a mode that is no
        string, `unsafe_url` for a url that `inspect_url` refuses.
        """
        return lenient_requests(raw)

    @staticmethod
    def request_state(raw: Mapping[str, Any]) -> str | None:
        """Give the state to echo in the retry, the very same string; `None` when there is none to echo.

        `""` is a state like any other: test with `is not None` (mrtr, "Client Requirements", 2).

        Raises `RemoteProtocolError` `wrong_type` when it is no string.
        """
        return request_state(raw)


def is_input_required(raw: Mapping[str, Any]) -> bool:
    result_type = as_result(raw).get("resultType")
    return isinstance(result_type, str) and result_type == INPUT_REQUIRED


def request_state(raw: Mapping[str, Any]) -> str | None:
    raise_first(state_faults(as_result(raw)))
    state: str | None = raw.get("requestState")
    return state


def lenient_requests(raw: Mapping[str, Any]) -> dict[str, ElicitRequest | None]:
    raise_first(request_faults(as_result(raw), strict=False))
    entries = raw.get("inputRequests") or {}
    return {str.__str__(key): None if entry is None else _elicitation(entry) for key, entry in entries.items()}


def lenient_request(entry: Mapping[str, Any]) -> ElicitRequest:
    """Read one entry as `ElicitationRequests.requests` would; errors point into the entry."""
    raise_first(entry_faults(entry, strict=False))
    return _elicitation(entry)


def input_requests(raw: Mapping[str, Any]) -> dict[str, InputRequest]:
    """Read what is asked, strictly: every entry as the request of its method, in the server's order.

    `elicitation/create` gives an `ElicitRequest`, `sampling/createMessage` a `CreateMessageRequest`, `roots/list` a
    `ListRootsRequest`; any other method gives an `UnknownRequest`, so that one foreign entry does not hide the rest.
    Absent or null `inputRequests` give `{}`. `resultType` is not looked at. Schemas and params are kept whole and
    shared with `raw`: copy them before you change them.

    Raises `RemoteProtocolError` for the first fault in the server's order: `wrong_type`, `missing_member`,
    `unknown_mode`, `unsafe_url`; `LocalProtocolError` `not_a_result` for a whole JSON-RPC response; `TypeError` for
    what is no map.
    """
    entries = as_result(raw).get("inputRequests")
    if type(entries) is not dict and not isinstance(entries, Mapping):
        raise_first(request_faults(raw, strict=True))
        return {}
    return {
        key if type(key) is str else _plain_key(key, raw): _quick(entry) or _careful(entry, key)
        for key, entry in entries.items()
    }


def as_result(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Let a result through; refuse what is no map, and a whole response, which would look like a finished call."""
    if type(raw) is not dict:
        require_type("raw", raw, Mapping, "a mapping")
    if raw.get("jsonrpc") == "2.0" and "resultType" not in raw and ("result" in raw or "error" in raw):
        raise LocalProtocolError("not_a_result", "expected the 'result' member of a response, found the whole response")
    return raw


def _plain_key(key: str, raw: Mapping[str, Any]) -> str:
    if not isinstance(key, str):
        raise_first(request_faults(raw, strict=True))
    return str.__str__(key)


def _quick(entry: Any) -> InputRequest | None:
    """Read a well-formed entry of the specification's shape; `None` where it needs a careful look."""
    if type(entry) is not dict:
        return None
    try:
        method = entry["method"]
        if method == ELICIT:
            return _quick_elicitation(entry["params"])
        if method == SAMPLE:
            params = entry["params"]
            if type(params) is dict and type(params["messages"]) is list and type(params["maxTokens"]) is int:
                return CreateMessageRequest(params=params)
        elif method == LIST_ROOTS and "params" not in entry:
            return ListRootsRequest()
    except KeyError:
        pass
    return None


def _quick_elicitation(params: Any) -> ElicitRequest | None:
    if type(params) is not dict:
        return None
    message, mode = params["message"], params.get("mode")
    if type(message) is not str:
        return None
    if mode == "url":
        url = params["url"]
        if type(url) is str and plain_url(url) and "requestedSchema" not in params:
            return ElicitRequest(message=message, mode=mode, url=url)
    elif mode == "form" or (mode is None and "mode" not in params):
        schema = params["requestedSchema"]
        if type(schema) is dict and "url" not in params:
            return ElicitRequest(message=message, requested_schema=schema, mode=mode)
    return None


def _careful(entry: Any, key: str) -> InputRequest:
    """Read any entry that no strict rule refuses."""
    raise_first(entry_faults(entry, pointer("inputRequests", key), strict=True))
    method = entry.get("method", ELICIT)
    if method == ELICIT:
        return _elicitation(entry)
    if method == SAMPLE:
        return CreateMessageRequest(params=entry["params"])
    if method == LIST_ROOTS:
        return ListRootsRequest(params=entry.get("params"))
    return UnknownRequest(method=method, params=entry.get("params"))


def _elicitation(entry: Mapping[str, Any]) -> ElicitRequest:
    """Read an entry that no lenient rule refuses."""
    if not is_flat(entry) and entry.get("method") != ELICIT:
        return UNREAD
    params, _ = elicitation_params(entry)
    return ElicitRequest(
        message=params.get("message"),
        requested_schema=params.get("requestedSchema"),
        mode=params.get("mode"),
        url=params.get("url"),
    )
