"""The cost of hostile forms, counted in function calls and not in seconds: bounded, and in proportion to their size."""

import inspect
import json
import math
import subprocess
import sys
from types import MappingProxyType
from typing import Any

import pytest
from counting import calls
from hostile_forms import HOSTILE, LARGE, LARGEST, SMALL, Hostile, bytes_of
from wire_values import asking, form

from toolnexus_mrtr import (
    Call,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    Form,
    InvalidAnswer,
    MrtrError,
    Pause,
    RemoteProtocolError,
    lint,
)
from toolnexus_mrtr._forms._keywords import equality_key

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


#: Numbers at the two ends of what JSON text can hold in Python, and just beyond.
EDGES = [10**4299, 10**4300 - 1, 10**4300]

KEYWORDS = """
    x-unknown default examples const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength
    minItems maxItems title description format pattern enum enumNames oneOf anyOf items
""".split()


def with_number(keyword: str, number: int) -> dict[str, Any]:
    lists = {"enum": [number, 1], "enumNames": [number], "examples": [[number]]}
    compositions = {name: [{"const": number, "title": "x"}, {"type": "string"}] for name in ("oneOf", "anyOf")}
    values: dict[str, Any] = {**lists, **compositions, "items": {"x-unknown": number}}
    return {"type": "object", "properties": {"a": {keyword: values.get(keyword, number)}}}


@pytest.mark.parametrize("number", [sign * edge for edge in EDGES for sign in (1, -1)], ids=lambda n: f"{n % 10007}")
@pytest.mark.parametrize("keyword", KEYWORDS)
def test_form_of_lint_and_the_writers_read_or_refuse_a_number_of_4300_digits(keyword, number):
    schema = with_number(keyword, number)
    raw = asking(k=form(schema=schema))
    assert {finding.code for finding in lint(raw) if finding.severity == "error"} <= {"schema_invalid", "wrong_type"}
    request = {"k": ElicitRequest(message="m", requested_schema=schema, mode=None, url=None)}
    result = {"k": ElicitResult(action="accept", content={"a": 3.0})}
    written = ElicitationResponses.to_input_responses(result, request)
    assert written["k"]["content"]["a"] == 3
    try:
        read = Form.of(schema)
    except RemoteProtocolError as error:
        assert error.code == "schema_invalid"
        with pytest.raises(MrtrError):
            receive_and_accept(raw)
        return
    assert abs(number) < 10**4300
    assert len(read.fields) == 1
    assert read.defaults() in ({}, {"a": number})
    assert {error.at for error in read.check({"a": number})} <= {"/a"}
    accepted = read.check({"a": 3}) == ()
    try:
        assert receive_and_accept(raw).params["inputResponses"]["k"]["content"] == {"a": 3}
    except InvalidAnswer:
        assert not accepted


def receive_and_accept(raw: dict[str, Any]) -> Call:
    pause = Call("tools/call", {}).receive(raw)
    assert isinstance(pause, Pause)
    return pause.resume({"k": {"action": "accept", "content": {"a": 3}}})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("keyword", ["x-unknown", "default", "enum", "minimum"])
def test_form_of_refuses_a_number_that_is_not_finite_anywhere(keyword, number):
    value: Any = [number] if keyword == "enum" else number
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of({"type": "object", "properties": {"a": {"type": "number", keyword: value}}})
    at = "/properties/a/" + keyword + ("/0" if keyword == "enum" else "")
    assert (caught.value.code, caught.value.at) == ("schema_invalid", at)


def _call_with_little_stack(work: Any, frames: int) -> Any:
    """Call a function as deep in the stack as leaves about so many frames."""
    if frames:
        return _call_with_little_stack(work, frames - 1)
    return work()


DEEP = {
    "a dict": lambda: {"properties": {"a": _nested("not", 50), "b": {"default": _nested("x", 100)}}},
    "a mapping": lambda: MappingProxyType({"properties": {"a": _nested("not", 50), "b": {"default": (1,)}}}),
}


