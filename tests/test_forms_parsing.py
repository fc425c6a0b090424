"""What a person entered, read by `Form.parse`, and content shown by `Form.to_strings`; most cases are vectors."""

import json
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest
from form_strategies import accepted_contents, any_contents, any_strings, mutated_schemas, schemas
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from toolnexus_mrtr import FieldError, Form, RemoteProtocolError

DATE_TIME = {"type": "string", "format": "date-time"}


def form_of(**fields: Any) -> Form:
    return Form.of({"type": "object", "properties": fields})


def parse_one(schema: dict[str, Any], entered: Any, **more: Any) -> Any:
    """Parse what was entered for a field; give the value, or the codes of the errors."""
    content, errors = form_of(a=schema).parse({"a": entered}, **more)
    return [error.code for error in errors] if errors else content["a"]


class Clocks(tzinfo):
    """A zone whose clocks are two hours ahead of UTC in summer, and one hour else."""

    def utcoffset(self, when: datetime | None) -> timedelta:
        assert when is not None
        time = when.replace(tzinfo=None).isoformat()[5:13]
        # In the hour that is missing in spring, `fold` gives the later offset; in the one that is twice, the second.
        is_summer = "03-29T03" <= time < "10-25T02" or (time, when.fold) in (("03-29T02", 1), ("10-25T02", 0))
        return timedelta(hours=2 if is_summer else 1)


class Raising(tzinfo):
    def utcoffset(self, _: datetime | None) -> timedelta:
        raise LookupError("no such zone")


class Naive(tzinfo):
    def utcoffset(self, _: datetime | None) -> None:
        return None


@given(schema=st.one_of(schemas, mutated_schemas()), data=st.data())
@settings(max_examples=200)
def test_form_parse_of_to_strings_is_the_content_that_was_filled_in(schema, data):
    try:
        form = Form.of(schema)
    except RemoteProtocolError:
        assume(False)
    content = data.draw(accepted_contents(form))
    assert form.check(content) == ()
    read, errors = form.parse(form.to_strings(content), prefilled=content)
    assert errors == ()
    assert read == {name: value for name, value in content.items() if value is not None}
    assert [type(value) is bool for value in read.values()] == [isinstance(content[name], bool) for name in read]


@given(
    schema=st.one_of(schemas, mutated_schemas()),
    strings=any_strings,
    prefilled=any_contents,
    zone=st.sampled_from([None, UTC, timezone(timedelta(hours=-3, minutes=-30)), Clocks()]),
)
@settings(max_examples=200)
def test_form_parse_gives_errors_or_what_form_check_accepts(schema, strings, prefilled, zone):
    try:
        form = Form.of(schema)
    except RemoteProtocolError:
        assume(False)
    shown = form.to_strings(prefilled)
    content, errors = form.parse({**shown, **strings}, prefilled=prefilled, timezone=zone)
    assert errors != () or form.check(content) == ()
    assert set(content) <= {*shown, *strings}


@given(
    when=st.datetimes(),
    offset=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
    timespec=st.sampled_from(["minutes", "seconds", "microseconds"]),
)
def test_form_parse_gives_a_local_time_the_offset_of_a_fixed_timezone(when, offset, timespec):
    read = parse_one(DATE_TIME, when.isoformat(timespec=timespec), timezone=offset)
    assert read.startswith(when.isoformat(timespec=timespec))
    assert datetime.fromisoformat(read).utcoffset() == offset.utcoffset(None)


@pytest.mark.parametrize(
    ("entered", "read"),
    [
        ("2026-01-28T10:00", "2026-01-28T10:00:00+01:00"),
        ("2026-07-28T10:00", "2026-07-28T10:00:00+02:00"),
        ("2026-03-29T01:59", "2026-03-29T01:59:00+01:00"),
        ("2026-03-29T02:30", ["wrong_format"]),
        ("2026-03-29T03:00", "2026-03-29T03:00:00+02:00"),
        ("2026-10-25T01:59:59", "2026-10-25T01:59:59+02:00"),
        ("2026-10-25T02:30", ["wrong_format"]),
        ("2026-10-25T03:00", "2026-10-25T03:00:00+01:00"),
    ],
)
def test_form_parse_refuses_a_time_that_a_timezone_has_twice_or_not_at_all(entered, read):
    assert parse_one(DATE_TIME, entered, timezone=Clocks()) == read


