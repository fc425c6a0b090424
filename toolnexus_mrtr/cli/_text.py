"""Shows a server's text on a terminal so that it cannot be mistaken for a line of the command itself."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Final
from unicodedata import east_asian_width

from toolnexus_mrtr import CreateMessageRequest, ElicitRequest, InputRequest, ListRootsRequest, printable
from toolnexus_mrtr.cli._terminal import find_columns

#: Whether a name can be shown without quotes.
_is_plain: Final = re.compile(r"[\w.-]+").fullmatch

# Text of a server is printed in one of these ways, all of them safe on a terminal:
#   quote_lines    a text of several lines, each with a prefix
#   to_json_text   a value
#   quote          a name in output: whole, as a JSON string
#   quote_short    a name in an error message: the same, truncated
#   list_names     names in an error message: the first of them, like that
#   format_field   a field in an error message as KEY.FIELD: without quotes where it is short and plain

#: How many characters of a name an error message shows, and how many of several names.
_MAX_NAME: Final = 64
_MAX_NAMES: Final = 10


def fold(text: str, first: str, rest: str) -> Iterator[str]:
    """Split a text into lines that fit the terminal: the first is prefixed with `first`, the others with `rest`.

    If the terminal wrapped a long line itself, a server's text would start the next line. Where there is no terminal,
    nothing is split.
    """
    columns = find_columns()
    if columns is None:
        yield first + printable(text)
        return
    # One column is left for the space at which a line is split.
    width = columns - max(len(first), len(rest)) - 1
    if _has_wide_characters(text):
        width //= 2
    parts = re.findall(f".{{1,{width}}}(?: |$)|.{{1,{width}}}", printable(text))
    for index, part in enumerate(parts or [""]):
        yield (rest if index else first) + part


def _has_wide_characters(text: str) -> bool:
    return not text.isascii() and any(east_asian_width(character) in "WF" for character in text)


def quote_lines(text: str, prefix: str = "  | ") -> Iterator[str]:
    """Give a server's text with every line prefixed, those that had to be folded included."""
    for line in text.replace("\r\n", "\n").split("\n"):
        yield from fold(line, prefix, prefix)


def to_json_text(value: Any) -> str:
    """Give a value as JSON that is safe to print."""
    return printable(json.dumps(value, ensure_ascii=False))


def truncate(text: str, length: int) -> str:
    """Give the first `length` characters of a text, with three dots behind them where it is longer."""
    return text if len(text) <= length else text[:length] + "..."


def quote(name: str) -> str:
    """Give a name in quotes and escaped, so that an empty one is visible and none runs into the text around it."""
    return to_json_text(name)


def quote_short(name: str) -> str:
    """Give a name in quotes for an error message: escaped and truncated."""
    return quote(truncate(name, _MAX_NAME))


def list_names(names: Collection[str]) -> str:
    """List names for an error message: the first few, and how many there are beside them."""
    shown = [quote_short(name) for name in islice(names, _MAX_NAMES)]
    more = [f"and {len(names) - _MAX_NAMES} more"] if len(names) > _MAX_NAMES else []
    return ", ".join(shown + more) or "there is none"


def format_field(key: str, field: str) -> str:
    """Give a field as `--accept` writes it, KEY.FIELD, in quotes unless it is short and plain."""
    name = f"{key}.{field}"
    return name if _is_plain(name) and len(name) <= _MAX_NAME else quote_short(name)


def name_argument(option: str, place: int, arguments: Sequence[str]) -> str:
    """Name one of the arguments of an option in an error message: by its number where there are several."""
    return option if len(arguments) == 1 else f"{option}, number {place + 1}"


def describe_request(request: InputRequest) -> str:
    """Say what kind of thing a request asks for."""
    if isinstance(request, ElicitRequest):
        return "a visit to a url" if request.mode == "url" else "a form"
    if isinstance(request, CreateMessageRequest):
        return "a message of a language model"
    if isinstance(request, ListRootsRequest):
        return "the roots of the client"
    return f"something unknown, of the method {quote_short(request.method)}"


def split_pointer(at: str) -> list[str]:
    """Split a JSON Pointer (RFC 6901) into the names and places that it is made of."""
    return [token.replace("~1", "/").replace("~0", "~") for token in at.split("/")[1:]]
