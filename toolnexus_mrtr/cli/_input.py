"""What the commands read: a file or standard input, as one JSON object."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


class BadInput(Exception):
    """The input of a command is not what it needs; the text says where and what was expected."""


def read_object(name: str) -> dict[str, Any]:
    """Read one JSON object from a file, or from standard input for `-`."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror}") from None
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{name}: expected UTF-8, byte {error.start} is not") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{name}: expected JSON, line {error.lineno} column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise BadInput(f"{name}: expected JSON that is nested less deeply") from None
    if not isinstance(value, dict):
        raise BadInput(f"{name}: expected a JSON object")
    return value


def read_result(name: str) -> dict[str, Any]:
    """Read the result of a call, taken out of its JSON-RPC response if need be."""
    value = read_object(name)
    if "jsonrpc" not in value or "resultType" in value:
        return value
    if "error" in value:
        raise BadInput(f"{name}: the call failed, its response is an error")
    result = value.get("result")
    if not isinstance(result, dict):
        raise BadInput(f"{name}: expected an object as the result of the response")
    return result


def read_params(name: str) -> dict[str, Any]:
    """Read the params of a call, taken out of its JSON-RPC request if need be."""
    value = read_object(name)
    params = value.get("params", {}) if "method" in value else value
    if not isinstance(params, dict):
        raise BadInput(f"{name}: expected an object as the params of the request")
    return params
