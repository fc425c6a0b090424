"""Reads the constraints of one value out of the schemas that it must satisfy, and notes what is left to the server."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from toolnexus_mrtr._errors import LazyPointer, RemoteProtocolError, pointer_of
from toolnexus_mrtr._forms._constraints import (
    Constraints,
    Subschema,
    combine,
    drop_choices_of_other_types,
    is_plain_choice,
)
from toolnexus_mrtr._forms._keywords import (
    BEYOND_SIMPLE,
    COMPOSITIONS,
    MAX_ALTERNATIVES,
    REPORTED_UNLESS_ENFORCED,
    Choices,
    choices_of,
    first_text,
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

#: The same before `true` and `false` are replaced.
Source: TypeAlias = tuple[Any, LazyPointer]

#: What a value is of a form: inside items and alternatives less is read.
_Role: TypeAlias = Literal["field", "item", "alternative"]

#: The keywords that bring in further schemas.
_LINKING: Final = frozenset({"$ref", "allOf", *COMPOSITIONS})

_ANNOTATIONS: Final = ("title", "description", "default")

#: What stands for the schema `false`: no value satisfies it.
_NOTHING: Final[dict[str, Any]] = {"enum": []}


class _Composition(Struct, frozen=True):
    """What is read from the members of an `anyOf` or `oneOf`; the names mean what they mean in `Constraints`."""

    types: frozenset[str]
    open_types: frozenset[str]
    choices: Choices | None
    suggestions: Choices
    alternatives: tuple[Constraints, ...]
    is_enforced: bool


class ValueReader:
    """Reads the values of one loaded schema; `unenforced` are pointers to the keywords that are not enforced."""

    def __init__(self, schema: LoadedSchema) -> None:
        self._schema = schema
        self.unenforced: list[str] = []

    def collect(self, sources: list[Source], *, keep_titles: bool = False) -> list[Subschema]:
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

    def read_value(self, subschemas: list[Subschema], role: _Role = "field") -> Constraints:
        """Read what is enforced of a value that must satisfy all the given schemas."""
        constraints = None
        for schema, at in subschemas:
            read = self._read_one(schema, at, role)
            constraints = read if constraints is None else combine(constraints, read)
        if constraints is None:
            return Constraints()
        choices = constraints.choices
        return constraints if choices is None else drop_choices_of_other_types(constraints, choices)

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
        self.note_unenforced(schema, at, enforced)
        return constraints

    def _read_composition(self, schema: dict[str, Any], keyword: str, at: LazyPointer, role: _Role) -> _Composition:
        """Read the members of an `anyOf` or `oneOf`: choices if all of them are, else alternatives."""
        noted = len(self.unenforced)
        members = [
            self._read_member(member, ((at, keyword), place))
            for place, member in members_beside_null(schema, keyword).items()
        ]
        is_exact = len(self.unenforced) == noted
        free = [member for member in members if member.choices is None]
        offered = [choice for member in members for choice in (member.choices or {}).values()]
        others = [member for member in members if not is_plain_choice(member)]
        open_types: frozenset[str] = frozenset().union(*(member.types for member in free))
        alternatives: tuple[Constraints, ...] = ()
        choices = index_choices(offered)
        if others:
            plain = {
                key: choice
                for member in members
                if is_plain_choice(member)
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
            del self.unenforced[noted:]
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
        found = self.collect([(member, at)], keep_titles=True)
        read = self.read_value(found, "alternative")
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
        found = self.collect([(items, (at, "items"))])
        read = self.read_value(found, "item")
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

    def note_unenforced(self, schema: dict[str, Any], at: LazyPointer, enforced: set[str]) -> None:
        for keyword in schema:
            if keyword not in REPORTED_UNLESS_ENFORCED or keyword in enforced:
                continue
            if keyword not in COMPOSITIONS or len(members_beside_null(schema, keyword)) != 1:
                self.unenforced.append(pointer_of((at, keyword)))
