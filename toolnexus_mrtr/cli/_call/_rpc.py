"""Writes JSON-RPC requests, and finds the response to one among the messages of a server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolnexus_mrtr.cli._errors import BadInput, CallFailed
from toolnexus_mrtr.cli._json import parse_json
from toolnexus_mrtr.cli._messages import read_error


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


def make_request(id: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Make a request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def find_response(messages: Iterable[dict[str, Any]], request: Mapping[str, Any]) -> dict[str, Any]:
    """Find the response to a request; notifications, and responses to what was given up, may come before it."""
    for message in messages:
        id = message.get("id")
        # A server that cannot read a request does not know its id (JSON-RPC, "Response object").
        is_response = (type(id) is int and id == request["id"]) or (id is None and message.get("error") is not None)
        if is_response and "method" not in message:
            return message
    raise CallFailed(f"the server ended before it answered {request['method']}")


def read_result(response: Mapping[str, Any], method: str) -> dict[str, Any]:
    """Give the result of a response; raises `ServerError` for the error of one, `CallFailed` where there is neither."""
    if response.get("error") is not None:
        failure = read_error(response)
        if failure is None:
            raise CallFailed(f"the server answered {method} with an error: expected a code and a message in it")
        raise ServerError(method, *failure)
    if not isinstance(response.get("result"), dict):
        raise CallFailed(f"the server answered {method} without a result: expected an object")
    result: dict[str, Any] = response["result"]
    return result