@pytest.mark.parametrize(
    "zone", [None, Naive(), timezone(timedelta(hours=1, seconds=30)), timezone(-timedelta(seconds=1))], ids=repr
)
def test_form_parse_refuses_a_local_time_without_an_offset_in_minutes(zone):
    _, errors = form_of(a=DATE_TIME).parse({"a": "2026-07-28T10:00"}, timezone=zone)
    (error,) = errors
    assert (error.at, error.code) == ("/a", "wrong_format")
    assert "offset from UTC" in error.message


def test_form_parse_reads_a_local_time_at_both_ends_of_the_calendar():
    assert parse_one(DATE_TIME, "0001-01-01T00:00", timezone=timezone(timedelta(hours=14))) == (
        "0001-01-01T00:00:00+14:00"
    )
    assert parse_one(DATE_TIME, "9999-12-31T23:59", timezone=timezone(-timedelta(hours=12))) == (
        "9999-12-31T23:59:00-12:00"
    )
    assert parse_one(DATE_TIME, "0000-01-01T00:00", timezone=UTC) == ["wrong_format"]


def test_form_parse_raises_what_a_timezone_raises():
    with pytest.raises(LookupError, match="no such zone"):
        form_of(a=DATE_TIME).parse({"a": "2026-07-28T10:00"}, timezone=Raising())
    assert parse_one(DATE_TIME, "2026-07-28T10:00:00Z", timezone=Raising()) == "2026-07-28T10:00:00Z"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"prefilled": []}, "prefilled must be a mapping, not list"),
        ({"prefilled": {5: "x"}}, "a name in prefilled must be a str, not int"),
        ({"timezone": "Europe/Paris"}, "timezone must be a tzinfo, not str"),
        ({"timezone": timedelta(0)}, "timezone must be a tzinfo, not timedelta"),
    ],
)
def test_form_parse_takes_only_a_mapping_as_prefilled_and_a_tzinfo_as_timezone(more, message):
    with pytest.raises(TypeError, match=message):
        form_of(a={}).parse({}, **more)


@pytest.mark.parametrize("content", [None, [], "x", b""])
def test_form_to_strings_takes_only_a_mapping(content):
    with pytest.raises(TypeError, match="content must be a mapping"):
        form_of(a={}).to_strings(content)


def test_form_to_strings_takes_only_str_as_names():
    with pytest.raises(TypeError, match="a name in content must be a str, not int"):
        form_of(a={}).to_strings({5: "x"})


def test_form_to_strings_leaves_out_what_no_form_can_send():
    content = {"a": float("nan"), "b": b"x", "c": {"x": 1}, "d": [1], "e": None, "f": 10**4300, "g": ["x"] * 10_001}
    assert form_of(a={}).to_strings(content) == {}
    assert form_of(a={}).to_strings({"h": -(10**4300 - 1)}) == {"h": "-" + "9" * 4300}


@pytest.mark.parametrize("number", [10**4300 - 1, -(10**4300 - 1)], ids=["positive", "negative"])
def test_form_parse_takes_numbers_of_4300_digits_exactly(number):
    text = str(number)
    assert parse_one({"type": "integer"}, text) == number
    assert parse_one({"type": "integer"}, text + "0") == ["not_sendable"]
    assert parse_one({"enum": [10**400, 1.5]}, "1" + "0" * 400) == 10**400
    assert parse_one({"type": "number"}, text) == ["not_finite"]
    assert parse_one({"type": "number"}, text, prefilled={"a": number}) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_form_parse_reads_the_shortest_text_of_any_double_as_that_double(number):
    read = parse_one({"type": "number"}, repr(number))
    assert float(read) == number
    assert isinstance(read, int) is number.is_integer()


