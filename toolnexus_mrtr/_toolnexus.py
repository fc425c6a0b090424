"""The host contract of toolnexus (its SPEC, section 10): an elicitation becomes a `Request`, an `Answer` its result."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any, Final, Protocol

from msgspec import Struct

from toolnexus_mrtr._errors import LocalProtocolError, RemoteProtocolError, require_type
from toolnexus_mrtr._forms import Form
from toolnexus_mrtr._reader import read_leniently
from toolnexus_mrtr._text import json_type
from toolnexus_mrtr._types import ELICIT, URL, ElicitRequest, ElicitResult, InputRequest, mode_of
from toolnexus_mrtr._validation import entry_of

#: The kind of a request to visit a url.
AUTHORIZATION: Final = "authorization"

_BASE_36: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


class Origin(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who asks: the host's own name for the server, and the call that the server paused.

    `server` is that name. `method` is that of the call, `name` its tool, prompt or uri, and `key` the server's key of
    the question. Each is `None` when not known. The `repr` leaves out the key, which may hold what a server keeps to
    itself.
    """

    server: str | None = None
    method: str | None = None
    name: str | None = None
    key: str | None = None

    def __repr__(self) -> str:
        return f"Origin(server={self.server!r}, method={self.method!r}, name={self.name!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("server", self.server), ("method", self.method), ("name", self.name)]


class _Asked(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The field of `Request` that is given by keyword alone; in msgspec that holds for a whole class."""

    origin: Origin | None = None


class Request(_Asked, frozen=True, omit_defaults=True):
    """What a host is asked to resolve: one question, one consent, one visit to a url.

    `id` correlates the answer: put it into the `Answer`. It is not the server's key. `kind` is `"input"` (a form; its
    JSON Schema is under `data["schema"]`) or `"authorization"` (a `url` to show in full and to open only with consent);
    the vocabulary is open. `prompt` is the server's message verbatim: pass it through `printable` before a terminal
    sees it.

    `origin` says who asks, which a client has to make clear to people (client/elicitation, "User Interaction Model"); a
    request of an exchange has one. The `repr` leaves out `data`.

    The members keep their wire names, `expiresAt` included, so that a host written for toolnexus can be handed one.
    msgspec encodes it with absent members left out, and decodes it ignoring members that it does not know.
    """

    id: str
    kind: str
    prompt: str
    url: str | None = None
    data: dict[str, Any] | None = None
    expiresAt: str | None = None  # noqa: N815 - the wire name, as in every toolnexus port

    def __repr__(self) -> str:
        return f"Request({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        names = [name for name in self.__struct_fields__ if name != "data"]
        return [(name, getattr(self, name)) for name in names if getattr(self, name) is not None]

    def accept(self, data: dict[str, Any] | None = None) -> Answer:
        """Make the `Answer` of a person who agrees: with what was entered, or without data to the visit of a url.

        Raises `LocalProtocolError` `wrong_value` for data of an authorization: it stays with the host.
        """
        if data is not None and self.kind == AUTHORIZATION:
            raise LocalProtocolError("wrong_value", "expected no data, which stays with the host of a visit", "/data")
        return Answer(self.id, ok=True, data=data)

    def decline(self) -> Answer:
        """Make the `Answer` of a person who says no."""
        return Answer(self.id, ok=False, reason="declined")

    def cancel(self) -> Answer:
        """Make the `Answer` where nobody decided: the question was dismissed, or could not be shown."""
        return Answer(self.id, ok=False, reason="cancelled")

    def form(self) -> Form | None:
        """Read the form that is to be filled in; `None` for a visit, and where there is no schema.

        Raises what `Form.of` raises for a form that cannot be checked: it can only be declined or cancelled.
        """
        schema = (self.data or {}).get("schema")
        return Form.of(schema, message=self.prompt) if isinstance(schema, Mapping) else None


class Answer(Struct, frozen=True, omit_defaults=True):
    """What a host answers to a `Request`.

    `id` is that of the `Request`. `ok` is true when the person agreed; `data` is then what was entered. Otherwise
    `reason` may say why: exactly `"declined"` is an explicit no, sent as a decline; any other reason, and none, is sent
    as a cancel. Encoded and decoded as `Request` is. Its `repr` never shows `data`.
    """

    id: str
    ok: bool
    data: dict[str, Any] | None = None
    reason: str | None = None

    def __repr__(self) -> str:
        return f"Answer(id={self.id!r}, ok={self.ok!r}, reason={self.reason!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("id", self.id), ("ok", self.ok), ("reason", self.reason)]


class AnswerLike(Protocol):
    """What serves as an `Answer`: any object with these members, toolnexus' own dataclass among them."""

    ok: bool
    data: Any
    reason: Any


class RequestLike(Protocol):
    """What serves as a `Request` where only its kind matters."""

    kind: str


