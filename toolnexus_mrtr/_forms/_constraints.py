"""What is enforced of one value and of a form, and how the demands of several schemas on one value become one."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from toolnexus_mrtr._errors import LazyPointer
from toolnexus_mrtr._forms._keywords import ANY_TYPE, Choices, has_type, intersect

#: A schema that a value must satisfy, and where it stands.
Subschema: TypeAlias = tuple[dict[str, Any], LazyPointer]


class Constraints(Struct, frozen=True):
    """What is enforced of one value.

    It must be one of `choices`, unless these are `None`. It must satisfy each of `schemas`, which hold keywords for
    jsonschema alone, and one of each group of `alternatives`; a number must be a multiple of each of `multiples_of`.
    `item_schemas` and `item_choices` are the same for each item of a list.

    The other members help to show and parse the value; what they say is checked through `schemas`, `choices`
    and `alternatives`. `types` are those that it may have;
    of `open_types` any value may be entered, of the others only `suggestions`, which are the choices among the
    alternatives. `item_types` are those of an item, `None` where nothing is said of items, and `item_subschemas` the
    schemas that were read.
    """

    types: frozenset[str] = ANY_TYPE
    open_types: frozenset[str] = ANY_TYPE
    schemas: tuple[dict[str, Any], ...] = ()
    choices: Choices | None = None
    suggestions: Choices = {}
    alternatives: tuple[tuple[Constraints, ...], ...] = ()
    multiples_of: tuple[float, ...] = ()
    item_types: frozenset[str] | None = None
    item_schemas: tuple[dict[str, Any], ...] = ()
    item_choices: Choices | None = None
    item_subschemas: tuple[dict[str, Any], ...] = ()


class FormConstraints(Struct, frozen=True):
    """What is enforced of a form.

    `fields` are the constraints by name of the field, in the order of the properties; then come names that are required
    and not described, and those of `conditional`, which only a part of the form describes that may not apply, such as a
    member of `anyOf` or `then`. `subschemas` has for each field the schemas that title and describe it. `allowed` are
    the only names that the content may hold, or `None`; `additional` are the constraints of values that belong to none
    of the fields, or `None`. `unenforced` are pointers to the keywords that are left to the server.
    """

    title: str | None
    description: str | None
    fields: dict[str, Constraints]
    subschemas: dict[str, list[Subschema]]
    required: dict[str, None]
    conditional: frozenset[str]
    allowed: frozenset[str] | None
    additional: Constraints | None
    unenforced: tuple[str, ...]


def is_plain_choice(constraints: Constraints) -> bool:
    """Whether nothing is demanded of a value but that it is one of the choices."""
    return constraints.choices is not None and not constraints.schemas and not constraints.multiples_of


def combine(one: Constraints, other: Constraints) -> Constraints:
    """Combine what is enforced of a value that must satisfy both."""
    return Constraints(
        types=one.types & other.types,
        open_types=one.open_types & other.open_types,
        schemas=one.schemas + other.schemas,
        choices=intersect(one.choices, other.choices),
        suggestions={**other.suggestions, **one.suggestions},
        alternatives=one.alternatives + other.alternatives,
        multiples_of=one.multiples_of + other.multiples_of,
        item_types=_intersect_types(one.item_types, other.item_types),
        item_schemas=one.item_schemas + other.item_schemas,
        item_choices=intersect(one.item_choices, other.item_choices),
        item_subschemas=one.item_subschemas + other.item_subschemas,
    )


def _intersect_types(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def drop_choices_of_other_types(constraints: Constraints, choices: Choices) -> Constraints:
    """Drop the choices of a type that is not allowed; a schema that only names a type then has nothing left to say."""
    return replace(
        constraints,
        schemas=tuple(schema for schema in constraints.schemas if len(schema) > 1 or "type" not in schema),
        choices={key: choice for key, choice in choices.items() if has_type(choice.value, constraints.types)},
    )
