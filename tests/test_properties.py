"""Readers and writers on generated input: a value or a typed error, nothing changed, nothing leaked."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from strategies import json_values, results, text
from wire_values import SECRET, assert_alone

from toolnexus_mrtr import (
    ElicitationRequests,
    ElicitationResponses,
    ElicitResult,
    LocalProtocolError,
    MrtrError,
    elicitation_to_request,
    input_requests,
    inspect_url,
    printable,
)

READERS = [
    ElicitationRequests.is_input_required,
    ElicitationRequests.requests,
    ElicitationRequests.request_state,
    input_requests,
    elicitation_to_request,
]


def frozen(value: Any) -> str:
    """Write a text that differs for any two values, the order of their members included."""
    return json.dumps(value)


def outcome(function: Any, *arguments: Any) -> Any:
    """Give the value that a call returns, or its `MrtrError` after checking all that is promised of it."""
    try:
        return function(*arguments)
    except MrtrError as error:
        assert len(str(error)) <= 400
        assert str(error).isascii()
        assert error.at == "" or error.at.startswith("/")
        assert_alone(error)
        return error


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@given(raw=results)
@settings(max_examples=300)
def test_every_reader_gives_a_value_or_an_error_and_changes_nothing(reader, raw):
    before = frozen(raw)
    outcome(reader, raw)
    assert frozen(raw) == before


@given(raw=results)
@settings(max_examples=300)
def test_requests_reads_alike_whatever_input_requests_reads(raw):
    strict = outcome(input_requests, raw)
    if isinstance(strict, dict):
        lenient = outcome(ElicitationRequests.requests, raw)
        assert list(lenient) == list(strict)
        for key, request in strict.items():
            if type(request) is type(lenient[key]):
                assert frozen(lenient[key].requested_schema) == frozen(request.requested_schema)
                assert (lenient[key].mode, lenient[key].message) == (request.mode, request.message)


@given(raw=results)
def test_input_requests_gives_no_url_that_inspect_url_refuses(raw):
    read = outcome(input_requests, raw)
    for request in read.values() if isinstance(read, dict) else ():
        if getattr(request, "mode", None) == "url":
            assert inspect_url(request.url).refusal is None


@given(raw=results)
def test_request_state_gives_the_very_same_string(raw):
    state = outcome(ElicitationRequests.request_state, raw)
    if isinstance(state, str):
        assert state is raw["requestState"]


@given(key=text, content=json_values)
@settings(max_examples=300)
def test_to_input_response_gives_plain_json_or_an_error_without_the_value(key, content):
    before = frozen(content)
    secret = {"field": content, "hidden": SECRET}
    result = outcome(ElicitationResponses.to_input_response, key, ElicitResult(action="accept", content=secret))
    assert frozen(content) == before
    if isinstance(result, LocalProtocolError):
        assert result.code == "wrong_value"
        assert "horse" not in repr(result) + str(result)
    else:
        assert json.loads(json.dumps(result)) == {key: {"action": "accept", "content": secret}}
        assert isinstance(content, str | int | float | list)


@given(given_text=text)
def test_printable_leaves_printable_text_as_it_is(given_text):
    shown = printable(given_text)
    assert printable(shown) == shown
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert not any(ord(character) < 32 for character in shown)


def test_to_input_response_shares_nothing_with_the_content_given():
    content = {"tags": ["a"], "n": "x"}
    written = ElicitationResponses.to_input_response("k", ElicitResult(action="accept", content=content))
    written["k"]["content"]["tags"].append("b")
    assert content == copy.deepcopy({"tags": ["a"], "n": "x"})
