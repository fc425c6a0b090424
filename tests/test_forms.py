"""Forms beyond the vectors: Python's own types, bounds, copies, answers that stay hidden, nothing fetched."""

import copy
import json
import math
import pickle
import threading
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import MappingProxyType
from typing import Any, Self

import pytest
from wire_values import SECRET, raised

from toolnexus_mrtr import Choice, Field, FieldError, Form, RemoteProtocolError
from toolnexus_mrtr._forms._checking import _FORMAT_MESSAGES
from toolnexus_mrtr._forms._form import normalize
from toolnexus_mrtr._forms._formats import FORMATS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "default": "Ada"},
        "age": {"type": "integer", "minimum": 18},
        "score": {"type": "number"},
        "color": {"enum": ["r", "g"]},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "default": ["a"]},
        "words": {"type": "array", "items": {"type": "string", "minLength": 2}},
    },
    "required": ["name"],
}


class Words(str):
    """A str subclass whose `str()` gives another text; shared `Word` does not."""

    __slots__ = ()

    def __str__(self) -> str:
        return "shown"


class Odd(Mapping[str, Any]):
    """A mapping other than a dict."""

    def __init__(self, items: dict[Any, Any]) -> None:
        self._items = items

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Any:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def codes(schema: Any, content: Any) -> list[tuple[str, str]]:
    return [(error.at, error.code) for error in Form.of(schema).check(content)]


def one(subschema: Any, value: Any) -> list[str]:
    return [code for _, code in codes({"properties": {"a": subschema}}, {"a": value})]


def refused(schema: Any) -> tuple[str, str]:
    error = raised(RemoteProtocolError, Form.of, schema)
    assert len(str(error)) <= 400
    return error.code, error.at


def test_form_of_fills_every_member_of_a_field():
    field = Form.of(SCHEMA).fields[0]
    assert field == Field(
        name="name",
        kind="string",
        label="name",
        description=None,
        required=True,
        default="Ada",
        choices=None,
        minimum=None,
        maximum=None,
        exclusive_minimum=None,
        exclusive_maximum=None,
        multiple_of=None,
        min_length=2,
        max_length=None,
        min_items=None,
        max_items=None,
        format=None,
        pattern=None,
        sensitive=False,
    )
    assert Form.of(SCHEMA).fields[3].choices == (Choice("r", "r"), Choice("g", "g"))
    assert Form.of(SCHEMA).fields[4].default == ("a",)


def test_form_of_reads_a_length_of_2_0_as_an_int():
    field = Form.of({"properties": {"a": {"type": "string", "minLength": 2.0}}}).fields[0]
    assert type(field.min_length) is int
    assert one({"type": "string", "minLength": 2.0}, "x") == ["too_short"]


def test_fields_of_a_form_compare_by_value_and_are_frozen():
    first, second = Form.of(SCHEMA).fields, Form.of(copy.deepcopy(SCHEMA)).fields
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first
    with pytest.raises(AttributeError):
        first[0].name = "other"
    with pytest.raises(AttributeError):
        first[3].choices[0].value = "other"


def test_form_of_check_defaults_and_parse_change_nothing_they_are_given():
    schema, content = copy.deepcopy(SCHEMA), {"name": "x", "tags": ["a"], "age": 20.0}
    strings = {"name": "x", "tags": ["a", "c"]}
    before = copy.deepcopy((schema, content, strings))
    form = Form.of(schema)
    form.check(content)
    form.defaults()
    form.parse(strings)
    assert (schema, content, strings) == before
    assert type(content["age"]) is float


def test_form_of_copies_the_schema():
    schema = copy.deepcopy(SCHEMA)
    form = Form.of(schema)
    schema["properties"]["name"]["minLength"] = 50
    schema["properties"]["color"]["enum"].append("blue")
    schema["properties"]["tags"]["default"].append("b")
    schema["required"].clear()
    schema["properties"].clear()
    assert [field.name for field in form.fields] == list(SCHEMA["properties"])
    assert form.check({"name": "Ada"}) == ()
    assert form.check({"color": "blue"}) == (
        FieldError("/name", "required", "an answer"),
        FieldError("/color", "not_a_choice", "one of the choices"),
    )
    assert form.defaults() == {"name": "Ada", "tags": ["a"]}


