"""The trials of the hostile server whose calls become tasks: how tasks go, what can go wrong with them, and attacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr.cli._adversary._trials import (
    ADA,
    ANOTHER,
    Step,
    Task,
    Trial,
    make_form,
    make_link,
    make_pause,
    make_round,
)

_WORKING: Final = Step({"status": "working"})
_DONE: Final = Step({"status": "completed", "result": {"content": []}})
_WHO: Final = {"who": make_form("who")}

#: How long a task shows what cannot be answered.
_A_WHILE: Final = 0.3


def make_task_trials() -> Iterator[Trial]:
    """Make the trials, in the order of `tools/list`."""
    yield from _make_course_trials()
    yield from _make_question_trials()
    yield from _make_pace_trials()
    yield from _make_attack_trials()
    yield from _make_malformed_trials()


def _ask(requests: Mapping[str, Any], polls_after: int = 0) -> Step:
    """Make a step that waits for the answers to these requests."""
    return Step({"status": "input_required", "inputRequests": requests}, waits=True, polls_after=polls_after)


def _make_course_trials() -> Iterator[Trial]:
    failed = Step({"status": "failed", "error": {"code": -32603, "message": "expected to fail"}})
    tool_failed = Step({"status": "completed", "result": {"content": [], "isError": True}})
    answers = {"who": ADA}
    steps = (_WORKING, _ask(_WHO), _WORKING, _DONE)
    yield Trial("task", (), answers, task=Task(steps))
    yield Trial("task_unlimited", (), answers, task=Task((_ask(_WHO), _DONE), interval=None, ttl=None))
    yield Trial("task_after_pause", make_round(), answers, task=Task((_WORKING, _DONE)))
    yield Trial("task_born_completed", (), {}, "free", task=Task((_DONE,), born="completed"))
    yield Trial("task_awkward_id", (), answers, task=Task((_ask(_WHO), _DONE), id_prefix="\u00e9\u2028/"))
    yield Trial("task_failed", (), {}, "free", task=Task((_WORKING, failed)))
    yield Trial("task_tool_failed", (), {}, "free", task=Task((_WORKING, tool_failed)))
    yield Trial("task_cancelled", (), {}, "free", task=Task((_WORKING, Step({"status": "cancelled"}))))


def _make_question_trials() -> Iterator[Trial]:
    who, where = make_form("who"), make_form("where")
    both: dict[str, dict[str, Any] | None] = {"who": ADA, "where": {"action": "decline"}}
    yield Trial("task_two_keys", (), both, task=Task((_ask({"who": who, "where": where}), _DONE)))
    yield Trial("task_rounds", (), both, task=Task((_ask({"who": who}), _ask({"where": where}), _DONE)))
    yield Trial("task_acknowledged", (), {"who": ADA}, task=Task((_ask(_WHO, polls_after=2), _DONE)))
    unsendable = {"who": {"action": "accept", "content": {"name": {"first": "Ada"}}}}
    yield Trial("task_nested", (), unsendable, "free", task=Task((_ask(_WHO), _DONE)))
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    again = Step({"status": "input_required", "inputRequests": {"who": make_form("who", secret)}}, seconds=_A_WHILE)
    yield Trial("task_same_key", (), {"who": ADA}, task=Task((_ask(_WHO), again, _DONE)))


def _make_pace_trials() -> Iterator[Trial]:
    slow = Step({"status": "working"}, seconds=1.0)
    nothing = Step({"status": "input_required", "inputRequests": {}}, seconds=1.0)
    absent = Step({"status": "input_required"}, seconds=1.0)
    for name, step in {"slow": slow, "empty_requests": nothing, "absent_requests": absent}.items():
        yield Trial(f"task_{name}", (), {}, "free", task=Task((step, _DONE), interval=400))


def _make_attack_trials() -> Iterator[Trial]:
    sure = {"type": "object", "properties": {"sure": {"type": "boolean", "default": True}}, "required": ["sure"]}
    nobody = Task((_ask({"sure": make_form("sure", sure)}), _DONE))
    yield Trial("task_nobody", (), {"sure": None}, "not accepted", "consent", task=nobody)
    script = Task((_ask({"visit": make_link("visit", "javascript:alert(1)")}), _DONE))
    answers = {"visit": {"action": "accept"}}
    yield Trial("task_url_script", (), answers, "not accepted", "url-unsafe", mode="url", task=script)
    # The server fills in a request that the poll did not declare.
    undeclared = Step({"status": "input_required", "inputRequests": {}}, seconds=_A_WHILE)
    yield Trial("task_undeclared", (), {"who": ADA}, "given up", "undeclared", task=Task((undeclared, _DONE)))


def _make_malformed_trials() -> Iterator[Trial]:
    asking = {"status": "input_required", "inputRequests": _WHO}
    malformed = {
        "unknown_status": {**asking, "status": "paused"},
        "another_id": {**asking, "taskId": ANOTHER},
        "type_of_poll": {**asking, "resultType": "task"},
        "null_entry": {**asking, "inputRequests": {**_WHO, "k": None}},
    }
    for name, shown in malformed.items():
        task = Task((Step(shown, seconds=_A_WHILE), _DONE))
        yield Trial(f"task_{name}", (), {"who": ADA}, "given up", "task-malformed", task=task)
    paused = Step({"status": "completed", "result": make_pause(_WHO, "s-1")})
    yield Trial("task_paused_result", (), {"who": ADA}, "given up", "task-result", task=Task((_WORKING, paused)))
