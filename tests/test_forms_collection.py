"""The collection of forms under `forms/`: of many servers, no two alike, and every verdict as JSON Schema has it."""

import json
import re
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator
from referencing import Registry

PATH = Path(__file__).parent / "forms" / "collection.json"
FORMS: list[dict[str, Any]] = json.loads(PATH.read_bytes())["forms"]
DIALECTS = {
    "http://json-schema.org/draft-07/schema#": Draft7Validator,
    "https://json-schema.org/draft/2020-12/schema": Draft202012Validator,
}

#: The four formats in what the collection uses of them. A form that needs more of a format needs more here.
EMAIL = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]+"
)
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")
DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
FORMATS = FormatChecker(formats=())


@FORMATS.checks("email")
def is_email(value: Any) -> bool:
    return not isinstance(value, str) or EMAIL.fullmatch(value) is not None


@FORMATS.checks("uri")
def is_uri(value: Any) -> bool:
    return not isinstance(value, str) or URI.fullmatch(value) is not None


@FORMATS.checks("date", ValueError)
def is_date(value: Any) -> bool:
    return not isinstance(value, str) or date.fromisoformat(value).isoformat() == value


@FORMATS.checks("date-time", ValueError)
def is_date_time(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    if DATE_TIME.fullmatch(value) is None:
        return False
    datetime.fromisoformat(value)
    return True


def validator(schema: dict[str, Any]) -> Validator:
    dialect = DIALECTS[schema["$schema"]] if "$schema" in schema else Draft202012Validator
    return dialect(schema, registry=Registry(), format_checker=FORMATS)


#: Keywords whose members are named by the server, and those whose value says more than its type.
NAMED = ("properties", "$defs", "definitions")
SAID = ("type", "format", "additionalProperties", "readOnly", "writeOnly", "nullable", "uniqueItems", "$schema")


def kind(value: Any) -> str:
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def skeleton(schema: Any, *, required: bool = False) -> Any:
    """What is left of a schema without its names, texts and numbers: keywords, types, and the order of its fields."""
    if not isinstance(schema, dict):
        return kind(schema)
    bones: dict[str, Any] = {"(required)": required}
    for word, value in schema.items():
        if word in NAMED:
            needed = schema.get("required", ())
            bones[word] = [skeleton(value[name], required=name in needed) for name in value]
        elif word == "required":
            bones[word] = bool(value)
        elif word == "enum":
            bones[word] = sorted({kind(each) for each in value})
        elif word in ("oneOf", "anyOf", "allOf"):
            alternatives = [json.dumps(skeleton(each), sort_keys=True) for each in value]
            bones[word] = list(dict.fromkeys(alternatives))
        elif word in SAID and not isinstance(value, dict):
            bones[word] = value
        elif isinstance(value, dict):
            bones[word] = skeleton(value)
        elif isinstance(value, list):
            bones[word] = sorted({kind(each) for each in value})
        else:
            bones[word] = kind(value)
    return bones


def test_the_collection_has_a_hundred_forms_of_many_servers_and_generators():
    assert len(FORMS) >= 100
    assert len({form["source"]["project"] for form in FORMS}) >= 25
    assert len({form["source"]["generator"] for form in FORMS}) >= 5


def test_the_file_is_ascii():
    assert PATH.read_bytes().isascii()


def test_every_form_has_an_id_of_its_own():
    assert [each for each, count in Counter(form["id"] for form in FORMS).items() if count > 1] == []


def test_every_form_has_the_members_that_the_readme_names():
    for form in FORMS:
        assert form.keys() - {"answerable", "unenforced"} == {"id", "source", "schema", "right", "wrong"}, form["id"]
        assert form["source"].keys() == {"project", "language", "generator"}, form["id"]
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", form["id"])


def test_no_two_forms_are_alike_once_names_texts_and_numbers_are_gone():
    seen: dict[str, str] = {}
    for form in FORMS:
        bones = json.dumps(skeleton(form["schema"]), sort_keys=True)
        assert seen.setdefault(bones, form["id"]) == form["id"]


def test_a_form_that_nobody_can_answer_says_so_and_has_no_right_content():
    for form in FORMS:
        assert form.get("answerable", True) is (form["right"] != []), form["id"]


def test_a_form_says_that_it_has_keywords_a_client_may_leave_out():
    for form in FORMS:
        left_out = '"pattern": ' in json.dumps(form["schema"]) or not form.get("answerable", True)
        assert form.get("unenforced", False) is left_out, form["id"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_every_schema_is_one_that_json_schema_allows(form):
    type(validator(form["schema"])).check_schema(form["schema"])


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_content_holds_only_values_that_the_protocol_can_carry(form):
    for content in form["right"] + form["wrong"]:
        for value in content.values():
            assert isinstance(value, str | int | float) or all(isinstance(each, str) for each in value)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_json_schema_takes_what_is_right(form):
    for content in form["right"]:
        assert [error.message for error in validator(form["schema"]).iter_errors(content)] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_json_schema_refuses_what_is_wrong(form):
    for content in form["wrong"]:
        assert not validator(form["schema"]).is_valid(content), content


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_what_is_wrong_is_not_wrong_by_a_pattern_alone(form):
    def plain(schema: Any) -> Any:
        if isinstance(schema, dict):
            return {
                word: plain(value) for word, value in schema.items() if word != "pattern" or isinstance(value, dict)
            }
        return [plain(each) for each in schema] if isinstance(schema, list) else schema

    for content in form["wrong"]:
        assert not validator(plain(form["schema"])).is_valid(content), content