def elicitation_to_request(params: InputRequest | Mapping[str, Any], *, id: str | None = None) -> Request:
    """Map an elicitation onto the `Request` that a host resolves, as every toolnexus port does.

    Mode `url` becomes kind `"authorization"` with the `url` and no data; anything else becomes kind `"input"` with the
    form's schema under `data["schema"]` when there is one, `{}` included. `prompt` is the message verbatim, `""` when
    there is none. `params` is an `ElicitRequest`, a raw entry `{method, params}`, or the raw params of an elicitation
    alone, which it reads leniently; the schema stays shared. Without an `id` a fresh one is made, `elc-…`, unique
    over processes. For a `Pause` take its `requests`: answers without keys are matched by
    their ids, and by key `resume` refuses the id of another pause.

    Raises `LocalProtocolError` `not_an_elicitation` for the request of another method, and `RemoteProtocolError`
    `wrong_type`, `unknown_mode`, `missing_member` (mode `url` without a `url`) or `unsafe_url`.
    """
    require_type("id", id, str | None, "a str")
    entry = _to_entry(params)
    request = read_leniently(entry)
    if mode_of(request) == URL and request.url is None:
        raise RemoteProtocolError("missing_member", "expected a member 'url'", entry_of(entry).params_at + "/url")
    return to_host_request(request, _fresh_id() if id is None else id)


def to_host_request(request: ElicitRequest, id: str, origin: Origin | None = None) -> Request:
    """Map an elicitation; one of mode `url` has a url, which the caller has made sure of."""
    prompt = request.message or ""
    if mode_of(request) == URL:
        return Request(id, AUTHORIZATION, prompt, url=request.url, origin=origin)
    if request.requested_schema is None:
        return Request(id, "input", prompt, origin=origin)
    return Request(id, "input", prompt, data={"schema": request.requested_schema}, origin=origin)


def answer_to_elicit_result(
    answer: Answer | AnswerLike | Mapping[str, Any],
    request: Request | RequestLike | ElicitRequest | Mapping[str, Any] | None = None,
) -> ElicitResult:
    """Map what a host answered onto an `ElicitResult`, as every toolnexus port does.

    `ok` accepts with `data`, or `{}`; the reason `"declined"` declines; everything else cancels. `answer` is our
    `Answer`, any object with `ok`, `data` and `reason`, or a map of them; other members are ignored. Pass the `request`
    that was answered: the accept of an authorization then carries no content, so that a token in `data` cannot reach
    the server (client/elicitation, "Response Actions").

    Raises `LocalProtocolError` `wrong_value` when `ok` is no boolean or the `data` of an accepted form no map.
    """
    if not isinstance(answer, Mapping) and not is_answer_like(answer):
        raise TypeError(f"answer must be an Answer, or have its members, not {type(answer).__name__}")
    ok = _member(answer, "ok")
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


def is_answer_like(value: object) -> bool:
    """Whether an object has all that an `Answer` has to say: the response of an HTTP library has `ok` too."""
    return hasattr(value, "ok") and hasattr(value, "data") and hasattr(value, "reason")


def _to_entry(params: InputRequest | Mapping[str, Any]) -> Mapping[str, Any]:
    """Turn an `ElicitRequest` into flat params, and give a raw elicitation back as it is; refuse anything else."""
    if isinstance(params, ElicitRequest):
        members = {
            "mode": params.mode,
            "message": params.message,
            "requestedSchema": params.requested_schema,
            "url": params.url,
            "_meta": params.meta,
        }
        given = {name: member for name, member in members.items() if member is not None}
        if given:
            return given
    elif isinstance(params, Mapping):
        if entry_of(params).method == ELICIT:
            return params
    elif not isinstance(params, InputRequest):
        raise TypeError(f"params must be an ElicitRequest or a mapping, not {type(params).__name__}")
    raise LocalProtocolError("not_an_elicitation", f"expected a request of the method {ELICIT!r}")


def _is_authorization(request: Request | RequestLike | ElicitRequest | Mapping[str, Any]) -> bool:
    if isinstance(request, ElicitRequest):
        return mode_of(request) == URL
    kind = _member(request, "kind")
    if kind is None:
        # Guessing would let the data of an authorization through.
        raise TypeError(f"request must be a Request or an ElicitRequest, not {type(request).__name__}")
    return bool(kind == AUTHORIZATION)


def _member(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _fresh_id() -> str:
    milliseconds = time.time_ns() // 1_000_000
    digits = ""
    while milliseconds:
        milliseconds, digit = divmod(milliseconds, 36)
        digits = _BASE_36[digit] + digits
    # 48 random bits: a number that JavaScript holds exactly too.
    return f"elc-{digits}-{int.from_bytes(os.urandom(6))}"
