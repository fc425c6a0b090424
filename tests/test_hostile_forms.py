"""The cost of hostile forms, counted in function calls and not in seconds: bounded, and in proportion to their size."""

import json
from typing import Any

import pytest
from counting import calls
from hostile_forms import HOSTILE, LARGE, LARGEST, SMALL, Hostile, bytes_of

from toolnexus_mrtr import Form, RemoteProtocolError

#: The bound: more calls than any form of 64 KiB needs, its answer included.
MOST = 600_000

#: The calls that every method costs together, however small the form.
LEAST = 2_000


def answered(hostile: Hostile) -> str:
    """Call `of`, `check`, `parse` and `defaults`, and give the outcome."""
    try:
        form = Form.of(hostile.schema)
    except RemoteProtocolError as error:
        return error.code
    assert len(form.check(hostile.content)) <= 100
    assert len(form.parse(hostile.strings)[1]) <= 100
    return f"{len(form.fields)} fields, {len(form.defaults())} defaults"


@pytest.mark.parametrize("name", HOSTILE)
def test_form_of_check_and_parse_cost_in_proportion_to_a_hostile_form(name):
    small, large = HOSTILE[name](SMALL), HOSTILE[name](LARGE)
    assert bytes_of(large.schema) <= LARGEST
    # The first form of all loads jsonschema.
    answered(small)
    cost = calls(answered, large)
    assert cost <= MOST
    assert cost <= 12 * max(calls(answered, small), LEAST)


REFUSED = {
    "nested anyOf of one": "schema_too_large",
    "nested allOf": "schema_too_large",
    "nested items": "schema_too_large",
    "nested not": "schema_too_large",
    "chain of definitions under anyOf": "schema_too_large",
    "chain of definitions under allOf": "schema_too_large",
    "chain of single references": "schema_too_large",
    "reference to the root": "schema_invalid",
    "root that is a reference to itself": "schema_invalid",
    "mutual references": "schema_invalid",
}


@pytest.mark.parametrize("name", REFUSED)
def test_form_of_refuses_schemas_that_grow_without_bound(name):
    assert answered(HOSTILE[name](LARGE)) == REFUSED[name]


@pytest.mark.parametrize("levels", [1_000, 20_000])
def test_form_of_refuses_any_depth_before_the_stack_is_exhausted(levels):
    # json.loads itself stops earlier; other parsers need not.
    schema: Any = {}
    for _ in range(levels):
        schema = {"items": schema}
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of({"type": "object", "properties": {"a": schema}})
    assert caught.value.code == "schema_too_large"
    assert caught.value.__context__ is None


def test_form_of_refuses_a_form_where_the_stack_has_no_room(monkeypatch):
    def too_deep(*_: Any) -> int:
        raise RecursionError

    monkeypatch.setattr("toolnexus_mrtr._forms._schema._Walk.measure", too_deep)
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of({"type": "object"})
    assert caught.value.code == "schema_too_large"
    assert caught.value.__context__ is None


def test_form_of_takes_schemas_of_at_most_131072_bytes():
    schema = {"type": "object", "description": ""}
    room = 131_072 - len(json.dumps(schema, separators=(",", ":")))
    assert Form.of(schema | {"description": "x" * room}).fields == ()
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of(schema | {"description": "x" * (room + 1)})
    assert (caught.value.code, caught.value.at) == ("schema_too_large", "")
