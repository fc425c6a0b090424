"""A hostile server of MCP 2026-07-28: answers messages with the pauses of the trials, and checks what the client sends.

It does no I/O: `_loopback` carries the messages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._adversary._attacks import Trial, make_form, make_pause, make_trials, make_undeclared_pause
from toolnexus_mrtr.cli._adversary._grading import (
    MAX_RETRIES,
    MAX_SCHEMA_SECONDS,
    RULES,
    SHOWN_WHEN_PASSED,
    WARN_ONLY,
    Check,
    Rule,
    check_ending,
    check_first_send,
    check_retry,
    check_waiting,
)
from toolnexus_mrtr.cli._text import quote_short

_VERSION: Final = "2026-07-28"
_META_PREFIX: Final = "io.modelcontextprotocol/"

_EXPECTED_MESSAGE: Final = "expected a message that is a JSON object, with no NaN and no name twice"

#: How many breaches of one rule the report shows.
_MAX_BREACHES: Final = 5

_INSTRUCTIONS: Final = (
    "Call every tool once, in the order of tools/list, with the arguments in its _meta, and let the host answer as "
    "its _meta says: by key, null where there is nobody to ask. Go on where a call fails. List the prompts once."
)


class Verdict(NamedTuple):
    """The verdict on one rule, and the sentences about the checks behind it."""

    rule: Rule
    verdict: str
    sentences: tuple[str, ...]


class HostileServer:
    """Answers one message at a time and checks it; once the client has ended, `judge` gives the verdicts.

    Call `stop_clock` first: what follows the client's end does not count as its time.
    """

    def __init__(self, base: str, clock: Callable[[], float]) -> None:
        self._trials = {trial.name: trial for trial in make_trials(base)}
        self._clock = clock
        self._ids: set[str] = set()
        self._sent: dict[str, list[dict[str, Any]]] = {}
        self._times: dict[str, list[float]] = {}
        self._most_retries: Counter[str] = Counter()
        self._declared: set[str] = set()
        self._fetched_traps: set[str] = set()
        #: The trial whose hostile schema was sent last, and when, until the client sends something else.
        self._pending_schema: tuple[str, float] | None = None
        self._checks: list[Check] = []

    def note_unreadable(self) -> None:
        """Note a message that cannot be read as a JSON object."""
        self._check("message-json", is_kept=False, sentence=_EXPECTED_MESSAGE)

    def note_fetch(self, trap: str) -> None:
        """Note that the url of a trap was requested; a trap has the name of its trial."""
        self._fetched_traps.add(trap)

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Give the response to one message; `None` to a notification."""
        self.stop_clock()
        self._check("message-json", is_kept=True)
        if "id" not in message:
            return None
        id = json.dumps(message["id"])
        self._check("id-reused", id not in self._ids, f"found the id {quote_short(id)} again")
        self._ids.add(id)
        params = message.get("params")
        result = self._respond(message.get("method"), params if isinstance(params, dict) else {})
        if result is None:
            error = {"code": -32601, "message": "expected a method or a tool that this server has"}
            return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def stop_clock(self) -> None:
        """Stop the clock of a hostile schema: the client sent something else, or has ended."""
        if self._pending_schema is not None:
            name, began = self._pending_schema
            self._pending_schema = None
            took = self._clock() - began
            sentence = f"{name}: expected at most {MAX_SCHEMA_SECONDS:g} seconds, found {took:.1f}"
            self._check("schema-slow", took <= MAX_SCHEMA_SECONDS, sentence)

    def judge(self) -> list[Verdict]:
        """Give the verdict on every rule."""
        checks = [*self._checks, *self._check_endings()]
        return [self._judge(rule, [check for check in checks if check.rule == rule.id]) for rule in RULES.values()]

    def _judge(self, rule: Rule, checks: list[Check]) -> Verdict:
        breaches = list(dict.fromkeys(check.sentence for check in checks if not check.is_kept))
        if breaches:
            more = len(breaches) - _MAX_BREACHES
            sentences = breaches[:_MAX_BREACHES] + ([f"and {more} more"] if more > 0 else [])
            return Verdict(rule, "warned" if rule.id in WARN_ONLY else "failed", tuple(sentences))
        if checks:
            return Verdict(rule, "passed", tuple(check.sentence for check in checks if rule.id in SHOWN_WHEN_PASSED))
        is_asked = not self._declared or rule.mode in self._declared
        return Verdict(rule, "not exercised" if is_asked else "not declared", ())

    def _check(self, rule: str, is_kept: bool, sentence: str = "") -> None:  # noqa: FBT001 - the order of `Check`
        self._checks.append(Check(rule, is_kept, sentence))

    def _respond(self, method: Any, params: dict[str, Any]) -> dict[str, Any] | None:
        if method == "server/discover":
            about = {"supportedVersions": [_VERSION], "capabilities": {"tools": {}, "prompts": {}}}
            server = {f"{_META_PREFIX}serverInfo": {"name": "toolnexus-mrtr adversary", "version": _VERSION}}
            return _make_complete(**about, instructions=_INSTRUCTIONS, **_CACHING, _meta=server)
        if method == "tools/list":
            return _make_complete(tools=[trial.to_tool() for trial in self._trials.values()], **_CACHING)
        if method == "prompts/list":
            is_retry = "inputResponses" in params or "requestState" in params
            self._check("paused-list", not is_retry, "prompts/list: expected no retry")
            return make_pause({"who": make_form("who")}, "s-1")
        name = params.get("name")
        trial = self._trials.get(name) if isinstance(name, str) else None
        return self._play(trial, params) if method == "tools/call" and trial is not None else None

    def _play(self, trial: Trial, params: dict[str, Any]) -> dict[str, Any]:
        capabilities, now = _get_capabilities(params), self._clock()
        self._declared |= _list_modes(capabilities)
        if trial.mode not in self._declared:
            return _make_complete(content=[])
        sent = self._sent.setdefault(trial.name, [])
        if not sent or len(sent) > self._count_pauses(trial):
            # The call was completed before, and is made again from its start.
            sent.clear()
            self._checks += check_first_send(trial, params)
        elif trial.outcome != "given up":
            self._checks += check_retry(trial, len(sent), params, sent)
        sent.append(params)
        self._most_retries[trial.name] = max(self._most_retries[trial.name], len(sent) - 1)
        self._times.setdefault(trial.name, []).append(now)
        if len(sent) > self._count_pauses(trial):
            return _make_complete(content=[])
        if trial.outcome == "soon":
            self._pending_schema = (trial.name, now)
        if trial.rule == "undeclared":
            return make_undeclared_pause(capabilities)
        return trial.rounds[(len(sent) - 1) % len(trial.rounds)]

    def _count_pauses(self, trial: Trial) -> int:
        return MAX_RETRIES if trial.outcome == "bounded" else len(trial.rounds)

    def _check_endings(self) -> Iterator[Check]:
        """Check what is known only after the client has ended."""
        for name in self._sent:
            is_fetched = name in self._fetched_traps
            yield from check_ending(self._trials[name], self._most_retries[name], is_fetched=is_fetched)
        yield from check_waiting(self._times.get("busy", []))


#: The caching members of results that a client may cache: not at all.
_CACHING: Final[dict[str, Any]] = {"ttlMs": 0, "cacheScope": "private"}


def _make_complete(**members: Any) -> dict[str, Any]:
    return {"resultType": "complete", **members}


def _get_capabilities(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    capabilities = meta.get(f"{_META_PREFIX}clientCapabilities") if isinstance(meta, dict) else None
    return capabilities if isinstance(capabilities, dict) else {}


def _list_modes(capabilities: Mapping[str, Any]) -> set[str]:
    """List the declared modes of elicitation; if no mode is named, it is form (client/elicitation, "Capabilities")."""
    elicitation = capabilities.get("elicitation")
    if not isinstance(elicitation, dict):
        return set()
    return {mode for mode in ("form", "url") if mode in elicitation} or {"form"}
