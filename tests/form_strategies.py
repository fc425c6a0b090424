"""Hypothesis strategies for forms: schemas of the restricted subset and beyond it, answers, and broken ones."""

import copy
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from strategies import json_objects, json_values, text

from toolnexus_mrtr import Form
from toolnexus_mrtr._errors import pointer

_WORDS = ["", "a", "bb", "ccc", "1", "true", "2026-07-28", "2026-02-30", "a@b.example", "https://a.example/"]
_NUMBERS = [-2, -1, 0, 1, 2, 3, 5, 1.0, 1.5, 0.25, 2.0, -0.0, 2**70]

words = st.sampled_from(_WORDS)
numbers = st.sampled_from(_NUMBERS)
lists = st.lists(words, max_size=4)

#: Every kind of value that the content of an answer may hold.
sendable = st.one_of(words, numbers, st.booleans(), lists)


def _some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keywords)


def _joined(*parts: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda members: {key: value for part in members for key, value in part.items()})


_about = _some(title=words, description=words, default=sendable)
_lengths = _some(minLength=st.integers(0, 3), maxLength=st.integers(0, 3))
_bounds = _some(
    minimum=numbers,
    maximum=numbers,
    exclusiveMinimum=numbers,
    exclusiveMaximum=numbers,
    # Halves and quarters have exact doubles, so decimals and doubles agree on their multiples.
    multipleOf=st.sampled_from([1, 2, 3, 0.5, 0.25]),
)
_amounts = _some(minItems=st.integers(0, 3), maxItems=st.integers(0, 3), uniqueItems=st.booleans())

_scalars = st.one_of(words, st.sampled_from([0, 1, 2, 1.0, True, False, None]))
_consts = st.fixed_dictionaries({"const": _scalars}, optional={"title": words})
_types = st.sampled_from(["string", "number", "integer", "boolean", "array", "null"])

_string = _joined(
    st.just({"type": "string"}),
    _lengths,
    _some(format=st.sampled_from(["email", "uri", "date", "date-time", "int32", "password"])),
)
_number = _joined(st.fixed_dictionaries({"type": st.sampled_from(["number", "integer"])}), _bounds)
_boolean = st.just({"type": "boolean"})
_untyped = _joined(_some(type=st.one_of(_types, st.lists(_types, min_size=1, max_size=3, unique=True))), _lengths)

_enum = st.fixed_dictionaries(
    {"enum": st.lists(_scalars, max_size=5)},
    optional={"type": st.sampled_from(["string", "integer", "number", "boolean"]), "enumNames": lists},
)
_titled = st.fixed_dictionaries(
    {}, optional={"oneOf": st.lists(_consts, min_size=1, max_size=4), "type": st.sampled_from(["string", "integer"])}
)
_titled_any = st.fixed_dictionaries({"anyOf": st.lists(_consts, min_size=1, max_size=4)})
_choice = st.one_of(_enum, _titled, _titled_any, _consts)

_items = st.one_of(_choice, _string, _untyped)
_array = _joined(st.fixed_dictionaries({"type": st.just("array")}, optional={"items": _items}), _amounts)

_plain = st.one_of(_string, _number, _boolean, _choice, _array, _untyped)
_union = st.fixed_dictionaries({"anyOf": st.lists(st.one_of(_string, _number, _boolean), min_size=1, max_size=3)})
_maybe = st.fixed_dictionaries({"anyOf": st.tuples(_plain, st.just({"type": "null"})).map(list)})
_maybe_one = st.fixed_dictionaries({"oneOf": st.tuples(_plain, st.just({"type": "null"})).map(list)})
_all = st.fixed_dictionaries({"allOf": st.lists(_plain, min_size=1, max_size=3)})
_referring = _joined(st.fixed_dictionaries({"$ref": st.sampled_from(["#/$defs/x", "#/$defs/y~1z"])}), _about, _lengths)

_field = st.one_of(
    _joined(_plain, _about), _union, _maybe, _maybe_one, _all, _referring, _joined(_plain, _union), st.booleans()
)

NAMES = ["a", "b", "c/d", ""]


