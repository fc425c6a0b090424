"""How the command line shows foreign text: nothing that a server writes can pass for a line of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from unicodedata import east_asian_width

from toolnexus_mrtr import CreateMessageRequest, ElicitRequest, InputRequest, ListRootsRequest, printable

#: Folded at a space where there is one. A terminal that folds by itself would start a line with the server's text.
_fold: Final = re.compile(r".{1,75}(?: |$)|.{1,75}").findall
_fold_wide: Final = re.compile(r".{1,37}(?: |$)|.{1,37}").findall

#: What stands in no need of quotes.
_is_word: Final = re.compile(r"[\w.-]+").fullmatch

#: How much of a name one sentence of an error shows.
_SHOWN: Final = 64


def folded(text: str, lead: str, more: str) -> Iterator[str]:
    """Give the lines of one text: the first behind `lead`, those that do not fit into it behind `more`."""
    fold = _fold_wide if _has_wide(text) else _fold
    for place, part in enumerate(fold(printable(text)) or [""]):
        yield (more if place else lead) + part


def _has_wide(text: str) -> bool:
    """Whether a terminal gives some character of a text two columns."""
    return not text.isascii() and any(east_asian_width(character) in "WF" for character in text)


def said(text: str, bar: str = "  | ") -> Iterator[str]:
    """Give what a server says to a person, every line of it behind a bar."""
    for line in text.replace("\r\n", "\n").split("\n"):
        yield from folded(line, bar, bar)


def written(value: Any) -> str:
    """Give a value as JSON."""
    return printable(json.dumps(value, ensure_ascii=False))


def cut(text: str, most: int) -> str:
    """Give the beginning of a text that is long."""
    return text if len(text) <= most else text[:most] + "..."


def named(name: str) -> str:
    """Give a name in quotes, so that an empty one is seen and none can say more than its name."""
    return written(name)


def cited(name: str) -> str:
    """Give a name in quotes for the sentence of an error, cut short."""
    return named(cut(name, _SHOWN))


def addressed(key: str, field: str) -> str:
    """Give a field as `--accept` names it, in quotes where it may say more than its name."""
    name = f"{key}.{field}"
    return name if _is_word(name) and len(name) <= _SHOWN else cited(name)


def asked(request: InputRequest) -> str:
    """Say what kind of thing a request asks for."""
    if isinstance(request, ElicitRequest):
        return "a visit to a url" if request.mode == "url" else "a form"
    if isinstance(request, CreateMessageRequest):
        return "a message of a language model"
    if isinstance(request, ListRootsRequest):
        return "the roots of the client"
    return f"something unknown, of the method {cited(request.method)}"
