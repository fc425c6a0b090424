"""The private state of a call and of its pause: how it is stored and read, and how one gives the next call.

All of it is plain, checked and never handed out itself; `Call` and `Pause` are the public values around it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from toolnexus_mrtr._answers import require_own_id, sort_by_key, write_answer
from toolnexus_mrtr._errors import FieldError, InvalidAnswer, LocalProtocolError, MrtrError, pointer, require_type
from toolnexus_mrtr._findings import raise_fault
from toolnexus_mrtr._json import copy_json
from toolnexus_mrtr._reader import input_requests
from toolnexus_mrtr._types import ElicitRequest, InputRequest
from toolnexus_mrtr._validation import MAX_COUNT, Limits, entry_of, pause_faults
from toolnexus_mrtr._writer import require_same_keys

#: The member of `_meta` that declares what a client can do (basic/index, "_meta").
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"

#: How deep a stored call may be nested: the deepest that `Limits` allows, and what is written around it.
_DEEPEST: Final = 300

#: Seconds: the first delay, how often it doubles, and the longest.
_DELAY: Final = 0.05
_DOUBLINGS: Final = 7
_LONGEST: Final = 5.0

_FORMAT: Final = "toolnexus-mrtr/1"

_Count = Annotated[int, Meta(ge=0, le=MAX_COUNT)]


class CallState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a call is. `idle` counts the pauses right before it, one after the other, that asked nothing."""

    method: str
    params: dict[str, Any]
    server: str | None
    capabilities: dict[str, Any] | None
    max_retries: _Count
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
        """Give the capabilities that the server knows of; `None` where nobody said."""
        if self.capabilities is not None:
            return self.capabilities
        meta = self.params.get("_meta")
        return meta.get(CAPABILITIES) if isinstance(meta, dict) else None

    def pause(self, raw: Mapping[str, Any]) -> PauseState:
        """Take up a paused result, copied, or raise its first fault."""
        faults = pause_faults(raw, method=self.method, capabilities=self.declared(), limits=self.limits)
        raise_fault(next(faults, None))
        return PauseState(self, copy_json(raw, depth=self.limits.depth, remote=True))


class PauseState(Struct, frozen=True):
    """All that a pause is: the call, as it was sent, and the result that paused it. All else is read from these."""

    call: CallState
    raw: dict[str, Any]

    @property
    def id(self) -> str:
        """The id of the call, and the number of its retries."""
        return f"{self.call.id}-{self.call.retry}"

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

    def request_ids(self) -> dict[str, str]:
        """Give the id of each elicitation: that of the pause, and its place among all that is asked, from 1."""
        places = enumerate(self.input_requests().items(), 1)
        return {key: f"elc-{self.id}-{n}" for n, (key, request) in places if isinstance(request, ElicitRequest)}

    def write_answer(
        self, key: str, answer: Any, request: InputRequest, id: str | None
    ) -> dict[str, Any] | tuple[FieldError, ...]:
        """Write what the retry carries for one answer, or give the field errors; `id` is that of an elicitation."""
        require_own_id(key, answer, id)
        place = pointer("inputRequests", key) + entry_of(self.entries[key]).params_at
        return write_answer(key, answer, request, place + "/requestedSchema")

    def resume(self, answers: Any, meta: Mapping[str, Any] | None) -> CallState:
        """Make the call to send next, of answers by key or by id."""
        requests, ids = self.input_requests(), self.request_ids()
        by_key: Mapping[str, Any] = answers if isinstance(answers, Mapping) else sort_by_key(answers, ids)
        require_same_keys("answers", by_key, requests)
        responses: dict[str, Any] = {}
        errors: list[FieldError] = []
        for key, request in requests.items():
            response = self.write_answer(key, by_key[key], request, ids.get(key))
            if isinstance(response, dict):
                responses[key] = response
            else:
                errors += response
        if errors:
            raise InvalidAnswer(errors)
        return self.retry(responses, meta)

    def retry(self, responses: dict[str, Any], meta: Mapping[str, Any] | None = None) -> CallState:
        """Make the call to send next, of `inputResponses` that are written."""
        call = self.call
        # Answers and state belong to one retry alone (basic/patterns/mrtr, "Client Requirements", 2 and 4).
        params = {name: call.params[name] for name in call.params if name not in ("inputResponses", "requestState")}
        if meta is not None:
            params["_meta"] = copy_json(meta, "/_meta", depth=call.limits.depth)
            require_declaration(params, "")
        if responses:
            params["inputResponses"] = responses
        if self.raw.get("requestState") is not None:
            params["requestState"] = self.raw["requestState"]
        return replace(call, params=params, retry=call.retry + 1, idle=0 if self.entries else call.idle + 1)


class _Stored(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    format: Literal["toolnexus-mrtr/1"]
    call: CallState
    result: dict[str, Any] | None = None


def require_declaration(params: dict[str, Any], at: str) -> None:
    """Refuse params whose capabilities are no map: nobody could say what they declare."""
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
    raise LocalProtocolError("wrong_value", "expected to be called with more of Python's recursion limit left")


def load(data: bytes | str, server: str | None) -> tuple[CallState, dict[str, Any] | None]:
    """Give back what `store` stored, for the server that it was stored for."""
    require_type("data", data, bytes | bytearray | str, "bytes")
    require_type("server", server, str | None, "a str")
    stored = _load(data)
    if stored is None:
        raise not_stored()
    if stored.call.server != server:
        raise LocalProtocolError("wrong_server", "expected as server= the name that this was stored for")
    return stored.call, stored.result


def not_stored() -> LocalProtocolError:
    """Make the error for what `store` never wrote. It says no more: the bytes are secret."""
    return LocalProtocolError("stored_pause_invalid", "expected what to_json has stored, whole and unchanged")


def _load(data: bytes | str) -> _Stored | None:
    try:
        # copy_json refuses NaN and the infinities, which the standard library reads.
        stored = msgspec.convert(copy_json(json.loads(data), depth=_DEEPEST), _Stored)
        require_declaration(stored.call.params, "")
    except (ValueError, RecursionError, msgspec.MsgspecError, MrtrError):
        return None
    return stored
