"""The private state of a call and of its pause: how it is stored and read, and how a pause becomes the next call.

All of it is plain, checked and never handed out itself; `Call` and `Pause` are the public values around it. This is not
the `requestState` of a server, which is one string in a result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Annotated, Any, Final, Literal, NoReturn, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from toolnexus_mrtr._answers import match_answers_by_id, require_matching_id, write_answer
from toolnexus_mrtr._errors import FieldError, InvalidAnswer, LocalProtocolError, MrtrError, pointer, require_type
from toolnexus_mrtr._findings import raise_fault
from toolnexus_mrtr._json import canonical_text, copy_checked, copy_json, plain_text
from toolnexus_mrtr._outgoing import name_of
from toolnexus_mrtr._reader import input_requests
from toolnexus_mrtr._toolnexus import Origin, Request, to_host_request
from toolnexus_mrtr._types import ElicitRequest, InputRequest
from toolnexus_mrtr._validation import MAX_COUNT, Limits, entry_of, pause_faults
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
_Kind = TypeVar("_Kind", bound="Frozen")


class CallState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a call is. `idle` says how many pauses in a row, up to this send, asked nothing: it sets the delay."""

    method: str
    params: dict[str, Any]
    server: str | None
    capabilities: dict[str, Any] | None
    max_retries: Annotated[int, Meta(ge=0, le=MAX_COUNT)]
    result_types: tuple[str, ...]
    limits: Limits
    id: str
    retry: _Count = 0
    idle: _Count = 0

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """What may stand in a log."""
        return [("id", self.id), ("method", self.method), ("retry", self.retry)]

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

    def _digest_of(self, value: list[Any]) -> str:
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

    @property
    def delay(self) -> float:
        """Seconds to wait before the retry."""
        return 0.0 if self.entries else min(_DELAY * float(2 ** min(self.call.idle, _DOUBLINGS)), _LONGEST)

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

    def resume(self, answers: Any, meta: Mapping[str, Any] | None) -> CallState:
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
        idle = 0 if self.entries else min(call.idle + 1, _LAST)
        return replace(call, params=params, retry=min(call.retry + 1, _LAST), idle=idle)


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


class Frozen:
    """A frozen value, compared by its private state, which its `repr` does not show."""

    __slots__ = ("_state",)
    _state: Any

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._state == getattr(other, "_state", None)

    def __hash__(self) -> int:
        # Params and results cannot be hashed; what `repr` shows differs between most calls and pauses.
        return hash(tuple(value for _, value in self.__rich_repr__()))

    def __reduce__(self) -> tuple[Any, ...]:
        return from_state, (type(self), self._state)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        shown: list[tuple[str, Any]] = self._state.shown
        return shown


def from_state(kind: type[_Kind], state: CallState | PauseState) -> _Kind:
    """Make the public value of a state."""
    value = object.__new__(kind)
    object.__setattr__(value, "_state", state)
    return value


def state_of(pause: Frozen) -> PauseState:
    """Give the private state of a pause to a driver, which checks each answer as it comes, without `resume`."""
    state: PauseState = pause._state  # noqa: SLF001 - the state is this module's own
    return state