@pytest.mark.parametrize(
    "text", ["0" * 4301, "0." + "1" * 4300, "1e" + "9" * 5000, "1e-" + "9" * 5000, "1" * 100_000], ids=len
)
@pytest.mark.parametrize("type_", ["integer", "number"])
def test_form_parse_bounds_the_length_of_numbers(type_, text):
    assert parse_one({"type": type_}, text)[0] in ("not_sendable", "not_finite", "wrong_type")


def test_form_parse_gives_plain_strings_for_names_and_values():
    class Word(str):
        __slots__ = ()

    content, errors = form_of(a={"type": "string"}).parse({Word("a"): Word("x"), Word("z"): "5"}, prefilled={"z": 5})
    assert (content, errors) == ({"a": "x", "z": 5}, ())
    assert [type(each) for each in (*content, content["a"])] == [str, str, str]


def test_form_parse_says_what_was_expected_of_a_name_that_is_no_field():
    assert form_of(a={}).parse({"z": "x"})[1] == (FieldError("/z", "not_allowed", "only fields of this form"),)


def test_form_parse_and_to_strings_change_nothing_they_are_given():
    form = form_of(a={"type": "array", "items": {"type": "string"}})
    strings, content = {"a": ["x", "y"]}, {"a": ["x", "y"], "b": None}
    before = json.dumps([strings, content])
    read, _ = form.parse(strings, prefilled=content)
    read["a"].append("z")
    shown = form.to_strings(content)
    shown["a"] = []
    assert json.dumps([strings, content]) == before


#: Numbers whose shortest texts, digits and neighbours meet each other.
CHOICE_NUMBERS = st.one_of(
    st.sampled_from([1e23, 10**23, int(1e23), 1e22, 10**22, 2.0**53, 2**53 + 1, 0.1, -0.0, 5.0, 1e300, 10**300]),
    st.integers(min_value=-(10**30), max_value=10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(min_value=1e15, max_value=1e30).map(lambda number: int(repr(number).split("e")[0].replace(".", ""))),
)


def _choices_written(kind: str, values: list[Any]) -> dict[str, Any]:
    if kind == "enum":
        return {"enum": values}
    return {kind: [{"const": value, "title": f"Choice {place}"} for place, value in enumerate(values)]}


@given(
    st.sampled_from(["enum", "oneOf", "anyOf"]),
    st.sampled_from([{}, {"type": "number"}, {"type": "integer"}]),
    st.lists(CHOICE_NUMBERS, min_size=1, max_size=6, unique=True),
)
def test_form_parse_finds_every_number_to_choose_by_what_to_strings_shows(kind, types, values):
    form = form_of(c=types | _choices_written(kind, values))
    choices = [choice.value for choice in form.fields[0].choices or ()]
    for place, value in enumerate(choices):
        content, errors = form.parse(form.to_strings({"c": value}))
        assert errors == ()
        assert content["c"] == value
        assert choices.index(content["c"]) == place


@pytest.mark.parametrize("values", [[1e23, 10**23], [10**23, 1e23]])
def test_form_parse_takes_the_choice_that_is_exactly_the_number(values):
    schema = _choices_written("oneOf", values)
    for text in ("100000000000000000000000", "1e23", "+100000000000000000000000", "100000000000000000000000.0"):
        assert repr(parse_one(schema, text)) == repr(10**23)
    for text in ("1e+23", " 1e+23", "99999999999999991611392"):
        assert repr(parse_one(schema, text)) == "1e+23"


def test_form_parse_finds_a_double_to_choose_by_its_shortest_digits():
    assert repr(parse_one({"enum": [1e23]}, "100000000000000000000000")) == "1e+23"


@pytest.mark.parametrize("text", ["\u0661\u0662", "1\u0662", "\uff11\uff12", "1.\u0662", "1e\u0662", "\u0967"])
@pytest.mark.parametrize("type_", ["integer", "number"])
def test_form_parse_takes_ascii_digits_only(type_, text):
    assert parse_one({"type": type_}, text) == ["wrong_type"]
