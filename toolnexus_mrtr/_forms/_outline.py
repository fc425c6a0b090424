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
from typing import Any

from toolnexus_mrtr._errors import RemoteProtocolError, pointer_of
from toolnexus_mrtr._forms._constraints import FormConstraints, Subschema
from toolnexus_mrtr._forms._keywords import COMPOSITIONS, first_text, types_of
from toolnexus_mrtr._forms._schema import LoadedSchema, resolve
from toolnexus_mrtr._forms._values import Source, ValueReader


def read_constraints(schema: LoadedSchema) -> FormConstraints:
    """Read what is enforced of a form.

    Raises `RemoteProtocolError`: `schema_invalid` where it is not the schema of an object, `schema_too_large`.
    """
    reader = ValueReader(schema)
    objects = reader.collect([(schema.root, "")], keep_titles=True)
    properties: dict[str, list[Source]] = {}
    required: dict[str, None] = {}
    for member, at in objects:
        if "object" not in types_of(member):
            expected = "expected the schema of an object"
            raise RemoteProtocolError("schema_invalid", expected, pointer_of((at, "type")))
        for name, subschema in member.get("properties", {}).items():
            properties.setdefault(name, []).append((subschema, ((at, "properties"), name)))
        required |= dict.fromkeys(member.get("required", ()))
    allowed, sources = _read_additional(reader, objects)
    subschemas = {name: reader.collect(described) for name, described in properties.items()}
    fields = {name: reader.read_value(found) for name, found in subschemas.items()}
    others = reader.collect(sources)
    additional = reader.read_value(others)
    conditional = {name: found for name, found in _find_conditional(schema.root, objects) if name not in properties}
    for name in (*required, *conditional):
        subschemas.setdefault(name, conditional.get(name, others))
        fields.setdefault(name, additional)
    return FormConstraints(
        title=first_text((member for member, _ in objects), "title"),
        description=first_text((member for member, _ in objects), "description"),
        fields=fields,
        subschemas=subschemas,
        required=required,
        conditional=frozenset(conditional),
        allowed=allowed,
        additional=additional if sources else None,
        unenforced=tuple(dict.fromkeys(reader.unenforced)),
    )


def _read_additional(reader: ValueReader, objects: list[Subschema]) -> tuple[frozenset[str] | None, list[Source]]:
    """Read `additionalProperties`: the only names that are allowed, if any, and the schemas of all other values."""
    allowed: frozenset[str] | None = None
    sources: list[Source] = []
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
        reader.note_unenforced(schema, at, enforced)
    return allowed, sources


def _find_conditional(root: Any, objects: list[Subschema]) -> Iterator[tuple[str, list[Subschema]]]:
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
            pending.append(resolve(root, schema["$ref"], "")[0])
        for name, subschema in schema.get("properties", {}).items():
            if name not in found:
                found.add(name)
                yield name, [(subschema if isinstance(subschema, dict) else {}, "")]


def _list_conditional(schema: dict[str, Any]) -> list[Any]:
    """List the schemas below a schema that hold under some condition."""
    listed: list[Any] = [schema[keyword] for keyword in ("then", "else") if keyword in schema]
    for keyword in COMPOSITIONS:
        listed += schema.get(keyword, ())
    for keyword in ("dependentSchemas", "dependencies"):
        listed += schema.get(keyword, {}).values()
    return listed
