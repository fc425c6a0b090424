"""Reads a response or a call from a file or standard input, and builds the form that a request asks to fill in.

Messages name a file by its path, or by what `name` says in place of it: an argument that was put where a file was
expected may be an answer, and no message repeats it then.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from toolnexus_mrtr import Call, Done, ElicitRequest, Form, LocalProtocolError, MrtrError, Pause, request_meta
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse_json
from toolnexus_mrtr.cli._messages import find_request, find_response, parse_messages, read_error

#: The method that is assumed where none is given. All methods that can be paused are treated the same.
DEFAULT_METHOD: Final = "tools/call"

_GET_TASK: Final = "tasks/get"

#: The member of `_meta` that declares what a client can do (basic/index, "_meta").
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"

#: What is assumed of the call of a task that declares nothing: a task has to be declared, so all else is too.
_EVERYTHING: Final = request_meta(form=True, url=True, sampling_tools=True, roots=True, tasks=True)[CAPABILITIES]


class Response(NamedTuple):
    """The result of a call."""

    result: dict[str, Any]
    #: The request that it answers; `None` where that is not beside the response.
    request: dict[str, Any] | None


class Failure(NamedTuple):
    """The error of JSON-RPC in which a call ended."""

    code: int
    message: str


def receive(call: Call, path: str, name: str | None = None) -> Done | Pause:
    """Read the result of a call and check it against that call, as `Call.receive` does."""
    response = read_result(path, name)
    with prefix_errors_with(path, name):
        return receive_result(call, response.result)


def receive_result(call: Call, result: dict[str, Any]) -> Done | Pause:
    """Let a call take its result; one that says how a task stands is that of a `tasks/get`."""
    if call.task_id is None and call.method in (DEFAULT_METHOD, _GET_TASK):
        is_status = call.method == _GET_TASK or _says_how_task_stands(result)
        if is_status or result.get("resultType") == "task":
            return _receive_of_task(call, result, is_status=is_status)
    return call.receive(result)


def _says_how_task_stands(result: dict[str, Any]) -> bool:
    """Whether a result of a tool call or a `tasks/get` is that of the latter: a tool's has a `content` (schema.ts)."""
    return result.get("resultType") == "complete" and {"taskId", "status"} <= result.keys() and "content" not in result


def _receive_of_task(call: Call, result: dict[str, Any], *, is_status: bool) -> Done | Pause:
    params = call.params
    task_id = params.pop("taskId", None) if call.method == _GET_TASK else result.get("taskId")
    meta = params.get("_meta")
    declared = None if isinstance(meta, dict) and CAPABILITIES in meta else _EVERYTHING
    call = Call(DEFAULT_METHOD, params, capabilities=declared)
    if not is_status:
        return call.receive(result)
    pause = cast("Pause", call.receive({"resultType": "task", "taskId": task_id, "status": "working"}))
    return pause.resume().receive(result)


def read_result(path: str, name: str | None = None) -> Response:
    """Read a response as `read_response` does; it must be a result."""
    response = read_response(path, name)
    with prefix_errors_with(path, name):
        if isinstance(response, Failure):
            raise BadInput(f"expected a result, the call failed with the error {response.code}")
    return response


def read_response(path: str, name: str | None = None) -> Response | Failure:
    """Read a result, bare or inside its JSON-RPC response; the last response where there are several messages."""
    with prefix_errors_with(path, name):
        messages = parse_messages(_read_text(path))
        message = find_response(messages)
        request = find_request(messages, message)
        if "jsonrpc" not in message or "resultType" in message:
            return Response(message, request)
        if "error" in message:
            failure = read_error(message)
            if failure is None:
                raise BadInput("expected an error with a code and a message")
            return Failure(*failure)
        if not isinstance(message.get("result"), dict):
            raise BadInput("expected an object as the result of the response")
        return Response(message["result"], request)


def read_object(path: str, name: str | None = None) -> dict[str, Any]:
    """Read one JSON object."""
    with prefix_errors_with(path, name):
        value = read_value(path)
        if not isinstance(value, dict):
            raise BadInput("expected a JSON object")
        return value


def read_value(path: str) -> Any:
    """Read one JSON value; messages do not name the file."""
    return parse_json(_read_text(path))


def read_argument(text: str, name: str) -> dict[str, Any]:
    """Read a JSON object that an argument holds, or that is in the file behind its `@`; no message repeats it."""
    if text.startswith("@"):
        return read_object(text[1:], name)
    require_decoded(text, name)
    try:
        value = parse_json(text)
    except BadInput:
        value = None
    if not isinstance(value, dict):
        raise BadInput(f"{name}: expected a JSON object, or @FILE")
    return value


def require_decoded(text: str, name: str) -> None:
    """Refuse an argument in another encoding than the terminal's."""
    # Python decodes each byte that is not in that encoding to a surrogate of this range.
    if not text.isascii() and any("\udc80" <= character <= "\udcff" for character in text):
        raise BadInput(f"{name}: expected text in the encoding of the terminal")


def read_call(path: str, name: str) -> tuple[Call, Any]:
    """Read a call and its id from a JSON-RPC request, or from params alone, with the default method and no id."""
    value = read_object(path, name)
    with prefix_errors_with(path, name):
        if "jsonrpc" not in value and "method" not in value:
            return Call(DEFAULT_METHOD, value), None
        method, params = value.get("method"), value.get("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            raise BadInput("expected a request with the name of a method, and an object as its params")
        return Call(method, params), value.get("id")


def read_saved_call(path: str, name: str) -> Call:
    """Read a call that `--save` stored."""
    with prefix_errors_with(path, name):
        return Call.from_json(_read_bytes(path))


def read_saved_step(path: str, name: str, server: str) -> Call | Pause:
    """Read a call or a pause that was stored for a server."""
    with prefix_errors_with(path, name):
        data = _read_bytes(path)
        try:
            return Pause.from_json(data, server=server)
        except LocalProtocolError as error:
            if error.code == "wrong_server":
                raise BadInput("expected the TARGET that the call was stored for, found another") from None
        return Call.from_json(data, server=server)


def build_form(request: ElicitRequest) -> Form | MrtrError:
    """Build the form that a request asks to fill in; gives the error where its schema cannot be checked."""
    try:
        return Form.of(request.requested_schema or {}, message=request.message)
    except MrtrError as error:
        return error


def describe_source(path: str, name: str | None = None) -> str:
    """Name a file in a message; `-` is standard input."""
    return "standard input" if path == "-" else name or path


@contextmanager
def prefix_errors_with(path: str, name: str | None = None) -> Iterator[None]:
    """Prefix the errors of the block with the file that they are about."""
    try:
        yield
    except (BadInput, MrtrError) as error:
        raise BadInput(f"{describe_source(path, name)}: {error}") from None


def _read_text(path: str) -> str:
    try:
        return _read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"expected UTF-8, byte {error.start} is not") from None


def _read_bytes(path: str) -> bytes:
    if path == "-" and sys.stdin is None:
        raise BadInput("expected it to be open")
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"expected it to be readable: {error.strerror}") from None
    except ValueError:
        raise BadInput("expected the name of a file") from None
