"""The private state of a call and of its pause: how it is stored and read, and how a pause becomes the next call.

All of it is plain, checked and never handed out itself; `Call` and `Pause` are the public values around it. This is not
the `requestState` of a server, which is one string in a result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from toolnexus_mrtr._answers import match_answers_by_id, require_matching_id, write_answer
from toolnexus_mrtr._errors import (
    MAX_COUNT,
    FieldError,
    InvalidAnswer,
    LocalProtocolError,
    MrtrError,
    pointer,
    require_type,
)
from toolnexus_mrtr._findings import raise_fault
from toolnexus_mrtr._frozen import Frozen, from_state, state_of
from toolnexus_mrtr._json import canonical_text, copy_checked, copy_json, plain_text
from toolnexus_mrtr._outgoing import name_of
from toolnexus_mrtr._reader import input_requests
from toolnexus_mrtr._toolnexus import Origin, Request, to_host_request
from toolnexus_mrtr._types import ElicitRequest, InputRequest
from toolnexus_mrtr._validation import Limits, entry_of, pause_faults
from toolnexus_mrtr._writer import require_same_keys

#: The member of `_meta` that declares what a client can do (basic/index, "_meta").
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"

#: How deep stored bytes may be nested: the 256 levels that `Limits` allows at most, and those that `store` adds.
_DEEPEST: Final = 300

#: The first delay in seconds, how often it doubles, and the longest in seconds.
_DELAY: Final = 0.05
_DOUBLINGS: Final = 7
_LONGEST: Final = 5.0

_FORMAT: Final = "toolnexus-mrtr/2"

#: How many hex digits of a digest an id shows: 64 bits.
_SHOWN: Final = 16

#: The members of the params that belong to one retry alone.
_OF_A_RETRY: Final = ("inputResponses", "requestState")

#: How far sends are counted; no exchange gets there, but what is stored may be made up.
_LAST: Final = MAX_COUNT - 1

_Count = Annotated[int, Meta(ge=0, le=_LAST)]
_Bound = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
_Kind = TypeVar("_Kind", bound=Frozen)


class CallState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a call is.

    Of the sends before this one `retry` counts all, `answered` those that carried answers, and `polls` those in a row
    up to this one that carried none. `idle` counts the pauses in a row that asked nothing new, and sets the delay.
    `asked` are the digests of the entries of the last pause that asked anything.
    """

    method: str
    params: dict[str, Any]
    server: str | None
    capabilities: dict[str, Any] | None
    max_retries: _Bound
    max_polls: _Bound
    result_types: tuple[str, ...]
    limits: Limits
    id: str
    retry: _Count = 0
    answered: _Count = 0
    polls: _Count = 0
    idle: _Count = 0
    asked: tuple[str, ...] = ()

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """What may stand in a log."""
        return [("id", self.id), ("method", self.method), ("retry", self.retry)]

    def restart(self, id: str) -> CallState:
        """Make the call as it was first sent, under another id."""
        params = {name: self.params[name] for name in self.params if name not in _OF_A_RETRY}
        return replace(self, params=params, id=id, retry=0, answered=0, polls=0, idle=0, asked=())

    def bound(self, max_retries: int | None) -> CallState:
        """Count anew, up to so many sends with answers; `None` changes nothing."""
        return self if max_retries is None else replace(self, max_retries=max_retries, answered=0, polls=0)

    def declare(self, meta: Mapping[str, Any]) -> CallState:
        """Put a declaration into the `_meta` of a call that declares nothing, beside what stands there."""
        if self.declared() is not None:
            return self
        own = self.params.get("_meta")
        merged = {**meta, **own, CAPABILITIES: meta[CAPABILITIES]} if isinstance(own, dict) else meta
        return replace(self, params={**self.params, "_meta": merged})

    def declared(self) -> Any:
        """Give the declared capabilities; `None` where nothing was declared."""
        if self.capabilities is not None:
            return self.capabilities
        meta = self.params.get("_meta")
        return meta.get(CAPABILITIES) if isinstance(meta, dict) else None

    def accept_pause(self, raw: Mapping[str, Any]) -> PauseState:
        """Check a paused result and copy it, or raise its first fault."""
        faults = pause_faults(raw, method=self.method, capabilities=self.declared(), limits=self.limits)
        raise_fault(next(faults, None))
        return PauseState(self, copy_json(raw, depth=self.limits.depth, remote=True))


