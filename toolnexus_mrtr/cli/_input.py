"""Reads a result or a call from a file or standard input, and builds the form that a request asks to fill in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from toolnexus_mrtr import Call, Done, ElicitRequest, Form, MrtrError, Pause
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse_json

#: The method that is assumed where none is given. All methods that can be paused are treated the same.
DEFAULT_METHOD: Final = "tools/call"


def receive(call: Call, path: str) -> Done | Pause:
    """Read the result of a call and check it against that call, as `Call.receive` does."""
    result = read_result(path)
    with prefix_errors_with(path):
        return call.receive(result)


def read_result(path: str) -> dict[str, Any]:
    """Read the result of a call, bare or inside its JSON-RPC response."""
    with prefix_errors_with(path):
        value = _parse_object(path)
        return _unwrap_response(value) if "jsonrpc" in value and "resultType" not in value else value


def read_object(path: str) -> dict[str, Any]:
    """Read one JSON object."""
    with prefix_errors_with(path):
        return _parse_object(path)


def read_call(path: str) -> Call:
    """Read a call from its JSON-RPC request, or from its params alone, with the default method."""
    with prefix_errors_with(path):
        value = _parse_object(path)
        if "jsonrpc" not in value and "method" not in value:
            return Call(DEFAULT_METHOD, value)
        method, params = value.get("method"), value.get("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            raise BadInput("expected a request with the name of a method, and an object as its params")
        return Call(method, params)


def read_saved_call(path: str) -> Call:
    """Read a call that `--save` stored."""
    with prefix_errors_with(path):
        return Call.from_json(_read_bytes(path))


def build_form(request: ElicitRequest) -> Form | MrtrError:
    """Build the form that a request asks to fill in; gives the error where its schema cannot be checked."""
    try:
        return Form.of(request.requested_schema or {}, message=request.message)
    except MrtrError as error:
        return error


def describe_source(path: str) -> str:
    """Name a file in a message; `-` is standard input."""
    return "standard input" if path == "-" else path


@contextmanager
def prefix_errors_with(path: str) -> Iterator[None]:
    """Prefix the errors of the block with the file that they are about."""
    try:
        yield
    except (BadInput, MrtrError) as error:
        raise BadInput(f"{describe_source(path)}: {error}") from None


def _parse_object(path: str) -> dict[str, Any]:
    try:
        value = parse_json(_read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"expected UTF-8, byte {error.start} is not") from None
    if not isinstance(value, dict):
        raise BadInput("expected a JSON object")
    return value


def _read_bytes(path: str) -> bytes:
    if path == "-" and sys.stdin is None:
        raise BadInput("expected it to be open")
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"expected it to be readable: {error.strerror}") from None
    except ValueError:
        raise BadInput("expected the name of a file") from None


def _unwrap_response(response: dict[str, Any]) -> dict[str, Any]:
    if "error" in response:
        raise BadInput("expected a result, the call failed and its response is an error")
    result = response.get("result")
    if not isinstance(result, dict):
        raise BadInput("expected an object as the result of the response")
    return result
