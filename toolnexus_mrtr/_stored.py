"""A call or a pause as bytes: how it is stored, and what is looked at before it is read back."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from toolnexus_mrtr._call_state import CallState, require_declaration
from toolnexus_mrtr._errors import LocalProtocolError, MrtrError, require_type
from toolnexus_mrtr._json import copy_json, plain_text
from toolnexus_mrtr._tasks import declares_tasks
from toolnexus_mrtr._types import CALL_TOOL

_FORMAT: Final = "toolnexus-mrtr/2"

#: How deep stored bytes may be nested: the 256 levels that `Limits` allows at most, and those that `store` adds.
_DEEPEST: Final = 300


class _Stored(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    format: Literal["toolnexus-mrtr/2"]
    call: CallState
    result: dict[str, Any] | None = None


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
        if stored.call.task is not None and not _can_be_task(stored.call):
            return None
    except (ValueError, RecursionError, msgspec.MsgspecError, MrtrError):
        return None
    return stored


def _can_be_task(call: CallState) -> bool:
    """Whether a call can have become a task: a tool call that declared it, in an earlier send."""
    return call.method == CALL_TOOL and declares_tasks(call.declared()) and call.retry > 0
