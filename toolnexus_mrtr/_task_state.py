"""The pause of a call that has become a task.

A task is followed by the same loop as a pause. Each result of it is a pause: one that asks, answered by a
`tasks/update`, or one that asks nothing, followed by a `tasks/get`; until it ends in a final result, or in an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from toolnexus_mrtr._call_state import CAPABILITIES, LONGEST_INTERVAL, SHORTEST_INTERVAL, CallState, TaskState
from toolnexus_mrtr._errors import LocalProtocolError, MrtrError, hide_keys, pointer
from toolnexus_mrtr._pause_state import SHOWN, PauseState
from toolnexus_mrtr._tasks import ENDED, declares_tasks, status_message_of
from toolnexus_mrtr._types import GET_TASK, INPUT_REQUIRED


class TaskPause(PauseState, frozen=True, dict=True):
    """A pause of a task: the call has just become it, was told how it stands, or was acknowledged."""

    @cached_property
    def task(self) -> TaskState:
        """The task as it is after this result."""
        task = self.call.task or TaskState(id=self.raw["taskId"], since=self.call.retry)
        interval = self.raw.get("pollIntervalMs") if self._tells_status else None
        if isinstance(interval, int | float) and not isinstance(interval, bool):
            # Bounded first: a whole number may be beyond every float.
            interval = min(max(interval, 1000 * SHORTEST_INTERVAL), 1000 * LONGEST_INTERVAL) / 1000
            task = replace(task, interval=interval)
        return replace(task, stage="cancelled") if task.stage == "cancelling" else task

    @property
    def _tells_status(self) -> bool:
        return self.call.task is None or self.call.sent[0] == GET_TASK

    @property
    def status_message(self) -> str | None:
        return status_message_of(self.raw) if self._tells_status else None

    @cached_property
    def entries(self) -> dict[str, Any]:
        """The entries that are outstanding and not answered yet: an answer takes effect after it is acknowledged."""
        is_asking = self.call.task is not None and self._tells_status and self.raw["status"] == INPUT_REQUIRED
        if not is_asking or self.task.stage != "open":
            return {}
        entries = self.raw["inputRequests"].items()
        return {key: entry for key, entry in entries if key not in self.task.answered}

    @property
    def request_state(self) -> None:
        """A task has none."""

    @property
    def asks_something_new(self) -> bool:
        return bool(self.entries)

    @property
    def is_past_limit(self) -> bool:
        """Whether the task asks once more than it may; how often it is polled, time alone bounds."""
        return bool(self.entries) and self.call.answered >= self.call.max_retries

    @property
    def delay(self) -> float:
        has_ended = self.call.task is None and self.raw["status"] in ENDED
        return 0.0 if self.entries or has_ended else self.task.interval

    @cached_property
    def digests(self) -> dict[str, str]:
        """What each request that is asked is known by, in every poll alike."""
        return {key: self.digest_of_request(key) for key in self.entries}

    def digest_of_request(self, key: str) -> str:
        """Digest a request without its `_meta`, which may differ from poll to poll."""
        entry = _without_meta(self.raw["inputRequests"][key])
        if isinstance(entry.get("params"), dict):
            entry["params"] = _without_meta(entry["params"])
        return self.digest_of([self.call.server, self.task.id, key, entry])[:SHOWN]

    @cached_property
    def request_ids(self) -> dict[str, str]:
        """The id of each elicitation, the same in every poll."""
        head = f"elc-{self.call.id}-{self.task.since}-"
        return {key: head + self.digests[key] for key in self.elicited_keys()}

    def hide_keys(self, error: MrtrError) -> None:
        hide_keys_of(self.raw, error)

    def next_call(self, responses: dict[str, Any], meta: Mapping[str, Any] | None = None) -> CallState:
        call = super().next_call(responses, meta)
        if not declares_tasks(call.declared()):
            # Every request of a task declares the extension ("Protocol Errors").
            expected = "expected the tasks extension to be declared as long as the task is followed"
            raise LocalProtocolError("wrong_value", expected, pointer("_meta", CAPABILITIES))
        answered = {**self.task.answered, **(self.digests if responses else {})}
        return replace(call, task=replace(self.task, answered=answered))


def hide_keys_of(raw: Mapping[str, Any], error: MrtrError) -> None:
    """Let the text of an error show no key of a result."""
    entries = raw.get("inputRequests")
    hide_keys(error, entries if isinstance(entries, Mapping) else ())


def _without_meta(value: dict[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in value.items() if name != "_meta"}
