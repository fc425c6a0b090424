"""The keywords of JSON Schema: what their values must be, and what they say in one subschema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import Any, Final, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._forms._formats import FORMATS
from toolnexus_mrtr._json import LEAST, MOST

_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST < value < MOST


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def is_list_of_names(value: Any) -> bool:
    """Whether a value is a list of strings, each of them once."""
    return isinstance(value, list) and all(map(_is_string, value)) and len(set(value)) == len(value)


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return is_list_of_names(value) and bool(value) and _TYPES.issuperset(value)


_STRING: Final = ("a string", _is_string)
_NUMBER: Final = ("a number", _is_number)
_COUNT: Final = ("a whole number, zero or more", _is_count)
_BOOLEAN: Final = ("a boolean", lambda value: isinstance(value, bool))
_SCHEMA: Final = ("a schema", lambda value: isinstance(value, dict | bool | list))
_SCHEMAS: Final = ("schemas", lambda value: isinstance(value, list) and bool(value))
_SCHEMAS_BY_NAME: Final = ("schemas by name", lambda value: isinstance(value, dict))

#: The keywords that refer to a schema elsewhere, and those that hold one, a list of them, or a map of them.
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})
_ONE_SCHEMA: Final = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems"
    " unevaluatedProperties".split()
)
LISTS_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
MAPS_OF_SCHEMAS: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

#: The keywords whose values count towards the size of a schema.
COUNTED: Final = _REFERENCES | _ONE_SCHEMA | LISTS_OF_SCHEMAS | MAPS_OF_SCHEMAS | {"enum"}

#: What JSON Schema expects the value of each keyword to be, in words and as a check. Any other member is ignored.
EXPECTED_VALUES: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor", "$comment"), _STRING),
    **dict.fromkeys(("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"), _STRING),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _BOOLEAN),
    **dict.fromkeys(_ONE_SCHEMA, _SCHEMA),
    **dict.fromkeys(LISTS_OF_SCHEMAS, _SCHEMAS),
    **dict.fromkeys(MAPS_OF_SCHEMAS, _SCHEMAS_BY_NAME),
    **dict.fromkeys(("enum", "examples"), ("an array", lambda value: isinstance(value, list))),
    "multipleOf": ("a number above zero", lambda value: _is_number(value) and value > 0),
    "required": ("names, none twice", is_list_of_names),
    "type": ("a type of JSON", _is_type),
    "dependentRequired": (
        "names by name",
        lambda value: isinstance(value, dict) and all(map(is_list_of_names, value.values())),
    ),
}

#: How many alternatives an `anyOf` may have that is checked: each costs a pass over the value.
MAX_ALTERNATIVES: Final = 8

#: Keywords that jsonschema checks as they stand, each in one pass over the value.
SIMPLE: Final = frozenset(
    "type minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems".split()
)

#: Keywords that constrain a value in another way: enforced by code of their own, or reported as unenforced.
COMPLEX: Final = frozenset(
    "additionalItems additionalProperties anyOf const contains dependencies dependentRequired dependentSchemas enum if"
    " items maxProperties minProperties multipleOf not oneOf pattern patternProperties prefixItems properties"
    " propertyNames required unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef".split()
)

#: A schema without any of these is simple: `select_simple` has all that it demands of a value.
NOT_SIMPLE: Final = COMPLEX | {"$ref", "allOf"}

_NOT_IN_A_CHOICE: Final = (NOT_SIMPLE | SIMPLE) - {"const", "type"}

COMPOSITIONS: Final = ("anyOf", "oneOf")
NUMBERS: Final = frozenset({"number", "integer"})
SCALARS: Final = NUMBERS | {"string", "boolean"}
ANY_TYPE: Final = SCALARS | {"array", "object", "null"}

#: The types that a value of `type` allows: every integer is a number.
_ALLOWED_TYPES: Final = {name: NUMBERS if name == "number" else frozenset({name}) for name in ANY_TYPE}

#: The same for values that JSON Schema takes for equal: for 1 and 1.0, but not for 1 and true.
EqualityKey: TypeAlias = tuple[bool, Any]


class Choice(Struct, frozen=True):
    """One value that may be chosen: `value` is what is sent, `label` what a person reads."""

    value: str | int | float | bool
    label: str


Choices: TypeAlias = dict[EqualityKey, Choice]


def equality_key(value: Any) -> EqualityKey:
    """Make the key under which a value is equal to others as JSON Schema sees it."""
    return isinstance(value, bool), value


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    """Return the types that a subschema allows."""
    if "type" in schema:
        names = schema["type"]
        if isinstance(names, str):
            return _ALLOWED_TYPES[names]
        return frozenset().union(*map(_ALLOWED_TYPES.__getitem__, names))
    alternatives = alternatives_of(schema)
    return frozenset().union(*map(types_of, alternatives)) if alternatives else ANY_TYPE


def has_type(value: str | float, types: frozenset[str]) -> bool:
    """Whether a value is of one of the types."""
    if isinstance(value, str):
        return "string" in types
    if isinstance(value, bool):
        return "boolean" in types
    return "number" in types or ("integer" in types and value == int(value))


def select_simple(schema: dict[str, Any]) -> dict[str, Any]:
    """Select the keywords of a subschema that jsonschema checks; `format` is one where the format is known."""
    selected = {keyword: value for keyword, value in schema.items() if keyword in SIMPLE}
    if "format" in schema and schema["format"] in FORMATS:
        selected["format"] = schema["format"]
    return selected


def members_of(schema: dict[str, Any], keyword: str) -> dict[int, Any]:
    """Return the members of a composition by their place, without those for null: no answer is null."""
    if keyword not in COMPOSITIONS:
        return {}
    return {place: member for place, member in enumerate(schema.get(keyword, ())) if not _is_null(member)}


def alternatives_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alternatives of an `anyOf`; none if one of them is not simple, or if there are too many."""
    if "anyOf" not in schema:
        return []
    members = members_of(schema, "anyOf").values()
    if not 1 < len(members) <= MAX_ALTERNATIVES:
        return []
    if all(isinstance(member, dict) and NOT_SIMPLE.isdisjoint(member) for member in members):
        return [select_simple(member) for member in members]
    return []


