"""Reads the constraints of a form out of its schema: what is enforced of each field, and what is left to the server.

How it works. A value has to satisfy several schemas at once: its own, the one that a `$ref` in it leads to, those in
its `allOf`, and the member of an `anyOf` or `oneOf` that has no other member but null (an optional field). They are
collected first. Then each is read alone, into `Constraints`, and these are combined: types and choices are intersected,
the rest is concatenated. This is done for the form itself, then for each of its properties, and for the items of lists.

What one schema demands is split by keyword. Simple keywords are left to jsonschema as they stand, and so is an `anyOf`
of schemas that have no others. `const`, `enum`, and an `anyOf` or `oneOf` of consts become choices; `multipleOf`,
`items` and `additionalProperties` become constraints of their own. A keyword that constrains in any other way is not
enforced: its pointer is listed.

>>> from toolnexus_mrtr._forms._schema import load
>>> form = read_constraints(
...     load(
...         {
...             "type": "object",
...             "properties": {
...                 "size": {"anyOf": [{"$ref": "#/$defs/size"}, {"type": "null"}]},
...                 "code": {"type": "string", "minLength": 3, "pattern": "^[A-Z]+$"},
...             },
...             "required": ["code"],
...             "$defs": {"size": {"type": "string", "enum": ["S", "L"]}},
...         }
...     )
... )

Three schemas hold for a size: the property, the first member of its `anyOf`, and the definition. They allow any type,
any type, and strings; the last one has the choices. As both choices are strings, `type` is not checked once more.

>>> [pointer_of(at) for _, at in form.subschemas["size"]]
['/properties/size', '/properties/size/anyOf/0', '/$defs/size']
>>> [choice.value for choice in form.fields["size"].choices.values()]
['S', 'L']
>>> form.fields["size"].types, form.fields["size"].schemas
(frozenset({'string'}), ())

A code is checked by jsonschema, less its pattern: a pattern can take exponential time, so it is left to the server.

>>> form.fields["code"].schemas
({'type': 'string', 'minLength': 3},)
>>> form.unenforced
('/properties/code/pattern',)
>>> list(form.required)
['code']
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._errors import LazyPointer, RemoteProtocolError, pointer_of
from toolnexus_mrtr._forms._keywords import (
    ANY_TYPE,
    COMPLEX,
    COMPOSITIONS,
    NOT_SIMPLE,
    Choices,
    alternatives_of,
    choices_of,
    has_type,
    intersect,
    is_choice,
    members_of,
    select_simple,
    select_with_alternatives,
    types_of,
)
from toolnexus_mrtr._forms._schema import DRAFT_7, MAX_SUBSCHEMAS_OF_ONE_VALUE, LoadedSchema, resolve

#: A schema that a value must satisfy, and where it stands.
Subschema: TypeAlias = tuple[dict[str, Any], LazyPointer]

#: The same before `true` and `false` are replaced.
_Source: TypeAlias = tuple[Any, LazyPointer]

#: The keywords that bring in further schemas.
_LINKING: Final = frozenset({"$ref", "allOf", *COMPOSITIONS})

_ANNOTATIONS: Final = ("title", "description", "default")

#: What stands for the schema `false`: no value satisfies it.
_NOTHING: Final[dict[str, Any]] = {"enum": []}


class Constraints(Struct, frozen=True):
    """What is enforced of one value.

    `types` are those that it may have, `choices` the only values that it may be, unless `None`. It must satisfy each
    of `schemas`, which hold keywords for jsonschema alone, and a number must be a multiple of each of `multiples_of`.
    `item_schemas` and `item_choices` are the same for each item of a list.
    """

    types: frozenset[str]
    schemas: tuple[dict[str, Any], ...] = ()
    choices: Choices | None = None
    multiples_of: tuple[float, ...] = ()
    item_schemas: tuple[dict[str, Any], ...] = ()
    item_choices: Choices | None = None


class FormConstraints(Struct, frozen=True):
    """What is enforced of a form.

    `fields` are the constraints by name of the field, in the order of the properties; last come names that are
    required and not described. `subschemas` has for each field the schemas that they were read from. `allowed` are the
    only names that the content may hold, or `None`; `additional` are the constraints of values that belong to none of
    the fields, or `None`. `unenforced` are pointers to the keywords that are left to the server.
    """

    fields: dict[str, Constraints]
    subschemas: dict[str, list[Subschema]]
    required: dict[str, None]
    allowed: frozenset[str] | None
    additional: Constraints | None
    unenforced: tuple[str, ...]


def read_constraints(schema: LoadedSchema) -> FormConstraints:
    """Read what is enforced of a form.

    Raises `RemoteProtocolError`: `schema_invalid` where it is not the schema of an object, `schema_too_large`.
    """
    return _Reader(schema).read_form()


class _Reader:
    """Reads the constraints of one loaded schema, and notes the keywords that are not enforced."""

    def __init__(self, schema: LoadedSchema) -> None:
        self._schema = schema
        self._unenforced: list[str] = []

    def read_form(self) -> FormConstraints:
        objects = self._collect([(self._schema.root, "")])
        properties: dict[str, list[_Source]] = {}
        required: dict[str, None] = {}
        for schema, at in objects:
            if "object" not in types_of(schema):
                expected = "expected the schema of an object"
                raise RemoteProtocolError("schema_invalid", expected, pointer_of((at, "type")))
            for name, subschema in schema.get("properties", {}).items():
                properties.setdefault(name, []).append((subschema, ((at, "properties"), name)))
            required |= dict.fromkeys(schema.get("required", ()))
        allowed, sources = self._read_additional(objects)
        subschemas = {name: self._collect(described) for name, described in properties.items()}
        fields = {name: self._read_value(found) for name, found in subschemas.items()}
        others = self._collect(sources)
        additional = self._read_value(others)
        for name in required:
            subschemas.setdefault(name, others)
            fields.setdefault(name, additional)
        unenforced = tuple(dict.fromkeys(self._unenforced))
        return FormConstraints(fields, subschemas, required, allowed, additional if sources else None, unenforced)

    def _read_additional(self, objects: list[Subschema]) -> tuple[frozenset[str] | None, list[_Source]]:
        """Read `additionalProperties`: the only names that are allowed, if any, and the schemas of all other values."""
        allowed: frozenset[str] | None = None
        sources: list[_Source] = []
        for schema, at in objects:
            enforced = {"properties", "required"}
            additional = schema.get("additionalProperties", True)
            if "patternProperties" not in schema and (isinstance(additional, bool) or len(objects) == 1):
                enforced.add("additionalProperties")
                if additional is False:
                    names = frozenset(schema.get("properties", ()))
                    allowed = names if allowed is None else allowed & names
                elif additional is not True:
                    sources.append((additional, (at, "additionalProperties")))
            self._note_unenforced(schema, at, enforced)
        return allowed, sources

    def _collect(self, sources: list[_Source]) -> list[Subschema]:
        """Collect every schema that a value must satisfy: those given, and those that they bring in."""
        if len(sources) == 1 and isinstance(sources[0][0], dict) and _LINKING.isdisjoint(sources[0][0]):
            return sources
        found: list[Subschema] = []
        pending = list(sources)
        # The list grows while it is walked.
        for source, at in pending:
            if source is True:
                continue
            schema = _NOTHING if source is False else source
            if "$ref" in schema:
                pending.append(resolve(self._schema.root, schema["$ref"], (at, "$ref")))
                if self._schema.dialect == DRAFT_7:
                    # Draft-07 ignores what stands beside a reference.
                    schema = {name: schema[name] for name in _ANNOTATIONS if name in schema}
            parts = schema.get("allOf", ())
            if max(len(found) + 1, len(parts)) > MAX_SUBSCHEMAS_OF_ONE_VALUE:
                expected = f"expected at most {MAX_SUBSCHEMAS_OF_ONE_VALUE} schemas for one value"
                raise RemoteProtocolError("schema_too_large", expected, pointer_of(at))
            pending += [(part, ((at, "allOf"), place)) for place, part in enumerate(parts)]
            for keyword in COMPOSITIONS:
                members = members_of(schema, keyword)
                if len(members) == 1 and not any(map(is_choice, members.values())):
                    pending += [(member, ((at, keyword), place)) for place, member in members.items()]
            found.append((schema, at))
        return found

    def _read_value(self, subschemas: list[Subschema], *, is_item: bool = False) -> Constraints:
        """Read what is enforced of a value that must satisfy all the given schemas."""
        constraints = None
        for schema, at in subschemas:
            read = self._read_one(schema, at, is_item=is_item)
            constraints = read if constraints is None else _combine(constraints, read)
        if constraints is None:
            return Constraints(ANY_TYPE)
        return constraints if constraints.choices is None else _drop_types(constraints, constraints.choices)

    def _read_one(self, schema: dict[str, Any], at: LazyPointer, *, is_item: bool) -> Constraints:
        if NOT_SIMPLE.isdisjoint(schema):
            selected = select_simple(schema)
            return Constraints(types_of(schema), (selected,) if selected else ())
        enforced = {"multipleOf"}
        choices: Choices | None = None
        for keyword, offered in choices_of(schema):
            choices = intersect(choices, offered)
            enforced.add(keyword)
        selected = select_simple(schema)
        items = None
        if not is_item:
            if "anyOf" not in enforced and (alternatives := alternatives_of(schema)):
                selected = select_with_alternatives(schema, alternatives)
                enforced.add("anyOf")
            items = self._read_items(schema, at)
        if items is not None or schema.get("items") is True:
            enforced.add("items")
        self._note_unenforced(schema, at, enforced)
        return Constraints(
            types=types_of(schema),
            schemas=(selected,) if selected else (),
            choices=choices,
            multiples_of=(schema["multipleOf"],) if "multipleOf" in schema else (),
            item_schemas=() if items is None else items.schemas,
            item_choices=None if items is None else items.choices,
        )

    def _read_items(self, schema: dict[str, Any], at: LazyPointer) -> Constraints | None:
        """Read what every item of a list must satisfy, if that is choices or one simple schema."""
        if isinstance(schema.get("items", True), list | bool) or "prefixItems" in schema:
            return None
        items = self._read_value(self._collect([(schema["items"], (at, "items"))]), is_item=True)
        return None if items.choices is None and len(items.schemas) > 1 else items

    def _note_unenforced(self, schema: dict[str, Any], at: LazyPointer, enforced: set[str]) -> None:
        for keyword in schema:
            if keyword in COMPLEX and keyword not in enforced and len(members_of(schema, keyword)) != 1:
                self._unenforced.append(pointer_of((at, keyword)))


def _combine(one: Constraints, other: Constraints) -> Constraints:
    """Combine what is enforced of a value that must satisfy both."""
    return Constraints(
        types=one.types & other.types,
        schemas=one.schemas + other.schemas,
        choices=intersect(one.choices, other.choices),
        multiples_of=one.multiples_of + other.multiples_of,
        item_schemas=one.item_schemas + other.item_schemas,
        item_choices=intersect(one.item_choices, other.item_choices),
    )


def _drop_types(constraints: Constraints, choices: Choices) -> Constraints:
    """Drop the choices of a type that is not allowed; then a schema that only names a type has nothing left to say."""
    return Constraints(
        types=constraints.types,
        schemas=tuple(schema for schema in constraints.schemas if len(schema) > 1 or "type" not in schema),
        choices={key: choice for key, choice in choices.items() if has_type(choice.value, constraints.types)},
        multiples_of=constraints.multiples_of,
        item_schemas=constraints.item_schemas,
        item_choices=constraints.item_choices,
    )
