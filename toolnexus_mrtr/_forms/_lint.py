"""Findings about the schema of a form: what is wrong in it, and what is unwise.

The restricted schema of a form is a type of the specification, not a MUST: whatever goes beyond it is a warning, as
long as the form can be checked at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain, islice, repeat
from math import ceil, floor
from typing import Any, Final

from toolnexus_mrtr._errors import MrtrError, pointer
from toolnexus_mrtr._findings import SAFE_URLS, SCHEMA, SECRETS, Finding, error, warning
from toolnexus_mrtr._forms._fields import Field
from toolnexus_mrtr._forms._form import Form
from toolnexus_mrtr._forms._formats import FORMATS
from toolnexus_mrtr._forms._keywords import (
    ANNOTATIONS,
    ANY_TYPE,
    BEYOND_SIMPLE,
    BY_JSONSCHEMA,
    COMPOSITIONS,
    EXPECTED_VALUES,
    EqualityKey,
    equality_key,
    has_type,
    make_choice,
    types_of,
)
from toolnexus_mrtr._forms._parsing import to_text
from toolnexus_mrtr._forms._schema import MAX_NAME, MAX_SUBSCHEMAS
from toolnexus_mrtr._forms._secrets import asks_for_secret
from toolnexus_mrtr._json import LEAST, MOST
from toolnexus_mrtr._text import json_type, quoted

#: How many findings there are about one form.
_MAX_FINDINGS: Final = 100

#: How many members of one object or array are looked at.
_MAX_MEMBERS: Final = MAX_SUBSCHEMAS

#: Text that a person would take for a link.
_link: Final = re.compile(r"[a-z]://\S|\bwww\.\S", re.IGNORECASE).search

#: The keywords of JSON Schema that change what a form accepts by themselves, and those that hold or name schemas.
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
    """List what is wrong with the schema of a form, at most 100 findings; `at` is where it stands."""
    return islice(_form_findings(schema, at), _MAX_FINDINGS)


def form_message_findings(params: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List what is unwise in the message that comes with a form."""
    yield from _link_findings(params, ("message",), at)
    message = params.get("message")
    if isinstance(message, str) and asks_for_secret(message):
        expected = "expected a message that asks for no secret, a form must not ask for one"
        yield warning("message_asks_for_secret", expected, at + "/message", SECRETS)


