"""Deep copies of JSON values as plain Python objects, bounded and checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET

from toolnexus_mrtr._errors import (
    LazyPointer,
    LocalProtocolError,
    MrtrError,
    RemoteProtocolError,
    pointer,
    pointer_of,
    require_type,
)
from toolnexus_mrtr._text import describe_unsendable, has_split_pair

#: How deep objects and arrays may be nested, the outermost one counted, unless `Limits` says otherwise.
DEPTH: Final = 64

#: Every number between these two can be written: Python, and many a JSON parser, stops at 4,300 digits. Comparing with
#: them refuses NaN and the infinities too.
MOST: Final = 10**4300
LEAST: Final = -MOST

#: Deeper than any parser goes: a value that is deeper contains itself.
ENDLESS: Final = 100_000

_UNCHANGED: Final = frozenset({str, bool, type(None)})
_KEYS: Final = frozenset({str})

#: What stands in every number that Python and ECMAScript write differently: 1.0, 1e-07, 1e+300.
_WRITTEN_DIFFERENTLY: Final = (".0", "e-", "e+")

_encode_sorted: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def copy_json(value: Any, at: str = "", *, depth: int = DEPTH, remote: bool = False, keep: bool = False) -> Any:
    """Copy a JSON value deeply into plain dict, list, str, int, float, bool and None.

    Any `Mapping`, any `tuple`, any subclass of `str`, `int` or `float` becomes the plain type. What JSON cannot carry
    (another type, a key that is no string, NaN, an infinity, a number beyond 4,300 digits) or what is nested deeper
    than `depth` is a `LocalProtocolError` `wrong_value`; where the server sent it, a `RemoteProtocolError` `wrong_type`
    or `too_large`. So are the two halves of a surrogate pair side by side, which no valid JSON text holds, and which
    would be read back as one character. With `keep` only depth is refused, and what JSON cannot carry is kept as it is.
    No nesting exhausts the stack.
    """
    copy = _copy_by_text(value, depth)
    return _copy_step_by_step(value, at, depth=depth, remote=remote, keep=keep) if copy is UNSET else copy


def copy_checked(value: Any) -> Any:
    """Copy deeply what `copy_json` has given, without a second check."""
    try:
        return msgspec.to_builtins(value)
    except RecursionError:
        return _copy_step_by_step(value, "", depth=ENDLESS, remote=False, keep=True)


def _copy_by_text(value: Any, depth: int) -> Any:
    """Write a value and read it back, which is faster than a walk; `UNSET` where that would change it.

    NaN, bytes, tuples, keys that are numbers and the like come back changed, so that the copy is not equal.
    """
    try:
        text = msgspec.json.encode(value)
        copy = msgspec.json.decode(text)
        if copy == value and (text.count(b"{") + text.count(b"[") <= depth or not is_deeper(copy, depth)):
            return copy
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        pass
    return UNSET


def is_deeper(value: Any, depth: int) -> bool:
    """Whether objects and arrays are nested more than `depth` levels, the outermost one counted."""
    boxes = [value]
    for _ in range(depth + 1):
        boxes = [box for box in boxes if type(box) is dict or type(box) is list]
        if not boxes:
            return False
        boxes = [item for box in boxes for item in (box.values() if type(box) is dict else box)]
    return True


def _copy_step_by_step(value: Any, at: str, *, depth: int, remote: bool, keep: bool) -> Any:
    root = [value]
    todo: list[tuple[Any, LazyPointer | None, int]] = [(root, None, 0)]
    while todo:
        box, parent, level = todo.pop()
        for key, item in box.items() if type(box) is dict else enumerate(box):
            if type(item) in _UNCHANGED and (keep or type(item) is not str or not has_split_pair(item)):
                continue
            copy = to_plain(item)
            place = at if parent is None else (parent, key)
            if copy is UNSET and keep:
                copy = dict(item) if isinstance(item, Mapping) else item
            if type(copy) is dict or type(copy) is list:
                if level == depth:
                    raise _fault("too_large", f"at most {depth} levels of nesting", place, remote=remote)
                todo.append((copy, place, level + 1))
            elif copy is UNSET:
                raise _fault("wrong_type", f"a JSON value, found {describe_unsendable(item)}", place, remote=remote)
            box[key] = copy
    return root[0]


def plain_text(name: str, text: Any, *place: str | int) -> str:
    """Make an argument that has to be a `str` plain; `place` is where the error for a split surrogate pair points."""
    require_type(name, text, str, "a str")
    if has_split_pair(text):
        raise LocalProtocolError(
            "wrong_value", f"expected a string, found {describe_unsendable(text)}", pointer(*place)
        )
    return str.__str__(text)


def canonical_text(value: Any) -> str:
    r"""Write a plain JSON value as the one text that it has in every language.

    No blanks; members sorted by the code points of their names; in strings, all but U+0020 to U+007E escaped, in lower
    case and as short as JSON has it; a whole number of any type in its digits, any other number as ECMAScript writes
    it. Raises `LocalProtocolError` `wrong_value` where too little of Python's recursion limit is left.
    """
    try:
        text = _encode_sorted(value)
        return _canonical_text(value) if any(mark in text for mark in _WRITTEN_DIFFERENTLY) else text
    except RecursionError:
        pass
    raise LocalProtocolError("wrong_value", "expected fewer nested calls: no recursion depth is left to write JSON")


def _canonical_text(value: Any) -> str:
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}:{_canonical_text(item)}" for name, item in sorted(value.items()))
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_canonical_text, value))}]"
    return _ecmascript_number(value) if isinstance(value, float) else json.dumps(value)


def _ecmascript_number(number: float) -> str:
    """Write a number as ECMAScript does (Number::toString), but whole ones always in their digits."""
    if number.is_integer():
        return str(int(number))
    mantissa, _, exponent = repr(number).partition("e")
    if not exponent:
        return mantissa
    # The exponent is negative: beyond 2**53 every float is whole.
    places = -int(exponent)
    if places > 6:
        return f"{mantissa}e-{places}"
    sign, digits = ("-", mantissa[1:]) if number < 0 else ("", mantissa)
    return f"{sign}0.{'0' * (places - 1)}{digits.replace('.', '')}"


def to_plain(value: Any) -> Any:
    """Make one value plain, the items of a container untouched; `UNSET` for what JSON cannot carry."""
    if type(value) is list or (type(value) is dict and _KEYS.issuperset(map(type, value)) and not _is_split(value)):
        return value.copy()
    if isinstance(value, str):
        return UNSET if has_split_pair(value) else str.__str__(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int.__int__(value) if LEAST < value < MOST else UNSET
    if isinstance(value, float):
        return float.__float__(value) if LEAST < value < MOST else UNSET
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value) and not _is_split(value):
        return {str.__str__(key): item for key, item in value.items()}
    return UNSET


def _is_split(names: Iterable[str]) -> bool:
    return any(map(has_split_pair, names))


def _fault(remote_code: str, expected: str, place: LazyPointer, *, remote: bool) -> MrtrError:
    if remote:
        return RemoteProtocolError(remote_code, f"expected {expected}", pointer_of(place))
    return LocalProtocolError("wrong_value", f"expected {expected}", pointer_of(place))
