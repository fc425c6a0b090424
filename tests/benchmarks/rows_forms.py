"""Forms: read and checked once, as a host does it, beside jsonschema alone on the same schema and content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
from harness import Row, calling, faster, within
from jsonschema import Draft202012Validator
from referencing import Registry

from toolnexus_mrtr import Form

WORK = "Form.of and check"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 80},
        "mail": {"type": "string", "format": "email"},
        "age": {"type": "integer", "minimum": 18, "maximum": 120},
        "weight": {"type": "number", "minimum": 0},
        "insured": {"type": "boolean", "default": False},
        "colour": {"type": "string", "enum": ["red", "green", "blue"]},
        "size": {
            "type": "string",
            "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
        },
        "days": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue", "wed"]}, "minItems": 1},
    },
    "required": ["name", "mail", "age"],
}
CONTENT: dict[str, Any] = {
    "name": "Ada Lovelace",
    "mail": "ada@example.com",
    "age": 36,
    "weight": 0.5,
    "insured": True,
    "colour": "red",
    "size": "s",
    "days": ["mon", "tue"],
}


def rows() -> Iterator[Row]:
    assert checked() == ()
    assert validated()
    ours = calling(checked)
    yield Row(WORK, "8 fields", "a bare validator", ours, calling(validated), within(1.5))
    yield Row(WORK, "8 fields", "jsonschema.validate", ours, calling(jsonschema.validate, CONTENT, SCHEMA), faster(20))


def checked() -> tuple[object, ...]:
    return Form.of(SCHEMA).check(CONTENT)


def validated() -> bool:
    return Draft202012Validator(SCHEMA, registry=Registry()).is_valid(CONTENT)
