"""A hostile server of MCP 2026-07-28: plays the trials, and marks what a client does. Messages only; no I/O."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._adversary._attacks import Trial, form, paused, trials, undeclared
from toolnexus_mrtr.cli._adversary._grading import (
    BOUND,
    RULES,
    SLOW,
    TELLING,
    WARNINGS,
    Mark,
    Rule,
    first_marks,
    hurry_marks,
    last_marks,
    retry_marks,
)
from toolnexus_mrtr.cli._text import cited

VERSION: Final = "2026-07-28"
_SPOKEN: Final = "io.modelcontextprotocol/"

#: How much is shown of what breaks one rule.
_SHOWN: Final = 5

_INSTRUCTIONS: Final = (
    "Call every tool once, in the order of tools/list, with the arguments in its _meta, and let the host answer as "
    "its _meta says: by key, null where there is nobody to ask. Go on where a call fails. List the prompts once."
)


class Verdict(NamedTuple):
    """What came of one rule, and what was seen."""

    rule: Rule
    verdict: str
    seen: tuple[str, ...]


class HostileServer:
    """Answers messages one at a time; `verdicts` says what they were worth, once the client has `ended`."""

    def __init__(self, base: str, clock: Callable[[], float]) -> None:
        self._trials = {trial.name: trial for trial in trials(base)}
        self._clock = clock
        self._ids: set[str] = set()
        self._sent: dict[str, list[dict[str, Any]]] = {}
        self._times: dict[str, list[float]] = {}
        self._most: Counter[str] = Counter()
        self._declared: set[str] = set()
        self._trapped: set[str] = set()
        self._slow: tuple[str, float] | None = None
        self._marks: list[Mark] = []

    def unreadable(self) -> None:
        """Mark a message that is no JSON object."""
        self._mark("message-json", holds=False, seen="found a message that is none")

    def fetched(self, trap: str) -> None:
        """Note a trap that was walked into; its trial has the rule."""
        self._trapped.add(trap)

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Give the response to one message; `None` to a notification."""
        self.ended()
        self._mark("message-json", holds=True)
        if "id" not in message:
            return None
        id = json.dumps(message["id"])
        self._mark("id-reused", id not in self._ids, f"found the id {cited(id)} again")
        self._ids.add(id)
        params = message.get("params")
        result = self._result(message.get("method"), params if isinstance(params, dict) else {})
        if result is None:
            error = {"code": -32601, "message": "expected a method or a tool that this server has"}
            return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def ended(self) -> None:
        """A hostile schema is done with, since the client does something else, or has ended."""
        if self._slow is not None:
            name, began = self._slow
            self._slow = None
            took = self._clock() - began
            self._mark("schema-slow", took <= SLOW, f"{name}: expected at most {SLOW:g} seconds, found {took:.1f}")

    def verdicts(self) -> list[Verdict]:
        """Give what came of every rule."""
        marks = [*self._marks, *self._last_marks()]
        return [self._verdict(rule, [mark for mark in marks if mark.rule == rule.id]) for rule in RULES.values()]

    def _verdict(self, rule: Rule, marks: list[Mark]) -> Verdict:
        broken = list(dict.fromkeys(mark.seen for mark in marks if not mark.holds))
        if broken:
            seen = broken[:_SHOWN] + ([f"and {len(broken) - _SHOWN} more"] if len(broken) > _SHOWN else [])
            return Verdict(rule, "warned" if rule.id in WARNINGS else "failed", tuple(seen))
        if marks:
            return Verdict(rule, "passed", tuple(mark.seen for mark in marks if rule.id in TELLING))
        is_asked = not self._declared or rule.mode in self._declared
        return Verdict(rule, "not exercised" if is_asked else "not declared", ())

    def _mark(self, rule: str, holds: bool, seen: str = "") -> None:  # noqa: FBT001 - as `Mark` has them
        self._marks.append(Mark(rule, holds, seen))

    def _result(self, method: Any, params: dict[str, Any]) -> dict[str, Any] | None:
        if method == "server/discover":
            about = {"supportedVersions": [VERSION], "capabilities": {"tools": {}, "prompts": {}}}
            server = {f"{_SPOKEN}serverInfo": {"name": "toolnexus-mrtr adversary", "version": VERSION}}
            return _complete(**about, instructions=_INSTRUCTIONS, **_FRESH, _meta=server)
        if method == "tools/list":
            return _complete(tools=[trial.tool() for trial in self._trials.values()], **_FRESH)
        if method == "prompts/list":
            is_retry = "inputResponses" in params or "requestState" in params
            self._mark("paused-list", not is_retry, "prompts/list: expected no retry")
            return paused({"who": form("who")}, "s-1")
        name = params.get("name")
        trial = self._trials.get(name) if isinstance(name, str) else None
        return self._played(trial, params) if method == "tools/call" and trial is not None else None

    def _played(self, trial: Trial, params: dict[str, Any]) -> dict[str, Any]:
        capabilities, now = _capabilities(params), self._clock()
        self._declared |= _modes(capabilities)
        if trial.mode not in self._declared:
            return _complete(content=[])
        sent = self._sent.setdefault(trial.name, [])
        if not sent or len(sent) > self._pauses(trial):
            # A call that came to its end can be made again.
            sent.clear()
            self._marks += first_marks(trial, params)
        elif trial.outcome != "given up":
            self._marks += retry_marks(trial, len(sent), params, sent)
        sent.append(params)
        self._most[trial.name] = max(self._most[trial.name], len(sent) - 1)
        self._times.setdefault(trial.name, []).append(now)
        if len(sent) > self._pauses(trial):
            return _complete(content=[])
        if trial.outcome == "soon":
            self._slow = (trial.name, now)
        if trial.rule == "undeclared":
            return undeclared(capabilities)
        return trial.rounds[(len(sent) - 1) % len(trial.rounds)]

    def _pauses(self, trial: Trial) -> int:
        return BOUND if trial.outcome == "bounded" else len(trial.rounds)

    def _last_marks(self) -> Iterator[Mark]:
        """What is known only when all is over."""
        for name in self._sent:
            yield from last_marks(self._trials[name], self._most[name], is_trapped=name in self._trapped)
        yield from hurry_marks(self._times.get("busy", []))


#: What results that may be kept say of how long.
_FRESH: Final[dict[str, Any]] = {"ttlMs": 0, "cacheScope": "private"}


def _complete(**members: Any) -> dict[str, Any]:
    return {"resultType": "complete", **members}


def _capabilities(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    capabilities = meta.get(f"{_SPOKEN}clientCapabilities") if isinstance(meta, dict) else None
    return capabilities if isinstance(capabilities, dict) else {}


def _modes(capabilities: Mapping[str, Any]) -> set[str]:
    """The modes of elicitation that are declared: without a word of them, forms alone."""
    elicitation = capabilities.get("elicitation")
    if not isinstance(elicitation, dict):
        return set()
    return {mode for mode in ("form", "url") if mode in elicitation} or {"form"}
