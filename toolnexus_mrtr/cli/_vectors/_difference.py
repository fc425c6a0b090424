"""In what two JSON values differ: place by place, so that a person sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._text import cut

#: What stands where a member or an item is absent.
_ABSENT: Final = object()

#: How many differences are told, how much of a value is shown, and how much of it is kept.
_TOLD: Final = 20
_SHOWN: Final = 200
_KEPT: Final = 2_000


class Difference(NamedTuple):
    """One place, a JSON Pointer, and what stands there in either value."""

    at: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        if same(self.expected, self.found):
            return "expected the members in another order"
        return f"expected {_shown(self.expected)}, found {_shown(self.found)}"

    def members(self) -> dict[str, Any]:
        """Give it as JSON, what is absent left out."""
        members = {"at": self.at, "expected": self.expected, "found": self.found}
        return {name: value for name, value in members.items() if value is not _ABSENT}


def differences(expected: Any, found: Any, *, is_ordered: bool = False) -> Iterator[Difference]:
    """Tell the first places where two values are not the same; the order of members counts where it `is_ordered`."""
    told = 0
    todo = [("", expected, found)]
    while todo and told < _TOLD:
        at, left, right = todo.pop()
        if same(left, right, is_ordered=is_ordered):
            continue
        parts = _parts(at, left, right)
        inner = [part for part in parts if not same(*part[1:], is_ordered=is_ordered)]
        if inner:
            todo += reversed(inner)
        else:
            told += 1
            yield Difference(at, _kept(left), _kept(right))


def same(left: Any, right: Any, *, is_ordered: bool = False) -> bool:
    """Whether two values are the same JSON, in which 1, 1.0 and true differ; members in order where it `is_ordered`."""
    return as_text(left, is_ordered=is_ordered) == as_text(right, is_ordered=is_ordered)


def as_text(value: object, *, is_ordered: bool = False) -> str:
    """JSON text, in which 1, 1.0 and true differ; the order of members counts where it `is_ordered`."""
    return json.dumps(value, sort_keys=not is_ordered) if value is not _ABSENT else ""


def _kept(value: Any) -> Any:
    """A value, or the beginning of its text where it is long."""
    text = as_text(value)
    return value if len(text) <= _KEPT else cut(text, _KEPT)


def _parts(at: str, left: Any, right: Any) -> list[tuple[str, Any, Any]]:
    """What stands side by side in two boxes of the same kind; of anything else nothing does."""
    if isinstance(left, list) and isinstance(right, list):
        left, right = dict(enumerate(left)), dict(enumerate(right))
    if not isinstance(left, dict) or not isinstance(right, dict):
        return []
    names = dict.fromkeys([*left, *right])
    return [(f"{at}/{_token(name)}", left.get(name, _ABSENT), right.get(name, _ABSENT)) for name in names]


def _token(name: str | int) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")


def _shown(value: Any) -> str:
    return "nothing" if value is _ABSENT else cut(json.dumps(value), _SHOWN)
