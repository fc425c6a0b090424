"""Collects the messages of a call for `--log`: an array of steps, each a request with its response."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

#: What stands in place of what is left out.
_VALUE: Final = "(value)"
_STATE: Final = "(state)"
_TASK: Final = "(task id)"
_ANSWER: Final = "(answer)"


class Log:
    """The messages of a call, in the order in which they were sent."""

    def __init__(self) -> None:
        self._steps: list[dict[str, Any]] = []

    def note_request(self, request: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        """Note a request that is about to be sent, with its headers where it has some."""
        self._steps.append({"request": request} | ({} if headers is None else {"headers": dict(headers)}))

    def note_response(self, response: dict[str, Any]) -> None:
        """Note the response to the last request."""
        self._steps[-1]["response"] = response

    def to_json(self, *, shows_secrets: bool) -> bytes:
        """Write the steps, without the values of headers, states, ids of tasks and answers unless `shows_secrets`."""
        steps = self._steps
        if not shows_secrets:
            task_ids = sorted(set(_find_task_ids(steps)), key=len, reverse=True)
            steps = [_hide(step, task_ids) for step in steps]
        return json.dumps(steps, indent=2).encode("ascii") + b"\n"


def _hide(value: Any, task_ids: Iterable[str]) -> Any:
    if isinstance(value, dict):
        return {_hide_task(name, task_ids): _hide_member(name, member, task_ids) for name, member in value.items()}
    if isinstance(value, list):
        return [_hide(item, task_ids) for item in value]
    return _hide_task(value, task_ids) if isinstance(value, str) else value


def _hide_member(name: str, member: Any, task_ids: Iterable[str]) -> Any:
    if name == "requestState" and isinstance(member, str):
        return _STATE
    if name == "headers" and isinstance(member, dict):
        return dict.fromkeys(member, _VALUE)
    if name == "inputResponses" and isinstance(member, dict):
        return {_hide_task(key, task_ids): _hide_answer(response) for key, response in member.items()}
    return _hide(member, task_ids)


def _hide_answer(response: dict[str, Any]) -> dict[str, Any]:
    """Hide an answer but for its action and the names in it."""
    hidden: dict[str, Any] = dict.fromkeys(response, _ANSWER)
    if "action" in response:
        hidden["action"] = response["action"]
    if isinstance(response.get("content"), dict):
        hidden["content"] = dict.fromkeys(response["content"], _ANSWER)
    return hidden


def _hide_task(text: str, task_ids: Iterable[str]) -> str:
    for id in task_ids:
        text = text.replace(id, _TASK)
    return text


def _find_task_ids(value: Any) -> Iterator[str]:
    """Find the ids of tasks: keys and messages may hold them too."""
    if isinstance(value, dict):
        if isinstance(value.get("taskId"), str) and value["taskId"]:
            yield value["taskId"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _find_task_ids(item)