def _schema(fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "type": st.just("object"),
            "properties": st.dictionaries(st.sampled_from(NAMES), fields, max_size=3),
            "$defs": st.fixed_dictionaries({"x": _plain, "y/z": st.one_of(_plain, _maybe)}),
        },
        optional={
            "required": st.lists(st.sampled_from(NAMES), max_size=3, unique=True),
            "additionalProperties": st.one_of(st.booleans(), _plain),
            "title": words,
        },
    )


#: Schemas of the kinds that are enforced, and of no others.
schemas = _schema(_field)

contents = st.dictionaries(st.sampled_from([*NAMES, "z"]), sendable, max_size=4)


@st.composite
def accepted_contents(draw: st.DrawFn, form: Form) -> dict[str, Any]:
    """Content that a form accepts, perhaps with nulls and names that are no fields; none if it needs what is rare."""
    content = {}
    for name in [*(field.name for field in form.fields), "z"]:
        values = [*draw(st.lists(st.one_of(sendable, text), min_size=3, max_size=3)), None, ""]
        field = next((field for field in form.fields if field.name == name), None)
        chosen = [choice.value for choice in (field.choices or ())] if field else []
        fitting = [value for value in [*chosen, chosen[:2], *values] if not _refuses(form, name, value)]
        is_required = field is not None and field.required
        assume(fitting or not is_required)
        if fitting and (is_required or draw(st.booleans())):
            content[name] = draw(st.sampled_from(fitting))
    return content


def _refuses(form: Form, name: str, value: Any) -> bool:
    return any(error.at == pointer(name) for error in form.check({name: value}))


_anything = st.deferred(
    lambda: st.one_of(
        _field,
        _some(
            **{"not": _field, "if": _field, "then": _field, "else": _field, "contains": _field},
            items=st.one_of(_anything, st.booleans()),
            prefixItems=st.lists(_field, min_size=1, max_size=2),
            oneOf=st.lists(_anything, min_size=1, max_size=3),
            anyOf=st.lists(_anything, min_size=1, max_size=3),
            allOf=st.lists(_anything, min_size=1, max_size=3),
            patternProperties=st.dictionaries(words, _field, max_size=2),
            properties=st.dictionaries(words, _field, max_size=2),
            propertyNames=_field,
            dependentRequired=st.dictionaries(words, st.lists(words, unique=True), max_size=2),
            dependencies=st.dictionaries(words, st.one_of(st.lists(words, unique=True), _field), max_size=2),
            pattern=st.just("^(a+)+$"),
            examples=lists,
            deprecated=st.booleans(),
        ),
    )
)

#: Schemas with anything in them that JSON Schema knows.
wide_schemas = _schema(_anything)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in _places(item, (*path, key)))]


_junk = st.one_of(
    st.sampled_from([None, True, 0, -1, 1.5, 3.0, "", "string", "float", [], ["a", "a"], {}, [[]], ["string", "null"]]),
    json_values,
)


@st.composite
def mutated_schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A schema with some of its members replaced or removed."""
    schema = copy.deepcopy(draw(wide_schemas))
    for _ in range(draw(st.integers(0, 2))):
        places = [place for place in _places(schema) if place]
        *parents, last = draw(st.sampled_from(places))
        box: Any = schema
        for key in parents:
            box = box[key]
        if draw(st.booleans()):
            box[last] = copy.deepcopy(draw(_junk))
        elif isinstance(box, dict):
            box.pop(last)
    return schema


any_schemas = st.one_of(mutated_schemas(), json_objects)
any_contents = st.one_of(contents, st.dictionaries(st.one_of(st.sampled_from(NAMES), text), json_values, max_size=4))
entries = st.sampled_from(
    ["yes", "NO", " 1 ", "1.000", "1e3", "1,5", "0.1", "x, y", " a@b.example ", "2026-07-28T10:00", "\u22121"]
)
any_strings = st.dictionaries(
    st.one_of(st.sampled_from(NAMES), text),
    st.one_of(words, entries, text, st.lists(st.one_of(words, entries, text), max_size=3)),
)
