"""What a trial of the hostile server is: one tool, its pauses and its task, and what its client must do.

The words of this folder:

  trial    one attack, or one thing that goes wrong: the pauses of one call, and what the client must do about them
  tool     what a client sees of a trial: `tools/list` lists it, `tools/call` plays it
  rule     what a client must or should do; most rules are checked in many trials, some in one trial made for them
  check    whether one message, or the end of a trial, keeps one rule, with a sentence about it
  breach   a check that found its rule broken
  verdict  the result for one rule: passed, failed or warned by its checks; not exercised or not declared without any
  call     one call of a tool, from its first send to its completion; a client may make several
  step     what the polls of a task show, until the task goes on to the next one
  trap     a url on loopback that no client may request; it has the name of its trial
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolnexus_mrtr.cli._adversary._rules import Mode

ADA: Final = {"action": "accept", "content": {"name": "Ada"}}
NAME: Final = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

#: What a client must do in a trial:
#:   answered      answer every pause as the user does
#:   free          answer or give up
#:   soon          answer or give up, within a few seconds more than it usually takes
#:   not accepted  anything but accept
#:   given up      send no retry, and no answer to a task
#:   bounded       give up after a number of retries
Outcome: TypeAlias = Literal["answered", "free", "soon", "not accepted", "given up", "bounded"]

#: After this many retries the server of the trial `endless` completes the call.
MAX_RETRIES: Final = 100


#: Stands for the id of a task that is not the client's; behind the id of its own it is that one.
ANOTHER: Final = "-another"


class Step(NamedTuple):
    """What `tasks/get` shows of a task for some time: the status and what belongs to it."""

    shown: Mapping[str, Any]
    #: Whether the task waits for an answer to all of its `inputRequests`, and how many polls show them even then.
    waits: bool = False
    polls_after: int = 0
    #: How long the task stays in a step that does not wait.
    seconds: float = 0.0


class Task(NamedTuple):
    """What becomes of a call that the server takes over as a task."""

    steps: tuple[Step, ...]
    #: Both in milliseconds; an interval of `None` is left out.
    interval: int | None = 50
    ttl: int | None = 600_000
    #: The status of the task when it is created.
    born: str = "working"
    #: What stands before the random part of the id.
    id_prefix: str = "task-"


class Trial(NamedTuple):
    """One trial: the results that its tool pauses with, the task that it becomes, and what its client must do."""

    name: str
    rounds: tuple[dict[str, Any], ...]
    #: The answers of the user by key, `None` where there is no user; `host` in the `_meta` of the tool.
    answers: Mapping[str, dict[str, Any] | None]
    outcome: Outcome = "answered"
    #: The rule that "not accepted", "given up" and "bounded" are graded under; the other outcomes leave it empty.
    rule: str = ""
    arguments: Mapping[str, Any] = {}
    mode: Mode = "form"
    task: Task | None = None

    @property
    def modes(self) -> set[Mode]:
        """What a call has to declare to be played."""
        return {self.mode} if self.task is None else {self.mode, "tasks"}

    @property
    def pauses(self) -> int:
        """How often one call is paused."""
        return MAX_RETRIES if self.outcome == "bounded" else len(self.rounds)

    @property
    def has_trap(self) -> bool:
        """Whether one of its urls leads to a trap, which has the name of the trial."""
        return "/trap/" in json.dumps(self.rounds)

    def to_tool(self) -> dict[str, Any]:
        """Give the tool as `tools/list` describes it."""
        return {
            "name": self.name,
            "description": " ".join(self._describe()),
            "inputSchema": {"type": "object"},
            "_meta": {"arguments": self.arguments, "host": self.answers},
        }

    def _describe(self) -> Iterator[str]:
        yield f"Call once, with the arguments {json.dumps(self.arguments)}."
        if self.task is not None:
            yield "The call becomes a task if it declares the extension for tasks."
        for key, answer in self.answers.items():
            if answer is None:
                yield f"For {json.dumps(key)} there is nobody to ask: run without a user."
            elif "content" in answer:
                yield f"For {json.dumps(key)} the user accepts with {json.dumps(answer['content'])}."
            else:
                yield f"For {json.dumps(key)} the user chooses {answer['action']}."
        if self.rule == "url-unsafe":
            yield "A user who was warned of the url does not visit it, but cancels."


def _make_message(key: str) -> str:
    """Make a message that names the key of its request, for hosts that are not shown keys."""
    return f"What is {json.dumps(key, ensure_ascii=False)}?"


def make_form(key: str, schema: Mapping[str, Any] = NAME, **more: Any) -> dict[str, Any]:
    """Make a request for a form."""
    params = {"mode": "form", "message": _make_message(key), "requestedSchema": schema, **more}
    return {"method": "elicitation/create", "params": params}


def make_link(key: str, url: str) -> dict[str, Any]:
    """Make a request to visit a url."""
    params = {"mode": "url", "message": _make_message(key), "url": url}
    return {"method": "elicitation/create", "params": params}


def make_pause(asked: Any = None, state: str | None = None) -> dict[str, Any]:
    """Make a paused result with the members that are given."""
    result: dict[str, Any] = {"resultType": "input_required"}
    if asked is not None:
        result["inputRequests"] = asked
    if state is not None:
        result["requestState"] = state
    return result


def make_round(key: str = "who", schema: Mapping[str, Any] = NAME) -> tuple[dict[str, Any]]:
    """Make the rounds of a trial that asks once, for one form."""
    return (make_pause({key: make_form(key, schema)}, "s-1"),)