def select_with_alternatives(schema: dict[str, Any], alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    """Select the keywords of a subschema that jsonschema checks, its `anyOf` among them.

    Keywords are checked in the order in which they stand here, and none after a `type` that does not hold. So `type`
    is put first, made of the alternatives where the schema has none: a value of a wrong type is called that, not one
    that fits no alternative.
    """
    types = types_of(schema)
    names = sorted(types - {"integer"} if "number" in types else types)
    return {"type": names, **select_simple(schema), "anyOf": alternatives}


def choices_of(schema: dict[str, Any]) -> Iterator[tuple[str, Choices]]:
    """Yield the choices that a subschema offers, by keyword; values that cannot be sent are not among them."""
    if "const" in schema and not isinstance(schema["const"], list):
        yield "const", _label([(schema["const"], None)])
    if "enum" in schema and not any(isinstance(value, list) for value in schema["enum"]):
        # `enumNames` may be short, or anything at all: it is no keyword of JSON Schema.
        names = schema.get("enumNames")
        labels = chain(names if isinstance(names, list) else (), repeat(None))
        yield "enum", _label(zip(schema["enum"], labels, strict=False))
    for keyword in COMPOSITIONS:
        if keyword not in schema:
            continue
        members = members_of(schema, keyword).values()
        if all(map(is_choice, members)):
            titled = [
                (m["const"], m.get("title")) for m in members if "type" not in m or has_type(m["const"], types_of(m))
            ]
            choices = _label(titled)
            if keyword == "oneOf" and len(choices) < len(titled):
                # A value that satisfies two members of `oneOf` does not satisfy it.
                counts = Counter(equality_key(value) for value, _ in titled)
                choices = {key: choice for key, choice in choices.items() if counts[key] == 1}
            yield keyword, choices


def is_choice(member: Any) -> bool:
    """Whether a member of a composition stands for one value, with perhaps a title."""
    if not isinstance(member, dict) or not isinstance(member.get("const"), str | int | float):
        return False
    return _NOT_IN_A_CHOICE.isdisjoint(member)


def intersect(choices: Choices | None, others: Choices | None) -> Choices | None:
    """Return the choices that are in both, labelled as in the first; `None` stands for any value at all."""
    if choices is None or others is None:
        return others if choices is None else choices
    return {key: choice for key, choice in choices.items() if key in others}


def _label(pairs: Iterable[tuple[Any, Any]]) -> Choices:
    """Make choices of values and their labels; of equal values the first counts."""
    choices: Choices = {}
    for value, label in pairs:
        if isinstance(value, str | int | float):
            text = value if isinstance(value, str) else json.dumps(value)
            choices.setdefault(equality_key(value), Choice(value, label if isinstance(label, str) else text))
    return choices


def _is_null(member: Any) -> bool:
    if not isinstance(member, dict):
        return False
    return member.get("type") in ("null", ["null"]) or member.get("const", 0) is None or member.get("enum") == [None]
