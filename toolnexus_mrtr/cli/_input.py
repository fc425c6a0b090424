"""What the commands read: a file or standard input, strictly as JSON, and out of it a paused result or a call."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from toolnexus_mrtr import ElicitationRequests, InputRequest, MrtrError, input_requests
from toolnexus_mrtr.cli._text import cited

#: How deep the JSON may be nested: beyond every use, and well within what Python can write again.
_DEPTH: Final = 100


class BadInput(Exception):
    """The input of a command is not what it needs; the text says where and what was expected."""


class Paused(NamedTuple):
    """What a paused result asks, by key, and the state to echo."""

    requests: dict[str, InputRequest]
    state: str | None


def read_paused(name: str) -> Paused | None:
    """Read the result of a call, taken out of its JSON-RPC response if need be; `None` when the call is finished."""
    value = read_result(name)
    try:
        if ElicitationRequests.is_input_required(value):
            return Paused(input_requests(value), ElicitationRequests.request_state(value))
    except MrtrError as error:
        raise BadInput(f"{_place(name)}: {error}") from None
    # Any other type is invalid (base, "ResultType").
    if value.get("resultType", "complete") != "complete":
        raise BadInput(f"{_place(name)}: expected the resultType 'input_required' or 'complete', found another")
    return None


def read_result(name: str) -> dict[str, Any]:
    """Read the result of a call, taken out of its JSON-RPC response if need be."""
    value = read_object(name)
    return _result_of(value, name) if "jsonrpc" in value and "resultType" not in value else value


def read_params(name: str) -> dict[str, Any]:
    """Read the params of a call, taken out of its JSON-RPC request if need be."""
    value = read_object(name)
    params = value.get("params", {}) if "jsonrpc" in value or "method" in value else value
    if not isinstance(params, dict):
        raise BadInput(f"{_place(name)}: expected an object as the params of the request")
    return params


def read_object(name: str) -> dict[str, Any]:
    """Read one JSON object."""
    try:
        value = parse(_read(name).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{_place(name)}: expected UTF-8, byte {error.start} is not") from None
    except BadInput as error:
        raise BadInput(f"{_place(name)}: {error}") from None
    if not isinstance(value, dict):
        raise BadInput(f"{_place(name)}: expected a JSON object")
    return value


def parse(text: str) -> Any:
    """Read JSON as RFC 8259 has it, which Python's own parser takes less strictly."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_members)
    except json.JSONDecodeError as error:
        raise BadInput(f"expected JSON, line {error.lineno} column {error.colno}: {error.msg}") from None
    except ValueError:
        raise BadInput("expected numbers that are not longer than 4,300 digits") from None
    except RecursionError:
        value = None
    else:
        if not _too_deep(value):
            return value
    raise BadInput(f"expected JSON that is nested at most {_DEPTH} levels deep")


def _read(name: str) -> bytes:
    if name == "-" and sys.stdin is None:
        raise BadInput("expected it to be open")
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise BadInput(f"expected it to be readable: {error.strerror}") from None
    except ValueError:
        raise BadInput("expected the name of a file") from None


def _result_of(response: dict[str, Any], name: str) -> dict[str, Any]:
    if "error" in response:
        raise BadInput(f"{_place(name)}: expected a result, the call failed and its response is an error")
    result = response.get("result")
    if not isinstance(result, dict):
        raise BadInput(f"{_place(name)}: expected an object as the result of the response")
    return result


def _place(name: str) -> str:
    return "standard input" if name == "-" else name


def _refuse(constant: str) -> NoReturn:
    raise BadInput(f"expected JSON, which has no {constant}")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadInput("expected numbers that a float can hold")
    return number


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a member that stands twice: who reads the first is asked something else than who reads the last."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise BadInput(f"expected every member of an object once, {cited(name)} stands there twice")
        members[name] = value
    return members


def _too_deep(value: Any) -> bool:
    boxes = [value] if isinstance(value, dict | list) else []
    for _ in range(_DEPTH):
        items = chain.from_iterable(box.values() if isinstance(box, dict) else box for box in boxes)
        boxes = [item for item in items if isinstance(item, dict | list)]
    return bool(boxes)