def test_form_defaults_are_fresh_each_time():
    form = Form.of(SCHEMA)
    form.defaults()["tags"].append("b")
    assert form.defaults()["tags"] == ["a"]


def test_normalize_shares_nothing_with_the_content_given():
    content = {"name": "Ada", "tags": ["a"], "age": 20.0, "more": ["x"]}
    copied, errors = normalize(Form.of(SCHEMA), content)
    assert errors == ()
    assert json.dumps(copied) == '{"name": "Ada", "tags": ["a"], "age": 20, "more": ["x"]}'
    copied["more"].append("y")
    assert content["more"] == ["x"]


@pytest.mark.parametrize("schema", [None, [], "", True, b"{}", 5])
def test_form_of_takes_only_a_mapping(schema):
    with pytest.raises(TypeError, match="^schema must be"):
        Form.of(schema)


@pytest.mark.parametrize("content", [None, [], "", b"{}", 5])
def test_form_check_and_parse_take_only_a_mapping(content):
    with pytest.raises(TypeError, match="^content must be"):
        Form.of(SCHEMA).check(content)
    with pytest.raises(TypeError, match="^strings must be"):
        Form.of(SCHEMA).parse(content)


def test_form_check_and_parse_take_only_str_as_names():
    with pytest.raises(TypeError, match="^a name in content"):
        Form.of(SCHEMA).check({5: "x"})
    with pytest.raises(TypeError, match="^a name in strings"):
        Form.of(SCHEMA).parse({5: "x"})


@pytest.mark.parametrize("typed", [None, 5, b"x", {"a": "b"}, [5], ["x", None], True])
def test_form_parse_takes_only_str_and_lists_of_str(typed):
    with pytest.raises(TypeError, match="^each of strings"):
        Form.of(SCHEMA).parse({"name": typed})


def test_form_of_check_and_parse_take_any_mapping():
    schema = Odd({"type": "object", "properties": MappingProxyType(SCHEMA["properties"]), "required": ("name",)})
    assert Form.of(schema).fields == Form.of(SCHEMA).fields
    assert Form.of(SCHEMA).check(Odd({"name": "Ada", "tags": ("a", "b")})) == ()
    assert Form.of(SCHEMA).check(MappingProxyType({"name": "A"}))[0].code == "too_short"
    assert Form.of(SCHEMA).parse(Odd({"name": "Ada", "tags": ("a", "b")})) == ({"name": "Ada", "tags": ["a", "b"]}, ())


def test_normalize_and_parse_turn_subclasses_of_str_into_str():
    content = {Words("name"): Words("Ada"), "color": Words("r"), "tags": (Words("a"),), "words": [Words("ab")]}
    copied, errors = normalize(Form.of(SCHEMA), content)
    assert errors == ()
    assert copied == {"name": "Ada", "color": "r", "tags": ["a"], "words": ["ab"]}
    assert {type(name) for name in copied} == {str}
    assert [type(copied["name"]), type(copied["tags"][0]), type(copied["words"][0])] == [str, str, str]
    read, errors = Form.of(SCHEMA).parse({"name": Words("Ada"), "words": [Words("ab")]})
    assert errors == ()
    assert [type(read["name"]), type(read["words"][0])] == [str, str]


@pytest.mark.parametrize("subschema", [{"type": "number", "minimum": 0, "maximum": 10}, {"type": "integer"}, {}])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_form_check_finds_infinite_numbers_and_nan_not_finite(subschema, value):
    assert one(subschema, value) == ["not_finite"]
    assert codes({}, {"a": value}) == [("/a", "not_finite")]


def test_form_check_and_parse_take_whole_numbers_of_at_most_4300_digits():
    assert one({"type": "integer"}, 10**4300 - 1) == []
    assert one({"type": "integer", "maximum": 1}, 10**4300 - 1) == ["too_large"]
    assert one({"multipleOf": 3}, 10**4300 - 1) == []
    assert one({"type": "integer"}, 10**4300) == ["not_sendable"]
    assert one({"type": "integer"}, -(10**4300)) == ["not_sendable"]
    schema = {"properties": {"a": {"type": "integer"}}}
    assert Form.of(schema).parse({"a": "9" * 4300}) == ({"a": 10**4300 - 1}, ())
    assert [error.code for error in Form.of(schema).parse({"a": "9" * 4301})[1]] == ["not_sendable"]


