"""The tasks of the hostile server: what each shows when it is polled, and what the client sends to it."""

from __future__ import annotations

import binascii
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from toolnexus_mrtr.cli._adversary._attacks import make_undeclared_pause
from toolnexus_mrtr.cli._adversary._grading import Check, check_answers, list_keys, make_digest, prefix
from toolnexus_mrtr.cli._adversary._messages import RpcError
from toolnexus_mrtr.cli._adversary._trials import ANOTHER, Step, Trial

EXTENSION: Final = "io.modelcontextprotocol/tasks"
TASK_METHODS: Final = ("tasks/get", "tasks/update", "tasks/cancel")

#: How many tasks are kept.
_MAX_TASKS: Final = 1000

#: After this many polls a task goes on: from a step that does not wait, and from one that does.
_MAX_POLLS: Final = 20
_MAX_WAITING_POLLS: Final = 400

#: A poll is hot if it comes before half of the interval has passed; two of one task are forgiven.
_HOT_SHARE: Final = 0.5
_FORGIVEN_POLLS: Final = 2

_TERMINAL: Final = ("completed", "failed", "cancelled")
_ACKNOWLEDGEMENT: Final = {"resultType": "complete"}


class PlayedTask:
    """One task, from its creation on."""

    def __init__(self, trial: Trial, call_id: Any, clock: Callable[[], float]) -> None:
        assert trial.task is not None  # noqa: S101 - only such trials become tasks
        self.trial: Final = trial
        self.id: Final = trial.task.id_prefix + secrets.token_hex(8)
        self.call_id: Final = make_digest(call_id)
        self._task: Final = trial.task
        self._clock = clock
        self._created = datetime.now(UTC).isoformat()
        self._place = 0
        #: When the present step was first shown, how often since, and how often since all of it was answered.
        self._began = 0.0
        self._polls = 0
        self._polls_answered = 0
        #: When the last poll was answered, unless something was answered since; and how many came too soon.
        self._polled: float | None = None
        self._hot_polls = 0
        #: The requests that the last poll showed, their digests, and the digests of those that were answered.
        self._shown: Mapping[str, Any] = {}
        self._digests: dict[str, bytes] = {}
        self._answered: dict[str, bytes] = {}
        #: The rules on answering twice that the polls have given a chance to break.
        self._tempted: set[str] = set()
        self._is_over = trial.task.born in _TERMINAL
        self._is_cancelled = False

    def create(self) -> dict[str, Any]:
        """Give the result that makes the call a task."""
        return {"resultType": "task", **self._show({"status": self._task.born})}

    def poll(self, capabilities: Mapping[str, Any]) -> dict[str, Any]:
        """Give what `tasks/get` shows; asks for what `capabilities` do not declare where the trial is about that."""
        now = self._clock()
        interval = (self._task.interval or 0) / 1000
        self._hot_polls += self._polled is not None and now - self._polled < interval * _HOT_SHARE
        self._polled = now
        if self._is_cancelled:
            return {**_ACKNOWLEDGEMENT, **self._show({"status": "cancelled"})}
        while self._is_finished(step := self._task.steps[self._place], now):
            self._place += 1
            self._polls = self._polls_answered = 0
        if self._polls == 0:
            self._began = now
        self._polls += 1
        self._polls_answered += step.waits and self._answers_all(step)
        shown = dict(step.shown)
        if self.trial.rule == "undeclared" and "inputRequests" in shown:
            shown["inputRequests"] = (make_undeclared_pause(capabilities) or {}).get("inputRequests", {})
        if shown.get("taskId") == ANOTHER:
            shown["taskId"] = self.id + ANOTHER
        requests = shown.get("inputRequests")
        self._shown = requests if isinstance(requests, dict) else {}
        self._digests = {key: make_digest(request) for key, request in self._shown.items()}
        for key in self._digests.keys() & self._answered.keys():
            is_same = self._digests[key] == self._answered[key]
            self._tempted.add("task-asked-twice" if is_same else "task-key-reused")
        self._is_over = shown["status"] in _TERMINAL
        return {**_ACKNOWLEDGEMENT, **self._show(shown)}

    def _is_finished(self, step: Step, now: float) -> bool:
        """Whether the task goes on from a step; it never does from the last one."""
        if self._place == len(self._task.steps) - 1 or self._polls == 0:
            return False
        if step.waits:
            is_answered = self._answers_all(step) and self._polls_answered >= step.polls_after
            return is_answered or self._polls >= _MAX_WAITING_POLLS
        return now - self._began >= step.seconds or self._polls >= _MAX_POLLS

    def _answers_all(self, step: Step) -> bool:
        asked: Mapping[str, Any] = step.shown["inputRequests"]
        return asked.keys() <= self._answered.keys()

    def _show(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        times = {"createdAt": self._created, "lastUpdatedAt": datetime.now(UTC).isoformat()}
        interval = {} if self._task.interval is None else {"pollIntervalMs": self._task.interval}
        return {"taskId": self.id, **times, "ttlMs": self._task.ttl, **interval, **shown}

    def update(self, answers: Any) -> Iterator[Check]:
        """Take the answers of `tasks/update`, and check them."""
        if self.trial.outcome == "given up":
            yield Check(self.trial.rule, not answers, "expected no answer")
            return
        if not isinstance(answers, dict):
            yield Check("task-key", is_kept=False, sentence="expected inputResponses to be an object")
            return
        unknown = sorted(answers.keys() - self._shown.keys())
        yield Check("task-key", not unknown, f"expected no answer to {list_keys(unknown)}")
        answered = {key: self._digests[key] for key in answers.keys() & self._shown.keys()}
        for key in answered.keys() & self._answered.keys():
            rule = "task-asked-twice" if answered[key] == self._answered[key] else "task-key-reused"
            yield Check(rule, is_kept=False, sentence=f"expected no second answer to {list_keys([key])}")
        fresh = {key: answers[key] for key in answered.keys() - self._answered.keys()}
        if fresh:
            # What it is about now may be asked at once.
            self._polled = None
        yield from check_answers(self.trial, self._shown, fresh)
        self._answered |= {key: answered[key] for key in fresh}

    def cancel(self) -> None:
        """Take `tasks/cancel`."""
        self._is_cancelled = True

    @property
    def is_running(self) -> bool:
        """Whether the client has neither seen the end of the task nor cancelled it."""
        return not self._is_over and not self._is_cancelled

    def check_ending(self) -> Iterator[Check]:
        """Check the task after the client has ended."""
        yield Check("task-left-running", not self.is_running, "expected polls to its end, or tasks/cancel")
        yield Check("task-cancel", is_kept=True)
        if self._task.interval is not None:
            sentence = f"expected polls {self._task.interval} ms apart, found {self._hot_polls} much sooner"
            yield Check("task-polled-hot", self._hot_polls <= _FORGIVEN_POLLS, sentence)
        if self.trial.outcome == "answered" and self.trial.answers:
            yield Check("task-unanswered", self._has_answered_all(), "expected an answer to all that it asks")
        elif self.trial.outcome == "given up":
            yield Check(self.trial.rule, is_kept=True)
        yield from (Check(rule, is_kept=True) for rule in self._tempted)

    def _has_answered_all(self) -> bool:
        return all(self._answers_all(step) for step in self._task.steps if step.waits)


class Tasks:
    """All tasks of a server: takes the requests of the extension, and checks them."""

    def __init__(self, clock: Callable[[], float], add: Callable[[Iterable[Check]], None]) -> None:
        self._clock = clock
        self._add = add
        self._tasks: dict[str, PlayedTask] = {}

    def create(self, trial: Trial, call_id: Any) -> dict[str, Any]:
        """Make a call a task, and give the result that says so."""
        task = PlayedTask(trial, call_id, self._clock)
        self._tasks[task.id] = task
        if len(self._tasks) > _MAX_TASKS:
            del self._tasks[next(iter(self._tasks))]
        return task.create()

    def answer(
        self, method: str, params: Mapping[str, Any], capabilities: Mapping[str, Any], name: str | None
    ) -> dict[str, Any]:
        """Give the result of one request about a task; `name` is its header `Mcp-Name`."""
        id = params.get("taskId")
        task = self._tasks.get(id.removesuffix(ANOTHER)) if isinstance(id, str) else None
        if task is None:
            raise RpcError(-32602, "expected a task that this server has")
        place = f"{task.trial.name}, {method}"
        is_declared = declares_tasks(capabilities)
        is_leaked = "requestState" in params or ("inputResponses" in params and method != "tasks/update")
        checks = [
            Check("task-name", _decode_name(name) == id, "expected the header Mcp-Name to be the id of the task"),
            Check("task-declared", is_declared, "expected the extension among the capabilities"),
            Check("task-leaked", not is_leaked, "expected no state, and no answers of the call"),
        ]
        self._add(prefix(place, checks))
        if method == "tasks/get":
            return task.poll(capabilities)
        if method == "tasks/update":
            self._add(prefix(place, task.update(params.get("inputResponses"))))
        else:
            task.cancel()
        return dict(_ACKNOWLEDGEMENT)

    def note_cancelled(self, call_id: Any) -> None:
        """Check that `notifications/cancelled` is not about a call that has become a task."""
        digest = make_digest(call_id)
        named = [task.trial.name for task in self._tasks.values() if task.is_running and task.call_id == digest]
        self._add(Check("task-cancel", is_kept=False, sentence=f"{name}: expected tasks/cancel") for name in named)

    def check_endings(self) -> Iterator[Check]:
        """Check what is known only after the client has ended."""
        for task in self._tasks.values():
            yield from prefix(task.trial.name, task.check_ending())


def declares_tasks(capabilities: Mapping[str, Any]) -> bool:
    """Whether a request declares the extension for tasks."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, dict) and EXTENSION in extensions


def _decode_name(name: str | None) -> str | None:
    """Decode a header that may be in base64 (basic/transports/streamable-http, "Value Encoding")."""
    if name is None or not (name.startswith("=?base64?") and name.endswith("?=")):
        return name
    try:
        return binascii.a2b_base64(name[9:-2], strict_mode=True).decode("utf-8")
    except ValueError:
        return None
