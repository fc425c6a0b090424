"""The text of errors: one sentence, with the place, short, and never with the answer; errors survive a pickle."""

import pickle

import pytest

from toolnexus_mrtr import (
    Call,
    CallTimeout,
    FieldError,
    InvalidAnswer,
    LocalProtocolError,
    MrtrError,
    RemoteProtocolError,
    RetryLimitExceeded,
)
from toolnexus_mrtr._errors import pointer
from toolnexus_mrtr._text import json_type, quoted


def test_str_of_a_protocol_error_says_what_was_expected_and_where():
    error = RemoteProtocolError("wrong_type", "expected a string, found a number", "/inputRequests/a")
    assert str(error) == "expected a string, found a number, at '/inputRequests/a'"
    assert str(LocalProtocolError("not_a_result", "expected a result")) == "expected a result"


def test_invalid_answer_shows_the_first_field_errors_and_keeps_all():
    errors = [FieldError(f"/who/f{n}", "required", "is required") for n in range(5)]
    error = InvalidAnswer(errors)
    assert (error.code, error.at) == ("invalid_answer", "/who/f0")
    assert error.errors == tuple(errors)
    expected = "'/who/f0': is required; '/who/f1': is required; and 3 more"
    assert str(error) == f"the answer does not satisfy the form: {expected}"
    assert str(InvalidAnswer(errors[:1])) == "the answer does not satisfy the form: '/who/f0': is required"


def test_str_of_an_error_has_at_most_400_characters():
    endless = "/" + "\u202e" * 10_000
    errors = [FieldError(endless, "other", "m" * 10_000)] * 5
    assert len(str(InvalidAnswer(errors))) <= 400
    assert len(str(RemoteProtocolError("unknown_mode", f"expected a mode, found {quoted(endless)}", endless))) <= 400


@pytest.mark.parametrize(
    "error",
    [
        MrtrError("wrong_type", "expected a string", "/a"),
        RemoteProtocolError("unsafe_url", "expected a url", "/b"),
        InvalidAnswer([FieldError("/who/n", "required", "is required")]),
        CallTimeout("timeout", "expected the answers in time", "/answer_timeout"),
        RetryLimitExceeded(
            Call("tools/call", {}, id="c").receive({"resultType": "input_required", "requestState": "s"})
        ),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("step", [None, Call("tools/call", {"name": "t"})], ids=["no step", "step"])
def test_every_mrtr_error_survives_a_pickle(error, step):
    error.step = step
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.step, getattr(copy, "pause", None)) == (step, getattr(error, "pause", None))
    assert type(copy) is type(error)
    assert (copy.code, copy.at, str(copy)) == (error.code, error.at, str(error))
    assert getattr(copy, "errors", None) == getattr(error, "errors", None)


def test_a_call_timeout_is_a_timeout_error_with_a_code_and_a_place():
    error = CallTimeout("timeout", "expected the answers in time", "/answer_timeout")
    assert isinstance(error, TimeoutError)
    assert (error.code, error.at, error.step) == ("timeout", "/answer_timeout", None)
    assert str(error) == "expected the answers in time, at '/answer_timeout'"


def test_repr_of_an_error_is_as_short_as_its_text():
    error = RemoteProtocolError("wrong_type", "expected a string", "/" + "x" * 10**6)
    assert repr(error).startswith("RemoteProtocolError('wrong_type', ")
    assert len(repr(error)) <= 400


def test_pointer_escapes_slashes_and_tildes():
    assert pointer("a/b~c", "", 0) == "/a~1b~0c//0"
    assert pointer() == ""


def test_quoted_escapes_foreign_text_and_cuts_it():
    assert quoted("a\x1b\u202e") == r"'a\x1b\u202e'"
    assert quoted("x" * 62) == "'" + "x" * 62 + "'"
    assert len(quoted("x" * 63)) == 64
    assert quoted("x" * 1000).endswith("...'")
    assert len(quoted("\U0001f600" * 1000)) == 64


@pytest.mark.parametrize("text", ["it's", "it's " * 100, 'say "it\'s" ' * 100, "x" * 100], ids=len)
def test_quoted_ends_with_the_quote_that_it_began_with(text):
    shown = quoted(text)
    assert shown[0] == shown[-1]
    assert shown[0] in "'\""


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "a boolean"),
        (1, "a number"),
        (1.5, "a number"),
        ("", "a string"),
        ([], "an array"),
        ((), "an array"),
        ({}, "an object"),
        (b"", "something that JSON does not have"),
    ],
)
def test_json_type_names_the_json_type_of_a_value(value, name):
    assert json_type(value) == name
