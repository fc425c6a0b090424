"""The private state of a call, and of the task that it may have become.

All of it is plain, checked and never handed out itself; `Call` is the public value around it. This is not the
`requestState` of a server, which is one string in a result.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from toolnexus_mrtr._errors import MAX_COUNT, LocalProtocolError, pointer, require_count, require_type
from toolnexus_mrtr._json import copy_json, plain_text
from toolnexus_mrtr._types import CANCEL_TASK, GET_TASK, UPDATE_TASK
from toolnexus_mrtr._validation import Limits

#: The member of `_meta` that declares what a client can do (basic/index, "_meta").
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"

#: The members of the params that belong to one retry alone.
OF_A_RETRY: Final = ("inputResponses", "requestState")

#: How far sends are counted; no exchange gets there, but what is stored may be made up.
_LAST: Final = MAX_COUNT - 1

_Count = Annotated[int, Meta(ge=0, le=_LAST)]
_Bound = Annotated[int, Meta(ge=0, le=MAX_COUNT)]


#: The shortest and the longest time between two polls of a task, in seconds, and what it is where no server says.
SHORTEST_INTERVAL: Final = 0.05
LONGEST_INTERVAL: Final = 3600.0
_INTERVAL: Final = 1.0


class TaskState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The task that a call has become.

    `since` is the `retry` of the send that became it, `interval` are the seconds between two polls that the server told
    last. `answered` has the digest of each request that was answered, by key. The `stage` says whether the next send
    cancels the task, or an earlier one has; then nothing is asked any more.
    """

    id: str
    since: _Count
    interval: Annotated[float, Meta(ge=SHORTEST_INTERVAL, le=LONGEST_INTERVAL)] = _INTERVAL
    answered: dict[str, str] = {}
    stage: Literal["open", "cancelling", "cancelled"] = "open"


class CallState(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a call is.

    Of the sends before this one `retry` counts all, `answered` those that carried answers, and `polls` those in a row
    up to this one that carried none. `idle` counts the pauses in a row that asked nothing new, and sets the delay.
    `asked` are the digests of the entries of the last pause that asked anything. Where the call has become a task,
    `method` and `params` are still those of the tool call, beside the `inputResponses` of an update.
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
    task: TaskState | None = None

    @property
    def sent(self) -> tuple[str, dict[str, Any]]:
        """The method and the params to send; those of a task are made of its id, the answers and `_meta`."""
        if self.task is None:
            return self.method, self.params
        names: tuple[str, ...] = ("_meta",)
        if self.task.stage == "cancelling":
            method = CANCEL_TASK
        elif "inputResponses" in self.params:
            method, names = UPDATE_TASK, ("inputResponses", "_meta")
        else:
            method = GET_TASK
        return method, {"taskId": self.task.id, **{name: self.params[name] for name in names if name in self.params}}

    @property
    def shown(self) -> list[tuple[str, Any]]:
        """What may stand in a log."""
        return [("id", self.id), ("method", self.sent[0]), ("retry", self.retry)]

    def restart(self, id: str) -> CallState:
        """Make the call as it was first sent, under another id."""
        params = self.lasting_params()
        return replace(self, params=params, id=id, retry=0, answered=0, polls=0, idle=0, asked=(), task=None)

    def cancel_task(self) -> CallState:
        """Make the call that cancels the task."""
        if self.task is None:
            raise LocalProtocolError("no_task", "expected a call that has become a task")
        task = replace(self.task, stage="cancelling")
        return replace(self, params=self.lasting_params(), retry=count_on(self.retry), task=task)

    def lasting_params(self) -> dict[str, Any]:
        """Give the params without those that belong to one retry alone."""
        return {name: self.params[name] for name in self.params if name not in OF_A_RETRY}

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


def make_call_state(
    method: str,
    params: Mapping[str, Any],
    *,
    server: str | None,
    capabilities: Mapping[str, Any] | None,
    max_retries: int,
    max_polls: int,
    result_types: Iterable[str],
    limits: Limits,
    id: str | None,
) -> CallState:
    """Make the state of a call of what a caller gave, all of it checked and copied."""
    require_type("params", params, Mapping, "a mapping")
    require_type("capabilities", capabilities, Mapping | None, "a mapping")
    require_type("limits", limits, Limits, "Limits")
    require_count("max_retries", max_retries)
    require_count("max_polls", max_polls)
    if isinstance(result_types, str | bytes) or not isinstance(result_types, Iterable):
        raise TypeError(f"result_types must be an iterable of str, not {type(result_types).__name__}")
    copy = copy_json(params, "/params", depth=limits.depth)
    require_declaration(copy, "/params")
    return CallState(
        method=plain_text("method", method, "method"),
        params=copy,
        server=None if server is None else plain_text("server", server, "server"),
        capabilities=copy_json(capabilities, "/capabilities"),
        max_retries=max_retries,
        max_polls=max_polls,
        result_types=tuple(
            plain_text("each of result_types", result_type, "result_types", place)
            for place, result_type in enumerate(result_types)
        ),
        limits=limits,
        id=fresh_id() if id is None else plain_text("id", id, "id"),
    )


def fresh_id() -> str:
    """Make the id of a call: 64 random bits."""
    return os.urandom(8).hex()


def count_on(count: int) -> int:
    return min(count + 1, _LAST)


def require_declaration(params: dict[str, Any], at: str) -> None:
    """Refuse params whose declared capabilities are no object."""
    meta = params.get("_meta")
    declared = meta.get(CAPABILITIES) if isinstance(meta, dict) else None
    if not isinstance(declared, dict | None):
        place = at + pointer("_meta", CAPABILITIES)
        raise LocalProtocolError("wrong_value", "expected an object of capabilities", place)
