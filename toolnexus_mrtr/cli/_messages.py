"""Finds the JSON objects in a text: one, one a line as stdio carries them, or those of a saved event stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import is_same_json, parse_json

#: Splits a text into its lines, which end at CR, LF or both, and nowhere else.
split_lines: Final = re.compile(r"\r\n|\r|\n").split

#: Whether a text is an event stream (HTML, "Server-sent events"). No line of a JSON text can begin like this.
_is_event_stream: Final = re.compile(r"(?:^|[\r\n])data(?:[:\r\n]|$)").search


def parse_messages(text: str) -> list[dict[str, Any]]:
    """Parse the objects of a text, in their order; there is at least one."""
    if _is_event_stream(text):
        texts = list(read_events([*split_lines(text), ""]))
        if not texts:
            raise BadInput("expected an event with a message in the event stream")
    else:
        lines = [line.strip() for line in split_lines(text) if line.strip()]
        texts = lines if len(lines) > 1 and all(line[0] == "{" and line[-1] == "}" for line in lines) else [text]
    return [_parse_message(one, f"message {place}: " if texts[1:] else "") for place, one in enumerate(texts, 1)]


def find_response(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Find the last JSON-RPC response among messages; a single message is taken for one, or for a bare result."""
    responses = [message for message in messages if "result" in message or "error" in message]
    if not responses and len(messages) > 1:
        raise BadInput("expected a response among the messages")
    return (responses if len(messages) > 1 else messages)[-1]


def find_request(messages: list[dict[str, Any]], response: dict[str, Any]) -> dict[str, Any] | None:
    """Find the JSON-RPC request that a response answers, by its id; `None` where it is not among the messages."""
    requests = [message for message in messages if "id" in message and isinstance(message.get("method"), str)]
    answered = [one for one in requests if "id" in response and is_same_json(one["id"], response["id"])]
    return answered[-1] if answered else None


def read_error(response: Mapping[str, Any]) -> tuple[int, str] | None:
    """Read the code and the message of the error in a JSON-RPC response; `None` where it is not made of them."""
    error = response["error"]
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    return (code, message) if type(code) is int and isinstance(message, str) else None


def read_events(lines: Iterable[str]) -> Iterator[str]:
    """Read the data of the events of the type `message` from the lines of a stream; an empty line ends an event."""
    event, data = "", []
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            event = value
        elif name == "data":
            data.append(value)
        elif not line:
            if "".join(data) and event in ("", "message"):
                yield "\n".join(data)
            event, data = "", []


def _parse_message(text: str, place: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except BadInput as error:
        raise BadInput(f"{place}{error}") from None
    if not isinstance(value, dict):
        raise BadInput(f"{place}expected a JSON object")
    return value
