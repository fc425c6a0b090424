"""Forms in the restricted schema of the specification: recognised quickly, and read as any other form is."""

import json
from typing import Any

import pytest
from form_strategies import NAMES, contents, mutated_schemas, numbers, words
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors import ROOT

from toolnexus_mrtr import Form, RemoteProtocolError
from toolnexus_mrtr._forms import coerce, normalize
from toolnexus_mrtr._forms._schema import load_schema

STRING: dict[str, Any] = {"type": "string"}

_counts = st.integers(0, 3)
_options = st.lists(st.fixed_dictionaries({"const": words}, optional={"title": words}), min_size=1, max_size=3)
_enums = st.lists(words, max_size=3)
_properties = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "number", "integer", "boolean", "array"])},
    optional={
        **dict.fromkeys(("title", "description", "default"), words),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _counts),
        **dict.fromkeys(("minimum", "maximum"), numbers.filter(lambda number: number < 2**64)),
        "format": st.sampled_from(["email", "uri", "date", "date-time"]),
        "enum": _enums,
        "enumNames": _enums,
        "oneOf": _options,
        "items": st.fixed_dictionaries({}, optional={"type": st.just("string"), "enum": _enums, "anyOf": _options}),
    },
)
_restricted = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(NAMES), _properties, max_size=3)},
    optional={"required": st.lists(st.sampled_from(NAMES), unique=True), "title": words, "description": words},
)
_answers = st.one_of(contents, st.dictionaries(st.sampled_from([*NAMES, "z"]), st.sampled_from([None, 3.0, 0.5])))


def form_of(properties: Any, **members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties} | members


@given(schema=_restricted, content=_answers)
@settings(max_examples=150)
def test_a_restricted_form_is_read_as_it_is_with_a_keyword_that_says_nothing(schema, content):
    longer = schema | {"$comment": ""}
    assert load_schema(schema).is_plain
    assert not load_schema(longer).is_plain
    form, other = Form.of(schema), Form.of(longer)
    assert (form.fields, form.unenforced) == (other.fields, other.unenforced)
    assert normalize(form, content) == normalize(other, content)
    assert repr(coerce(schema, content)) == repr(coerce(longer, content))


@given(schema=mutated_schemas())
@settings(max_examples=150)
def test_nothing_is_taken_for_restricted_that_is_refused_with_a_keyword_that_says_nothing(schema):
    try:
        load_schema(schema | {"$comment": ""})
    except RemoteProtocolError as error:
        with pytest.raises(RemoteProtocolError) as caught:
            load_schema(schema)
        assert (caught.value.code, caught.value.at) == (error.code, error.at)


def test_a_recorded_form_of_plain_fields_is_plain():
    recorded = json.loads((ROOT / "tests" / "recorded_forms.json").read_bytes())
    assert load_schema(recorded[0]["schema"]).is_plain


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        (form_of({"n" * 1_001: STRING}), "schema_too_large"),
        (form_of({"a": STRING | {"enum": ["x"] * 1_001}}), "schema_too_large"),
        (form_of({"a": STRING | {"oneOf": [{"const": "x"}] * 1_001}}), "schema_too_large"),
        (form_of({"a": STRING}, required=["a", "a"]), "schema_invalid"),
        (form_of({"a": STRING | {"oneOf": []}}), "schema_invalid"),
        (form_of({"a": STRING | {"minLength": -1}}), "schema_invalid"),
        (form_of({"a": STRING | {"minimum": True}}), "schema_invalid"),
        (form_of({"a": STRING}, type="array"), "schema_invalid"),
    ],
)
def test_a_form_that_is_almost_restricted_is_refused(schema, code):
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of(schema)
    assert caught.value.code == code


def test_a_lone_surrogate_keeps_a_form_from_the_quick_look_and_nothing_else():
    schema = form_of({"a": STRING | {"title": "\ud800"}})
    assert not load_schema(schema).is_plain
    assert Form.of(schema).fields[0].label == "\ud800"


def test_what_is_no_map_has_no_fields_to_go_by():
    with pytest.raises(TypeError, match="schema must be a mapping"):
        coerce([], {"a": 3.0})  # type: ignore[arg-type]  # no mapping, which is refused
