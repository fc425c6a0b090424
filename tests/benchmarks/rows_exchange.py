"""A pause taken up, beside a bare copy of it; a whole exchange, beside the loop that one would write on dicts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from harness import Row, calling, within
from inputs import FORM, SHORT_FORM, URL
from rows_forms import SCHEMA

from toolnexus_mrtr import Answer, Call, Form, Handlers, Request, request_meta, run

PARAMS = {
    "name": "send_parcel",
    "arguments": {"parcel": "7f3a", "weight": 1.5, "tags": ["fragile", "cold"]},
    "_meta": request_meta(form=True, url=True),
}
FILLED_IN = {"name": "Ada Lovelace", "floor": 3, "size": "l"}

#: Three pauses and an end, as a server words them.
RESULTS: list[dict[str, Any]] = [
    {"resultType": "input_required", "inputRequests": {"where": FORM}, "requestState": "v1.eyJzdGVwIjoxfQ"},
    {"resultType": "input_required", "inputRequests": {"calendar": URL, "today": SHORT_FORM}, "requestState": "v1.Mn0"},
    {"resultType": "input_required", "inputRequests": {"back": FORM}, "requestState": "v1.eyJzdGVwIjozfQ"},
    {"resultType": "complete", "content": [{"type": "text", "text": "On its way."}], "isError": False},
]


def rows() -> Iterator[Row]:
    results = json.loads(json.dumps(RESULTS))
    assert driven(server(results)) == by_hand(server(results)) == RESULTS[-1]
    assert conversation(driven) == conversation(by_hand)
    ours = calling(lambda: driven(server(results)))
    theirs = calling(lambda: by_hand(server(results)))
    eight_fields = {**FORM, "params": {**FORM["params"], "requestedSchema": SCHEMA}}
    call = Call("tools/call", PARAMS)
    raw = {"resultType": "input_required", "inputRequests": {"who": eight_fields}, "requestState": "v1.eyJzdGVwIjoxfQ"}
    yield Row(
        "Call.receive", "8 fields", "copy.deepcopy", calling(call.receive, raw), calling(deepcopy, raw), within(0.6)
    )
    yield Row("a whole exchange", "3 pauses", "a loop on dicts", ours, theirs, within(3))


def server(results: list[dict[str, Any]]) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """A server in memory that gives one result after the other."""
    coming = iter(results)
    return lambda _method, _params: next(coming)


def conversation(loop: Callable[..., Any]) -> list[dict[str, Any]]:
    """All params that a loop sends."""
    send, sent = server(RESULTS), []
    loop(lambda method, params: sent.append(params) or send(method, params))
    return sent


def driven(send: Callable[..., Any]) -> dict[str, Any]:
    """The exchange as the library drives it."""
    return run(Call("tools/call", PARAMS), send, Handlers(wait_for))


def wait_for(request: Request) -> Answer:
    """A person who agrees to everything at once."""
    return Answer(request.id, ok=True, data=entered(request.data))


def entered(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the person enters."""
    if data is None:
        return None
    return FILLED_IN if "name" in data["schema"]["properties"] else {"ok": True}


def by_hand(send: Callable[..., Any]) -> dict[str, Any]:
    """The exchange without the library, but for its check of forms: nothing is gated, limited or copied."""
    params: dict[str, Any] = PARAMS
    for _ in range(11):
        raw = send("tools/call", params)
        if raw.get("resultType", "complete") == "complete":
            return raw
        params = {**PARAMS, "inputResponses": {key: by_hand_answered(e) for key, e in raw["inputRequests"].items()}}
        if "requestState" in raw:
            params["requestState"] = raw["requestState"]
    raise RuntimeError


def by_hand_answered(entry: dict[str, Any]) -> dict[str, Any]:
    asked = entry["params"]
    if asked.get("mode") == "url":
        return {"action": "accept"}
    content = entered({"schema": asked["requestedSchema"]})
    if Form.of(asked["requestedSchema"]).check(content):
        raise ValueError
    return {"action": "accept", "content": dict(content)}
