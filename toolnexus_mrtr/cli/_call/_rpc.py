"""Writes JSON-RPC requests, and finds the response to one among the messages of a server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolnexus_mrtr.cli._errors import BadInput, CallFailed
from toolnexus_mrtr.cli._json import parse_json


class ServerError(CallFailed):
    """The server answered with an error of JSON-RPC; the text has its code alone, `message` is the server's text."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"the server answered {method} with the error {code}")
        self.method = method
        self.message = message


def encode_message(message: Mapping[str, Any]) -> bytes:
    """Write a message on one line of ASCII, in which half a surrogate pair of a server's state survives."""
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")


def decode_message(data: bytes) -> dict[str, Any]:
    """Read one message, strictly."""
    try:
        message = parse_json(data.decode())
    except (BadInput, UnicodeDecodeError):
        message = None
    if not isinstance(message, dict):
        raise CallFailed("the server sent what is no message: expected a JSON object in UTF-8")
    return message


def find_result(messages: Iterable[dict[str, Any]], id: int, method: str) -> dict[str, Any]:
    """Find the result of a request; notifications, and responses to what was given up, may come before it."""
    for message in messages:
        if "method" in message:
            continue
        error = message.get("error")
        if error is not None and message.get("id") is None:
            # A server that cannot read a request does not know its id (JSON-RPC, "Response object").
            raise _make_error(method, error)
        if type(message.get("id")) is int and message["id"] == id:
            if error is not None:
                raise _make_error(method, error)
            if not isinstance(message.get("result"), dict):
                raise CallFailed(f"the server answered {method} without a result: expected an object")
            result: dict[str, Any] = message["result"]
            return result
    raise CallFailed(f"the server ended before it answered {method}")


def _make_error(method: str, error: Any) -> CallFailed:
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    if type(code) is not int or not isinstance(message, str):
        return CallFailed(f"the server answered {method} with an error: expected a code and a message in it")
    return ServerError(method, code, message)
