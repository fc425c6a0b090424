"""The messages of JSON-RPC: reads those of a client, one request or notification each; the errors that answer them."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import parse_json

_NO_MESSAGE: Final = "expected one JSON object, a request or a notification of JSON-RPC 2.0"


class RpcError(Exception):
    """A JSON-RPC error that answers a request."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


class BadMessage(Exception):
    """A body that is no message, or one that this server does not read; names the rule that is broken."""

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule


def read_message(body: bytes) -> dict[str, Any]:
    """Read a message; raises `BadMessage`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise BadMessage("message-json", "expected UTF-8") from None
    try:
        message = parse_json(text)
    except BadInput as error:
        raise BadMessage("message-plain" if _is_json(text) else "message-json", str(error)) from None
    if not (
        isinstance(message, dict)
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params", {}), dict)
    ):
        raise BadMessage("message-json", _NO_MESSAGE)
    return message


def _is_json(text: str) -> bool:
    """Whether a text that was refused is JSON all the same, such as one with a name twice."""
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        # A number of too many digits, or lists that are nested too deep.
        return True
    return True


def _refuse_constant(constant: str) -> NoReturn:
    raise json.JSONDecodeError("no JSON", constant, 0)
