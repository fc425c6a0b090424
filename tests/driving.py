"""A server and a host for `run` and `run_async`, and both of them behind one signature."""

import asyncio
import copy
from typing import Any

import pytest

from toolnexus_mrtr import Answer, Call, Request, _drivers, run, run_async

WAIT = {"resultType": "input_required", "requestState": "p"}
DONE = {"resultType": "complete", "content": []}


EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}


def call(**options: Any) -> Call:
    params = {"name": "t", "arguments": {"w": 1.0, "z": None, "k": []}}
    return Call("tools/call", params, **{"id": "c", "capabilities": EVERYTHING, **options})


class Server:
    """A `send` that returns one result after the other and records the params it was sent."""

    def __init__(self, *raws: Any) -> None:
        self.raws = iter(raws)
        self.methods: list[str] = []
        self.sent: list[dict[str, Any]] = []

    def __call__(self, method: str, params: dict[str, Any]) -> Any:
        self.methods.append(method)
        self.sent.append(copy.deepcopy(params))
        return next(self.raws)

    @property
    def responses(self) -> Any:
        return self.sent[-1].get("inputResponses")


class Person:
    """A `wait_for` that gives one answer after the other, raises those that are errors, and records the requests."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Any:
        self.asked.append(request)
        answer = next(self.answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def yes(**data: Any) -> Answer:
    return Answer("h", ok=True, data=data)


NO = Answer("h", ok=False, reason="declined")


def in_order(step: Any, send: Any, handlers: Any, **options: Any) -> Any:
    return run(step, send, handlers, **{"sleep": _drivers.time.sleep, **options})


def at_once(step: Any, send: Any, handlers: Any, **options: Any) -> Any:
    return asyncio.run(run_async(step, send, handlers, **options))


both = pytest.mark.parametrize("drive", [in_order, at_once])


class Veto(Exception):
    """A host's own error."""


async def later(value: Any) -> Any:
    return value
