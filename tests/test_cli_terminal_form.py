"""The terminal form in this process: what each kind of field takes, and what a person can do at each prompt."""

import importlib
import sys
import time
from datetime import datetime, timedelta

import pytest
from terminals import (
    BACK,
    DECLINE,
    DOWN,
    ENTER,
    ERASE,
    ESCAPE,
    INTERRUPT,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    READ_ON,
    REVIEW,
    UP,
    asked,
    form,
    pause_for,
    visit,
)

from toolnexus_mrtr import Answer
from toolnexus_mrtr.cli._call._asking import NobodyToAsk
from toolnexus_mrtr.cli._call._terminal import TerminalAsker
from toolnexus_mrtr.cli._call._terminal_screen import visible
from toolnexus_mrtr.cli._call._terminal_times import LocalZone, read_date_time
from toolnexus_mrtr.cli._errors import BadInput

TEXT = {"type": "string"}


@pytest.fixture
def ask(monkeypatch):
    """Give a function that lets a person answer what is asked."""
    return lambda **entries: asked(pause_for(**entries), monkeypatch)


@pytest.fixture
def fill_in(ask):
    """Give a function that lets a person fill in a form by one prompt, and gives the content that is then sent."""

    def fill_in(field, *keys, required=True, sees=()):
        with ask(who=form({"f": field, "last": {"type": "boolean"}}, *(["f"] if required else []))) as person:
            person.see("1/2").see("Esc: cancel").press(*keys)
            for text in sees:
                person.see(text)
            person.see("2/2").see("Esc: cancel").press(REVIEW)
            person.see("Accept: send it").press(DOWN, ENTER)
            return person.answers()["who"].data

    return fill_in


def accept(person):
    person.see("Accept: send it").press(DOWN, ENTER)
    return person.answers()


# What each kind of field takes.


def test_text_is_sent_as_it_was_typed(fill_in):
    assert fill_in(TEXT, " Ada ", ENTER) == {"f": " Ada "}


def test_an_optional_text_that_is_empty_is_left_out(fill_in):
    assert fill_in(TEXT, ENTER, required=False, sees=["(left out)"]) == {}


def test_a_default_stands_in_the_prompt_and_counts_once_the_prompt_is_left(fill_in):
    assert fill_in({**TEXT, "default": "Ada"}, "!", ENTER) == {"f": "Ada!"}


def test_a_default_that_was_never_shown_is_not_sent(ask):
    with ask(who=form({"a": TEXT, "b": {**TEXT, "default": "x"}})) as person:
        person.see("1/2").see("Esc: cancel").press("1", REVIEW)
        person.see("Fields without an answer: 1")
        assert accept(person)["who"].data == {"a": "1"}


def test_the_default_of_a_secret_is_not_shown(ask):
    with ask(who=form({"password": {**TEXT, "default": "hunter2"}})) as person:
        person.see("seems to ask for a secret").see("Esc: cancel").press(ENTER)
        assert accept(person)["who"].data == {}
    assert "hunter2" not in person.shown.text


@pytest.mark.parametrize(("kind", "typed", "value"), [("integer", "18", 18), ("number", "-1.5", -1.5)])
def test_a_number_is_sent_as_a_number(fill_in, kind, typed, value):
    assert fill_in({"type": kind, "maximum": 18}, typed, ENTER) == {"f": value}


def test_a_wrong_value_is_told_while_it_is_typed_and_enter_does_not_take_it(ask):
    with ask(who=form({"age": {"type": "integer", "minimum": 18}}, "age")) as person:
        person.see("at least 18").see("Esc: cancel").press("1").see("expected at least 18").press(ENTER, "9", ENTER)
        assert accept(person)["who"].data == {"age": 19}


def test_an_empty_required_field_is_told_once_enter_was_pressed(ask):
    with ask(who=form({"age": {"type": "integer"}}, "age")) as person:
        person.see("Esc: cancel").press(ENTER).see("expected an answer").press("1", ENTER)
        assert accept(person)["who"].data == {"age": 1}


def test_yes_or_no_is_chosen_and_nothing_is_chosen_at_first(fill_in):
    keys = [ENTER, DOWN, UP, UP, DOWN, LEFT, ENTER]
    assert fill_in({"type": "boolean"}, *keys) == {"f": False}


