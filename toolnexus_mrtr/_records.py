"""What is kept of a call and of its pause: plain, checked, never given out itself. No clock, no I/O."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, NoReturn, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from toolnexus_mrtr._errors import LocalProtocolError, pointer, require_int, require_type
from toolnexus_mrtr._gates import Limits
from toolnexus_mrtr._json import copy_json

#: The member of `_meta` that declares what a client can do (base, "_meta").
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"

#: How deep anything that is kept may be: the deepest that `Limits` allows, and what is written around it.
DEEPEST: Final = 300

#: Seconds: the first delay, how often it doubles, and the longest.
_DELAY: Final = 0.05
_DOUBLINGS: Final = 7
_LONGEST: Final = 5.0

#: No count is longer: every JSON parser holds it exactly.
_MOST: Final = 2**53

_Count = Annotated[int, Meta(ge=0, le=_MOST)]
_Kind = TypeVar("_Kind", bound="Kept")


class CallRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a call is. `idle` counts the pauses without a question that came last, one after the other."""

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
        """The capabilities that the server knows of; `None` where nobody said."""
        if self.capabilities is not None:
            return self.capabilities
        meta = self.params.get("_meta")
        return meta.get(CAPABILITIES) if isinstance(meta, dict) else None


class PauseRecord(Struct, frozen=True):
    """All that a pause is."""

    call: CallRecord
    raw: dict[str, Any]

    @property
    def id(self) -> str:
        """The id of the call, and the number of its retries."""
        return f"{self.call.id}-{self.call.retry}"

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """What may stand in a log."""
        return [("id", self.id), ("method", self.call.method), ("asks", len(self.asks))]

    @property
    def asks(self) -> dict[str, Any]:
        """The entries of `inputRequests`; none where the member is absent or null."""
        return self.raw.get("inputRequests") or {}

    @property
    def delay(self) -> float:
        """Seconds to wait before the retry."""
        return 0.0 if self.asks else min(_DELAY * float(2 ** min(self.call.idle, _DOUBLINGS)), _LONGEST)

    def retried(self, responses: dict[str, Any], meta: Mapping[str, Any] | None) -> CallRecord:
        """The call to send next."""
        call = self.call
        # Answers and state belong to one retry alone (mrtr, "Client Requirements", 2 and 4).
        params = {name: call.params[name] for name in call.params if name not in ("inputResponses", "requestState")}
        if meta is not None:
            params["_meta"] = copy_json(meta, "/_meta", depth=call.limits.depth)
            need_declaration(params, "")
        if responses:
            params["inputResponses"] = responses
        if self.raw.get("requestState") is not None:
            params["requestState"] = self.raw["requestState"]
        return replace(call, params=params, retry=call.retry + 1, idle=0 if self.asks else call.idle + 1)


class Kept:
    """A face of a record: frozen, compared by value, and silent about what is kept."""

    __slots__ = ("_record",)
    _record: Any

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._record == getattr(other, "_record", None)

    def __hash__(self) -> int:
        # Params and results are maps, which have no hash; an id and a count tell calls and pauses apart.
        return hash(tuple(value for _, value in self.__rich_repr__()))

    def __reduce__(self) -> tuple[Any, ...]:
        return face, (type(self), self._record)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        shown: list[tuple[str, Any]] = self._record.shown
        return shown


def face(kind: type[_Kind], record: CallRecord | PauseRecord) -> _Kind:
    """Give a record its face."""
    value = object.__new__(kind)
    object.__setattr__(value, "_record", record)
    return value


def record_of(value: Kept) -> Any:
    """Give the record behind a face."""
    return value._record  # noqa: SLF001 - this room is where records are kept


def call_record(
    method: str,
    params: Mapping[str, Any],
    *,
    server: str | None,
    capabilities: Mapping[str, Any] | None,
    max_retries: int,
    result_types: Iterable[str],
    limits: Limits,
    id: str | None,
) -> CallRecord:
    """Check and copy what a caller gives for a new call."""
    require_type("params", params, Mapping, "a mapping")
    require_type("capabilities", capabilities, Mapping | None, "a mapping")
    require_type("limits", limits, Limits, "Limits")
    require_int("max_retries", max_retries)
    if not 0 <= max_retries <= _MOST:
        raise LocalProtocolError("wrong_value", f"expected a number from 0 to {_MOST}", "/max_retries")
    if isinstance(result_types, str | bytes) or not isinstance(result_types, Iterable):
        raise TypeError(f"result_types must be an iterable of str, not {type(result_types).__name__}")
    kept = copy_json(params, "/params", depth=limits.depth)
    need_declaration(kept, "/params")
    return CallRecord(
        method=_text("method", method),
        params=kept,
        server=None if server is None else _text("server", server),
        capabilities=copy_json(capabilities, "/capabilities"),
        max_retries=max_retries,
        result_types=tuple(_text("each of result_types", result_type) for result_type in result_types),
        limits=limits,
        id=os.urandom(8).hex() if id is None else _text("id", id),
    )


def _text(name: str, value: str) -> str:
    require_type(name, value, str, "a str")
    return str.__str__(value)


def need_declaration(params: dict[str, Any], at: str) -> None:
    """Refuse params whose capabilities are no map: nobody could say what they gate."""
    meta = params.get("_meta")
    declared = meta.get(CAPABILITIES) if isinstance(meta, dict) else None
    if not isinstance(declared, dict | None):
        place = at + pointer("_meta", CAPABILITIES)
        raise LocalProtocolError("wrong_value", "expected an object of capabilities", place)
