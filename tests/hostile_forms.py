"""Forms that a server could send to cost its client time or memory; each is made in any size."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The size of the largest form that is made, in bytes of JSON text.
LARGEST = 65_536

#: The sizes that each form is made in; the first is a tenth of the second.
SMALL, LARGE = 1, 10


@dataclass(frozen=True)
class Hostile:
    """A schema, and an answer to it, as values and as a person types them."""

    schema: dict[str, Any]
    content: dict[str, Any]
    strings: dict[str, str | list[str]]


def _form(properties: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties} | members


def _one(schema: Any, value: Any = "x", **members: Any) -> Hostile:
    typed = [str(item) for item in value] if isinstance(value, list) else str(value)
    return Hostile(_form({"a": schema}, **members), {"a": value}, {"a": typed})


def _nested(levels: int, wrap: Callable[[Any], Any], core: Any) -> Any:
    for _ in range(levels):
        core = wrap(core)
    return core


def _chain(levels: int, keyword: str) -> dict[str, Any]:
    """2^levels subschemas, once every reference is followed."""
    chain = {f"d{i + 1}": {keyword: [{"$ref": f"#/$defs/d{i}"}, {"$ref": f"#/$defs/d{i}"}]} for i in range(levels)}
    return {"d0": {"type": "string"}, **chain}


def _cycle(size: int) -> Hostile:
    defs = {f"c{i}": {"$ref": f"#/$defs/c{(i + 1) % size}"} for i in range(size)}
    return _one({"$ref": "#/$defs/c0"}, **{"$defs": defs})


def _same_def(count: int, schema: dict[str, Any], value: Any) -> Hostile:
    names = [f"f{i}" for i in range(count)]
    form = _form({name: {"$ref": "#/$defs/d"} for name in names}, **{"$defs": {"d": schema}})
    return Hostile(form, dict.fromkeys(names, value), dict.fromkeys(names, str(value)))


def _fields(count: int, schema: Any, value: Any = "x", **members: Any) -> Hostile:
    names = [f"f{i}" for i in range(count)]
    return Hostile(
        _form(dict.fromkeys(names, schema), **members), dict.fromkeys(names, value), dict.fromkeys(names, "x")
    )


def _titled(count: int) -> list[dict[str, str]]:
    return [{"const": f"v{i}", "title": f"Choice {i}"} for i in range(count)]


def _texts(count: int) -> list[str]:
    return [f"v{i}" for i in range(count)]


#: Each function takes a size and makes a form that grows about in proportion.
HOSTILE: dict[str, Callable[[int], Hostile]] = {
    "nested anyOf of two": lambda n: _one(_nested(6 + n.bit_length(), lambda s: {"anyOf": [s, s]}, {"type": "string"})),
    "nested anyOf of one": lambda n: _one(_nested(10 * n, lambda s: {"anyOf": [s]}, {"type": "string"})),
    "nested oneOf of two": lambda n: _one(_nested(6 + n.bit_length(), lambda s: {"oneOf": [s, s]}, {"type": "string"})),
    "nested allOf": lambda n: _one(_nested(10 * n, lambda s: {"allOf": [s]}, {"type": "string"})),
    "nested items": lambda n: _one(_nested(80 * n, lambda s: {"items": s}, {}), []),
    "nested not": lambda n: _one(_nested(80 * n, lambda s: {"not": s}, {})),
    "nested default": lambda n: _one({"type": "string", "default": _nested(80 * n, lambda s: [s], 1)}),
    "chain of definitions under anyOf": lambda n: _one(
        {"$ref": f"#/$defs/d{6 * n}"}, **{"$defs": _chain(6 * n, "anyOf")}
    ),
    "chain of definitions under allOf": lambda n: _one(
        {"$ref": f"#/$defs/d{6 * n}"}, **{"$defs": _chain(6 * n, "allOf")}
    ),
    "chain of single references": lambda n: _one(
        {"$ref": "#/$defs/d0"},
        **{"$defs": {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(10 * n)} | {f"d{10 * n}": {}}},
    ),
    "reference to the root": lambda n: _fields(100 * n, {"$ref": "#"}),
    "root that is a reference to itself": lambda n: Hostile({"$ref": "#", "x": "x" * n}, {}, {}),
    "mutual references": lambda n: _cycle(5 * n),
    "titled options": lambda n: _one({"oneOf": _titled(100 * n)}, "v99"),
    "titled options beyond the bound": lambda n: _one({"oneOf": _titled(150 * n)}, "v99"),
    "many titled items picked": lambda n: _one(
        {"type": "array", "items": {"anyOf": _titled(100 * n)}}, _texts(100 * n)
    ),
    "titled options with a long default": lambda n: _one(
        {"oneOf": _titled(50), "default": "x" * 5_000 * n}, "y" * 5_000 * n
    ),
    "list with a long default": lambda n: _one(
        {"type": "array", "items": {"enum": _texts(100)}, "default": ["v99"] * 500 * n}, ["v98"] * 500 * n
    ),
    "enum": lambda n: _one({"enum": _texts(100 * n)}, "v99"),
    "enum beyond the bound": lambda n: _one({"enum": _texts(700 * n)}, "v99"),
    "enum of objects": lambda n: _one({"enum": [{"a": [i]} for i in range(100 * n)]}),
    "enum with names beyond it": lambda n: _one({"enum": ["a"], "enumNames": _texts(500 * n)}, "a"),
    "unique items": lambda n: _one(
        {"type": "array", "uniqueItems": True, "items": {"type": "string"}, "default": _texts(500 * n)}, _texts(900 * n)
    ),
    "equal items, to be unique": lambda n: _one({"type": "array", "uniqueItems": True}, ["x"] * 900 * n),
    "items of the wrong length": lambda n: _one({"type": "array", "items": {"minLength": 9}}, ["x"] * 900 * n),
    "fields": lambda n: _fields(300 * n, {}),
    "fields of text": lambda n: _fields(180 * n, {"type": "string"}),
    "fields beyond the bound": lambda n: _fields(520 * n, {}),
    "fields asking for secrets": lambda n: _fields(40 * n, {"title": "max token " * 10, "description": "no password"}),
    "long description": lambda n: _one({"description": "max password " * 450 * n}),
    "long names": lambda n: Hostile(_form({"x" * 5_000 * n: {"not": {}}}), {}, {"x" * 5_000 * n: "x"}),
    "a long name above many": lambda n: _one({"properties": {"x" * 1_000: {"anyOf": [{"not": {}}] * 90 * n}}}),
    "long references": lambda n: _fields(5, {"$ref": "#/" + "x/" * 500 * n}),
    "required and absent": lambda n: Hostile(_form({}, required=_texts(600 * n)), {}, {}),
    "required by every field": lambda n: _fields(150 * n, {}, required=[f"f{i}" for i in range(150 * n)]),
    "a definition with many required": lambda n: _same_def(40 * n, {"required": _texts(200 * n)}, "x"),
    "a definition with a wide enum": lambda n: _same_def(20 * n, {"enum": _texts(95)}, "v94"),
    "a definition with a wide oneOf": lambda n: _same_def(20 * n, {"oneOf": _titled(95)}, "v94"),
    "a definition with everything": lambda n: _same_def(
        50 * n, {"not": {}, "if": {}, "contains": {}, "propertyNames": {}, "dependentRequired": {"a": _texts(99)}}, "x"
    ),
    "a definition with a long default": lambda n: _same_def(40 * n, {"default": [""] * 900 * n}, "x"),
    "a definition with a long default of a format": lambda n: _same_def(
        40 * n, {"format": "date-time", "default": "2026-07-28T10:00:00." + "1" * 3_000 * n}, "x"
    ),
    "a definition with items to check": lambda n: _same_def(
        40 * n, {"items": {"minLength": 0, "maxLength": 9, "format": "uri"}, "default": ["a:"] * 500 * n}, "x"
    ),
    "a definition with many unknown keywords": lambda n: _same_def(100 * n, {f"{i}": 0 for i in range(300 * n)}, "x"),
    "a definition with a long title": lambda n: _same_def(100 * n, {"title": "max password " * 70}, "x"),
    "items of many layers": lambda n: _one(
        {"allOf": [{"items": {"minLength": 0, "maxLength": 9, "minimum": 1}}] * 7, "default": [""] * 900 * n},
        [""] * 900 * n,
    ),
    "required by additionalProperties of choices": lambda n: Hostile(
        _form({}, required=_texts(300 * n), additionalProperties={"enum": _texts(90 * n)}), {"v0": "v1"}, {}
    ),
    "required by additionalProperties with a title": lambda n: Hostile(
        _form({}, required=_texts(300 * n), additionalProperties={"title": "no pin " * 100 * n}), {"v0": "v1"}, {}
    ),
    "required by additionalProperties with a default": lambda n: Hostile(
        _form({}, required=_texts(150 * n), additionalProperties={"default": [""] * 900 * n}), {"v0": "v1"}, {}
    ),
    "required by additionalProperties of many": lambda n: Hostile(
        _form({}, required=_texts(500 * n), additionalProperties={"allOf": [{"minLength": 1}] * 7}), {"v0": "v1"}, {}
    ),
    "a fan of allOf": lambda n: _one({"allOf": [{"minLength": 2}] * 300 * n}),
    "a fan of allOf of nothing": lambda n: _one({"allOf": [True] * 90 * n}),
    "fans of allOf in a definition": lambda n: _same_def(30 * n, {"allOf": [{"minLength": 2}] * 8}, "x"),
    "a fan of anyOf": lambda n: _one({"anyOf": [{"minLength": 2}] * 90 * n}),
    "a fan of anyOf of formats": lambda n: _one({"anyOf": [{"format": "uri"}, {"format": "email"}]}, "x" * 6_000 * n),
    "patternProperties": lambda n: Hostile(
        _form({}, patternProperties={f"^(a+)+{i}$": {} for i in range(150 * n)}), {"a" * 60: "x"}, {}
    ),
    "a pattern": lambda n: _one({"type": "string", "pattern": "^(a+)+$"}, "a" * 100 * n + "!"),
    "an email of dots": lambda n: _one({"format": "email"}, "a." * 3_000 * n),
    "an email of hyphens": lambda n: _one({"format": "email"}, "a@" + "a-" * 3_000 * n + "!"),
    "an email of quotes": lambda n: _one({"format": "email"}, '"' + '\\"' * 3_000 * n),
    "a uri of colons": lambda n: _one({"format": "uri"}, "a://" + ":" * 6_000 * n + "^"),
    "a uri of escapes": lambda n: _one({"format": "uri"}, "a:" + "%4" * 3_000 * n),
    "a date of digits": lambda n: _one({"format": "date"}, "1" * 6_000 * n),
    "a time of digits": lambda n: _one({"format": "date-time"}, "2026-07-28T10:00:00." + "1" * 6_000 * n),
    "a number of digits": lambda n: _one({"type": "integer", "minimum": 10 ** (400 * n)}, 10 ** (400 * n) - 1),
    "a step of many digits": lambda n: _one({"type": "number", "multipleOf": 1e-300}, 10 ** (400 * n) - 1),
    "dependencies": lambda n: Hostile(
        _form({}, dependentRequired={f"f{i}": ["a"] for i in range(250 * n)}), {"f0": "x"}, {}
    ),
    "additional properties": lambda n: Hostile(
        _form({}, additionalProperties={"enum": _texts(90)}), dict.fromkeys(_texts(200 * n), "v1"), {}
    ),
    "unknown names": lambda n: Hostile(
        _form({}, additionalProperties=False), dict.fromkeys(_texts(500 * n), "x"), dict.fromkeys(_texts(500 * n), "x")
    ),
    "unknown keywords": lambda n: Hostile(_form({}) | {f"x-{i}": [i] for i in range(300 * n)}, {}, {}),
}


def bytes_of(schema: dict[str, Any]) -> int:
    """The length of a schema's JSON text, without spaces."""
    return len(json.dumps(schema, separators=(",", ":")))