def test_an_optional_choice_has_a_row_for_no_answer(fill_in):
    assert fill_in({"type": "boolean"}, ENTER, required=False, sees=["(left out)"]) == {}


def test_what_was_chosen_stays_on_the_screen_by_its_label(fill_in):
    field = {"type": "string", "oneOf": [{"const": "w", "title": "Window"}, {"const": "a", "title": "Aisle"}]}
    assert fill_in(field, "win", ENTER, sees=['> Window ("w")\n']) == {"f": "w"}


def test_a_field_is_shown_by_its_label_and_its_name(ask):
    with ask(who=form({"a": {**TEXT, "title": "Full name"}})) as person:
        person.see('1/1  "Full name": text, optional').see('its name: "a"').see("Ctrl-X: decline").press(DECLINE)
        assert person.answers()["who"].reason == "declined"


def test_the_default_of_a_choice_is_where_the_cursor_stands(fill_in):
    assert fill_in({"type": "string", "enum": ["a", "b"], "default": "b"}, ENTER) == {"f": "b"}


def test_what_is_typed_narrows_a_list(fill_in):
    choices = [{"const": f"c{n}", "title": f"Choice {n}", "description": f"about {n}"} for n in range(30)]
    keys = ["nothing", UP, ENTER, ERASE * 7, PAGE_DOWN, PAGE_DOWN, PAGE_UP, "29x", ERASE, ENTER]
    assert fill_in({"type": "string", "oneOf": choices}, *keys) == {"f": "c29"}


def test_a_list_shows_a_part_of_its_rows_and_what_the_row_below_the_cursor_means(ask):
    choices = [{"const": f"c{n}", "title": f"Choice {n}", "description": f"about {n}"} for n in range(30)]
    with ask(who=form({"f": {"type": "string", "oneOf": choices}}, "f")) as person:
        person.see("Choice 9").see("30 choices").press(PAGE_DOWN).see("| about 9").press("nope").see(
            "no choice has this"
        )
        person.press(ESCAPE)
        assert person.answers()["who"].reason == "cancelled"
    assert "Choice 29" not in person.shown.text


def test_any_of_several_choices_are_picked(fill_in):
    field = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}
    assert fill_in(field, " ", DOWN, " ", DOWN, " ", UP, " ", ENTER) == {"f": ["a", "c"]}


@pytest.mark.parametrize(
    ("default", "required", "keys", "content"),
    [
        (None, False, [ENTER], {}),
        (None, True, [ENTER], {"f": []}),
        (["a"], False, [ENTER], {"f": ["a"]}),
        (["a"], False, [" ", ENTER], {"f": []}),
        (None, False, [DOWN, " ", ENTER], {"f": ["b"]}),
    ],
)
def test_nothing_picked_is_an_answer_only_where_something_was_or_has_to_be(fill_in, default, required, keys, content):
    field = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    field |= {} if default is None else {"default": default}
    assert fill_in(field, *keys, required=required) == content


def test_too_few_picked_choices_are_told(ask):
    field = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "minItems": 2}
    with ask(who=form({"f": field}, "f")) as person:
        person.see("[ ] c").see("Esc: cancel").press(" ").see("expected at least 2").press(DOWN, " ", ENTER)
        assert accept(person)["who"].data == {"f": ["a", "b"]}


def test_a_list_of_text_has_one_item_a_line_and_ends_with_an_empty_one(fill_in):
    field = {"type": "array", "items": TEXT}
    assert fill_in(field, "a, b", ENTER, "c", ENTER, ENTER) == {"f": ["a, b", "c"]}


def test_a_list_of_text_that_is_empty_is_no_answer(fill_in):
    assert fill_in({"type": "array", "items": TEXT}, ENTER, required=False) == {}


def test_a_long_list_is_shown_in_part(fill_in):
    items = [f"line {n}" for n in range(20)]
    assert fill_in({"type": "array", "items": TEXT}, ENTER.join(items), ENTER, ENTER) == {"f": items}


def test_suggestions_are_offered_and_other_text_is_taken(ask):
    field = {"type": "string", "anyOf": [{"enum": ["red", "dark red", "blue"]}, TEXT]}
    with ask(who=form({"f": field, "g": field, "h": TEXT})) as person:
        person.see("Tab shows suggestions").see("Esc: cancel").press("re").see("dark red").press(
            "\t", "\t", ENTER, ENTER
        )
        person.see("2/3").see("Esc: cancel").press("teal", ENTER)
        person.see("3/3").see("Esc: cancel").press("\t", "x", ENTER)
        assert accept(person)["who"].data == {"f": "dark red", "g": "teal", "h": "x"}


