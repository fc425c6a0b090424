"""The two pure mappings to and from the host contract of toolnexus: one `Request` out, one `Answer` back."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr._contract import Answer, AnswerLike, Request, RequestLike
from toolnexus_mrtr._errors import LocalProtocolError, RemoteProtocolError, require_type
from toolnexus_mrtr._reader import lenient_request
from toolnexus_mrtr._rules import is_flat
from toolnexus_mrtr._text import json_type
from toolnexus_mrtr._types import ELICIT, ElicitRequest, ElicitResult, InputRequest

_BASE_36: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


_sequence: Iterator[int]


def _start_anew() -> None:
    """Count from a random start, so that processes that map in the same millisecond differ; exact in JavaScript too."""
    global _sequence  # noqa: PLW0603 - a fork copies the counter, and the child needs its own
    _sequence = itertools.count(int.from_bytes(os.urandom(6)))


_start_anew()
if sys.platform != "win32":  # pragma: no branch - Windows has no fork
    os.register_at_fork(after_in_child=_start_anew)


def elicitation_to_request(params: InputRequest | Mapping[str, Any], *, id: str | None = None) -> Request:
    """Map an elicitation onto the `Request` that a host resolves, as every toolnexus port does.

    Mode `url` becomes kind `"authorization"` with the `url` and no data; anything else becomes kind `"input"` with the
    form's schema under `data["schema"]` when there is one, `{}` included. `prompt` is the message verbatim, `""` when
    there is none. Takes an `ElicitRequest`, a raw entry of `inputRequests` in either shape, or the raw params of an
    elicitation, which it reads leniently; the schema stays shared. Without an `id` a fresh one is made, `elc-…`, unique
    over processes. For a `Pause` take its `requests`: `resume` refuses an answer with any other id of ours.

    Raises `LocalProtocolError` `not_an_elicitation` for the request of another method, and `RemoteProtocolError`
    `wrong_type`, `missing_member` (mode `url` without a `url`) or `unsafe_url`.
    """
    require_type("id", id, str | None, "a str")
    entry = _as_entry(params)
    request = lenient_request(entry)
    if request.mode == "url" and request.url is None:
        at = "/url" if is_flat(entry) else "/params/url"
        raise RemoteProtocolError("missing_member", "expected a member 'url'", at)
    return host_request(request, _fresh_id() if id is None else id)


def host_request(request: ElicitRequest, id: str) -> Request:
    """Map an elicitation that was read and found whole."""
    prompt = request.message or ""
    if request.mode == "url":
        return Request(id, "authorization", prompt, url=request.url)
    if request.requested_schema is None:
        return Request(id, "input", prompt)
    return Request(id, "input", prompt, data={"schema": request.requested_schema})


def answer_to_elicit_result(
    answer: Answer | AnswerLike | Mapping[str, Any],
    request: Request | RequestLike | ElicitRequest | Mapping[str, Any] | None = None,
) -> ElicitResult:
    """Map what a host answered onto an `ElicitResult`, as every toolnexus port does.

    `ok` accepts with `data`, or `{}`; the reason `"declined"` declines; everything else cancels. Takes our `Answer`,
    any object with `ok`, `data` and `reason`, or a map of them; other members are ignored. Pass the `request` that was
    answered: the accept of an authorization then carries no content, so that a token in `data` cannot reach the server
    (elic, "Response Actions").

    Raises `LocalProtocolError` `wrong_value` when `ok` is no boolean or the `data` of an accepted form no map.
    """
    ok = _member(answer, "ok")
    if ok is None and not isinstance(answer, Mapping):
        raise TypeError(f"answer must be an Answer, or have its members, not {type(answer).__name__}")
    if not isinstance(ok, bool):
        raise LocalProtocolError("wrong_value", f"expected a boolean, found {json_type(ok)}", "/ok")
    if not ok:
        return ElicitResult(action="decline" if _member(answer, "reason") == "declined" else "cancel")
    if request is not None and _is_authorization(request):
        return ElicitResult(action="accept")
    data = _member(answer, "data")
    if data is not None and not isinstance(data, Mapping):
        raise LocalProtocolError("wrong_value", f"expected an object, found {json_type(data)}", "/data")
    return ElicitResult(action="accept", content=dict(data or {}))


def _as_entry(params: InputRequest | Mapping[str, Any]) -> Mapping[str, Any]:
    """Whatever was given, as a raw entry of an elicitation in either shape."""
    if isinstance(params, ElicitRequest):
        members = {
            "mode": params.mode,
            "message": params.message,
            "requestedSchema": params.requested_schema,
            "url": params.url,
        }
        given = {name: member for name, member in members.items() if member is not None}
        if given:
            return given
    elif isinstance(params, Mapping):
        if is_flat(params) or params.get("method") == ELICIT:
            return params
    elif not isinstance(params, InputRequest):
        raise TypeError(f"params must be an ElicitRequest or a mapping, not {type(params).__name__}")
    raise LocalProtocolError("not_an_elicitation", f"expected a request of the method {ELICIT!r}")


def _is_authorization(request: Request | RequestLike | ElicitRequest | Mapping[str, Any]) -> bool:
    if isinstance(request, ElicitRequest):
        return request.mode == "url"
    kind = _member(request, "kind")
    if kind is None:
        # Guessing would let the data of an authorization through.
        raise TypeError(f"request must be a Request or an ElicitRequest, not {type(request).__name__}")
    return bool(kind == "authorization")


def _member(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _fresh_id() -> str:
    milliseconds = time.time_ns() // 1_000_000
    digits = ""
    while milliseconds:
        milliseconds, digit = divmod(milliseconds, 36)
        digits = _BASE_36[digit] + digits
    return f"elc-{digits}-{next(_sequence)}"
