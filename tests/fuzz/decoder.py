"""Any bytes as a JSON value: the text that they are or, where they are none, edits of a document that is known."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

#: What a change is made of: members and values that the library looks at, and what breaks codecs.
WORDS = [
    *"""
    resultType input_required complete inputRequests requestState method params message mode form url requestedSchema
    elicitation/create sampling/createMessage roots/list messages maxTokens tools _meta inputResponses action accept
    decline cancel content role roots type object properties required string number integer boolean array null enum
    enumNames const oneOf anyOf allOf not if then items prefixItems title description default format email uri date
    date-time minLength maxLength minimum maximum exclusiveMinimum multipleOf minItems maxItems uniqueItems pattern
    additionalProperties $ref $defs # #/$defs/x $schema $id $anchor https://a.example/x http://127.0.0.1/
    javascript:alert(1) https://a@b.example/ __proto__ ~ / a/b~c jsonrpc id result schema strings answers
    """.split(),
    *("", "\ud800", "\u202e", "\x1b[2J", "2026-07-28"),
]

NUMBERS = (0, 1, -1, 3, 1.0, 1.5, -0.0, 1e-300, 1e300, 2**53, 2**70, 10**40, float("nan"), float("inf"))

#: How deep a value goes that is made here.
DEEPEST = 5


def decoded(data: bytes, documents: Sequence[Any]) -> Any:
    """Give the JSON value that some bytes stand for; the same bytes always stand for the same one."""
    value = _text(data)
    if value is not None:
        return value
    source = iter(data)
    value = copy.deepcopy(documents[(_byte(source) << 8 | _byte(source)) % len(documents)])
    for _ in range(1 + _byte(source) % 4):
        value = _edited(value, source)
    return value


def _text(data: bytes) -> Any:
    try:
        value = json.loads(data)
        json.dumps(value)
    except (ValueError, RecursionError):
        return None
    return value


def _edited(document: Any, source: Iterator[int]) -> Any:
    places = list(_places(document))
    if not places:
        return _value(source)
    box, key = places[(_byte(source) << 8 | _byte(source)) % len(places)]
    change = _byte(source) % 5
    if change == 0:
        del box[key]
    elif change == 1 and isinstance(box, dict):
        box[_string(source)] = _value(source)
    elif change == 2 and isinstance(box, dict):
        box[_string(source)] = box.pop(key)
    elif change == 3:
        # Something of the document, where it was not meant to be.
        other, name = places[(_byte(source) << 8 | _byte(source)) % len(places)]
        box[key] = copy.deepcopy(other[name])
    else:
        box[key] = _value(source)
    return document


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from _places(item)


def _value(source: Iterator[int], depth: int = 0) -> Any:
    kind = _byte(source) % (8 if depth < DEEPEST else 6)
    if kind < 2:
        return (None, False, True)[_byte(source) % 3]
    if kind == 2:
        return NUMBERS[_byte(source) % len(NUMBERS)]
    if kind < 6:
        return _string(source)
    size = _byte(source) % 4
    if kind == 6:
        return [_value(source, depth + 1) for _ in range(size)]
    return {_string(source): _value(source, depth + 1) for _ in range(size)}


def _string(source: Iterator[int]) -> str:
    kind = _byte(source)
    if kind < 224:
        return WORDS[kind % len(WORDS)]
    return bytes(_byte(source) for _ in range(kind % 8)).decode("latin-1")


def _byte(source: Iterator[int]) -> int:
    return next(source, 0)