# Dates and times.


@pytest.fixture
def paris(monkeypatch):
    """Let this machine be in Paris."""
    monkeypatch.setenv("TZ", "Europe/Paris")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("paris")
@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("2026-07-28 10:00", "2026-07-28T10:00:00+02:00"),
        ("2026-01-28T10:00:30", "2026-01-28T10:00:30+01:00"),
        ("2026-07-28 10:00 Asia/Tokyo", "2026-07-28T10:00:00+09:00"),
        ("2026-07-28 10:00 Z", "2026-07-28T10:00:00Z"),
        ("2026-07-28 10:00:30 -03:00", "2026-07-28T10:00:30-03:00"),
    ],
)
def test_a_time_is_sent_with_its_offset_which_is_shown_while_it_is_typed(ask, typed, sent):
    with ask(who=form({"at": {**TEXT, "format": "date-time"}}, "at")) as person:
        person.see("2026-07-28 10:00 Europe/Paris").see("Esc: cancel").press(typed).see(f"sent as {sent}").press(ENTER)
        assert accept(person)["who"].data == {"at": sent}


@pytest.mark.usefixtures("paris")
def test_a_time_that_the_clocks_show_twice_is_refused(ask):
    with ask(who=form({"at": {**TEXT, "format": "date-time"}}, "at")) as person:
        person.see("Esc: cancel").press("2026-10-25 02:30").see("exactly once").press(ENTER, " UTC").see(
            "+00:00"
        ).press(ENTER)
        assert accept(person)["who"].data == {"at": "2026-10-25T02:30:00+00:00"}


@pytest.mark.usefixtures("paris")
def test_a_list_of_times_is_read_like_a_time(fill_in):
    field = {"type": "array", "items": {**TEXT, "format": "date-time"}}
    sent = ["2026-07-28T10:00:00+02:00", "2026-07-29T10:00:00+02:00"]
    assert fill_in(field, "2026-07-28 10:00", ENTER, "2026-07-29 10:00", ENTER, ENTER) == {"f": sent}
    assert fill_in(field, ENTER, required=False) == {}


def test_a_date_is_asked_for_by_an_example(ask):
    with ask(who=form({"on": {**TEXT, "format": "date"}}, "on")) as person:
        person.see("A date such as 2026-07-28").see("Esc: cancel").press("28.7.").see("expected a date").press(
            ERASE * 5
        )
        person.press("2026-07-28", ENTER)
        assert accept(person)["who"].data == {"on": "2026-07-28"}


@pytest.mark.usefixtures("paris")
def test_the_zone_of_the_machine_has_the_offset_of_the_time_in_question():
    zone = LocalZone()
    assert datetime(2026, 7, 28, tzinfo=zone).utcoffset() == timedelta(hours=2)
    assert datetime(2026, 1, 28, tzinfo=zone).tzname() == "CET"
    assert (zone.utcoffset(None), zone.tzname(None), zone.dst(None)) == (None, None, None)


def test_a_time_in_a_zone_that_is_not_known_is_refused(ask):
    with ask(who=form({"at": {**TEXT, "format": "date-time"}}, "at")) as person:
        person.see("Esc: cancel").press("2026-07-28 10:00 No/Where").see("expected a time zone such as Europe/Paris")
        person.press(ENTER, ESCAPE)
        assert person.answers()["who"].reason == "cancelled"


@pytest.mark.parametrize("zone", ["No/Where", "America", "posixrules-"])
def test_a_zone_that_is_not_known_is_none(zone):
    assert read_date_time(f"2026-07-28 10:00 {zone}")[1] is None


# Moving through a form.


def test_a_person_goes_back_and_finds_what_was_typed(ask):
    flag = {"type": "boolean"}
    with ask(who=form({"a": TEXT, "b": flag, "c": TEXT}, "b")) as person:
        person.see("1/3").see("Esc: cancel").press("1", ENTER)
        person.see("2/3").see("Esc: cancel").press(DOWN, BACK)
        person.see("1/3").see("> 1").see("Esc: cancel").press("2", ENTER)
        person.see("2/3").see("> Yes").see("Esc: cancel").press(ENTER)
        person.see("3/3").see("Esc: cancel").press("x", BACK)
        person.see("2/3").see("Esc: cancel").press(ENTER).see("3/3").see("> x").see("Esc: cancel").press(ENTER)
        assert accept(person)["who"].data == {"a": "12", "b": True, "c": "x"}


