"""The vocabulary of JSON Schema: what each keyword may hold, and which of them hold schemas. Touches only bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolnexus_mrtr._plain import LEAST, MOST

_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST < value < MOST


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def is_names(value: Any) -> bool:
    """Whether a value is a list of names, none of them twice."""
    return isinstance(value, list) and all(map(_is_text, value)) and len(set(value)) == len(value)


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return is_names(value) and bool(value) and _TYPES.issuperset(value)


_TEXT: Final = ("a string", _is_text)
_NUMBER: Final = ("a number", _is_number)
_COUNT: Final = ("a whole number, zero or more", _is_count)
_FLAG: Final = ("a boolean", lambda value: isinstance(value, bool))
_LIST: Final = ("schemas", lambda value: isinstance(value, list) and bool(value))
_MAP: Final = ("schemas by name", lambda value: isinstance(value, dict))

#: Where schemas stand in a schema.
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_A_SCHEMA: Final = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems"
    " unevaluatedProperties".split()
)
LISTS_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAPS_OF_SCHEMAS: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

#: The keywords in which a walk finds more to weigh.
HOLDERS: Final = _REFERENCES | _A_SCHEMA | LISTS_OF_SCHEMAS | MAPS_OF_SCHEMAS | {"enum"}

#: What JSON Schema asks of its keywords; whatever is not listed is none, and never looked at.
SHAPES: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "$comment"), _TEXT),
    **dict.fromkeys(("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"), _TEXT),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _FLAG),
    **dict.fromkeys(_A_SCHEMA, ("a schema", lambda value: isinstance(value, dict | bool | list))),
    **dict.fromkeys(LISTS_OF_SCHEMAS, _LIST),
    **dict.fromkeys(MAPS_OF_SCHEMAS, _MAP),
    **dict.fromkeys(("enum", "examples"), ("an array", lambda value: isinstance(value, list))),
    "multipleOf": ("a number above zero", lambda value: _is_number(value) and value > 0),
    "required": ("names, none twice", is_names),
    "type": ("a type of JSON", _is_type),
    "dependentRequired": (
        "names by name",
        lambda value: isinstance(value, dict) and all(map(is_names, value.values())),
    ),
}
