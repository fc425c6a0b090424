"""Reads a result or a call from a file or standard input, and the form that a request asks to fill in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from toolnexus_mrtr import Call, Done, ElicitRequest, Form, MrtrError, Pause
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse_json

#: The method of a call where only its params are known. All methods that can be paused are treated the same.
DEFAULT_METHOD: Final = "tools/call"


def receive(call: Call, name: str) -> Done | Pause:
    """Read the result of a call and check it against that call, as `Call.receive` does."""
    result = read_result(name)
    with _name_source(name):
        return call.receive(result)


def read_result(name: str) -> dict[str, Any]:
    """Read the result of a call, bare or inside its JSON-RPC response."""
    with _name_source(name):
        value = _parse_object(name)
        return _unwrap_response(value) if "jsonrpc" in value and "resultType" not in value else value


def read_object(name: str) -> dict[str, Any]:
    """Read one JSON object."""
    with _name_source(name):
        return _parse_object(name)


def read_call(name: str) -> Call:
    """Read a call from its JSON-RPC request, or from bare params, which are taken for those of a tool."""
    with _name_source(name):
        value = _parse_object(name)
        if "jsonrpc" not in value and "method" not in value:
            return Call(DEFAULT_METHOD, value)
        method, params = value.get("method"), value.get("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            raise BadInput("expected a request with the name of a method, and an object as its params")
        return Call(method, params)


def read_saved_call(name: str) -> Call:
    """Read a call that `--save` stored."""
    with _name_source(name):
        return Call.from_json(_read_bytes(name))


def build_form(request: ElicitRequest) -> Form | MrtrError:
    """Build the form that a request asks to fill in; gives the error where its schema cannot be checked."""
    try:
        return Form.of(request.requested_schema or {}, message=request.message)
    except MrtrError as error:
        return error


def describe_source(name: str) -> str:
    """Give the name of a file for a message; `-` is standard input."""
    return "standard input" if name == "-" else name


@contextmanager
def _name_source(name: str) -> Iterator[None]:
    """Prefix the errors of the block with the name of the file that is read."""
    try:
        yield
    except (BadInput, MrtrError) as error:
        raise BadInput(f"{describe_source(name)}: {error}") from None


def _parse_object(name: str) -> dict[str, Any]:
    try:
        value = parse_json(_read_bytes(name).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"expected UTF-8, byte {error.start} is not") from None
    if not isinstance(value, dict):
        raise BadInput("expected a JSON object")
    return value


def _read_bytes(name: str) -> bytes:
    if name == "-" and sys.stdin is None:
        raise BadInput("expected it to be open")
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
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
