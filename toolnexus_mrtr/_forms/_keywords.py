"""The keywords of JSON Schema: what their values must be, and what they say in one subschema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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

#: The keywords that refer to a schema elsewhere.
_REFERENCES: Final = frozenset({"$ref", "$dynamicRef", "$recursiveRef"})

#: The keywords that hold one schema.
_ONE_SCHEMA: Final = frozenset(
    "additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems"
    " unevaluatedProperties".split()
)

#: The keywords that hold a list of schemas.
LISTS_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})

#: The keywords that hold schemas by name.
MAPS_OF_SCHEMAS: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

#: The keywords whose values count towards the size of a schema.
COUNTED: Final = _REFERENCES | _ONE_SCHEMA | LISTS_OF_SCHEMAS | MAPS_OF_SCHEMAS | {"enum"}

#: What JSON Schema expects the value of each keyword to be, in words and as a check. Any other member is ignored; so is
#: an annotation (`title`, `description`, `examples`, ...) of a wrong type, which changes nothing of what is accepted.
EXPECTED_VALUES: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    **dict.fromkeys(("$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"), _STRING),
    **dict.fromkeys(("format", "pattern"), _STRING),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _COUNT),
    "uniqueItems": _BOOLEAN,
    **dict.fromkeys(_ONE_SCHEMA, _SCHEMA),
    **dict.fromkeys(LISTS_OF_SCHEMAS, _SCHEMAS),
    **dict.fromkeys(MAPS_OF_SCHEMAS, _SCHEMAS_BY_NAME),
    "enum": ("an array", lambda value: isinstance(value, list)),
    "multipleOf": ("a number above zero", lambda value: _is_number(value) and value > 0),
    "required": ("names, none twice", is_list_of_names),
    "type": ("a type of JSON", _is_type),
    "dependentRequired": (
        "names by name",
        lambda value: isinstance(value, dict) and all(map(is_list_of_names, value.values())),
    ),
}

#: The annotations that can have a wrong type, with what they should be.
ANNOTATIONS: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    **dict.fromkeys(("title", "description", "$comment", "contentEncoding", "contentMediaType"), _STRING),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly"), _BOOLEAN),
    "examples": ("an array", lambda value: isinstance(value, list)),
}

#: How many alternatives an `anyOf` may have that is checked: each costs a pass over the value.
MAX_ALTERNATIVES: Final = 8

# How each keyword that constrains a value is enforced. `format` is enforced by jsonschema where it is one of `FORMATS`;
# `$ref` and `allOf` are followed. What says nothing without another keyword (`then`, `minContains`) is not listed.

#: By jsonschema as they stand, each in one pass over the value.
BY_JSONSCHEMA: Final = frozenset(
    "type minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems".split()
)

#: By code of this package, as far as it goes.
_BY_OWN_CODE: Final = frozenset({"anyOf", "const", "enum", "items", "multipleOf", "oneOf"})

#: By code of this package, at the root of a form only.
_AT_THE_ROOT: Final = frozenset({"additionalProperties", "properties", "required"})

#: Never: the server alone enforces them.
_NEVER: Final = frozenset(
    "additionalItems contains dependencies dependentRequired dependentSchemas if maxProperties minProperties not"
    " pattern patternProperties prefixItems propertyNames unevaluatedItems unevaluatedProperties $dynamicRef"
    " $recursiveRef".split()
)

#: Where one of these is not enforced, `Form.unenforced` lists it.
REPORTED_UNLESS_ENFORCED: Final = _BY_OWN_CODE | _AT_THE_ROOT | _NEVER

#: Of a schema without any of these, `select_simple` has all that it demands of a value.
BEYOND_SIMPLE: Final = REPORTED_UNLESS_ENFORCED | {"$ref", "allOf"}

_NOT_IN_A_CHOICE: Final = (BEYOND_SIMPLE | BY_JSONSCHEMA) - {"const", "enum", "type"}

COMPOSITIONS: Final = ("anyOf", "oneOf")
NUMBERS: Final = frozenset({"number", "integer"})
SCALARS: Final = NUMBERS | {"string", "boolean"}
ANY_TYPE: Final = SCALARS | {"array", "object", "null"}

#: The types that a value of `type` allows: every integer is a number.
_ALLOWED_TYPES: Final = {name: NUMBERS if name == "number" else frozenset({name}) for name in ANY_TYPE}

#: A key that is equal for values which JSON Schema calls equal: for 1 and 1.0, but not for 1 and true.
EqualityKey: TypeAlias = str | tuple[str, str]


class Choice(Struct, frozen=True):
    """One value that may be chosen: `value` is what is sent, `label` what a person reads, `description` says more."""

    value: str | int | float | bool
    label: str
    description: str | None = None


Choices: TypeAlias = dict[EqualityKey, Choice]


def equality_key(value: str | float) -> EqualityKey:
    """Make the key under which a value is equal to others as JSON Schema sees it.

    Keys are text, whose hashes nobody can foresee: whole numbers can be chosen so that all their hashes are the same.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "boolean", str(value)
    if isinstance(value, float) and not value.is_integer():
        return "number", value.hex()
    return "number", hex(int(value))


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    """Return the types that the keyword `type` of a subschema allows."""
    names = schema.get("type", ())
    if isinstance(names, str):
        return _ALLOWED_TYPES[names]
    return frozenset().union(*map(_ALLOWED_TYPES.__getitem__, names)) if names else ANY_TYPE


