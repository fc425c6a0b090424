"""How a call and a pause are stored: ASCII JSON in a format of its own, as secret as what it holds. Touches no I/O."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from toolnexus_mrtr._errors import LocalProtocolError, MrtrError, require_type
from toolnexus_mrtr._json import copy_json
from toolnexus_mrtr._records import DEEPEST, CallRecord, need_declaration

_FORMAT: Final = "toolnexus-mrtr/1"


class _Stored(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    format: Literal["toolnexus-mrtr/1"]
    call: CallRecord
    result: dict[str, Any] | None = None


def write(call: CallRecord, raw: dict[str, Any] | None = None) -> bytes:
    """Store a call or, with the result that paused it, a pause."""
    with suppress(RecursionError):
        stored = msgspec.to_builtins(_Stored(_FORMAT, call, raw))
        return json.dumps(stored, allow_nan=False, separators=(",", ":")).encode("ascii")
    raise LocalProtocolError("wrong_value", "expected to be called where the stack has room for what is stored")


def read(data: bytes | str, server: str | None) -> tuple[CallRecord, dict[str, Any] | None]:
    """Give back what `write` stored, for the server that it was stored for."""
    require_type("data", data, bytes | bytearray | str, "bytes")
    require_type("server", server, str | None, "a str")
    stored = _read(data)
    if stored is None:
        raise invalid()
    if stored.call.server != server:
        raise LocalProtocolError("wrong_server", "expected as server= the name that this was stored for")
    return stored.call, stored.result


def invalid() -> LocalProtocolError:
    """Say that this is nothing that `write` has stored, and no more: the bytes are secret."""
    return LocalProtocolError("stored_pause_invalid", "expected what to_json has stored, whole and unchanged")


def _read(data: bytes | str) -> _Stored | None:
    try:
        # A copy through `plain` refuses NaN and the infinities, which the standard library reads.
        stored = msgspec.convert(copy_json(json.loads(data), depth=DEEPEST), _Stored)
        need_declaration(stored.call.params, "")
    except (ValueError, RecursionError, msgspec.MsgspecError, MrtrError):
        return None
    return stored
