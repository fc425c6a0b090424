"""A small server of MCP 2026-07-28 over stdio, whose tools ask before they answer.

It runs as a program of its own, on the standard library alone. It keeps nothing between two requests but tasks: what a
tool has learned by one round stands in the state that the next one brings back. That decides nothing here but what its
own user entered, so that it need not be signed.
"""

from __future__ import annotations

import json
import secrets
import sys
from datetime import UTC, datetime
from typing import IO, Any, Final, TypeAlias

_TASKS: Final = "io.modelcontextprotocol/tasks"

#: The codes of JSON-RPC and of the protocol (schema.ts).
_PARSE_ERROR: Final = -32700
_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602
_MISSING_CAPABILITY: Final = -32021

#: Milliseconds between two looks at a task.
_POLL: Final = 100

_Object: TypeAlias = dict[str, Any]


class Refusal(Exception):
    """A request that is answered with an error of JSON-RPC."""

    def __init__(self, code: int, message: str, data: _Object | None = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


# The tools. Each takes the input responses by key and the members of its state, and gives its result, or a pause that
# asks for more.


def book(responses: _Object, state: _Object) -> _Object:
    """Book a table: two questions, one after the other."""
    if "name" not in state:
        content, action = _read(responses, "who")
        if action is None:
            name = {"type": "string", "title": "Full name", "minLength": 1}
            guests = {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 8, "default": 2}
            fields = {"name": name, "guests": guests}
            return _ask({"asked": "who"}, who=_form("Who is the table for?", fields, "name"))
        if action != "accept":
            return _finish("No table was booked.")
        state = {"name": content.get("name"), "guests": content.get("guests", 2)}
    content, action = _read(responses, "when")
    if action is None:
        day = {"type": "string", "title": "Day", "format": "date"}
        seat = {"type": "string", "title": "Seat", "enum": ["inside", "outside"]}
        return _ask(state, when=_form(f"Which day suits {state['name']}?", {"day": day, "seat": seat}, "day"))
    if action != "accept":
        return _finish("No table was booked.")
    booked = {**state, **content}
    return _finish(f"A table for {booked['guests']} is booked for {booked['name']}, on {booked.get('day')}.", booked)


def fill_in(responses: _Object, _: _Object) -> _Object:
    """Ask for one field of every kind."""
    content, action = _read(responses, "about")
    if action is None:
        fields: _Object = {
            "name": {"type": "string", "title": "Full name", "description": "As in your passport", "minLength": 1},
            "email": {"type": "string", "title": "E-mail", "format": "email"},
            "born": {"type": "string", "title": "Date of birth", "format": "date"},
            "guests": {"type": "integer", "title": "Guests", "minimum": 0, "maximum": 8, "default": 1},
            "height": {"type": "number", "title": "Height in metres", "minimum": 0.3, "maximum": 2.8},
            "news": {"type": "boolean", "title": "Send me the news", "default": False},
            "seat": {
                "type": "string",
                "title": "Seat",
                "oneOf": [{"const": "w", "title": "Window"}, {"const": "a", "title": "Aisle"}],
            },
            "meals": {
                "type": "array",
                "title": "Meals",
                "items": {"anyOf": [{"const": "b", "title": "Breakfast"}, {"const": "d", "title": "Dinner"}]},
                "maxItems": 2,
            },
        }
        return _ask(about=_form("Please tell us about your journey.", fields, "name", "seat"))
    return _finish("Thank you.", content) if action == "accept" else _finish("Nothing was kept.")


def visit(responses: _Object, _: _Object) -> _Object:
    """Ask for a visit to a url."""
    _, action = _read(responses, "sign_in")
    if action is None:
        url = "https://example.com/sign-in?session=demo"
        params = {"mode": "url", "message": "Please sign in, and come back when you are done.", "url": url}
        return _ask(sign_in={"method": "elicitation/create", "params": params})
    return _finish("You say that you have signed in." if action == "accept" else "You have not signed in.")


def wait(_: _Object, state: _Object) -> _Object:
    """Pause three times with a state alone."""
    rounds = state.get("rounds", 0)
    return _finish("The work is done.") if rounds == 3 else _ask({"rounds": rounds + 1})


def confirm(responses: _Object, _: _Object) -> _Object:
    """Ask before something is deleted: the tool to decline."""
    _, action = _read(responses, "delete")
    if action is None:
        return _ask(delete=_form("Three drafts would be deleted. Go on?", {}))
    outcomes = {"accept": "Three drafts were deleted.", "decline": "Nothing was deleted, since you declined."}
    return _finish(outcomes.get(action, "Nothing was deleted, since nobody decided."))


class Task:
    """A tool call that became a task: it works, asks, works on and ends, one step further by each `get`."""

    def __init__(self) -> None:
        self.id = secrets.token_urlsafe(16)
        self._created = _now()
        self._status = "working"
        self._outcome = ""

    def describe(self) -> _Object:
        """Tell how the task stands; what belongs to its status comes by `get` alone."""
        times = {"createdAt": self._created, "lastUpdatedAt": _now(), "ttlMs": None, "pollIntervalMs": _POLL}
        return {"taskId": self.id, "status": self._status, **times}

    def get(self) -> _Object:
        """Tell how the task stands with all that belongs to its status, and let it go on."""
        described = {"resultType": "complete", **self.describe()}
        if self._status == "working":
            described["statusMessage"] = "Telling the carrier." if self._outcome else "Looking for the parcel."
            self._status = "completed" if self._outcome else "input_required"
        elif self._status == "input_required":
            day = {"type": "string", "title": "Day", "format": "date"}
            message = "The parcel is found. When shall it come?"
            described["inputRequests"] = {"delivery": _form(message, {"day": day}, "day")}
        elif self._status == "completed":
            described["result"] = _finish(self._outcome)
        return described

    def update(self, responses: _Object) -> None:
        """Take an answer, if it is waited for."""
        content, action = _read(responses, "delivery")
        if self._status == "input_required" and action is not None:
            self._outcome = f"The parcel comes on {content.get('day')}." if action == "accept" else "The parcel stays."
            self._status = "working"

    def cancel(self) -> None:
        """End the task, unless it has ended."""
        if self._status != "completed":
            self._status = "cancelled"


#: The tools that run at once, each with the mode of elicitation that it needs.
_TOOLS: Final = {
    "booking": (book, "form"),
    "form": (fill_in, "form"),
    "url": (visit, "url"),
    "state": (wait, None),
    "decline": (confirm, "form"),
}

#: The name of the tool that becomes a task.
_TASK_TOOL: Final = "task"


class Server:
    """Answers one message after the other."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}

    def answer(self, line: bytes) -> _Object | None:
        """Answer a message; a notification has no answer."""
        id = None
        try:
            try:
                message = json.loads(line)
            except ValueError:
                raise Refusal(_PARSE_ERROR, "expected JSON") from None
            if "id" not in message:
                return None
            id = message["id"]
            result = self._run(message.get("method"), message.get("params", {}))
        except Refusal as refusal:
            return {"jsonrpc": "2.0", "id": id, "error": refusal.error}
        return {"jsonrpc": "2.0", "id": id, "result": result}

    def _run(self, method: str, params: _Object) -> _Object:
        if method == "tools/call":
            return self._call(params)
        if method not in ("tasks/get", "tasks/update", "tasks/cancel"):
            raise Refusal(_METHOD_NOT_FOUND, "expected tools/call, or a method of a task")
        _require_declared(params, "extensions", _TASKS)
        task = self._tasks.get(params.get("taskId", ""))
        if task is None:
            raise Refusal(_INVALID_PARAMS, "expected the id of a task")
        if method == "tasks/get":
            return task.get()
        if method == "tasks/update":
            task.update(params.get("inputResponses", {}))
        else:
            task.cancel()
        return {"resultType": "complete"}

    def _call(self, params: _Object) -> _Object:
        name = params.get("name")
        if name == _TASK_TOOL:
            _require_declared(params, "extensions", _TASKS)
            task = Task()
            self._tasks[task.id] = task
            return {"resultType": "task", **task.describe()}
        if name not in _TOOLS:
            raise Refusal(_INVALID_PARAMS, f"expected one of the tools {', '.join([*_TOOLS, _TASK_TOOL])}")
        tool, mode = _TOOLS[name]
        if mode is not None:
            _require_declared(params, "elicitation", mode)
        return tool(params.get("inputResponses", {}), _read_state(params))


def serve(reading: IO[bytes], writing: IO[bytes]) -> None:
    """Answer messages, one a line, until there are no more."""
    server = Server()
    for line in reading:
        answer = server.answer(line)
        if answer is not None:
            writing.write(json.dumps(answer).encode("ascii") + b"\n")
            writing.flush()


def _require_declared(params: _Object, capability: str, member: str) -> None:
    """Refuse a call whose client cannot do what it needs (basic/index, "_meta")."""
    declared = params.get("_meta", {}).get("io.modelcontextprotocol/clientCapabilities", {}).get(capability)
    # An empty `elicitation` declares forms (client/elicitation, "Capabilities").
    is_declared = declared is not None and (member in declared or (member == "form" and not declared))
    if not is_declared:
        required: _Object = {capability: {member: {}}}
        raise Refusal(_MISSING_CAPABILITY, "expected a capability", {"requiredCapabilities": required})


def _read_state(params: _Object) -> _Object:
    try:
        state = json.loads(params.get("requestState", "{}"))
    except ValueError:
        state = None
    if not isinstance(state, dict):
        raise Refusal(_INVALID_PARAMS, "expected the state that was given")
    return state


def _read(responses: _Object, key: str) -> tuple[_Object, str | None]:
    """Give the content and the action of an answer; no action where there is no answer yet."""
    response = responses.get(key, {})
    return response.get("content", {}), response.get("action")


def _form(message: str, fields: _Object, *required: str) -> _Object:
    schema: _Object = {"type": "object", "properties": fields, "required": list(required)}
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    }


def _ask(state: _Object | None = None, **requests: _Object) -> _Object:
    pause = {"resultType": "input_required"} | ({"inputRequests": requests} if requests else {})
    return pause if state is None else pause | {"requestState": json.dumps(state)}


def _finish(text: str, structured: _Object | None = None) -> _Object:
    result = {"resultType": "complete", "content": [{"type": "text", "text": text}]}
    return result if structured is None else result | {"structuredContent": structured}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