def names_of(types: frozenset[str]) -> list[str]:
    """List types as the keyword `type` names them."""
    return sorted(types - {"integer"} if "number" in types else types)


def has_type(value: str | float, types: frozenset[str]) -> bool:
    """Whether a value is of one of the types."""
    if isinstance(value, str):
        return "string" in types
    if isinstance(value, bool):
        return "boolean" in types
    return "number" in types or ("integer" in types and value == int(value))


def type_of(value: str | float) -> frozenset[str]:
    """Return the types that a value has."""
    if isinstance(value, str):
        return frozenset({"string"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    return frozenset({"integer"}) if isinstance(value, int) or value.is_integer() else NUMBERS


def first_text(schemas: Iterable[dict[str, Any]], keyword: str) -> str | None:
    """Return the first text that schemas have for an annotation; one that is no text is ignored."""
    return next((schema[keyword] for schema in schemas if isinstance(schema.get(keyword), str)), None)


def select_simple(schema: dict[str, Any]) -> dict[str, Any]:
    """Select the keywords of a subschema that jsonschema checks; `format` is one where the format is known."""
    selected = {keyword: value for keyword, value in schema.items() if keyword in BY_JSONSCHEMA}
    if "format" in schema and schema["format"] in FORMATS:
        selected["format"] = schema["format"]
    return selected


def members_beside_null(schema: dict[str, Any], keyword: str) -> dict[int, Any]:
    """Return the members of an `anyOf` or `oneOf` by their place, without those for null: no answer is null."""
    return {place: member for place, member in enumerate(schema.get(keyword, ())) if not _is_null(member)}


def choices_of(schema: dict[str, Any]) -> Iterator[tuple[str, Choices]]:
    """Yield the choices that a subschema offers, by keyword; values that cannot be sent are not among them."""
    if "const" in schema and not isinstance(schema["const"], list):
        yield "const", _index_values([schema["const"]], [None])
    if "enum" in schema and not any(isinstance(value, list) for value in schema["enum"]):
        # `enumNames` may be short, or anything at all: it is no keyword of JSON Schema.
        names = schema.get("enumNames")
        labels = chain(names if isinstance(names, list) else (), repeat(None))
        yield "enum", _index_values(schema["enum"], labels)
    for keyword in COMPOSITIONS:
        if keyword not in schema:
            continue
        members = members_beside_null(schema, keyword).values()
        choices = list(map(read_choice, members))
        if None not in choices:
            possible = [
                choice
                for member, choice in zip(members, choices, strict=True)
                if choice is not None and has_type(choice.value, types_of(member))
            ]
            yield keyword, index_choices(possible) if keyword == "anyOf" else select_unique(possible)


def read_choice(member: Any) -> Choice | None:
    """Read a member of a composition that stands for one value, with perhaps a title; `None` for any other."""
    if (
        not isinstance(member, dict)
        or not _NOT_IN_A_CHOICE.isdisjoint(member)
        or ("const" in member) == ("enum" in member)
    ):
        return None
    # An `enum` of one value says the same as a `const`.
    values = member["enum"] if "enum" in member else [member["const"]]
    description = member.get("description")
    if len(values) != 1 or not isinstance(values[0], str | int | float):
        return None
    return make_choice(values[0], member.get("title"), description if isinstance(description, str) else None)


def select_unique(choices: Sequence[Choice]) -> Choices:
    """Select the choices whose value only one has: what satisfies two members of `oneOf` does not satisfy it."""
    counts = Counter(equality_key(choice.value) for choice in choices)
    return {key: choice for key, choice in index_choices(choices).items() if counts[key] == 1}


def intersect(choices: Choices | None, others: Choices | None) -> Choices | None:
    """Return the choices that are in both, labelled as in the first; `None` stands for any value at all."""
    if choices is None or others is None:
        return others if choices is None else choices
    return {key: choice for key, choice in choices.items() if key in others}


def make_choice(value: str | float, label: Any, description: str | None = None) -> Choice:
    """Make a choice of a value; a label that is blank or no text gives way to the value."""
    if not isinstance(label, str) or not label.strip():
        label = value if isinstance(value, str) else json.dumps(value)
    return Choice(value, label, description)


def index_choices(choices: Iterable[Choice]) -> Choices:
    """Index choices by the keys of their values; of equal values the first counts."""
    indexed: Choices = {}
    for choice in choices:
        indexed.setdefault(equality_key(choice.value), choice)
    return indexed


def _index_values(values: Iterable[Any], labels: Iterable[Any]) -> Choices:
    """Make choices of those values that can be sent."""
    pairs = zip(values, labels, strict=False)
    return index_choices(make_choice(value, label) for value, label in pairs if isinstance(value, str | int | float))


def _is_null(member: Any) -> bool:
    if not isinstance(member, dict):
        return False
    return member.get("type") in ("null", ["null"]) or member.get("const", 0) is None or member.get("enum") == [None]
