"""Forms of real servers: each is read whole, and the answer that the server accepted passes our check."""

import json
from typing import Any

import pytest
from vectors import ROOT

from toolnexus_mrtr import Form

#: Recorded from servers on FastMCP and on the Python and TypeScript SDKs; where nothing was answered, an answer is
#: written by hand.
RECORDED: list[dict[str, Any]] = json.loads((ROOT / "tests" / "recorded_forms.json").read_bytes())

#: Per Python type the field that pydantic and FastMCP write, its kind, a value that it takes, and one that it refuses.
FIELDS: list[tuple[str, dict[str, Any], str, Any, Any]] = [
    ("str | None", {"title": "F", "type": "string"}, "string", "x", 1),
    ("int | None", {"minimum": 1, "title": "F", "type": "integer"}, "integer", 1, 0),
    ("Enum", {"default": "a", "enum": ["a", "b"], "title": "C", "type": "string"}, "choice", "b", "c"),
    ("IntEnum", {"enum": [1, 2], "title": "I", "type": "integer"}, "choice", 2, "2"),
    ("Literal of one", {"const": "a", "title": "F", "type": "string"}, "choice", "a", "b"),
    ("Literal of both", {"enum": ["a", 1], "title": "F"}, "choice", 1, "1"),
    (
        "list[Enum]",
        {"default": [], "items": {"enum": ["a", "b"], "title": "C", "type": "string"}, "title": "F", "type": "array"},
        "choices",
        ["a"],
        ["c"],
    ),
    (
        "list[Literal], of one or two",
        {"items": {"enum": ["x", "y"], "type": "string"}, "maxItems": 2, "minItems": 1, "title": "F", "type": "array"},
        "choices",
        ["x", "y"],
        [],
    ),
    (
        "set[Literal]",
        {"items": {"enum": ["x", "y"], "type": "string"}, "title": "F", "type": "array", "uniqueItems": True},
        "choices",
        ["y"],
        ["y", "y"],
    ),
    ("int | str", {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 3, "title": "F"}, "string", 3, True),
    ("int | float", {"anyOf": [{"type": "integer"}, {"type": "number"}], "title": "F"}, "number", 0.5, "x"),
    ("gt and lt", {"exclusiveMaximum": 9, "exclusiveMinimum": 0, "title": "F", "type": "integer"}, "integer", 8, 9),
    ("multiple of", {"multipleOf": 2, "title": "F", "type": "integer"}, "integer", 4, 3),
    ("pattern", {"pattern": "^a", "title": "F", "type": "string"}, "string", "ab", 1),
    ("date", {"format": "date", "title": "F", "type": "string"}, "string", "2026-07-28", "28.7.2026"),
    ("datetime", {"format": "date-time", "title": "F", "type": "string"}, "string", "2026-07-28T00:00:00Z", "now"),
    ("time", {"format": "time", "title": "F", "type": "string"}, "string", "01:02:00", 1),
    ("uuid", {"format": "uuid", "title": "F", "type": "string"}, "string", "x", 1),
    ("Decimal", {"anyOf": [{"type": "number"}, {"type": "string"}], "title": "F"}, "string", "0.1", ["0.1"]),
    ("AnyUrl", {"format": "uri", "minLength": 1, "title": "F", "type": "string"}, "string", "https://a.example/", "a"),
    ("SecretStr", {"format": "password", "title": "F", "type": "string", "writeOnly": True}, "string", "x", 1),
    ("bytes", {"format": "binary", "title": "F", "type": "string"}, "string", "x", 1),
    ("examples", {"examples": ["q"], "title": "F", "type": "string"}, "string", "x", 1),
    ("oneOf", {"oneOf": [{"const": "a", "title": "A"}], "title": "F", "type": "string"}, "choice", "a", "A"),
    ("inf as default", {"default": 1e308, "title": "F", "type": "number"}, "number", 1e308, "inf"),
    ("Enum, as pydantic writes it", {"$ref": "#/$defs/C", "default": "a"}, "choice", "b", "c"),
    ("Enum | None", {"anyOf": [{"$ref": "#/$defs/C"}, {"type": "null"}], "default": None}, "choice", "a", "c"),
    (
        "list[Enum], as pydantic writes it",
        {"type": "array", "items": {"$ref": "#/$defs/C"}, "title": "F"},
        "choices",
        ["a", "b"],
        ["c"],
    ),
]

#: Fields that the protocol's restricted schema does not have, recorded to see what clients do.
UNSUPPORTED = {"o": "an object", "l": "a list of free text"}


@pytest.mark.parametrize("place", range(len(RECORDED)))
def test_form_of_reads_a_recorded_form_whole_and_check_takes_its_answer(place):
    schema, content = RECORDED[place]["schema"], RECORDED[place]["content"]
    form = Form.of(schema)
    assert [field.name for field in form.fields] == list(schema["properties"])
    assert {field.name for field in form.fields if field.kind == "unsupported"} <= set(UNSUPPORTED)
    assert form.check(content) == ()
    assert all(pointer.endswith(("/pattern", "/o/properties")) for pointer in form.unenforced)
    given = {name: field["default"] for name, field in schema["properties"].items() if field.get("default") is not None}
    assert form.defaults() == given


@pytest.mark.parametrize(
    ("schema", "kind", "taken", "refused"), [row[1:] for row in FIELDS], ids=[r[0] for r in FIELDS]
)
def test_form_of_reads_a_field_as_servers_write_it(schema, kind, taken, refused):
    form = Form.of({"$defs": {"C": {"enum": ["a", "b"], "title": "C", "type": "string"}}, "properties": {"f": schema}})
    assert form.fields[0].kind == kind
    assert form.check({"f": taken}) == ()
    assert len(form.check({"f": refused})) == 1
