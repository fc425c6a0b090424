"""Forms compared with jsonschema: the same verdict wherever the contract does not say otherwise."""

import copy
import json
import math
from typing import Any

from form_strategies import any_contents, any_schemas, any_strings, contents, mutated_schemas, schemas
from hypothesis import assume, given, settings
from jsonschema import Draft202012Validator, FormatChecker, SchemaError
from referencing import Registry

from toolnexus_mrtr import Form, RemoteProtocolError
from toolnexus_mrtr._forms._formats import FORMATS
from toolnexus_mrtr._forms._keywords import ANNOTATIONS
from toolnexus_mrtr._forms._schema import load

CODES = {"schema_invalid", "schema_dialect", "schema_external_ref", "schema_too_large"}
FIELD_CODES = """
    required wrong_type too_short too_long too_small too_large not_a_choice too_few too_many wrong_format not_finite
    not_allowed not_sendable other
""".split()


def our_formats() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, holds in FORMATS.items():
        checker.checks(name)(lambda value, holds=holds: not isinstance(value, str) or holds(value))
    return checker


def refused_by_jsonschema(schema: dict[str, Any], content: dict[str, Any]) -> set[str]:
    """Give the names of the fields that jsonschema, with all keywords, finds wrong."""
    validator = Draft202012Validator(schema, registry=Registry(), format_checker=our_formats())
    names = set()
    for error in validator.iter_errors(content):
        if error.path:
            names.add(error.path[0])
        elif error.validator == "required":
            names |= {name for name in schema["required"] if name not in content}
        elif error.validator is None:
            # The schema `false`: jsonschema gives no path for it.
            names |= {name for name in content if schema["properties"].get(name) is False}
        else:
            assert error.validator == "additionalProperties"
            names |= {name for name in content if name not in schema["properties"]}
    return names


def refused_by_us(schema: dict[str, Any], content: dict[str, Any]) -> set[str]:
    return {error.at[1:].replace("~1", "/").replace("~0", "~") for error in Form.of(schema).check(content)}


@given(schema=schemas, content=contents)
@settings(max_examples=200)
def test_form_check_refuses_the_same_fields_as_jsonschema(schema, content):
    refused = refused_by_us(schema, content)
    if Form.of(schema).unenforced:
        assert refused <= refused_by_jsonschema(schema, content)
    else:
        assert refused == refused_by_jsonschema(schema, content)


@given(schema=mutated_schemas(), content=contents)
@settings(max_examples=150)
def test_form_check_refuses_nothing_that_jsonschema_accepts(schema, content):
    try:
        form = Form.of(schema)
    except RemoteProtocolError:
        assume(False)
    validator = Draft202012Validator(schema, registry=Registry(), format_checker=our_formats())
    assert form.check(content) == () or not validator.is_valid(content)


def _without_bad_annotations(value: Any) -> Any:
    """The same without annotations of a wrong type: Form.of ignores them."""
    if isinstance(value, dict):
        return {
            name: _without_bad_annotations(member)
            for name, member in value.items()
            if name not in ANNOTATIONS or ANNOTATIONS[name][1](member)
        }
    return [_without_bad_annotations(item) for item in value] if isinstance(value, list) else value


@given(schema=mutated_schemas())
@settings(max_examples=200)
def test_load_admits_a_schema_exactly_when_json_schema_allows_it(schema):
    # JSON Schema does not restrict where references lead, which dialects there are and how an id is written; and it has
    # only finite numbers.
    keywords = set(_keys(schema))
    assume(keywords.isdisjoint({"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$recursiveAnchor"}))
    assume(all(math.isfinite(number) for number in _floats(schema)))
    allowed = True
    try:
        Draft202012Validator.check_schema(_without_bad_annotations(schema), format_checker=FormatChecker(formats=()))
    except SchemaError:
        allowed = False
    admitted = True
    try:
        load(schema)
    except RemoteProtocolError as error:
        admitted = False
        # The mutation may have removed the target of a reference.
        assume(not error.at.endswith("/$ref"))
    assert admitted == allowed


@given(schema=any_schemas, content=any_contents, strings=any_strings)
@settings(max_examples=200)
def test_form_of_check_defaults_and_parse_are_total_and_change_nothing(schema, content, strings):
    before = json.dumps(schema), json.dumps(content), json.dumps(strings)
    try:
        form = Form.of(schema)
    except RemoteProtocolError as error:
        assert error.code in CODES
        assert error.at == "" or error.at.startswith("/")
        assert str(error).isascii()
        assert len(str(error)) <= 400
        assert error.__cause__ is error.__context__ is None
        return
    assert [field.name for field in form.fields] == list(dict.fromkeys(field.name for field in form.fields))
    for error in form.check(content):
        assert error.code in FIELD_CODES
        assert error.message.isascii()
        assert len(error.message) <= 200
    defaults = form.defaults()
    assert {error.at for error in form.check(defaults) if error.code != "required"} == set()
    read, errors = form.parse(strings)
    assert errors != () or form.check(read) == ()
    assert (json.dumps(schema), json.dumps(content), json.dumps(strings)) == before


@given(schema=schemas, strings=any_strings)
@settings(max_examples=150)
def test_form_parse_reads_the_same_twice_and_invents_no_names(schema, strings):
    form = Form.of(copy.deepcopy(schema))
    read, errors = form.parse(strings)
    assert Form.of(schema).parse(strings) == (read, errors)
    assert set(read) <= set(strings)


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for item in value.values() for key in _keys(item))]
    return [key for item in value for key in _keys(item)] if isinstance(value, list) else []


def _floats(value: Any) -> list[float]:
    if isinstance(value, float):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [number for item in items for number in _floats(item)]
