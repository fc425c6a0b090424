"""The fixtures keep their own rules; each rule is tried on broken copies too, to show that it can fail."""

import hmac
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from vectors import FILES, FIXTURES, ROOT, VECTORS

SCHEMA = json.loads((FIXTURES / "vector.schema.json").read_bytes())

SURROGATE = re.compile("[\ud800-\udfff]")


def endings(operation: str, vector: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the error that a vector ends in, if any."""
    outcome = vector["expect"]["outcome"] if operation == "exchange" and "expect" in vector else vector
    return [outcome["error"]] if "error" in outcome else []


def found(operation: str, vector: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the findings that a vector of lint expects."""
    return vector["expect"] if operation == "lint" else []


def severities(codes: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Give the severity of each code: errors of a reader are errors, warnings of a url are warnings."""
    own = {code: entry["severity"] for code, entry in codes["findings"].items()}
    return dict.fromkeys(codes["errors"], "error") | dict.fromkeys(codes["url_warnings"], "warning") | own


def field_errors(operation: str, vector: dict[str, Any]) -> list[dict[str, Any]]:
    """Give the field errors that a vector expects."""
    if operation not in ("form_check", "form_parse") or "expect" not in vector:
        return []
    return vector["expect"] if operation == "form_check" else vector["expect"]["errors"]


#: For each section of codes.json, the codes of it that a vector provokes.
CODES: dict[str, Callable[[str, dict[str, Any]], list[str]]] = {
    "errors": lambda operation, vector: [error["code"] for error in endings(operation, vector)],
    "field_errors": lambda operation, vector: [error["code"] for error in field_errors(operation, vector)],
    "url_refusals": lambda operation, vector: (
        [vector["expect"]["refusal"]] if operation == "inspect_url" and vector["expect"]["refusal"] else []
    ),
    "url_warnings": lambda operation, vector: vector["expect"]["warnings"] if operation == "inspect_url" else [],
    "findings": lambda operation, vector: [finding["code"] for finding in found(operation, vector)],
}


@dataclass
class Fixtures:
    """The bytes of each file, by folder and name, and the codes that there are."""

    files: dict[Path, bytes]
    codes: dict[str, dict[str, Any]]

    def parsed(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        return ((path, json.loads(data)) for path, data in self.files.items())

    def vectors(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return ((file["operation"], vector) for _, file in self.parsed() for vector in file["vectors"])


Faults = Iterator[Any]


def breaks_the_schema(fixtures: Fixtures) -> Faults:
    validator = Draft202012Validator(SCHEMA, registry=Registry())
    for path, file in fixtures.parsed():
        yield from ((path.name, error.json_path) for error in validator.iter_errors(file))


def misnamed(fixtures: Fixtures) -> Faults:
    for path, file in fixtures.parsed():
        if (path.parent.name, path.stem) != (file["protocol"], file["operation"]):
            yield path


def repeated_id(fixtures: Fixtures) -> Faults:
    yield from (id for id, times in Counter(vector["id"] for _, vector in fixtures.vectors()).items() if times > 1)


def beyond_ascii(fixtures: Fixtures) -> Faults:
    yield from (path for path, data in fixtures.files.items() if not data.isascii())


def repeated_member(fixtures: Fixtures) -> Faults:
    repeated = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.extend(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        return dict(pairs)

    for data in fixtures.files.values():
        json.loads(data, object_pairs_hook=members)
    yield from repeated


def unknown_or_unprovoked_code(fixtures: Fixtures) -> Faults:
    yield from CODES.keys() ^ fixtures.codes.keys()
    for section, codes in fixtures.codes.items():
        provoked = {code for operation, vector in fixtures.vectors() for code in CODES[section](operation, vector)}
        if section == "findings":
            # For errors of a reader and warnings of a url lint uses their codes, and lists those alone that it judges
            # otherwise.
            provoked -= (fixtures.codes["errors"].keys() | fixtures.codes["url_warnings"].keys()) - codes.keys()
        yield from codes.keys() ^ provoked


def finding_of_another_severity(fixtures: Fixtures) -> Faults:
    severe = severities(fixtures.codes)
    for operation, vector in fixtures.vectors():
        yield from (one for one in found(operation, vector) if severe.get(one["code"]) != one["severity"])


def flag_without_note_or_note_without_flag(fixtures: Fixtures) -> Faults:
    for _, file in fixtures.parsed():
        flags = {flag for vector in file["vectors"] for flag in vector.get("flags", ())}
        yield from flags ^ file.get("notes", {}).keys()


def hard_value_without_flag_or_flag_without_it(fixtures: Fixtures) -> Faults:
    """Values that some parsers cannot hold need a flag, and only they."""
    for _, vector in fixtures.vectors():
        values = list(walk([vector["input"], vector.get("expect")]))
        held = {
            "LoneSurrogate": any(isinstance(value, str) and SURROGATE.search(value) for value in values),
            "BigInteger": any(isinstance(value, int) and abs(value) > 2**53 for value in values),
            "WholeFloat": any(isinstance(value, float) and value.is_integer() for value in values),
        }
        yield from (vector["id"] for flag, is_held in held.items() if is_held != (flag in vector.get("flags", ())))


def walk(value: Any) -> Iterator[Any]:
    """Every scalar in a JSON value, names of members among them."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from walk(item)
    else:
        yield value


RULES = (
    breaks_the_schema,
    misnamed,
    repeated_id,
    beyond_ascii,
    repeated_member,
    unknown_or_unprovoked_code,
    finding_of_another_severity,
    flag_without_note_or_note_without_flag,
    hard_value_without_flag_or_flag_without_it,
)

#: Small files that keep every rule.
SMALL = {
    "2026-07-28/request_state.json": """{
      "$schema": "../vector.schema.json", "format": 1, "protocol": "2026-07-28", "operation": "request_state",
      "description": "d", "notes": {"EmptyString": {"description": "d"}}, "vectors": [
        {"id": "a", "description": "d", "basis": "library", "flags": ["EmptyString"],
         "input": {"raw": {"requestState": ""}}, "expect": ""},
        {"id": "b", "description": "d", "basis": "spec", "spec": ["https://modelcontextprotocol.io/specification/x"],
         "input": {"raw": {"requestState": 5}}, "error": {"code": "wrong_type", "at": "/requestState"}}
      ]}""",
    "2026-07-28/inspect_url.json": """{
      "$schema": "../vector.schema.json", "format": 1, "protocol": "2026-07-28", "operation": "inspect_url",
      "description": "d", "vectors": [
        {"id": "c", "description": "d", "basis": "library", "input": {"url": "https:"},
         "expect": {"scheme": "https", "host": null, "warnings": [], "refusal": "no_host"}},
        {"id": "d", "description": "d", "basis": "library", "input": {"url": "http://a.example"},
         "expect": {"scheme": "http", "host": "a.example", "warnings": ["insecure_http"], "refusal": null}}
      ]}""",
    "2026-07-28/lint.json": """{
      "$schema": "../vector.schema.json", "format": 1, "protocol": "2026-07-28", "operation": "lint",
      "description": "d", "vectors": [
        {"id": "e", "description": "d", "basis": "library", "input": {"raw": null},
         "expect": [{"code": "wrong_type", "at": "", "severity": "error"}]},
        {"id": "f", "description": "d", "basis": "library", "input": {"raw": {}},
         "expect": [{"code": "asks_nothing", "at": "", "severity": "warning"}]}
      ]}""",
    "2026-07-28/form_check.json": """{
      "$schema": "../vector.schema.json", "format": 1, "protocol": "2026-07-28", "operation": "form_check",
      "description": "d", "vectors": [
        {"id": "g", "description": "d", "basis": "library", "input": {"schema": {"required": ["a"]}, "content": {}},
         "expect": [{"at": "/a", "code": "required"}]}
      ]}""",
}
SMALL_CODES = {
    "errors": {"wrong_type": {}},
    "field_errors": {"required": ""},
    "findings": {"asks_nothing": {"severity": "warning"}},
    "url_refusals": {"no_host": ""},
    "url_warnings": {"insecure_http": ""},
}

#: A rule, what to replace in the small files, by what.
BROKEN = [
    (breaks_the_schema, '"format": 1', '"format": 2'),
    (breaks_the_schema, '"basis": "library"', '"basis": "hearsay"'),
    (breaks_the_schema, '"spec": ["https://modelcontextprotocol.io/specification/x"],', ""),
    (breaks_the_schema, '"spec": ["https://modelcontextprotocol.io/', '"spec": ["https://a.example/'),
    (breaks_the_schema, '"basis": "spec"', '"basis": "library"'),
    (breaks_the_schema, '"id": "a"', '"id": "A"'),
    (breaks_the_schema, '"at": "/requestState"', '"at": "requestState"'),
    (breaks_the_schema, '"at": "/requestState"', '"at": "/a~2"'),
    (breaks_the_schema, ', "expect": ""}', "}"),
    (breaks_the_schema, '"error": {', '"expect": null, "error": {'),
    (breaks_the_schema, '"input": {"raw": {"requestState": 5}}', '"input": {"result": {}}'),
    (breaks_the_schema, '"host": null, ', ""),
    (misnamed, '"protocol": "2026-07-28"', '"protocol": "2025-11-25"'),
    (misnamed, '"operation": "request_state"', '"operation": "requests"'),
    (repeated_id, '"id": "b"', '"id": "a"'),
    (repeated_id, '"id": "c"', '"id": "b"'),
    (beyond_ascii, '"requestState": ""', '"requestState": "\u00e9"'),
    (repeated_member, '"raw": {"requestState": ""}', '"raw": {"requestState": "", "requestState": ""}'),
    (unknown_or_unprovoked_code, '"code": "wrong_type"', '"code": "wrong_typo"'),
    (unknown_or_unprovoked_code, '"code": "required"', '"code": "needed"'),
    (unknown_or_unprovoked_code, '"refusal": "no_host"', '"refusal": "no_hosts"'),
    (unknown_or_unprovoked_code, '"refusal": "no_host"', '"refusal": null'),
    (unknown_or_unprovoked_code, '["insecure_http"]', '["insecure_http", "rude"]'),
    (unknown_or_unprovoked_code, '["insecure_http"]', "[]"),
    (unknown_or_unprovoked_code, '"code": "asks_nothing"', '"code": "asks_nothings"'),
    (unknown_or_unprovoked_code, '"code": "asks_nothing"', '"code": "wrong_type"'),
    (finding_of_another_severity, '"severity": "error"', '"severity": "warning"'),
    (finding_of_another_severity, '"severity": "warning"', '"severity": "error"'),
    (flag_without_note_or_note_without_flag, '"flags": ["EmptyString"]', '"flags": ["EmptyString", "Order"]'),
    (flag_without_note_or_note_without_flag, '"flags": ["EmptyString"],', ""),
    (flag_without_note_or_note_without_flag, '"notes": {"EmptyString": {"description": "d"}},', ""),
    (hard_value_without_flag_or_flag_without_it, '"requestState": ""', '"requestState": "\\ud800"'),
    (hard_value_without_flag_or_flag_without_it, '"raw": {"requestState": ""}', '"raw": {"\\udfff": ""}'),
    (hard_value_without_flag_or_flag_without_it, '"requestState": 5', '"requestState": 9007199254740993'),
    (hard_value_without_flag_or_flag_without_it, '"requestState": 5', '"requestState": 5.0'),
    (hard_value_without_flag_or_flag_without_it, '"flags": ["EmptyString"]', '"flags": ["LoneSurrogate"]'),
]


def small(old: str = "", new: str = "") -> Fixtures:
    assert any(old in text for text in SMALL.values())
    return Fixtures({Path(name): text.replace(old, new).encode() for name, text in SMALL.items()}, SMALL_CODES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_fixtures_break_no_rule(rule):
    codes = json.loads((FIXTURES / "codes.json").read_bytes())
    del codes["version"]
    ours = Fixtures({path: path.read_bytes() for path in FILES}, codes)
    assert len(ours.files) == len(SCHEMA["properties"]["operation"]["enum"])
    assert list(rule(ours)) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_small_fixtures_break_no_rule(rule):
    assert list(rule(small())) == []


@pytest.mark.parametrize(("rule", "old", "new"), BROKEN)
def test_a_broken_copy_of_the_small_fixtures_breaks_its_rule(rule, old, new):
    assert list(rule(small(old, new))) != []


@pytest.mark.parametrize("name", ["codes.json", "vector.schema.json"])
def test_codes_json_and_vector_schema_json_are_ascii_without_repeated_members(name):
    alone = Fixtures({FIXTURES / name: (FIXTURES / name).read_bytes()}, {})
    assert [*beyond_ascii(alone), *repeated_member(alone)] == []


def test_the_fixtures_have_the_version_of_the_release_that_they_are_for():
    version = re.search(r"^## ([\d.]+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    assert json.loads((FIXTURES / "codes.json").read_bytes())["version"] == version


def test_every_rule_of_the_fixtures_has_a_copy_that_breaks_it():
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


def test_a_section_of_codes_json_that_no_vector_provokes_is_noticed():
    fixtures = small()
    fixtures.codes = fixtures.codes | {"moods": {}}
    assert next(unknown_or_unprovoked_code(fixtures)) == "moods"


def test_the_readme_of_the_fixtures_shows_a_real_vector_and_every_operation():
    page = (FIXTURES / "README.md").read_text("ascii")
    shown = json.loads(page.partition("```json\n")[2].partition("```")[0])
    assert shown in [vector for path in FILES for vector in json.loads(path.read_bytes())["vectors"]]
    assert [name for name in SCHEMA["properties"]["operation"]["enum"] if f"| `{name}` |" not in page] == []


def test_the_digest_that_the_readme_works_out_is_the_one_of_its_vector():
    page = (FIXTURES / "README.md").read_text("utf-8")
    first, second = page.partition("```json\n[null,")[2].partition("\n```")[0].splitlines()
    pause = hmac.new(b"c1", f"[null,{first}".encode("ascii"), "sha256").hexdigest()
    assert second == f'["{pause}","a"]'
    question = hmac.new(b"c1", second.encode("ascii"), "sha256").hexdigest()
    assert f"`{question}`" in page
    (vector,) = [vector for vector in VECTORS if vector.id == "exchange-id-of-a-single-request"]
    assert vector.expect["asks"][0]["a"]["id"] == f"elc-c1-0-{question[:16]}"
    assert f"`elc-c1-0-{question[:16]}`" in page
