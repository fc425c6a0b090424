"""Finds the places where two JSON values differ, and what each of them has there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._json import is_same_json
from toolnexus_mrtr.cli._text import truncate

#: Stands for a member or an item that one of the two values does not have.
_ABSENT: Final = object()

#: How many differences are reported, and how many characters of each value.
_MAX_DIFFERENCES: Final = 20
_MAX_CHARACTERS: Final = 500


class Difference(NamedTuple):
    """One place where two values differ, as a JSON Pointer, and what each of them has there."""

    at: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        if _ABSENT not in self and is_same_json(self.expected, self.found):
            return "expected the members in another order"
        expected, found = (
            "nothing" if value is _ABSENT else truncate(json.dumps(value), _MAX_CHARACTERS) for value in self[1:]
        )
        return f"expected {expected}, found {found}"

    def to_json(self) -> dict[str, Any]:
        """Give the difference as JSON; an absent value is left out, a long one is replaced by how its text begins."""
        members = {"at": self.at, "expected": self.expected, "found": self.found}
        return {name: _shorten(value) for name, value in members.items() if value is not _ABSENT}


def find_differences(expected: Any, found: Any, *, is_ordered: bool = False) -> Iterator[Difference]:
    """Find the first places where two values differ; the order of members counts only where it `is_ordered`."""

    def differ(left: Any, right: Any) -> bool:
        return left is _ABSENT or right is _ABSENT or not is_same_json(left, right, is_ordered=is_ordered)

    def compare(at: str, left: Any, right: Any) -> Iterator[Difference]:
        inner = [part for part in _pair_members(at, left, right) if differ(*part[1:])]
        if not inner:
            yield Difference(at, left, right)
        for part in inner:
            yield from compare(*part)

    if differ(expected, found):
        yield from islice(compare("", expected, found), _MAX_DIFFERENCES)


def _pair_members(at: str, left: Any, right: Any) -> list[tuple[str, Any, Any]]:
    """Pair the members of two objects, or the items of two arrays, with their places; anything else has none."""
    if isinstance(left, list) and isinstance(right, list):
        left, right = dict(enumerate(left)), dict(enumerate(right))
    if not isinstance(left, dict) or not isinstance(right, dict):
        return []
    names = dict.fromkeys([*left, *right])
    return [(f"{at}/{_escape(name)}", left.get(name, _ABSENT), right.get(name, _ABSENT)) for name in names]


def _escape(name: str | int) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def _shorten(value: Any) -> Any:
    text = json.dumps(value)
    return value if len(text) <= _MAX_CHARACTERS else truncate(text, _MAX_CHARACTERS)
