"""How foreign text and JSON types are shown and named, and text that cannot be sent. Imports nothing of the library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

#: How many characters of foreign text, quotes included, one message may show.
_SHOWN: Final = 64

#: Variation selectors, and the blocks of characters that can take one: those of emoji, symbols, ideographs, and of the
#: scripts whose letters have standardized variants.
_SELECTORS: Final = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAKES_SELECTOR: Final = (
    "#*0-9\xa9\xae\u1000-\u109f\u203c\u2049\u2100-\u27ff\u2900-\u2bff\u3001-\u303f\u3200-\u9fff\ua840-\ua87f\ua9e0-\ua9ff"
    "\uaa60-\uaa7f\uf900-\ufaff\uff01-\uff60\U00010ac0-\U00010aff\U00013000-\U0001345f\U0001f000-\U0001faff"
    "\U00020000-\U0003ffff"
)

#: What `printable` replaces. A list of our own: what `unicodedata` says depends on the release of Python.
_INVISIBLE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    f"|(?<![{_TAKES_SELECTOR}])[\ufe00-\ufe0f]|[\ufe00-\ufe0f](?=[{_SELECTORS}])"
)

#: The two halves of a surrogate pair, side by side.
_split_pair: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]").search


def quoted(text: str) -> str:
    """Show foreign text inside a message: ASCII, in quotes, cut short."""
    shown = ascii(text[:_SHOWN])
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 4]}...{shown[0]}"


def printable(text: str) -> str:
    r"""Make what a terminal would obey or hide visible: each such character becomes its Python escape.

    These become `\n`, `\r`, `\t`, `\xNN`, `\uNNNN` or `\UNNNNNNNN`; everything else stays as it is:

    - control characters: U+0000 to U+001F, U+007F to U+009F;
    - separators of lines: U+2028, U+2029;
    - bidi controls: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069;
    - whatever else Unicode has as default ignorable, joiners included: U+00AD, U+034F, U+115F, U+1160, U+17B4, U+17B5,
      U+180B to U+180F, U+200B to U+200D, U+2060 to U+206F, U+3164, U+FEFF, U+FFA0, U+FFF0 to U+FFF8, U+1BCA0 to
      U+1BCA3, U+1D173 to U+1D17A, U+E0000 to U+E0FFF;
    - variation selectors U+FE00 to U+FE0F, but one stays that stands alone behind a character that can take it: `#`,
      `*`, a digit, an emoji, a symbol, an ideograph, or one of the scripts that have such variants;
    - interlinear annotations, U+FFF9 to U+FFFB, and lone surrogates.

    Doing it twice changes nothing more. Whatever prints a server's text to a person passes it through here.

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


def member_type(holder: Mapping[str, object], name: str) -> str:
    """Name the JSON type of a member as `json_type` does, or say that it is absent."""
    return json_type(holder[name]) if name in holder else "nothing"


def another(found: str) -> str:
    """Say of a JSON type that it is a string, but not one of the few that were expected."""
    return "another string" if found == "a string" else found


def has_split_pair(text: str) -> bool:
    """Whether the two halves of a surrogate pair stand side by side: stored and read back, they are another text."""
    # Half a pair is never printable, and most text is; to ask that first costs less than a search.
    return not text.isascii() and not text.isprintable() and _split_pair(text) is not None


def describe_unsendable(value: object) -> str:
    """Name what keeps a value off the wire, for a message; never the value itself."""
    if isinstance(value, int):
        return "a number beyond 4,300 digits"
    if isinstance(value, float):
        return "a number that is not finite"
    if isinstance(value, str):
        return "a string with the two halves of a surrogate pair side by side"
    if isinstance(value, Mapping):
        return "an object with a name that no JSON text can hold"
    return json_type(value)
