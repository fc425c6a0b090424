"""The collection of forms under `forms/`, as `Form` reads, checks and parses them."""

import re

import pytest
from test_forms_collection import FORMS
from vectors import ROOT

from toolnexus_mrtr import Form

EACH_FORM = pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])


@EACH_FORM
def test_form_check_accepts_what_is_right(form):
    assert [Form.of(form["schema"]).check(content) for content in form["right"]] == [()] * len(form["right"])


@EACH_FORM
def test_form_check_refuses_what_is_wrong(form):
    assert [content for content in form["wrong"] if not Form.of(form["schema"]).check(content)] == []


@EACH_FORM
def test_form_answerable_says_whether_a_person_can_answer(form):
    assert Form.of(form["schema"]).answerable is form.get("answerable", True)


@EACH_FORM
def test_form_unenforced_lists_what_is_left_to_the_server(form):
    assert bool(Form.of(form["schema"]).unenforced) is form.get("unenforced", False)


@EACH_FORM
def test_form_parse_reads_what_is_right_as_it_was_filled_in(form):
    reader = Form.of(form["schema"])
    for content in form["right"]:
        assert reader.parse(reader.to_strings(content), prefilled=content) == (content, ())


@EACH_FORM
def test_form_parse_reads_what_is_right_as_it_is_typed(form):
    reader = Form.of(form["schema"])
    fields = {field.name: field for field in reader.fields}
    for content in form["right"]:
        typed = {name: text for name, text in reader.to_strings(content).items() if name in fields}
        # An empty text is no answer where none is required.
        read = {name: content[name] for name, text in typed.items() if text != "" or fields[name].required}
        assert reader.parse(typed) == (read, ())


def test_the_readme_says_how_many_forms_are_shown_whole():
    forms = [Form.of(form["schema"]) for form in FORMS]
    whole = [
        form for form in forms if not form.unenforced and all(field.kind != "unsupported" for field in form.fields)
    ]
    sentence = re.search(
        r"Of the (\d+) forms of real servers in .*?, (\d+) are shown whole", (ROOT / "README.md").read_text()
    )
    assert sentence is not None
    assert (int(sentence[1]), int(sentence[2])) == (len(forms), len(whole))
