"""Findings about the schema of a form: what is wrong in it, and what is unwise.

The restricted schema of a form is a type of the specification, not a MUST: whatever goes beyond it is a warning, as
long as the form can be checked at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr._errors import MrtrError, pointer
from toolnexus_mrtr._findings import SAFE_URLS, SCHEMA, SECRETS, Finding, error, warning
from toolnexus_mrtr._forms._form import Form
from toolnexus_mrtr._forms._formats import FORMATS
from toolnexus_mrtr._forms._keywords import BEYOND_SIMPLE, BY_JSONSCHEMA, equality_key, types_of
from toolnexus_mrtr._forms._schema import MAX_NAME
from toolnexus_mrtr._text import json_type, quoted

#: Text that a person would take for a link.
_link: Final = re.compile(r"[a-z]://\S|\bwww\.\S", re.IGNORECASE).search

#: The keywords of JSON Schema that change what a form accepts; any other is an annotation, or no keyword.
_CONSTRAINING: Final = (
    BEYOND_SIMPLE | BY_JSONSCHEMA | {"format", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor"}
)

_FORM_KEYWORDS: Final = frozenset({"type", "properties", "required"})

#: The keywords that the specification gives a field, by its type.
_FIELD_KEYWORDS: Final = {
    "string": frozenset({"type", "minLength", "maxLength", "format", "enum", "oneOf"}),
    "number": frozenset({"type", "minimum", "maximum"}),
    "integer": frozenset({"type", "minimum", "maximum"}),
    "boolean": frozenset({"type"}),
    "array": frozenset({"type", "minItems", "maxItems", "items"}),
}
_ITEM_KEYWORDS: Final = frozenset({"type", "enum", "anyOf"})


def form_findings(schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List what is wrong with the schema of a form; `at` is where it stands."""
    yield from link_findings(schema, ("title", "description"), at)
    form = None
    try:
        form = Form.of(schema)
    except MrtrError as caught:
        yield error(caught.code, caught.sentence, at + caught.at, SCHEMA)
    unenforced = dict.fromkeys(at + place for place in form.unenforced) if form is not None else {}
    yield from (finding for finding in _restriction_findings(schema, at) if finding.at not in unenforced)
    for place in unenforced:
        message = "expected only constraints that a client can check, this one is left to the server"
        yield warning("constraint_unenforced", message, place, SCHEMA)
    properties = schema.get("properties")
    fields = properties if isinstance(properties, Mapping) else {}
    for name, field in fields.items():
        if isinstance(field, Mapping) and _fits_pointers(name):
            yield from link_findings(field, ("title", "description"), f"{at}/properties{pointer(name)}")
            yield from _repeated_choice_findings(field, f"{at}/properties{pointer(name)}")
    if form is not None:
        yield from _field_findings(form, fields, at)
        yield from _required_findings(schema, fields, at)


def link_findings(holder: Mapping[str, Any], names: Iterable[str], at: str) -> Iterator[Finding]:
    """List the links in the named texts of a form (client/elicitation, "Safe URL Handling")."""
    for name in names:
        text = holder.get(name)
        if isinstance(text, str) and _link(text):
            yield warning("link_in_form", "expected a text without links", f"{at}/{name}", SAFE_URLS)


def _restriction_findings(schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List what goes beyond the restricted schema of a form: one object with properties of simple types."""
    if schema.get("type") != "object":
        yield _not_restricted("the type 'object'", at + "/type")
    yield from _keyword_findings(schema, _FORM_KEYWORDS, at)
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        yield _not_restricted("properties", at + "/properties")
        return
    for name, field in properties.items():
        if _fits_pointers(name):
            yield from _property_findings(field, f"{at}/properties{pointer(name)}")


def _property_findings(field: Any, at: str) -> Iterator[Finding]:
    if not isinstance(field, Mapping):
        yield _not_restricted(f"the schema of a field, found {json_type(field)}", at)
        return
    kind = field.get("type")
    allowed = _FIELD_KEYWORDS.get(kind) if isinstance(kind, str) else None
    if allowed is None:
        yield _not_restricted("the type string, number, integer, boolean or array", at + "/type")
        return
    yield from _keyword_findings(field, allowed, at)
    if kind == "string" and "format" in field and field["format"] not in tuple(FORMATS):
        yield _not_restricted("one of the four formats", at + "/format")
    if kind == "array":
        items = field.get("items")
        if not isinstance(items, Mapping) or ("enum" not in items and "anyOf" not in items):
            yield _not_restricted("choices, as the items of a list", at + "/items")
        else:
            yield from _keyword_findings(items, _ITEM_KEYWORDS, at + "/items")


def _keyword_findings(schema: Mapping[str, Any], allowed: frozenset[str], at: str) -> Iterator[Finding]:
    for keyword in schema:
        if keyword in _CONSTRAINING and keyword not in allowed:
            yield _not_restricted(f"no {keyword!r} here", f"{at}/{keyword}")


def _fits_pointers(name: Any) -> bool:
    """Whether the name of a field is short enough for pointers: each finding about the field repeats it."""
    return isinstance(name, str) and len(name) <= MAX_NAME


def _not_restricted(expected: str, at: str) -> Finding:
    return warning("schema_not_restricted", f"expected {expected}, in the restricted schema of a form", at, SCHEMA)


def _repeated_choice_findings(field: Mapping[str, Any], at: str) -> Iterator[Finding]:
    items = field.get("items")
    for holder, inside in ((field, ""), (items if isinstance(items, Mapping) else {}, "/items")):
        for keyword in ("enum", "oneOf", "anyOf"):
            members = holder.get(keyword)
            values = members if isinstance(members, list | tuple) else ()
            if keyword != "enum":
                values = [value.get("const") if isinstance(value, Mapping) else None for value in values]
            seen = set()
            for place, value in enumerate(values):
                if isinstance(value, str | int | float):
                    if equality_key(value) in seen:
                        message = "expected every choice once"
                        yield warning("repeated_choice", message, f"{at}{inside}/{keyword}/{place}", SCHEMA)
                        break
                    seen.add(equality_key(value))


def _field_findings(form: Form, fields: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List the fields that ask for a secret, and the defaults that do not satisfy their own field."""
    has_defaults = any("default" in field for field in fields.values() if isinstance(field, Mapping))
    valid_defaults = form.defaults() if has_defaults else {}
    for field in form.fields:
        place = f"{at}/properties{pointer(field.name)}" if field.name in fields else at
        if field.sensitive:
            # A MUST NOT of the specification, but words are only a guess that it is violated: so no error.
            message = f"expected no secret to be asked in a form, {quoted(field.name)} seems to be one"
            yield warning("asks_for_secret", message, place, SECRETS)
        schema = fields.get(field.name)
        if field.name not in valid_defaults and isinstance(schema, Mapping) and not _has_no_default(schema):
            yield warning("default_invalid", "expected a default that its own field takes", place + "/default", SCHEMA)


def _has_no_default(schema: Mapping[str, Any]) -> bool:
    """Whether the default is absent, or null where the field allows null, as generators of schemas write it."""
    return schema.get("default") is None and ("default" not in schema or "null" in types_of(dict(schema)))


def _required_findings(schema: Mapping[str, Any], fields: Mapping[str, Any], at: str) -> Iterator[Finding]:
    if "allOf" in schema or "$ref" in schema:
        # These may describe the required names.
        return
    for place, name in enumerate(schema.get("required", ())):
        if name not in fields:
            message = f"expected the name of a field, found {quoted(name)}"
            yield warning("required_unknown", message, f"{at}/required/{place}", SCHEMA)