@pytest.mark.parametrize(
    "value",
    [b"x", bytearray(), date(2026, 7, 28), Decimal(1), {"a"}, object(), 1j, {}, {1: 2}, [None], [1], ["a", b""]],
)
def test_form_check_finds_values_that_json_cannot_carry_not_sendable(value):
    for subschema in ({}, {"type": "string"}, {"enum": ["x"]}, {"type": "array"}):
        assert one(subschema, value) == ["not_sendable"]
    assert codes({}, {"a": value}) == [("/a", "not_sendable")]


@pytest.mark.parametrize("items", [{}, True, {"title": "Tag"}, {"x-unknown": 1}], ids=repr)
def test_form_check_and_parse_take_any_text_for_unconstrained_items(items):
    form = Form.of({"type": "object", "properties": {"a": {"type": "array", "items": items}}})
    assert form.check({"a": []}) == form.check({"a": ["x", ""]}) == ()
    assert form.parse({"a": ["x"]}) == ({"a": ["x"]}, ())


def test_form_check_takes_lists_of_at_most_10000_items():
    assert one({"type": "array"}, ["x"] * 10_000) == []
    assert one({"type": "array"}, ["x"] * 10_001) == ["too_many"]


def test_form_check_and_parse_report_at_most_100_errors():
    content = {f"f{i}": 1 for i in range(150)}
    schema = {"properties": {name: {"type": "string"} for name in content}}
    assert codes(schema, content) == [(f"/f{i}", "wrong_type") for i in range(100)]
    assert len(Form.of(schema).parse({f"z{i}": "x" for i in range(150)})[1]) == 100


def test_form_of_and_check_take_lone_surrogates_as_text():
    schema = {"properties": {"\ud800": {"type": "string", "title": "\udfff", "maxLength": 1}}}
    form = Form.of(schema)
    assert (form.fields[0].name, form.fields[0].label) == ("\ud800", "\udfff")
    assert form.check({"\ud800": "\udbff"}) == ()
    assert codes(schema, {"\ud800": "\udbff\udbff"}) == [("/\ud800", "too_long")]
    assert one({"type": "string", "format": "email"}, "\ud800@a") == ["wrong_format"]
    assert refused({"\ud800": 1, "properties": {"\ud800/": {"type": "\ud800"}}}) == (
        "schema_invalid",
        "/properties/\ud800~1/type",
    )


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 10**5000], ids=["nan", "inf", "-inf", "long"])
def test_form_of_refuses_a_bound_that_json_cannot_carry(number):
    assert refused({"properties": {"a": {"minimum": number}}}) == ("schema_invalid", "/properties/a/minimum")


def test_form_of_refuses_a_default_that_json_cannot_carry():
    assert refused({"properties": {"a": {"default": object()}}}) == ("schema_invalid", "/properties/a/default")
    assert refused({"properties": {"a": {"default": 10**5000}}}) == ("schema_invalid", "/properties/a/default")


def test_form_check_compares_with_a_bound_of_4000_digits_and_shortens_it_in_messages():
    schema = {"properties": {"a": {"type": "integer", "maximum": 10**4000}}}
    assert Form.of(schema).check({"a": 10**4000}) == ()
    (error,) = Form.of(schema).check({"a": 10**4000 + 1})
    assert error.code == "too_large"
    assert len(error.message) < 60


def test_form_of_takes_at_most_1000_choices():
    values = [f"v{i}" for i in range(1_001)]
    assert len(Form.of({"properties": {"a": {"enum": values[1:]}}}).fields[0].choices or ()) == 1_000
    assert refused({"properties": {"a": {"enum": values}}}) == ("schema_too_large", "/properties/a/enum")
    titled = [{"const": value} for value in values]
    assert refused({"properties": {"a": {"oneOf": titled}}}) == ("schema_too_large", "/properties/a/oneOf")
    assert refused({"properties": {"a": {"items": {"anyOf": titled}}}}) == (
        "schema_too_large",
        "/properties/a/items/anyOf",
    )


def test_form_of_takes_at_most_5000_subschemas_and_choices():
    fields = {f"f{i}": {} for i in range(5_000)}
    assert refused({"properties": fields}) == ("schema_too_large", "")
    del fields["f0"]
    assert len(Form.of({"properties": fields}).fields) == 4_999


