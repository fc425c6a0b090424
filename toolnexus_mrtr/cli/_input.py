"""What the commands read: a file or standard input, and out of its JSON a result or a call."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from toolnexus_mrtr import Call, Done, MrtrError, Pause
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse

#: The method of a call of which only the params are known. Every method that can be paused is treated the same.
TOOL: Final = "tools/call"


def received(call: Call, name: str) -> Done | Pause:
    """Read the result of a call, and let the call receive it, through every gate that it has."""
    result = read_result(name)
    with _placed(name):
        return call.receive(result)


def read_result(name: str) -> dict[str, Any]:
    """Read the result of a call, taken out of its JSON-RPC response if need be."""
    with _placed(name):
        value = _object(name)
        return _result_of(value) if "jsonrpc" in value and "resultType" not in value else value


def read_object(name: str) -> dict[str, Any]:
    """Read one JSON object."""
    with _placed(name):
        return _object(name)


def read_call(name: str) -> Call:
    """Read a call out of its JSON-RPC request, or out of bare params, which are taken for those of a tool."""
    with _placed(name):
        value = _object(name)
        if "jsonrpc" not in value and "method" not in value:
            return Call(TOOL, value)
        method, params = value.get("method"), value.get("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            raise BadInput("expected a request with the name of a method, and an object as its params")
        return Call(method, params)


def read_saved(name: str) -> Call:
    """Read a call that was saved."""
    with _placed(name):
        return Call.from_json(_read(name))


def place(name: str) -> str:
    """Say what is read."""
    return "standard input" if name == "-" else name


@contextmanager
def _placed(name: str) -> Iterator[None]:
    """Let what is wrong with an input say which one it is."""
    try:
        yield
    except (BadInput, MrtrError) as error:
        raise BadInput(f"{place(name)}: {error}") from None


def _object(name: str) -> dict[str, Any]:
    try:
        value = parse(_read(name).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"expected UTF-8, byte {error.start} is not") from None
    if not isinstance(value, dict):
        raise BadInput("expected a JSON object")
    return value


def _read(name: str) -> bytes:
    if name == "-" and sys.stdin is None:
        raise BadInput("expected it to be open")
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadInput(f"expected it to be readable: {error.strerror}") from None
    except ValueError:
        raise BadInput("expected the name of a file") from None


def _result_of(response: dict[str, Any]) -> dict[str, Any]:
    if "error" in response:
        raise BadInput("expected a result, the call failed and its response is an error")
    result = response.get("result")
    if not isinstance(result, dict):
        raise BadInput("expected an object as the result of the response")
    return result