def test_the_way_to_the_review_stops_at_the_first_field_that_needs_an_answer(ask):
    with ask(who=form({"a": {"type": "boolean"}, "b": TEXT, "c": {"type": "integer"}}, "c")) as person:
        person.see("1/3").see("Esc: cancel").press(REVIEW).see('"c": expected an answer').see("3/3").see("Esc: cancel")
        person.press(REVIEW).see("expected an answer").press("1", REVIEW)
        assert accept(person)["who"].data == {"c": 1}


def test_fields_that_cannot_be_shown_are_counted_and_left_out(ask):
    with ask(who=form({"a": TEXT, "b": {"type": "object"}})) as person:
        person.see("left out: 1").see("1/1").see("Esc: cancel").press("1", ENTER)
        assert accept(person)["who"].data == {"a": "1"}


# What a person decides.


def test_the_review_lists_what_is_sent_and_the_form_can_be_changed(ask):
    with ask(who=form({"a": TEXT, "pin": {**TEXT, "title": "PIN code"}})) as person:
        person.see("1/2").see("Esc: cancel").press("1", ENTER).see("2/2").see("Esc: cancel").press("9876", ENTER)
        person.see('to the server "parcels"').see('"who": accept').see('"a": "1"').see('"pin": (hidden)')
        person.see("Change it").see("Esc: cancel").press(DOWN, DOWN, ENTER)
        person.see("1/2").see("> 1").see("Esc: cancel").press("2", REVIEW).see('"a": "12"')
        assert accept(person)["who"].data == {"a": "12", "pin": "9876"}
    assert "9876" not in person.shown.text


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ([ESCAPE], "cancelled"),
        ([DECLINE], "declined"),
        ([*[DOWN] * 3, ENTER], "declined"),
        (["Can", ENTER], "cancelled"),
    ],
)
def test_the_review_can_be_declined_and_cancelled(ask, keys, reason):
    with ask(who=form({"a": TEXT})) as person:
        person.see("Esc: cancel").press("1", ENTER).see("Accept: send it").see("Esc: cancel").press(*keys)
        assert person.answers()["who"] == Answer(person.answers()["who"].id, ok=False, reason=reason)


def test_each_question_of_a_pause_is_decided_by_itself(ask):
    with ask(one=form({"a": TEXT}), two=form({"b": TEXT}), three=form({})) as person:
        person.see("(question 1 of 3)").see("Esc: cancel").press(DECLINE)
        person.see("(question 2 of 3)").see("Esc: cancel").press("1", ENTER)
        person.see("(question 3 of 3)").see("Accept: say yes").see("Esc: cancel").press(DOWN, ENTER)
        answers = accept(person)
    assert {key: (answer.ok, answer.data) for key, answer in answers.items()} == {
        "one": (False, None),
        "two": (True, {"b": "1"}),
        "three": (True, None),
    }


def test_ctrl_c_at_a_list_ends_it_too(ask):
    with ask(who=form({})) as person:
        person.see("Esc: cancel").press(INTERRUPT)
        with pytest.raises(KeyboardInterrupt):
            person.answers()


def test_a_terminal_that_is_closed_answers_nothing(ask):
    with ask(who=form({"a": TEXT})) as person:
        person.see("Esc: cancel").press("1").hang_up()
        with pytest.raises(NobodyToAsk, match="^the terminal: expected an answer, it was closed$"):
            person.answers()


@pytest.mark.parametrize(
    ("url", "words"),
    [("http://example.com/", "not encrypted"), ("https://xn--e1afmkfd.example/", "look like those of another")],
)
def test_a_visit_is_warned_of_in_words_and_can_be_declined(ask, url, words):
    with ask(sign=visit(url)) as person:
        person.see("Nothing is opened for you").see("host: ").see(words).see(url).see("Decline").see("Esc: cancel")
        person.press("dec", ENTER)
        assert person.answers()["sign"].reason == "declined"


