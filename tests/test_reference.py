"""REFERENCE.md has every public name, and the checks of what docstrings explain can fail; griffe is not needed."""

import re
from dataclasses import replace

import pytest
from reference.explained import names_raising, problems
from reference.page import SECTIONS, Entry, anchor, linked, page, signature
from vectors import ROOT

import toolnexus_mrtr

CODES = ("wrong_type", "wrong_value", "timeout")
BY_SECTION = {"errors": CODES, "field_errors": ["other"], "url_refusals": ["no_host"], "url_warnings": ["punycode"]}

READ = Entry("read", "read(raw)", "Read `raw`.\n\nRaises `RemoteProtocolError` `wrong_type` for a list.", ("raw",))
WRITE = Entry(
    "write",
    "write()",
    "Write.\n\nRaises what `read` raises, `LocalProtocolError` `wrong_value`, and `Late`; `TypeError` for the rest.",
)
LATE = Entry("Late", "class Late(MrtrError)", "It took too long (code `timeout`).")
FIELD_ERROR = Entry("FieldError", "FieldError()", "The code is `other`.")
URL_REPORT = Entry("UrlReport", "UrlReport()", "A refusal is `no_host`, a warning `punycode`.")


def found(*entries, provoked=None):
    every = {entry.name: entry for entry in (READ, WRITE, LATE, FIELD_ERROR, URL_REPORT, *entries)}
    return list(problems(every, BY_SECTION, provoked or {}))


def test_the_reference_has_an_entry_for_every_public_name():
    headings = re.findall(r"^### `(\w+)`$", (ROOT / "REFERENCE.md").read_text("utf-8"), re.MULTILINE)
    assert [name for name in toolnexus_mrtr.__all__ if name not in headings] == []


def test_problems_finds_none_where_everything_is_explained():
    assert found(provoked={"read": {"wrong_type"}, "write": {"wrong_type", "wrong_value", "timeout"}}) == []


def test_problems_tells_a_name_without_a_docstring():
    assert found(Entry("bare", "bare()", "")) == ["bare has no docstring."]


def test_problems_tells_a_parameter_that_has_no_backticks_in_the_docstring_of_its_callable():
    assert found(Entry("show", "show(text)", "Show the text.", ("text",))) == ["show does not explain `text`."]


def test_problems_lets_the_docstring_of_a_class_explain_the_parameters_of_its_methods():
    of_class = Entry("Shower", "class Shower", "Shows a `text`.")
    assert found(of_class, Entry("Shower.show", "Shower.show(text)", "Show it.", ("text",))) == []


@pytest.mark.parametrize(
    ("raised", "is_named"),
    [
        ("`LocalProtocolError`", False),
        ("`LocalProtocolError` for what is wrong; `RemoteProtocolError` `wrong_type`", False),
        ("`LocalProtocolError` `wrong_value`", True),
        ("`LocalProtocolError`: all that `read` raises", True),
    ],
)
def test_problems_tells_an_error_that_is_raised_without_its_code(raised, is_named):
    complaint = "show raises LocalProtocolError, and does not say with which code."
    assert found(Entry("show", "show()", f"Show it.\n\nRaises {raised}.")) == ([] if is_named else [complaint])


def test_problems_tells_a_code_in_which_vectors_end_and_that_no_docstring_has():
    assert found(provoked={"read": {"wrong_type", "wrong_value"}}) == [
        "The vectors of read end in `wrong_value`, and no docstring of read says that it is raised."
    ]


def test_problems_tells_an_operation_that_has_no_public_name():
    assert found(provoked={"sing": set()}) == ["The operation sing of the vectors has no public name."]


def test_problems_tells_a_code_that_nothing_is_said_to_raise():
    assert found(replace(WRITE, docstring="Write.\n\nRaises `Late`.")) == [
        "No docstring says what raises `wrong_value`."
    ]


def test_problems_tells_a_code_that_is_no_error_and_that_its_class_does_not_list():
    assert found(replace(URL_REPORT, docstring="A warning is `punycode`.")) == ["UrlReport does not explain `no_host`."]


def test_names_raising_follows_other_names_and_errors_of_one_code():
    every = {entry.name: entry for entry in (READ, WRITE, LATE)}
    assert names_raising(every, CODES) == {
        "wrong_type": ["read", "write"],
        "wrong_value": ["write"],
        "timeout": ["write"],
    }


def test_names_raising_lets_a_namespace_speak_for_its_methods():
    of_class = Entry("ElicitationRequests", "", "Reads.\n\nRaises `LocalProtocolError` `wrong_value`.")
    method = Entry("ElicitationRequests.requests", "", "Read.")
    every = {entry.name: entry for entry in (of_class, method)}
    assert names_raising(every, ["wrong_value"]) == {"wrong_value": list(every)}


def test_signature_puts_one_parameter_on_a_line_where_they_are_many():
    assert signature("f", ["a: int", "*", "b: str"], " -> int") == "f(a: int, *, b: str) -> int"
    assert signature("f", ["a: int", "b" * 100]) == f"f(\n    a: int,\n    {'b' * 100},\n)"


@pytest.mark.parametrize(
    ("heading", "expected"),
    [("`run_async`", "run_async"), ("`Call.receive`", "callreceive"), ("Read, write", "read-write")],
)
def test_anchor_is_that_of_a_heading_on_github(heading, expected):
    assert anchor(heading) == expected


def test_linked_links_names_that_have_an_entry_but_not_to_the_entry_itself():
    names = ["run", "Call", "Call.receive", "Pause.run"]
    assert linked("`run`, `walk`", names, "Call") == "[`run`](#run), `walk`"
    assert linked("`Call.receive`", names, "run") == "[`Call.receive`](#callreceive)"
    assert linked("`run`", names, "run") == linked("`run`", names, "Pause") == "`run`"


def test_page_links_names_but_no_parameters_and_says_what_raises_each_code():
    codes = {section: {"wrong_type": "A list."} for section in SECTIONS}
    codes["errors"] = {"wrong_type": {"side": "remote", "meaning": "A list."}}
    codes["findings"] = {"wrong_type": {"severity": "error", "meaning": "A list."}}
    raw = Entry("raw", "raw()", "What `read` reads.")
    made = page({"Read": [READ, raw]}, codes, {"wrong_type": ["read"]})
    assert "## Read\n\n### `read`\n\n```python\nread(raw)\n```\n\nRead `raw`." in made
    assert "\nWhat [`read`](#read) reads." in made
    assert "| `wrong_type` | remote | A list. | [`read`](#read) |\n" in made