def test_form_of_takes_schemas_of_at_most_64_levels():
    def nested(levels: int) -> dict[str, Any]:
        schema: dict[str, Any] = {}
        for _ in range(levels):
            schema = {"not": schema}
        return schema

    assert Form.of(nested(64)).unenforced == ("/not",)
    assert refused(nested(65)) == ("schema_too_large", "/not" * 64)


def test_form_of_takes_names_and_references_of_at_most_1000_characters():
    assert len(Form.of({"properties": {"x" * 1_000: {}}}).fields) == 1
    assert refused({"properties": {"x" * 1_001: {}}}) == ("schema_too_large", "/properties")
    longest = {"properties": {"a": {"$ref": "#/$defs/" + "x" * 992}}, "$defs": {"x" * 992: {"type": "boolean"}}}
    assert Form.of(longest).fields[0].kind == "boolean"
    assert refused({"properties": {"a": {"$ref": "#/" + "x" * 999}}}) == ("schema_too_large", "/properties/a/$ref")


@pytest.mark.parametrize(
    "reference", ["#/allOf/1", "#/allOf/x", "#/allOf/-1", "#/allOf/0/x/y", "#/allOf/00000000", "#a"]
)
def test_form_of_refuses_a_reference_that_leads_nowhere(reference):
    schema = {"allOf": [{"properties": {}}], "properties": {"a": {"$ref": reference}}}
    assert refused(schema) == ("schema_invalid", "/properties/a/$ref")


@pytest.mark.parametrize(
    "subschema",
    [
        {"type": "integer"},
        {"type": "string", "maxLength": 3},
        {"type": "string", "format": "email"},
        {"type": "string", "format": "uri"},
        {"enum": ["a"]},
        {"const": "a"},
        {"oneOf": [{"const": "a"}]},
        {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "number"}]},
        {"type": "array", "items": {"enum": ["a"]}},
        {"type": "array", "items": {"maxLength": 3}},
        {"type": "array", "uniqueItems": True, "maxItems": 1},
        False,
    ],
)
def test_messages_of_form_check_and_parse_never_hold_the_answer(subschema):
    form = Form.of({"properties": {"a": subschema}, "additionalProperties": False})
    for value in (SECRET, [SECRET, SECRET], {SECRET: SECRET}, SECRET.encode()):
        errors = form.check({"a": value, "b": value})
        assert errors
        assert not any(word in error.at + error.message for error in errors for word in SECRET.split())
    for error in form.parse({"a": SECRET})[1]:
        assert error.message.isascii()
        assert error.message.isprintable()
        assert "horse" not in error.message