def test_a_visit_that_was_not_done_is_cancelled(ask):
    with ask(sign=visit("https://example.com/")) as person:
        person.see("Accept").see("Esc: cancel").press(DOWN, ENTER).see("I am done there").see("Esc: cancel").press(
            ESCAPE
        )
        assert person.answers()["sign"].reason == "cancelled"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (form({"a": {"type": "object"}}, "a"), "a required field cannot be shown"),
        (form({"a": {"$ref": "https://example.com/schema"}}), "it cannot be checked"),
    ],
)
def test_a_form_that_cannot_be_filled_in_can_only_be_declined_or_cancelled(ask, schema, words):
    with ask(who=schema) as person:
        person.see(words).see("Decline").see("Esc: cancel").press(DOWN, ENTER)
        assert person.answers()["who"].reason == "declined"
    assert "Accept" not in person.shown.text


def test_what_no_person_can_answer_is_refused_before_anything_is_asked(ask):
    sample = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}
    expected = '^"model" asks for a message of a language model: expected what'
    with ask(who=form({"a": TEXT}), model=sample) as person, pytest.raises(NobodyToAsk, match=expected):
        person.answers()
    assert person.shown.text == ""


def test_a_long_text_is_read_on_page_by_page(ask):
    with ask(who=form({"a": TEXT}, message="\n".join(f"line {n}" for n in range(45)))) as person:
        person.see("line 19").see("25 more lines").see("Ctrl-T: read on").press(READ_ON).see("line 39").see(
            "5 more lines"
        )
        person.see("Ctrl-T: read on").press(READ_ON).see("line 44").see("Esc: cancel").press(ESCAPE)
        assert person.answers()["who"].reason == "cancelled"


def test_the_keys_are_not_split_on_a_narrow_terminal(monkeypatch):
    with asked(pause_for(who=form({"a": TEXT})), monkeypatch, columns=40) as person:
        person.see("Ctrl-G: review and accept").see("Ctrl-X: decline | Esc: cancel").press(ESCAPE)
        assert person.answers()["who"].reason == "cancelled"


def test_a_call_whose_server_and_name_are_not_known_is_asked_for_all_the_same(monkeypatch):
    with asked(pause_for(server=None, tool=None, who=form({"a": TEXT})), monkeypatch) as person:
        person.see("The server asks:").see("Esc: cancel").press("1", ENTER).see("to the server:")
        assert accept(person)["who"].data == {"a": "1"}


def test_the_title_and_the_description_of_a_form_are_shown(ask):
    with ask(who=form({"a": TEXT}, title="Sender", description="Who sends it")) as person:
        person.see('title: "Sender"').see("| Who sends it").see("Esc: cancel").press(ESCAPE)
        assert person.answers()["who"].reason == "cancelled"


def test_a_text_in_a_prompt_keeps_its_length_where_signs_are_replaced():
    assert visible("a\x1b\u202eb") == "a\ufffd\ufffdb"
    assert visible("plain") == "plain"


def test_what_is_pasted_presses_no_key(fill_in):
    assert fill_in(TEXT, "\x1b[200~one\rtwo\x18\x1b[201~", ENTER) == {"f": "one\ntwo\x18"}


def test_a_visit_that_is_agreed_to_and_done_is_accepted(ask):
    with ask(sign=visit("https://example.com/")) as person:
        person.see("Accept").see("Esc: cancel").press(DOWN, ENTER).see("I am done there").see("Esc: cancel")
        assert not person.is_done()
        person.press(DOWN, ENTER)
        assert person.answers()["sign"].ok


def test_a_terminal_that_cannot_move_its_cursor_is_none_to_ask_on(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(NobodyToAsk, match="^the terminal: expected one that can move its cursor, TERM is dumb$"):
        TerminalAsker().answer(pause_for(who=form({"a": TEXT})))


def test_without_its_package_the_terminal_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "prompt_toolkit.buffer", None)
    for module in ("_terminal", "_terminal_form", "_terminal_prompts"):
        monkeypatch.delitem(sys.modules, f"toolnexus_mrtr.cli._call.{module}")
    sentence = r"^the terminal: expected the package prompt_toolkit: pip install 'toolnexus-mrtr\[call\]'$"
    with pytest.raises(BadInput, match=sentence):
        importlib.import_module("toolnexus_mrtr.cli._call._terminal")
