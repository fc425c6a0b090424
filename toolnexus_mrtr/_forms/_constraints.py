"""Reads the constraints of a form out of its schema: what is enforced of each field, and what is left to the server.

How it works. A value has to satisfy several schemas at once: its own, the one that a `$ref` in it leads to, those in
its `allOf`, and the member of an `anyOf` or `oneOf` that has no other member but null (an optional field). They are
collected first. Then each is read alone, into `Constraints`, and these are combined: types and choices are intersected,
the rest is concatenated. This is done for the form itself, then for each of its properties, and for the items of lists.

What one schema demands is split by keyword. Simple keywords are left to jsonschema as they stand. `const`, `enum`, and
an `anyOf` or `oneOf` of choices become choices; at the root of a form, which is an object, these are not enforced.
`multipleOf`, `items` and `additionalProperties` become constraints of their own. The members of any other `anyOf` are
alternatives: each is read as a value is, and those that are choices are suggestions. Inside an alternative, and inside
`items`, no further alternatives are read. A keyword that constrains in any other way is not enforced: its pointer is
listed. What a composition demands of the type of a value is enforced even where the rest of it is not.

>>> from toolnexus_mrtr._forms._schema import load_schema
>>> form = read_constraints(
...     load_schema(
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

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from toolnexus_mrtr._errors import LazyPointer, RemoteProtocolError, pointer_of
from toolnexus_mrtr._forms._keywords import (
    ANY_TYPE,
    BEYOND_SIMPLE,
    COMPOSITIONS,
    MAX_ALTERNATIVES,
    REPORTED_UNLESS_ENFORCED,
    Choices,
    choices_of,
    first_text,
    has_type,
    index_choices,
    intersect,
    make_choice,
    members_beside_null,
    names_of,
    read_choice,
    select_simple,
    select_unique,
    type_of,
    types_of,
)
from toolnexus_mrtr._forms._schema import DRAFT_7, MAX_SUBSCHEMAS_OF_ONE_VALUE, LoadedSchema, resolve

#: A schema that a value must satisfy, and where it stands.
Subschema: TypeAlias = tuple[dict[str, Any], LazyPointer]

#: The same before `true` and `false` are replaced.
_Source: TypeAlias = tuple[Any, LazyPointer]

#: What a value is of a form: inside items and alternatives less is read.
_Role: TypeAlias = Literal["field", "item", "alternative"]

#: The keywords that bring in further schemas.
_LINKING: Final = frozenset({"$ref", "allOf", *COMPOSITIONS})

_ANNOTATIONS: Final = ("title", "description", "default")

#: What stands for the schema `false`: no value satisfies it.
_NOTHING: Final[dict[str, Any]] = {"enum": []}


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


class _Composition(Struct, frozen=True):
    """What is read from the members of an `anyOf` or `oneOf`; the names mean what they mean in `Constraints`."""

    types: frozenset[str]
    open_types: frozenset[str]
    choices: Choices | None
    suggestions: Choices
    alternatives: tuple[Constraints, ...]
    is_enforced: bool


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
        objects = self._collect([(self._schema.root, "")], keep_titles=True)
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
        conditional = {name: found for name, found in self._find_conditional(objects) if name not in properties}
        for name in (*required, *conditional):
            subschemas.setdefault(name, conditional.get(name, others))
            fields.setdefault(name, additional)
        return FormConstraints(
            title=first_text((schema for schema, _ in objects), "title"),
            description=first_text((schema for schema, _ in objects), "description"),
            fields=fields,
            subschemas=subschemas,
            required=required,
            conditional=frozenset(conditional),
            allowed=allowed,
            additional=additional if sources else None,
            unenforced=tuple(dict.fromkeys(self._unenforced)),
        )

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

    def _find_conditional(self, objects: list[Subschema]) -> Iterator[tuple[str, list[Subschema]]]:
        """Yield the fields that only a part of the form describes which may not apply, with a schema of each."""
        pending: list[Any] = []
        for schema, _ in objects:
            pending += _list_conditional(schema)
        found = set()
        # The list grows while it is walked. References do not lead back to themselves, and the size of all was bounded.
        for schema in pending:
            if not isinstance(schema, dict):
                continue
            pending += [*schema.get("allOf", ()), *_list_conditional(schema)]
            if "$ref" in schema:
                pending.append(resolve(self._schema.root, schema["$ref"], "")[0])
            for name, subschema in schema.get("properties", {}).items():
                if name not in found:
                    found.add(name)
                    yield name, [(subschema if isinstance(subschema, dict) else {}, "")]

    def _collect(self, sources: list[_Source], *, keep_titles: bool = False) -> list[Subschema]:
        """Collect every schema that a value must satisfy: those given, and those that they bring in.

        A title that only a referenced definition has is left out unless `keep_titles`: it names the definition, which
        may describe several fields.
        """
        if len(sources) == 1 and isinstance(sources[0][0], dict) and _LINKING.isdisjoint(sources[0][0]):
            return sources
        found: list[Subschema] = []
        pending = [(source, at, True) for source, at in sources]
        # The list grows while it is walked.
        for source, at, is_titled in pending:
            if source is True:
                continue
            schema = _NOTHING if source is False else source
            if "$ref" in schema:
                target, place = resolve(self._schema.root, schema["$ref"], (at, "$ref"))
                pending.append((target, place, keep_titles))
                if self._schema.dialect == DRAFT_7:
                    # Draft-07 ignores what stands beside a reference.
                    schema = {name: schema[name] for name in _ANNOTATIONS if name in schema}
            if not is_titled and "title" in schema:
                schema = {keyword: value for keyword, value in schema.items() if keyword != "title"}
            parts = schema.get("allOf", ())
            if max(len(found) + 1, len(parts)) > MAX_SUBSCHEMAS_OF_ONE_VALUE:
                expected = f"expected at most {MAX_SUBSCHEMAS_OF_ONE_VALUE} schemas for one value"
                raise RemoteProtocolError("schema_too_large", expected, pointer_of(at))
            pending += [(part, ((at, "allOf"), place), is_titled) for place, part in enumerate(parts)]
            for keyword in COMPOSITIONS:
                members = members_beside_null(schema, keyword)
                if len(members) == 1:
                    pending += [
                        (member, ((at, keyword), place), is_titled)
                        for place, member in members.items()
                        if read_choice(member) is None
                    ]
            found.append((schema, at))
        return found

    def _read_value(self, subschemas: list[Subschema], role: _Role = "field") -> Constraints:
        """Read what is enforced of a value that must satisfy all the given schemas."""
        constraints = None
        for schema, at in subschemas:
            read = self._read_one(schema, at, role)
            constraints = read if constraints is None else _combine(constraints, read)
        if constraints is None:
            return Constraints()
        choices = constraints.choices
        return constraints if choices is None else _drop_choices_of_other_types(constraints, choices)

    def _read_one(self, schema: dict[str, Any], at: LazyPointer, role: _Role) -> Constraints:
        types = types_of(schema)
        if BEYOND_SIMPLE.isdisjoint(schema):
            selected = select_simple(schema)
            return Constraints(types, types, (selected,) if selected else ())
        enforced = {"multipleOf"}
        choices: Choices | None = None
        for keyword, offered in choices_of(schema):
            choices = intersect(choices, offered)
            enforced.add(keyword)
        open_types = types
        suggestions: Choices = {}
        alternatives: list[tuple[Constraints, ...]] = []
        for keyword in COMPOSITIONS if role != "alternative" else ():
            if keyword in enforced or len(members_beside_null(schema, keyword)) < 2:
                continue
            read = self._read_composition(schema, keyword, at, role)
            types, open_types = types & read.types, open_types & read.open_types
            choices = intersect(choices, read.choices)
            suggestions |= read.suggestions
            if read.is_enforced:
                enforced.add(keyword)
            if read.alternatives:
                alternatives.append(read.alternatives)
        selected = select_simple(schema)
        if types != types_of(schema):
            # First, since nothing is checked after a `type` that does not hold: the error is then `wrong_type`.
            selected = {"type": names_of(types)} | {name: selected[name] for name in selected if name != "type"}
        constraints = Constraints(
            types=types,
            open_types=open_types,
            schemas=(selected,) if selected else (),
            choices=choices,
            suggestions=suggestions,
            alternatives=tuple(alternatives),
            multiples_of=(schema["multipleOf"],) if "multipleOf" in schema else (),
        )
        if role == "field" and ("items" in schema or "prefixItems" in schema):
            constraints = self._read_items(schema, at, constraints, enforced)
        self._note_unenforced(schema, at, enforced)
        return constraints

    def _read_composition(self, schema: dict[str, Any], keyword: str, at: LazyPointer, role: _Role) -> _Composition:
        """Read the members of an `anyOf` or `oneOf`: choices if all of them are, else alternatives."""
        noted = len(self._unenforced)
        members = [
            self._read_member(member, ((at, keyword), place))
            for place, member in members_beside_null(schema, keyword).items()
        ]
        is_exact = len(self._unenforced) == noted
        free = [member for member in members if member.choices is None]
        offered = [choice for member in members for choice in (member.choices or {}).values()]
        others = [member for member in members if not _is_plain_choice(member)]
        open_types: frozenset[str] = frozenset().union(*(member.types for member in free))
        alternatives: tuple[Constraints, ...] = ()
        choices = index_choices(offered)
        if others:
            plain = {
                key: choice
                for member in members
                if _is_plain_choice(member)
                for key, choice in (member.choices or {}).items()
            }
            group = (Constraints(choices=plain), *others) if plain else tuple(others)
            cost = max(len(group), sum(len(member.schemas) for member in group))
            if keyword == "anyOf" and role == "field" and cost <= MAX_ALTERNATIVES:
                alternatives = group
            is_enforced = bool(alternatives)
        else:
            is_enforced = keyword == "anyOf" or is_exact
            if keyword == "oneOf" and is_exact:
                choices = select_unique(offered)
        if not is_enforced:
            # It is reported as a whole.
            del self._unenforced[noted:]
        return _Composition(
            types=open_types.union(*(type_of(choice.value) for choice in offered)),
            open_types=open_types,
            choices=None if free else choices,
            suggestions=choices if free else {},
            alternatives=alternatives,
            is_enforced=is_enforced,
        )

    def _read_member(self, member: Any, at: LazyPointer) -> Constraints:
        """Read a member of a composition; where it stands for one value, its title is the label of that choice."""
        found = self._collect([(member, at)], keep_titles=True)
        read = self._read_value(found, "alternative")
        if read.choices is None or len(read.choices) != 1:
            return read
        schemas = [schema for schema, _ in found]
        title, description = first_text(schemas, "title"), first_text(schemas, "description")
        choices = {
            key: make_choice(choice.value, title or choice.label, description) for key, choice in read.choices.items()
        }
        return replace(read, choices=choices)

    def _read_items(
        self, schema: dict[str, Any], at: LazyPointer, constraints: Constraints, enforced: set[str]
    ) -> Constraints:
        """Add what every item of a list must satisfy, which is enforced if that is choices or one simple schema."""
        items = schema.get("items", True)
        if isinstance(items, list) or "prefixItems" in schema:
            # Each item has a schema of its own.
            return replace(constraints, item_types=frozenset())
        found = self._collect([(items, (at, "items"))])
        read = self._read_value(found, "item")
        if read.choices is None and len(read.schemas) > 1:
            return replace(constraints, item_types=read.types)
        enforced.add("items")
        return replace(
            constraints,
            item_types=read.types,
            item_schemas=read.schemas,
            item_choices=read.choices,
            item_subschemas=tuple(schema for schema, _ in found),
        )

    def _note_unenforced(self, schema: dict[str, Any], at: LazyPointer, enforced: set[str]) -> None:
        for keyword in schema:
            if keyword not in REPORTED_UNLESS_ENFORCED or keyword in enforced:
                continue
            if keyword not in COMPOSITIONS or len(members_beside_null(schema, keyword)) != 1:
                self._unenforced.append(pointer_of((at, keyword)))


def _is_plain_choice(constraints: Constraints) -> bool:
    """Whether nothing is demanded of a value but that it is one of the choices."""
    return constraints.choices is not None and not constraints.schemas and not constraints.multiples_of


def _combine(one: Constraints, other: Constraints) -> Constraints:
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


def _drop_choices_of_other_types(constraints: Constraints, choices: Choices) -> Constraints:
    """Drop the choices of a type that is not allowed; a schema that only names a type then has nothing left to say."""
    return replace(
        constraints,
        schemas=tuple(schema for schema in constraints.schemas if len(schema) > 1 or "type" not in schema),
        choices={key: choice for key, choice in choices.items() if has_type(choice.value, constraints.types)},
    )


def _list_conditional(schema: dict[str, Any]) -> list[Any]:
    """List the schemas below a schema that hold under some condition."""
    listed: list[Any] = [schema[keyword] for keyword in ("then", "else") if keyword in schema]
    for keyword in COMPOSITIONS:
        listed += schema.get(keyword, ())
    for keyword in ("dependentSchemas", "dependencies"):
        listed += schema.get(keyword, {}).values()
    return listed