class _Server:
    """A server on the loopback that serves a schema which refuses everything, and records each request."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'{"not": {}}')

            def log_message(self, *_: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture(scope="module")
def server():
    with _Server() as running:
        yield running


def everything(schema: dict[str, Any]) -> list[str]:
    """Give the code that refuses the schema, or the codes of the errors that values of three types have."""
    try:
        form = Form.of(schema)
    except RemoteProtocolError as error:
        return [error.code]
    form.defaults()
    form.parse({"a": "1"})
    return [error.code for value in (1, "x", ["x"]) for error in form.check({"a": value})]


@pytest.mark.parametrize(
    ("subschema", "members"),
    [
        ({"$ref": "URL/x"}, {}),
        ({"$ref": "URL/x#/y"}, {}),
        ({"$dynamicRef": "URL/x"}, {}),
        ({"$recursiveRef": "URL/x"}, {}),
        ({"$ref": "r"}, {"$id": "URL/b/"}),
        ({"$ref": "r#"}, {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "URL/b/"}),
        ({"$id": "URL/b/", "$ref": "r"}, {}),
        ({"type": "array", "items": {"$ref": "URL/x"}}, {}),
        ({"anyOf": [{"$ref": "URL/x"}, {"type": "null"}]}, {}),
        ({"allOf": [{"not": {"$ref": "URL/x"}}]}, {}),
    ],
)
def test_form_of_fetches_no_reference_from_the_network(server, subschema, members):
    schema = json.loads(json.dumps({"properties": {"a": subschema}} | members).replace("URL", server.url))
    assert everything(schema) == ["schema_external_ref"]
    assert server.asked == []


def test_form_of_fetches_no_dialect_from_the_network(server):
    assert everything({"$schema": server.url + "/meta", "properties": {"a": {}}}) == ["schema_dialect"]
    assert server.asked == []


def test_form_of_takes_an_id_in_the_network_as_only_a_name(server):
    schema = {"$id": server.url + "/b/", "properties": {"a": {"$ref": "#/$defs/x", "$dynamicRef": "#y"}}}
    assert everything(schema | {"$defs": {"x": {"$id": "z/", "type": "integer"}}}) == ["wrong_type", "wrong_type"]
    assert server.asked == []


@pytest.mark.parametrize("verdict", ["true", '{"not": {}}'])
def test_form_of_reads_no_file(tmp_path, verdict):
    file = tmp_path / "schema.json"
    file.write_text(verdict)
    assert everything({"properties": {"a": {"$ref": file.as_uri()}}}) == ["schema_external_ref"]
    relative = {"$id": tmp_path.as_uri() + "/", "properties": {"a": {"$ref": "schema.json"}}}
    assert everything(relative) == ["schema_external_ref"]


def test_a_form_can_be_used_from_many_threads():
    form = Form.of(SCHEMA)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append((form.fields, form.check({"age": 5}), form.defaults())))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one == found[0] for one in found)


def test_repr_of_a_form_says_how_many_fields_it_has():
    assert repr(Form.of(SCHEMA)) == f"Form(fields={len(SCHEMA['properties'])})"


def test_form_of_reads_6000_required_names_of_a_closed_form():
    names = [f"n{place}" for place in range(6_000)]
    form = Form.of({"type": "object", "required": names, "additionalProperties": False})
    assert len(form.fields) == 6_000
    assert form.check({"n0": "x"})[0] == FieldError("/n0", "not_allowed", "only fields of this form")


def test_form_check_has_a_message_for_every_format():
    assert _FORMAT_MESSAGES.keys() == FORMATS.keys()


def test_field_of_a_field_error_is_the_name_of_the_field():
    (error,) = Form.of({"properties": {"a/b~1": {"type": "string"}}}).check({"a/b~1": 5})
    assert (error.at, error.field) == ("/a~1b~01", "a/b~1")
    assert FieldError("/key/", "required", "an answer").field == ""


def test_form_of_says_where_references_lead_back_to_themselves_and_that_anchors_are_not_supported():
    error = raised(RemoteProtocolError, Form.of, {"properties": {"a": {"$ref": "#"}}})
    assert error.sentence == "expected a schema whose references do not lead back to themselves"
    error = raised(RemoteProtocolError, Form.of, {"properties": {"a": {"$ref": "#x"}}})
    assert error.sentence == "expected a schema at '#x', anchors are not supported"


def test_form_answerable_is_false_where_a_required_field_cannot_be_shown():
    properties = {"a": {"type": "object"}, "b": {"type": "string"}}
    assert Form.of({"properties": properties, "required": ["b"]}).answerable
    assert not Form.of({"properties": properties, "required": ["a"]}).answerable


def test_form_of_lists_a_field_once_that_two_alternatives_of_the_form_describe():
    schema = {
        "type": "object",
        "anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {}, "b": {}}}],
    }
    assert [(field.name, field.kind) for field in Form.of(schema).fields] == [
        ("a", "unsupported"),
        ("b", "unsupported"),
    ]


def test_form_check_refuses_a_name_or_an_item_that_is_a_split_surrogate_pair():
    halves = "\ud83d\ude00"
    assert codes({}, {halves: "a"}) == [("/" + halves, "not_sendable")]
    assert codes({}, {"\U0001f600": "a", halves: ["a"]}) == [("/" + halves, "not_sendable")]
    assert codes({"additionalProperties": False}, {halves: "a"}) == [("/" + halves, "not_allowed")]
    assert codes({}, {"a": halves}) == codes({}, {"a": ["b", halves]}) == [("/a", "not_sendable")]


def test_form_parse_and_to_strings_pass_no_split_surrogate_pair_on():
    form, halves = Form.of({}), "\ud83d\ude00"
    content, errors = form.parse({halves: "a"}, prefilled={halves: "a"})
    assert (content, [(error.at, error.code) for error in errors]) == ({}, [("/" + halves, "not_allowed")])
    assert form.to_strings({halves: "a", "a": [halves], "b": "c"}) == {"b": "c"}