def _nested(keyword: str, levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {keyword: value}
    return value


@pytest.mark.parametrize("kind", DEEP)
def test_form_of_and_the_writer_never_exhaust_the_stack(kind):
    schema = DEEP[kind]()
    request = {"k": ElicitRequest(message="m", requested_schema=schema, mode=None, url=None)}
    result = {"k": ElicitResult(action="accept", content={"c": 3.0})}
    outcomes = set()
    for room in range(60, 400, 3):
        depth = sys.getrecursionlimit() - len(inspect.stack(0)) - room
        try:
            _call_with_little_stack(lambda: Form.of(schema), depth)
            outcomes.add("read")
        except RemoteProtocolError as error:
            assert error.__context__ is None
            outcomes.add(error.code)
        written = _call_with_little_stack(lambda: ElicitationResponses.to_input_responses(result, request), depth)
        assert written["k"]["content"] == {"c": 3}
    assert outcomes == {"read", "schema_too_large"}


def test_form_of_takes_values_of_at_most_256_levels():
    def schema(levels: int) -> dict[str, Any]:
        return {"type": "object", "x": _nested("x", levels)}

    assert Form.of(schema(254)).fields == ()
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of(schema(256))
    assert caught.value.code == "schema_too_large"


def test_form_of_takes_mappings_of_at_most_131072_bytes():
    schema = {"type": "object", "description": ""}
    room = 131_072 - len(json.dumps(schema, separators=(",", ":")))
    assert Form.of(MappingProxyType(schema | {"description": "x" * room})).fields == ()
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of(MappingProxyType(schema | {"description": "x" * (room + 1)}))
    assert (caught.value.code, caught.value.at) == ("schema_too_large", "")


def test_form_of_follows_chains_of_at_most_seven_references():
    def chain(references: int) -> dict[str, Any]:
        defs = {f"d{place}": {"$ref": f"#/$defs/d{place + 1}"} for place in range(references)}
        defs[f"d{references}"] = {"type": "boolean"}
        return {"properties": {"a": defs.pop("d0")}, "$defs": defs}

    assert Form.of(chain(7)).fields[0].kind == "boolean"
    with pytest.raises(RemoteProtocolError) as caught:
        Form.of(chain(8))
    assert caught.value.code == "schema_too_large"


@pytest.mark.parametrize("step", [2**61 - 1, float(2**61)])
def test_keys_of_equality_do_not_collide_where_the_hashes_of_numbers_do(step):
    numbers = [step * place for place in range(1_000)]
    assert len({hash(equality_key(number)) for number in numbers}) == 1_000


def test_keys_of_equality_are_those_of_json_schema():
    assert equality_key(1) == equality_key(1.0)
    assert equality_key(0.0) == equality_key(-0.0)
    assert len({equality_key(value) for value in (1, True, "1", 1.5, "true", 0, False)}) == 7


def test_lint_looks_at_the_first_5000_fields_and_lists_the_first_100_findings_of_a_form():
    fields = {f"f{place}": {"type": "string"} for place in range(5_000)}
    found = lint(asking(k=form(schema={"type": "object", "properties": fields | {"late": {"title": 5}}})))
    assert [finding.code for finding in found] == ["schema_too_large"]
    found = lint(asking(k=form(schema={"type": "object", "properties": dict.fromkeys(fields, 5)})))
    assert len(found) == 100


#: Checks a form for the first time with little room on the stack, then once more where there is enough.
LITTLE_ROOM = """
import sys
from toolnexus_mrtr import Form, MrtrError

field = {"type": "string", "minLength": 2, "default": "x"}
form = Form.of({"type": "object", "properties": {"a": field}})
USES = {"check": lambda: form.check({"a": "x"}), "parse": lambda: form.parse({"a": "x"}), "defaults": form.defaults}
use = USES[sys.argv[1]]
form.fields

def descend(levels):
    return descend(levels - 1) if levels else use()

try:
    descend(sys.getrecursionlimit() - int(sys.argv[2]))
except MrtrError as error:
    assert error.__context__ is None
    print(error.code)
print([error.code for error in form.check({"a": "x"})])
"""


@pytest.mark.parametrize("use", ["check", "parse", "defaults"])
@pytest.mark.parametrize("room", [25, 50, 80])
def test_first_check_where_the_stack_has_little_room_ends_in_an_error_of_the_library(use, room):
    command = [sys.executable, "-c", LITTLE_ROOM, use, str(room)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # How much room is too little depends on the release of Python.
    assert (done.stdout.removeprefix("schema_too_large\n"), done.stderr) == ("['too_short']\n", "")


def test_lint_lists_a_form_that_the_stack_has_no_room_to_check_as_an_error(monkeypatch):
    def too_deep(*_: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr("toolnexus_mrtr._forms._form.find_violations", too_deep)
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}
    params = {"message": "m", "requestedSchema": schema}
    entry = {"method": "elicitation/create", "params": params}
    (finding,) = lint({"resultType": "input_required", "inputRequests": {"k": entry}})
    assert (finding.code, finding.at) == ("schema_too_large", "/inputRequests/k/params/requestedSchema")
