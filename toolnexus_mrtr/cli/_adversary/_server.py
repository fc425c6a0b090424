"""A hostile server of MCP 2026-07-28: answers messages with the pauses of the trials, and checks what the client sends.

It does no I/O: `_loopback` carries the messages.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr.cli._adversary._attacks import make_trials, make_undeclared_pause
from toolnexus_mrtr.cli._adversary._calls import PlayedCall, count_breaches, find_call
from toolnexus_mrtr.cli._adversary._grading import (
    Check,
    Course,
    check_ending,
    check_schema_time,
    has_accept,
    is_retry,
)
from toolnexus_mrtr.cli._adversary._messages import RpcError
from toolnexus_mrtr.cli._adversary._rules import Mode
from toolnexus_mrtr.cli._adversary._task_play import EXTENSION, TASK_METHODS, Tasks, declares_tasks
from toolnexus_mrtr.cli._adversary._trials import MAX_RETRIES, Trial, make_form, make_pause
from toolnexus_mrtr.cli._adversary._verdicts import Findings, Verdict

_VERSION: Final = "2026-07-28"
_META_PREFIX: Final = "io.modelcontextprotocol/"

#: How many calls of one tool are kept.
_MAX_CALLS: Final = 64

_INSTRUCTIONS: Final = (
    "Call every tool once, in the order of tools/list, with the arguments in its _meta, and let the host answer as "
    "its _meta says: by key, null where there is nobody to ask. Go on where a call fails. List the prompts once."
)

#: The caching members of results that a client may cache: not at all.
_CACHING: Final[dict[str, Any]] = {"ttlMs": 0, "cacheScope": "private"}


class _Tool:
    """What has become of one tool so far."""

    def __init__(self) -> None:
        self.calls: deque[PlayedCall] = deque(maxlen=_MAX_CALLS)
        #: How many calls were begun, and how many of them since the last retry.
        self.begun = 0
        self.begun_in_a_row = 0
        self.retries = 0
        self.is_completed = False
        self.is_accepted = False


class HostileServer:
    """Answers one message at a time and checks it; once the client has ended, `judge` gives the verdicts.

    Call `stop_clock` first: what follows the client's end does not count as its time. Tools of `left_out` are not
    listed.
    """

    def __init__(self, base: str, clock: Callable[[], float], left_out: Collection[str] = ()) -> None:
        self._trials = {trial.name: trial for trial in make_trials(base) if trial.name not in left_out}
        self._clock = clock
        self._tools: dict[str, _Tool] = {}
        #: The modes that some call did declare, and those that some call to be paused in them did not.
        self._declared: set[Mode] = set()
        self._undeclared: set[Mode] = set()
        self._fetched_traps: set[str] = set()
        #: The trial of the last pause, and when it was given, until the client sends something else.
        self._pending: tuple[Trial, float] | None = None
        #: How long the client took for each hostile schema, and at most for a pause without one.
        self._schema_seconds: dict[str, float] = {}
        self._usual_seconds = 0.0
        self._findings = Findings()
        self._tasks = Tasks(clock, self._findings.add)

    def note(self, rule: str, sentence: str) -> None:
        """Note that a rule was broken, as whoever carries the messages sees it."""
        self._findings.add([Check(rule, is_kept=False, sentence=sentence)])

    def note_fetch(self, trap: str) -> None:
        """Note that the url of a trap was requested; a trap has the name of its trial."""
        self._fetched_traps |= {trap} & self._trials.keys()

    def answer(self, message: dict[str, Any], name: str | None = None) -> dict[str, Any] | None:
        """Give the response to one message, `None` to a notification; `name` is its header `Mcp-Name`."""
        self.stop_clock()
        self._check("message-json", is_kept=True)
        self._check("message-plain", is_kept=True)
        method, params = message["method"], message.get("params", {})
        if "id" not in message:
            if method == "notifications/cancelled":
                self._tasks.note_cancelled(params.get("requestId"))
            return None
        id = message["id"]
        self._check("id-type", _is_id(id), "expected an id that is a string or a whole number")
        self._check("id-in-flight", is_kept=True)
        try:
            result = self._respond(id, method, params, name)
        except RpcError as error:
            return {"jsonrpc": "2.0", "id": id, "error": error.error}
        return {"jsonrpc": "2.0", "id": id, "result": result}

    def stop_clock(self) -> None:
        """Stop the clock of a pause: the client sent something else, or has ended."""
        if self._pending is not None:
            (trial, began), self._pending = self._pending, None
            took = self._clock() - began
            if trial.outcome == "soon":
                self._schema_seconds[trial.name] = max(took, self._schema_seconds.get(trial.name, 0.0))
            elif trial.outcome == "answered":
                self._usual_seconds = max(took, self._usual_seconds)

    def judge(self) -> list[Verdict]:
        """Give the verdict on every rule."""
        findings = copy.deepcopy(self._findings)
        findings.add(self._check_endings())
        if not any(tool.is_accepted for tool in self._tools.values()):
            # A client that accepts nothing at all decides by itself, and not as the user does.
            findings.excuse("action-changed")
        # To a client that declares nothing at all, nothing has shown what it does.
        return findings.judge(self._undeclared if self._declared else ())

    def _check(self, rule: str, is_kept: bool, sentence: str = "") -> None:  # noqa: FBT001 - the order of `Check`
        self._findings.add([Check(rule, is_kept, sentence)])

    def _respond(self, id: Any, method: str, params: dict[str, Any], name: str | None) -> dict[str, Any]:
        if method not in ("server/discover", "tools/list", "prompts/list", "tools/call", *TASK_METHODS):
            raise RpcError(-32601, "expected a method that this server has")
        self._check_meta(method, params)
        if method == "server/discover":
            capabilities: dict[str, Any] = {"tools": {}, "prompts": {}, "extensions": {EXTENSION: {}}}
            about = {"supportedVersions": [_VERSION], "capabilities": capabilities}
            server = {f"{_META_PREFIX}serverInfo": {"name": "toolnexus-mrtr adversary", "version": _VERSION}}
            return _make_complete(**about, instructions=_INSTRUCTIONS, **_CACHING, _meta=server)
        if method == "tools/list":
            return _make_complete(tools=[trial.to_tool() for trial in self._trials.values()], **_CACHING)
        if method == "prompts/list":
            self._check("paused-list", not is_retry(params), "prompts/list: expected no retry")
            return make_pause({"who": make_form("who")}, "s-1")
        if method in TASK_METHODS:
            return self._tasks.answer(method, params, _get_capabilities(params), name)
        tool = params.get("name")
        trial = self._trials.get(tool) if isinstance(tool, str) else None
        if trial is None:
            raise RpcError(-32602, "expected a tool that this server has")
        return self._play(trial, id, params)

    def _check_meta(self, method: str, params: Mapping[str, Any]) -> None:
        meta = params.get("_meta")
        version = meta.get(f"{_META_PREFIX}protocolVersion") if isinstance(meta, dict) else None
        if isinstance(version, str) and version != _VERSION:
            data = {"supported": [_VERSION], "requested": version}
            raise RpcError(-32022, "expected a version that this server speaks", data)
        capabilities = meta.get(f"{_META_PREFIX}clientCapabilities") if isinstance(meta, dict) else None
        is_whole = isinstance(version, str) and isinstance(capabilities, dict)
        self._check("meta-missing", is_whole, f"{method}: expected protocolVersion and clientCapabilities in _meta")

    def _play(self, trial: Trial, id: Any, params: dict[str, Any]) -> dict[str, Any]:
        """Play a trial: answer one send of a call of its tool."""
        capabilities = _get_capabilities(params)
        modes = _list_modes(capabilities)
        self._declared |= modes
        tool = self._tools.setdefault(trial.name, _Tool())
        if is_retry(params) and trial.rule == "task-result":
            self._check("task-result", is_kept=False, sentence=f"{trial.name}: expected no retry")
            return _make_complete(content=[])
        if is_retry(params):
            call, checks = find_call(tool.calls, id, params)
            if call is None or count_breaches(checks):
                repeated = [call.find_response(params) for call in tool.calls]
                if response := next(filter(None, repeated), None):
                    return response
            self._findings.add(checks)
            if call is not None:
                tool.is_accepted |= has_accept(params.get("inputResponses"))
                tool.begun_in_a_row = 0
                call.add_retry(id)
                tool.retries = max(tool.retries, call.retries)
                response = self._go_on(call, id, capabilities)
                call.keep_response(params, response)
                return response
            self._check("leaked", is_kept=False, sentence=f"{trial.name}, first send: expected no state, no answers")
        else:
            self._check("leaked", is_kept=True)
        if missing := trial.modes - modes:
            self._undeclared |= missing
            if trial.task is not None:
                self._undeclared.add("tasks")
            return _make_complete(content=[])
        call = PlayedCall(trial, id, params)
        tool.calls.append(call)
        tool.begun += 1
        tool.begun_in_a_row += 1
        return self._go_on(call, id, capabilities)

    def _go_on(self, call: PlayedCall, id: Any, capabilities: Mapping[str, Any]) -> dict[str, Any]:
        """Pause a call; after its last pause make it a task or complete it. A send that declares less completes it."""
        trial = call.trial
        is_declared = trial.modes <= _list_modes(capabilities)
        tool = self._tools[trial.name]
        # A client that loses the state of every pause would go on for ever.
        is_endless = tool.begun_in_a_row >= MAX_RETRIES
        pause: dict[str, Any] | None = None
        if call.retries < trial.pauses and is_declared and not is_endless:
            pause = trial.rounds[call.retries % len(trial.rounds)]
            if trial.rule == "undeclared":
                pause = make_undeclared_pause(capabilities)
        if pause is None:
            call.is_completed = True
            tool.is_completed |= not is_endless
            if trial.task is not None and is_declared:
                return self._tasks.create(trial, id)
            return _make_complete(content=[])
        self._pending = (trial, self._clock())
        return pause

    def _check_endings(self) -> Iterator[Check]:
        """Check what is known only after the client has ended."""
        for name, tool in self._tools.items():
            is_fetched = name in self._fetched_traps
            course = Course(tool.begun, tool.retries, tool.is_completed, tool.is_accepted, is_fetched)
            yield from check_ending(self._trials[name], course) if tool.begun else ()
        yield from self._tasks.check_endings()
        for name, seconds in self._schema_seconds.items():
            yield check_schema_time(name, seconds, self._usual_seconds)


def _is_id(id: Any) -> bool:
    return isinstance(id, str) or (type(id) is int) or (isinstance(id, float) and id.is_integer())


def _make_complete(**members: Any) -> dict[str, Any]:
    return {"resultType": "complete", **members}


def _get_capabilities(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    capabilities = meta.get(f"{_META_PREFIX}clientCapabilities") if isinstance(meta, dict) else None
    return capabilities if isinstance(capabilities, dict) else {}


def _list_modes(capabilities: Mapping[str, Any]) -> set[Mode]:
    """List what a call declares; elicitation without a mode is that of forms (client/elicitation, "Capabilities")."""
    modes: set[Mode] = {"tasks"} if declares_tasks(capabilities) else set()
    elicitation = capabilities.get("elicitation")
    if isinstance(elicitation, dict):
        modes |= {"url"} if "url" in elicitation else set()
        modes |= {"form"} if "form" in elicitation or "url" not in elicitation else set()
    return modes
