"""How foreign text is shown to people, and how JSON types are named in messages. Imports nothing of the library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

#: How many characters of foreign text, quotes included, one message may show.
_SHOWN: Final = 64

#: Controls, separators of lines, bidi controls, lone surrogates, and what is not seen: soft hyphen, zero-width space,
#: fillers, invisible operators, byte order mark, annotations, tags. Joiners and variation selectors stay; scripts need
#: them.
_INVISIBLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)


def quoted(text: str) -> str:
    """Show foreign text inside a message: ASCII, in quotes, cut short."""
    shown = ascii(text[:_SHOWN])
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 4] + "...'"


def printable(text: str) -> str:
    r"""Make what a terminal would obey or hide visible: control characters, bidi controls, line separators.

    Each becomes its Python escape (`\x1b`, `\u202e`, `\n`); everything else stays as it is. Doing it twice changes
    nothing more. Whatever prints a server's text to a person passes it through here.

    Raises `TypeError` when `text` is no `str`.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}")
    return _INVISIBLE.sub(lambda match: ascii(match[0])[1:-1], text)


def json_type(value: object) -> str:
    """Name the JSON type of a value, with its article, for a message; never the value itself."""
    # bool before int: Python makes the one a subclass of the other, JSON does not.
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, Mapping):
        return "an object"
    return "something that JSON does not have"