class PauseState(Struct, frozen=True, dict=True):
    """All that a pause is: the call, as it was sent, and the result that paused it. All else is read from these."""

    call: CallState
    raw: dict[str, Any]

    @property
    def id(self) -> str:
        """The id of the call, the number of its retries, and the digest of what was asked."""
        return f"{self.call.id}-{self.call.retry}-{self.digest[:_SHOWN]}"

    @cached_property
    def digest(self) -> str:
        """What binds an id to what was asked: the server's name, the method, the params and the raw result.

        The order of members does not matter. `_meta` and what a retry adds to the params are left out.
        """
        call = self.call
        params = {name: call.params[name] for name in call.params if name not in (*_OF_A_RETRY, "_meta")}
        return self._digest_of([call.server, call.method, params, self.raw])

    def _digest_of(self, value: Any) -> str:
        import hmac  # noqa: PLC0415 - loaded only where an id is needed

        key = self.call.id.encode("utf-8", "surrogatepass")
        return hmac.digest(key, canonical_text(value).encode("ascii"), "sha256").hex()

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """What may stand in a log."""
        return [("id", self.id), ("method", self.call.method), ("asks", len(self.entries))]

    @property
    def entries(self) -> dict[str, Any]:
        """The entries of `inputRequests`; none where the member is absent or null."""
        return self.raw.get("inputRequests") or {}

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The digests of what is asked, whatever its keys."""
        return tuple(self._digest_of(entry)[:_SHOWN] for entry in self.entries.values())

    @property
    def asks_something_new(self) -> bool:
        """Whether an entry differs from all those of the last pause that asked anything."""
        return bool(self.entries) and not (self.call.asked and set(self.asked) <= set(self.call.asked))

    @property
    def is_past_limit(self) -> bool:
        """Whether the call was sent too often, with answers or, where this pause asks nothing, without."""
        call = self.call
        return call.answered >= call.max_retries if self.entries else call.polls >= call.max_polls

    @property
    def delay(self) -> float:
        """Seconds to wait before the retry, or before asking again what was just asked."""
        return 0.0 if self.asks_something_new else min(_DELAY * float(2 ** min(self.call.idle, _DOUBLINGS)), _LONGEST)

    def input_requests(self) -> dict[str, InputRequest]:
        """Read what is asked. It shares its schemas with this state: copy them before they are handed out."""
        return input_requests(self.raw)

    @cached_property
    def request_ids(self) -> dict[str, str]:
        """The id of each elicitation, bound to the digest of the pause and to its key."""
        head, digest = f"elc-{self.call.id}-{self.call.retry}-", self.digest
        requests = self.input_requests().items()
        keys = [key for key, request in requests if isinstance(request, ElicitRequest)]
        return {key: head + self._digest_of([digest, key])[:_SHOWN] for key in keys}

    def host_request(self, key: str) -> Request:
        """Make the `Request` of one elicitation, a fresh copy each time."""
        (request,) = input_requests({"inputRequests": {key: copy_checked(self.entries[key])}}).values()
        assert isinstance(request, ElicitRequest)  # noqa: S101 - nothing else is asked of `wait_for`
        call = self.call
        origin = Origin(server=call.server, method=call.method, name=name_of(call.method, call.params), key=key)
        return to_host_request(request, self.request_ids[key], origin)

    def write_input_response(
        self, key: str, answer: Any, request: InputRequest
    ) -> dict[str, Any] | tuple[FieldError, ...]:
        """Write what the retry carries for one answer, or give the field errors."""
        require_matching_id(key, answer, lambda: self.request_ids.get(key))
        place = pointer("inputRequests", key) + entry_of(self.entries[key]).params_at
        return write_answer(key, answer, request, place + "/requestedSchema")

    def resume(self, answers: Any, meta: Mapping[str, Any] | None = None) -> CallState:
        """Make the call to send next, of answers by key or by id."""
        requests = self.input_requests()
        is_by_key = isinstance(answers, Mapping)
        by_key: Mapping[str, Any] = answers if is_by_key else match_answers_by_id(answers, self.request_ids)
        require_same_keys("answers", by_key, requests)
        responses: dict[str, Any] = {}
        errors: list[FieldError] = []
        for key, request in requests.items():
            response = self.write_input_response(key, by_key[key], request)
            if isinstance(response, dict):
                responses[key] = response
            else:
                errors += response
        if errors:
            raise InvalidAnswer(errors)
        return self.next_call(responses, meta)

    def next_call(self, responses: dict[str, Any], meta: Mapping[str, Any] | None = None) -> CallState:
        """Make the call to send next, of `inputResponses` that are written."""
        call = self.call
        # Answers and state belong to one retry alone (basic/patterns/mrtr, "Client Requirements", 2 and 4): those of an
        # earlier pause go, and a state is echoed only where this pause has one.
        params = {name: call.params[name] for name in call.params if name not in _OF_A_RETRY}
        if meta is not None:
            params["_meta"] = copy_json(meta, "/_meta", depth=call.limits.depth)
            require_declaration(params, "")
        if responses:
            params["inputResponses"] = responses
        if self.raw.get("requestState") is not None:
            params["requestState"] = self.raw["requestState"]
        return replace(
            call,
            params=params,
            retry=_count_on(call.retry),
            answered=_count_on(call.answered) if responses else call.answered,
            polls=0 if responses else _count_on(call.polls),
            idle=0 if self.asks_something_new else _count_on(call.idle),
            asked=self.asked if self.entries else call.asked,
        )


def _count_on(count: int) -> int:
    return min(count + 1, _LAST)


class _Stored(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    format: Literal["toolnexus-mrtr/2"]
    call: CallState
    result: dict[str, Any] | None = None


def require_declaration(params: dict[str, Any], at: str) -> None:
    """Refuse params whose declared capabilities are no object."""
    meta = params.get("_meta")
    declared = meta.get(CAPABILITIES) if isinstance(meta, dict) else None
    if not isinstance(declared, dict | None):
        place = at + pointer("_meta", CAPABILITIES)
        raise LocalProtocolError("wrong_value", "expected an object of capabilities", place)


def store(call: CallState, raw: dict[str, Any] | None = None) -> bytes:
    """Store a call or, with the result that paused it, a pause: as ASCII JSON, as secret as what it holds."""
    with suppress(RecursionError):
        stored = msgspec.to_builtins(_Stored(_FORMAT, call, raw))
        return json.dumps(stored, allow_nan=False, separators=(",", ":")).encode("ascii")
    raise LocalProtocolError("wrong_value", "expected fewer nested calls: no recursion depth is left to write JSON")


def load(data: bytes | str, server: str | None) -> tuple[CallState, dict[str, Any] | None]:
    """Give back what `store` stored, for the server that it was stored for."""
    require_type("data", data, bytes | bytearray | str, "bytes or a str")
    if server is not None:
        server = plain_text("server", server, "server")
    stored = _load(data)
    if stored is None:
        raise stored_pause_invalid()
    if stored.call.server != server:
        raise LocalProtocolError("wrong_server", "expected the server= that the stored call was made with")
    return stored.call, stored.result


def stored_pause_invalid() -> LocalProtocolError:
    """Make the error for what `store` did not write. It says no more: what is stored is secret."""
    expected = "expected what to_json of the same class wrote, with the same content"
    return LocalProtocolError("stored_pause_invalid", expected)


def _load(data: bytes | str) -> _Stored | None:
    try:
        # copy_json refuses NaN and the infinities, which the standard library reads.
        stored = msgspec.convert(copy_json(json.loads(data), depth=_DEEPEST), _Stored)
        require_declaration(stored.call.params, "")
        if stored.call.retry:
            msgspec.convert(stored.call.params.get("inputResponses", {}), dict[str, dict[str, Any]])
    except (ValueError, RecursionError, msgspec.MsgspecError, MrtrError):
        return None
    return stored


def with_call(value: _Kind, change: Callable[[CallState], CallState]) -> _Kind:
    """Change the call that a call or a pause is, or holds."""
    state = state_of(value)
    if isinstance(state, PauseState):
        return from_state(type(value), PauseState(change(state.call), state.raw))
    return from_state(type(value), change(state))
