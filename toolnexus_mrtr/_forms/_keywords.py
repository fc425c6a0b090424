"""What the keywords of one subschema come to: its types, what is cheap to check, the values to choose from."""

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

#: How many schemas may hold for one value at once, and how many alternatives an `anyOf` may have that are no choices:
#: each costs a pass over the same value.
LAYERS: Final = 8

#: Keywords that jsonschema checks as they stand, each in one pass over the value.
CHEAP: Final = frozenset(
    "type minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems uniqueItems".split()
)

#: Keywords that constrain a value otherwise: each is enforced in a way of its own, or reported as unenforced.
OTHERS: Final = frozenset(
    "additionalItems additionalProperties anyOf const contains dependencies dependentRequired dependentSchemas enum if"
    " items maxProperties minProperties multipleOf not oneOf pattern patternProperties prefixItems properties"
    " propertyNames required unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef".split()
)

#: Keywords that bring in a schema which must hold as well.
_LINKS: Final = frozenset({"$ref", "allOf"})

NOT_CHEAP: Final = OTHERS | _LINKS
_NOT_OF_A_CHOICE: Final = (NOT_CHEAP | CHEAP) - {"const", "type"}

COMPOSITIONS: Final = ("anyOf", "oneOf")
NUMBERS: Final = frozenset({"number", "integer"})
SCALARS: Final = NUMBERS | {"string", "boolean"}
ANY: Final = SCALARS | {"array", "object", "null"}

#: The types that a name of `type` lets a value have: every integer is a number.
_NAMED: Final = {name: NUMBERS if name == "number" else frozenset({name}) for name in ANY}

#: What two values have in common when JSON takes them for the same: 1 and 1.0, but not true and 1.
EqualityKey: TypeAlias = tuple[bool, Any]


class Choice(Struct, frozen=True):
    """One value that may be chosen: `value` is what is sent, `label` what a person reads."""

    value: str | int | float | bool
    label: str


Choices: TypeAlias = dict[EqualityKey, Choice]


def equality_key(value: Any) -> EqualityKey:
    """Give what equal values share, as JSON sees equality."""
    return isinstance(value, bool), value


def types_of(layer: dict[str, Any]) -> frozenset[str]:
    """The types that a subschema lets a value have."""
    if "type" in layer:
        named = layer["type"]
        return _NAMED[named] if isinstance(named, str) else frozenset().union(*map(_NAMED.__getitem__, named))
    alternatives = alternatives_of(layer)
    return frozenset().union(*map(types_of, alternatives)) if alternatives else ANY


def has_type(value: str | float, types: frozenset[str]) -> bool:
    """Whether a value is of one of the types."""
    if isinstance(value, str):
        return "string" in types
    if isinstance(value, bool):
        return "boolean" in types
    return "number" in types or ("integer" in types and value == int(value))


def cheap_part(layer: dict[str, Any]) -> dict[str, Any]:
    """The part of a subschema that jsonschema is handed."""
    part = {keyword: value for keyword, value in layer.items() if keyword in CHEAP}
    if layer.get("format") in FORMATS:
        part["format"] = layer["format"]
    return part


def members_of(layer: dict[str, Any], keyword: str) -> dict[int, Any]:
    """The members of a composition by their place, less those for null, which no answer can be."""
    if keyword not in COMPOSITIONS:
        return {}
    return {place: member for place, member in enumerate(layer.get(keyword, ())) if not _is_null(member)}


def alternatives_of(layer: dict[str, Any]) -> list[dict[str, Any]]:
    """The alternatives of an `anyOf` that are cheap to check; none when one of them is not, or they are many."""
    if "anyOf" not in layer:
        return []
    members = members_of(layer, "anyOf").values()
    if not 1 < len(members) <= LAYERS:
        return []
    if all(isinstance(member, dict) and NOT_CHEAP.isdisjoint(member) for member in members):
        return [cheap_part(member) for member in members]
    return []


def union_part(layer: dict[str, Any], alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    """The part of a subschema that has alternatives; their types come first, to be told from what else is wrong."""
    types = types_of(layer)
    names = sorted(types - {"integer"} if "number" in types else types)
    return {"type": names} | cheap_part(layer) | {"anyOf": alternatives}


def choices_of(layer: dict[str, Any]) -> Iterator[tuple[str, Choices]]:
    """The values that a subschema lets choose from, by the keyword that does; those that no answer can be left out."""
    if "const" in layer and not isinstance(layer["const"], list):
        yield "const", _labelled([(layer["const"], None)])
    if "enum" in layer and not any(isinstance(value, list) for value in layer["enum"]):
        # `enumNames` may be short, or anything at all: it is no keyword of JSON Schema.
        names = layer.get("enumNames")
        labels = chain(names if isinstance(names, list) else (), repeat(None))
        yield "enum", _labelled(zip(layer["enum"], labels, strict=False))
    for keyword in filter(layer.__contains__, COMPOSITIONS):
        members = members_of(layer, keyword).values()
        if all(map(is_choice, members)):
            titled = [
                (m["const"], m.get("title")) for m in members if "type" not in m or has_type(m["const"], types_of(m))
            ]
            choices = _labelled(titled)
            if keyword == "oneOf" and len(choices) < len(titled):
                # A value that satisfies two members of `oneOf` does not satisfy it.
                counts = Counter(equality_key(value) for value, _ in titled)
                choices = {key: choice for key, choice in choices.items() if counts[key] == 1}
            yield keyword, choices


def is_choice(member: Any) -> bool:
    """Whether a member of a composition stands for one value, with perhaps a title."""
    if not isinstance(member, dict) or not isinstance(member.get("const"), str | int | float):
        return False
    return _NOT_OF_A_CHOICE.isdisjoint(member)


def narrowed(choices: Choices | None, by: Choices | None) -> Choices | None:
    """The choices that are left where two keywords must hold; `None` is no choice but any value."""
    if choices is None or by is None:
        return by if choices is None else choices
    return {key: choice for key, choice in choices.items() if key in by}


def _labelled(pairs: Iterable[tuple[Any, Any]]) -> Choices:
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