def _form_findings(schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    yield from _annotation_findings(schema, at)
    yield from _link_findings(schema, ("title", "description"), at)
    form, defaults = None, {}
    try:
        read = Form.of(schema)
        form, defaults = read, read.defaults()
    except MrtrError as caught:
        yield error(caught.code, caught.sentence, at + caught.at, SCHEMA)
    unenforced = dict.fromkeys(at + place for place in form.unenforced) if form is not None else {}
    yield from (finding for finding in _restriction_findings(schema, at) if finding.at not in unenforced)
    for place in unenforced:
        message = "expected only constraints that a client can check, this one is left to the server"
        yield warning("constraint_unenforced", message, place, SCHEMA)
    properties = schema.get("properties")
    fields = properties if isinstance(properties, Mapping) else {}
    for name, field in islice(fields.items(), _MAX_MEMBERS):
        if isinstance(field, Mapping) and _fits_pointers(name):
            place = f"{at}/properties{pointer(name)}"
            yield from _link_findings(field, ("title", "description"), place)
            for holder, inside in ((field, place), (field.get("items"), place + "/items")):
                if isinstance(holder, Mapping):
                    yield from _annotation_findings(holder, inside)
                    yield from _choice_findings(holder, inside)
    if form is not None:
        yield from _field_findings(form, fields, defaults, at)
        yield from _required_findings(schema, fields, at)


def _link_findings(holder: Mapping[str, Any], names: Iterable[str], at: str) -> Iterator[Finding]:
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
    for name, field in islice(properties.items(), _MAX_MEMBERS):
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
    for keyword in islice(schema, _MAX_MEMBERS):
        if keyword in _CONSTRAINING and keyword not in allowed:
            yield _not_restricted(f"no {keyword!r} here", f"{at}/{keyword}")


def _fits_pointers(name: Any) -> bool:
    """Whether the name of a field is short enough for pointers: each finding about the field repeats it."""
    return isinstance(name, str) and len(name) <= MAX_NAME


def _not_restricted(expected: str, at: str) -> Finding:
    return warning("schema_not_restricted", f"expected {expected}, in the restricted schema of a form", at, SCHEMA)


def _annotation_findings(schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List the annotations that are ignored, since they have a wrong type."""
    for keyword, (expected, is_expected) in ANNOTATIONS.items():
        if keyword in schema and not is_expected(schema[keyword]):
            message = f"expected {expected} or no {keyword!r}, found {json_type(schema[keyword])}"
            yield warning("bad_annotation", message, f"{at}/{keyword}", SCHEMA)


def _choice_findings(schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List what is wrong with the choices of a field, or of the items of a list; of all but annotations the first."""
    names = schema.get("enumNames")
    values = _list_members(schema.get("enum"))
    if "enum" in schema and "enumNames" in schema and not _are_names(names, schema["enum"]):
        yield warning("choice_names_mismatch", "expected a name for each choice", at + "/enumNames", SCHEMA)
    labels = chain(_list_members(names), repeat(None))
    yield from _repetition_findings(zip(values, labels, strict=False), at + "/enum")
    yield from _value_findings(values, schema, at + "/enum")
    for keyword in COMPOSITIONS:
        members = _list_members(schema.get(keyword))
        for place, member in enumerate(members):
            if isinstance(member, Mapping):
                yield from _annotation_findings(member, f"{at}/{keyword}/{place}")
        pairs = [_read_choice(member) for member in members]
        yield from _repetition_findings(pairs, f"{at}/{keyword}")
        yield from _value_findings([value for value, _ in pairs], schema, f"{at}/{keyword}")


def _list_members(value: Any) -> list[Any]:
    return list(islice(value, _MAX_MEMBERS)) if isinstance(value, list | tuple) else []


def _are_names(names: Any, values: Any) -> bool:
    if not isinstance(names, list | tuple) or not isinstance(values, list | tuple) or len(names) != len(values):
        return False
    return all(isinstance(name, str) for name in islice(names, _MAX_MEMBERS))


def _read_choice(member: Any) -> tuple[Any, Any]:
    """Read the value and the label of a member of a composition; `None` where it stands for no single value."""
    if not isinstance(member, Mapping):
        return None, None
    values = member.get("enum")
    value = values[0] if isinstance(values, list | tuple) and len(values) == 1 else None
    return member.get("const", value), member.get("title")


def _repetition_findings(choices: Iterable[tuple[Any, Any]], at: str) -> Iterator[Finding]:
    """List the first value that stands twice, and the first choice that is called what another is called or is."""
    seen: set[EqualityKey] = set()
    labels: set[str] = set()
    texts: set[str] = set()
    repeated_value = repeated_label = None
    for place, (value, given) in enumerate(choices):
        if not _is_finite_scalar(value):
            continue
        key = equality_key(value)
        if key in seen:
            repeated_value = place if repeated_value is None else repeated_value
            continue
        label, text = make_choice(value, given).label, to_text(value)
        if repeated_label is None and (label in labels or label in texts or text in labels):
            repeated_label = place
        seen.add(key)
        labels.add(label)
        texts.add(text)
    if repeated_value is not None:
        yield warning("repeated_choice", "expected every choice once", f"{at}/{repeated_value}", SCHEMA)
    if repeated_label is not None:
        yield warning("repeated_label", "expected a label of its own for each choice", f"{at}/{repeated_label}", SCHEMA)


def _value_findings(values: list[Any], schema: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List the first choice that cannot be sent, and the first that is not of the type beside it."""
    types = types_of({"type": schema["type"]}) if _has_valid_type(schema) else ANY_TYPE
    unsendable = (place for place, value in enumerate(values) if isinstance(value, list | tuple | Mapping))
    for place in islice(unsendable, 1):
        yield _not_sendable(f"{at}/{place}")
    misfits = (place for place, value in enumerate(values) if _is_finite_scalar(value) and not has_type(value, types))
    for place in islice(misfits, 1):
        yield warning("choice_of_wrong_type", "expected a choice of the type beside it", f"{at}/{place}", SCHEMA)


def _not_sendable(at: str) -> Finding:
    # schema.ts, ElicitResult.
    expected = "expected choices that an answer can carry: text, numbers, yes and no, and in a list text alone"
    return warning("choice_not_sendable", expected, at, SCHEMA)


def _is_finite_scalar(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, int | float) and LEAST < value < MOST)


def _has_valid_type(schema: Mapping[str, Any]) -> bool:
    _, is_expected = EXPECTED_VALUES["type"]
    return "type" in schema and is_expected(schema["type"])


def _field_findings(
    form: Form, fields: Mapping[str, Any], valid_defaults: Mapping[str, Any], at: str
) -> Iterator[Finding]:
    """List fields that ask for a secret, cannot be sent or have bounds that exclude each other; and bad defaults."""
    for field in form.fields:
        place = f"{at}/properties{pointer(field.name)}" if field.name in fields else at
        if field.sensitive:
            # A MUST NOT of the specification, but words are only a guess that it is violated: so no error.
            message = f"expected no secret to be asked in a form, {quoted(field.name)} seems to be one"
            yield warning("asks_for_secret", message, place, SECRETS)
        item_choices = form._constraints.fields[field.name].item_choices or {}  # noqa: SLF001 - they are not public
        if any(not isinstance(choice.value, str) for choice in item_choices.values()):
            yield _not_sendable(place)
        if _is_unsatisfiable(field):
            yield warning("bounds_unsatisfiable", "expected bounds that a value can satisfy", place, SCHEMA)
        schema = fields.get(field.name)
        if field.name not in valid_defaults and isinstance(schema, Mapping) and _has_default(schema):
            yield warning("default_invalid", "expected a default that its own field takes", place + "/default", SCHEMA)


def _has_default(schema: Mapping[str, Any]) -> bool:
    """Whether there is a default; null where the field allows null is none, as generators of schemas write it."""
    if schema.get("default") is not None:
        return True
    return "default" in schema and "null" not in types_of({"type": schema["type"]} if "type" in schema else {})


def _is_unsatisfiable(field: Field) -> bool:
    """Whether the bounds of a field leave no value."""
    counts: list[tuple[int | None, int | None]] = []
    if field.kind in ("number", "integer"):
        return _is_empty_range(field)
    if field.kind in ("string", "strings"):
        counts.append((field.min_length, field.max_length))
    if field.kind in ("choices", "strings"):
        counts.append((field.min_items, field.max_items))
    return any(least is not None and most is not None and least > most for least, most in counts)


def _is_empty_range(field: Field) -> bool:
    lows = [bound for bound in (field.minimum, field.exclusive_minimum) if bound is not None]
    highs = [bound for bound in (field.maximum, field.exclusive_maximum) if bound is not None]
    if not lows or not highs:
        return False
    is_above, is_below = max(lows) == field.exclusive_minimum, min(highs) == field.exclusive_maximum
    # In decimals, as people write them.
    low, high = Fraction(str(max(lows))), Fraction(str(min(highs)))
    step = Fraction(1) if field.kind == "integer" else None
    if field.multiple_of is not None:
        # A whole number that is a multiple of 3/2 is one of 3.
        multiple = Fraction(str(field.multiple_of))
        step = multiple if step is None else Fraction(multiple.numerator)
    if step is None:
        return low > high or (low == high and (is_above or is_below))
    first = floor(low / step) + 1 if is_above else ceil(low / step)
    last = ceil(high / step) - 1 if is_below else floor(high / step)
    return first > last


def _required_findings(schema: Mapping[str, Any], fields: Mapping[str, Any], at: str) -> Iterator[Finding]:
    if "allOf" in schema or "$ref" in schema:
        # These may describe the required names.
        return
    for place, name in enumerate(schema.get("required", ())):
        if name not in fields:
            message = f"expected the name of a field, found {quoted(name)}"
            yield warning("required_unknown", message, f"{at}/required/{place}", SCHEMA)
