"""The writers beyond the vectors: Python's own types, plain copies, misuse, and answers that stay hidden."""

import copy
import datetime as dt
import decimal
import enum
import json
import math
import pickle
import re
import types
import uuid
from collections import ChainMap, OrderedDict
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import json_values
from wire_values import FORM_REQUEST, LINK_REQUEST, LLM, MESSAGE, ROOTS, SECRET, Colour, asking

from toolnexus_mrtr import (
    Call,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    InvalidAnswer,
    ListRootsResult,
    LocalProtocolError,
    Root,
    input_requests,
)
from toolnexus_mrtr._writer import _write_quickly

write = ElicitationResponses.to_input_response


class Mixed(str, enum.Enum):  # noqa: UP042 - it is the older kind on purpose
    """The older kind of text enum, whose `str()` gives its name."""

    RED = "red"


class Size(enum.IntEnum):
    SMALL = 1


class Ratio(float):
    __slots__ = ()


def accept(content):
    return ElicitResult(action="accept", content=content)


def content_of(content, request=FORM_REQUEST):
    return write("k", accept(content), request)["k"]["content"]


def assert_plain(value):
    assert type(value) in (dict, list, str, int, float, bool, type(None))
    items = [*value.keys(), *value.values()] if type(value) is dict else value if type(value) is list else []
    for item in items:
        assert_plain(item)


@pytest.mark.parametrize("wrap", [dict, types.MappingProxyType, ChainMap, OrderedDict], ids=lambda wrap: wrap.__name__)
def test_to_input_response_makes_plain_json_of_subclasses_and_mappings(wrap):
    content = wrap({Colour.RED: Mixed.RED, "i": Size.SMALL, "f": Ratio(1.5), "l": (Colour.RED, "x"), "m": [Mixed.RED]})
    written = content_of(content)
    assert written == {"red": "red", "i": 1, "f": 1.5, "l": ["red", "x"], "m": ["red"]}
    assert_plain(written)
    assert json.dumps(written) == '{"red": "red", "i": 1, "f": 1.5, "l": ["red", "x"], "m": ["red"]}'


def test_to_input_responses_makes_plain_str_of_keys_and_actions():
    written = ElicitationResponses.to_input_responses({Colour.RED: accept({"n": "x"})})
    assert written == {"red": {"action": "accept", "content": {"n": "x"}}}
    assert_plain(written)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        10**4300,
        -(10**4300),
        b"x",
        bytearray(b"x"),
        dt.date(2026, 7, 28),
        decimal.Decimal(1),
        uuid.UUID(int=0),
        {"x"},
        {"x": 1},
        object(),
        ["x", None],
        ["x", ["y"]],
        [1],
        [True],
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("request_", [FORM_REQUEST, None], ids=["known", "unknown"])
def test_to_input_response_points_at_content_that_cannot_be_sent(value, request_):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", accept({"a": "x", "b": value}), request_)
    assert caught.value.code == "wrong_value"
    assert caught.value.at.startswith("/k/content/b")


def test_to_input_response_refuses_none_without_the_form():
    with pytest.raises(LocalProtocolError) as caught:
        content_of({"a": None}, None)
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k/content/a")


def asks(properties, required=()):
    return ElicitRequest(
        message="m", requested_schema={"type": "object", "properties": properties, "required": list(required)}
    )


def test_to_input_response_leaves_none_out_where_the_field_is_optional():
    form = asks({"a": {"type": "string"}, "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})
    written = write("k", accept({"a": None, "b": None, "c": "x", "d": None}), form)
    assert written == {"k": {"action": "accept", "content": {"c": "x"}}}


def test_to_input_responses_refuses_none_for_all_required_fields_together():
    form = asks({"a": {"type": "string"}, "b": {"type": "string"}}, required=["a", "b"])
    with pytest.raises(InvalidAnswer) as caught:
        ElicitationResponses.to_input_responses(
            {"k": accept({"a": None, "b": "x"}), "l/m": accept({"b": None, "a": None})}, {"k": form, "l/m": form}
        )
    found = [(error.at, error.code) for error in caught.value.errors]
    assert found == [("/k/a", "not_sendable"), ("/l~1m/b", "not_sendable"), ("/l~1m/a", "not_sendable")]


def test_to_input_response_writes_3_0_as_3_for_an_integer_field():
    form = asks({"i": {"type": "integer"}, "n": {"type": "number"}, "o": {"enum": [1, 2], "type": "integer"}})
    written = write("k", accept({"i": 3.0, "n": 3.0, "o": 2.0, "x": 3.0}), form)
    assert json.dumps(written["k"]["content"]) == '{"i": 3, "n": 3.0, "o": 2, "x": 3.0}'


def test_to_input_response_leaves_numbers_alone_without_the_form():
    assert json.dumps(content_of({"i": 3.0, "j": 3}, None)) == '{"i": 3.0, "j": 3}'


def test_to_input_response_leaves_numbers_alone_and_refuses_none_under_an_invalid_form():
    broken = asks({"i": {"type": "float"}})
    assert json.dumps(write("k", accept({"i": 3.0}), broken)["k"]["content"]) == '{"i": 3.0}'
    with pytest.raises(LocalProtocolError) as caught:
        write("k", accept({"i": None}), broken)
    assert caught.value.code == "wrong_value"


def test_to_input_response_keeps_whole_numbers_of_4300_digits_exact():
    longest = 10**4300 - 1
    assert content_of({"n": longest})["n"] == longest
    assert json.loads(json.dumps(content_of({"n": longest}))) == {"n": longest}


def test_to_input_response_takes_only_str_as_names_in_content():
    with pytest.raises(LocalProtocolError) as caught:
        content_of({1: "x"})
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k/content")


@pytest.mark.parametrize("results", [None, [], "x"], ids=repr)
def test_to_input_responses_takes_only_a_mapping_of_results(results):
    with pytest.raises(TypeError, match="^results must be a mapping"):
        ElicitationResponses.to_input_responses(results)


def test_to_input_responses_takes_only_a_mapping_of_requests():
    with pytest.raises(TypeError, match="^requests must be a mapping"):
        ElicitationResponses.to_input_responses({}, [FORM_REQUEST])


@pytest.mark.parametrize("key", [None, 5, b"k"], ids=repr)
def test_to_input_response_and_responses_take_only_str_as_keys(key):
    with pytest.raises(TypeError, match="^a key of results must be a str"):
        write(key, accept({}))
    with pytest.raises(TypeError, match="^a key of results must be a str"):
        ElicitationResponses.to_input_responses({key: accept({})}, {})


@pytest.mark.parametrize("result", [None, {"action": "accept"}, "accept", FORM_REQUEST], ids=repr)
def test_to_input_response_takes_only_typed_results(result):
    with pytest.raises(TypeError, match="^each of results must be an ElicitResult"):
        write("k", result)


def test_to_input_response_refuses_an_unhashable_action():
    with pytest.raises(LocalProtocolError) as caught:
        write("k", ElicitResult(action=["accept"]))
    assert caught.value.at == "/k/action"


def test_to_input_response_refuses_an_action_that_is_no_text_but_says_that_it_equals_any():
    with pytest.raises(LocalProtocolError) as caught:
        write("k", ElicitResult(action=mock.ANY))
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k/action")


@pytest.mark.parametrize("request_", [None, FORM_REQUEST], ids=["alone", "with its request"])
@pytest.mark.parametrize(
    "content",
    [{}, {"n": "a"}, {"n": "\u00e9"}, {"\u00e9": True}, {"n": ["a", "\u00e9"]}, {"n": 5, "m": 0.5}],
    ids=repr,
)
def test_the_accept_of_a_form_with_plain_content_is_written_without_its_schema(request_, content):
    written = _write_quickly(accept(content), request_)
    assert written == {"action": "accept", "content": content}
    assert written["content"] is not content


@pytest.mark.parametrize(
    ("result", "request_"),
    [
        (ElicitResult(action="decline", content={}), FORM_REQUEST),
        (ElicitResult(action=Colour.RED, content={}), FORM_REQUEST),
        (accept(None), FORM_REQUEST),
        (accept({"n": "a"}), LINK_REQUEST),
        (accept({Colour.RED: "a"}), FORM_REQUEST),
        (accept({"\ud83d\ude00": "a"}), FORM_REQUEST),
        (accept({"n": "\ud83d\ude00"}), FORM_REQUEST),
        (accept({"n": ["\ud83d\ude00"]}), FORM_REQUEST),
        (accept({"n": [5]}), FORM_REQUEST),
        (accept({"n": None}), FORM_REQUEST),
        (accept({"n": 3.0}), FORM_REQUEST),
        (accept({"n": math.nan}), FORM_REQUEST),
        (accept({"n": 10**4300}), FORM_REQUEST),
    ],
    ids=repr,
)
def test_an_answer_that_is_more_than_plain_is_looked_at_in_full(result, request_):
    assert _write_quickly(result, request_) is None


def test_to_input_responses_answers_whatever_requests_read():
    raw = {
        "inputRequests": {
            "form": {"message": "m", "requestedSchema": {}},
            "link": {"method": "elicitation/create", "params": {"mode": "url", "url": "https://a.example/"}},
            "llm": LLM,
            "none": None,
        }
    }
    requests = ElicitationRequests.requests(raw)
    results = {
        "form": ElicitResult(action="accept"),
        "link": accept({"token": "t"}),
        "llm": CreateMessageResult(**MESSAGE),
        "none": accept({"n": 1}),
    }
    assert ElicitationResponses.to_input_responses(results, requests) == {
        "form": {"action": "accept", "content": {}},
        "link": {"action": "accept"},
        "llm": MESSAGE,
        "none": {"action": "accept", "content": {"n": 1}},
    }
    unread = {"llm": requests["llm"]}
    assert ElicitationResponses.to_input_responses({"llm": ElicitResult(action="accept")}, unread) == {
        "llm": {"action": "accept"}
    }


def test_to_input_response_copies_a_create_message_result_deeply_and_plainly():
    block = types.MappingProxyType({"type": Colour.RED, "input": {"deep": (1, {"x": None})}})
    result = CreateMessageResult(role="user", content=(block,), model=Mixed.RED, stop_reason=Colour.RED)
    written = write("k", result)
    assert written["k"] == {
        "role": "user",
        "content": [{"type": "red", "input": {"deep": [1, {"x": None}]}}],
        "model": "red",
        "stopReason": "red",
    }
    assert_plain(written)


@pytest.mark.parametrize(
    ("block", "at"),
    [
        ({"type": "text", "text": math.nan}, "/k/content/text"),
        ({"type": "x", "a/b": [b"x"]}, "/k/content/a~1b/0"),
        ({"type": "x", 5: 1}, "/k/content"),
    ],
)
def test_to_input_response_points_at_the_part_of_a_message_that_json_cannot_carry(block, at):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", CreateMessageResult(role="user", content=block, model="m"))
    assert (caught.value.code, caught.value.at) == ("wrong_value", at)


def test_to_input_response_refuses_a_message_nested_beyond_64_levels():
    deep = inner = {"type": "x"}
    for _ in range(100):
        inner["x"] = {}
        inner = inner["x"]
    with pytest.raises(LocalProtocolError) as caught:
        write("k", CreateMessageResult(role="user", content=deep, model="m"))
    assert caught.value.code == "wrong_value"
    assert caught.value.at.startswith("/k/content/x/x")


def test_to_input_response_takes_only_root_values_as_roots():
    with pytest.raises(LocalProtocolError) as caught:
        write("k", ListRootsResult(roots=[Root(uri="file:///w"), "file:///x"]))
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k/roots/1")


def test_to_input_response_takes_only_a_str_as_uri_of_a_root():
    with pytest.raises(LocalProtocolError) as caught:
        write("k", ListRootsResult(roots=[Root(uri=5)]))
    assert caught.value.at == "/k/roots/0/uri"


def sampled(**members):
    return CreateMessageResult(
        **{"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"} | members
    )


IMAGE = {"type": "image", "data": "eA==", "mimeType": "image/png"}
USE = {"type": "tool_use", "id": "c1", "name": "get", "input": {}}
TOOL_RESULT = {"type": "tool_result", "toolUseId": "c1", "content": []}
LINK = {"type": "resource_link", "uri": "file:///w", "name": "w"}
EMBEDDED = {"type": "resource", "resource": {"uri": "file:///w", "text": ""}}


@pytest.mark.parametrize(
    ("members", "at", "found"),
    [
        ({"role": "system"}, "/role", "found another string"),
        ({"role": 5}, "/role", "found a number"),
        ({"role": mock.ANY}, "/role", "found something that JSON does not have"),
        ({"content": []}, "/content", "found an empty array"),
        ({"content": ()}, "/content", "found an empty array"),
        ({"content": None}, "/content", "found null"),
        ({"content": "x"}, "/content", "found a string"),
        ({"content": {}}, "/content/type", "a member 'type'"),
        ({"content": {"type": None}}, "/content/type", "found null"),
        ({"content": {"type": "text"}}, "/content/text", "a member 'text'"),
        ({"content": {"type": "text", "text": None}}, "/content/text", "found null"),
        ({"content": [IMAGE, {"type": "text", "text": 5}]}, "/content/1/text", "found a number"),
        ({"content": [IMAGE, 5]}, "/content/1", "found a number"),
        ({"content": IMAGE | {"data": b"x"}}, "/content/data", "found something that JSON does not have"),
        ({"content": {"type": "image", "data": "eA=="}}, "/content/mimeType", "a member 'mimeType'"),
        ({"content": {"type": "audio", "mimeType": "audio/wav"}}, "/content/data", "a member 'data'"),
        ({"content": USE | {"id": 5}}, "/content/id", "found a number"),
        ({"content": {"type": "tool_use", "id": "c1", "input": {}}}, "/content/name", "a member 'name'"),
        ({"content": USE | {"input": []}}, "/content/input", "found an array"),
        ({"content": {"type": "tool_result", "content": []}}, "/content/toolUseId", "a member 'toolUseId'"),
        ({"content": TOOL_RESULT | {"content": "x"}}, "/content/content", "found a string"),
        ({"content": TOOL_RESULT | {"content": [IMAGE, 5]}}, "/content/content/1", "found a number"),
        ({"content": TOOL_RESULT | {"content": [{"type": "text"}]}}, "/content/content/0/text", "a member 'text'"),
        ({"content": TOOL_RESULT | {"content": [LINK | {"uri": 5}]}}, "/content/content/0/uri", "found a number"),
        ({"content": EMBEDDED | {"resource": {"text": ""}}}, "/content/resource/uri", "a member 'uri'"),
        ({"content": EMBEDDED | {"resource": {"uri": "a:b"}}}, "/content/resource", "'text' or 'blob'"),
        ({"content": EMBEDDED | {"resource": 5}}, "/content/resource", "found a number"),
        ({"model": None}, "/model", "found null"),
    ],
)
def test_to_input_response_refuses_a_message_without_what_its_type_requires(members, at, found):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", sampled(**members))
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k" + at)
    assert found in caught.value.sentence


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"role": "user"}, "expected a content block or an array of them, found nothing"),
        ({"role": "user", "content": "x"}, "expected a content block or an array of them, found a string"),
        ({"role": "user", "content": MESSAGE["content"]}, "expected a string, found nothing"),
        ({"content": MESSAGE["content"]}, "expected 'user' or 'assistant', found nothing"),
    ],
)
def test_resume_says_what_was_found_in_a_raw_message(answer, sentence):
    pause = Call("tools/call", {}).receive(asking(llm=LLM))
    with pytest.raises(LocalProtocolError) as caught:
        pause.resume({"llm": answer})
    assert caught.value.sentence == sentence


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"roots": [{}]}, "found nothing"),
        ({"roots": [{"uri": None}]}, "found null"),
        ({"roots": None}, "expected an array, found null"),
        ({}, "expected an array, found nothing"),
    ],
)
def test_resume_says_what_was_found_in_raw_roots(answer, sentence):
    pause = Call("tools/call", {}).receive(asking(r=ROOTS))
    with pytest.raises(LocalProtocolError) as caught:
        pause.resume({"r": answer})
    assert caught.value.sentence.endswith(sentence)


@pytest.mark.parametrize(
    "content",
    [
        {"type": "text", "text": ""},
        IMAGE,
        [IMAGE, USE, TOOL_RESULT | {"content": [IMAGE, LINK, EMBEDDED, {"type": "new"}]}],
        [{"type": "resource", "resource": {"uri": "a:b", "blob": "eA=="}, "more": None}],
        {"type": "com.example/new", "text": 5},
        TOOL_RESULT | {"content": [TOOL_RESULT | {"content": [5]}]},
    ],
)
def test_to_input_response_keeps_every_kind_of_content_and_what_it_does_not_know(content):
    assert write("k", sampled(content=content)) == {"k": {"role": "assistant", "content": content, "model": "m"}}


@pytest.mark.parametrize(
    "uri",
    [
        "file:///docs/my dir",
        "file://C:\\Users\\me",
        "file:///docs/\u00e9",
        "file:///%zz",
        "file:///a#b#c",
        "file:///[a]",
        "file:///a\n",
        "file:/home",
        "FILE:///home",
        "https://a.example/",
        "",
    ],
)
def test_to_input_response_refuses_a_root_that_is_no_file_uri(uri):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", ListRootsResult(roots=[Root(uri=uri)]))
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k/roots/0/uri")
    assert caught.value.sentence.endswith("found another string")


@pytest.mark.parametrize(
    "uri", ["file:///", "file:///docs/my%20dir", "file://server/share", "file:///C:/docs/me", "file://[::1]/x"]
)
def test_to_input_response_writes_a_root_that_is_a_file_uri(uri):
    assert write("k", ListRootsResult(roots=[Root(uri=uri)])) == {"k": {"roots": [{"uri": uri}]}}


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (ListRootsResult(roots=[Root(uri=5)]), "file://', all else percent-encoded, found a number"),
        (ElicitResult(action="ok"), "'cancel', found another string"),
        (ElicitResult(action=None), "'cancel', found null"),
        (accept({"a": {"x": 1}}), "an array of strings, found an object"),
        (accept({"a": {5: 1}}), "an array of strings, found an object with a name that no JSON text can hold"),
        (accept({"a": None}), "an array of strings, found null"),
        (accept({"a": [5]}), "expected a string, found a number"),
        (accept({"a": math.inf}), "an array of strings, found a number that is not finite"),
        (accept({"a": b""}), "an array of strings, found something that JSON does not have"),
    ],
)
def test_errors_of_to_input_response_say_what_was_found(result, sentence):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", result)
    assert caught.value.sentence.endswith(sentence)


@given(json_values)
def test_to_input_response_writes_a_message_of_any_content_or_refuses_it(content):
    try:
        written = write("k", sampled(content=content))
    except LocalProtocolError as error:
        assert error.code == "wrong_value"
        assert error.at.startswith("/k/content")
    else:
        assert written["k"]["content"] == content


@given(st.text())
def test_to_input_response_writes_a_root_of_any_text_or_refuses_it(text):
    try:
        written = write("k", ListRootsResult(roots=[Root(uri="file://" + text)]))
    except LocalProtocolError as error:
        assert (error.code, error.at) == ("wrong_value", "/k/roots/0/uri")
    else:
        assert written == {"k": {"roots": [{"uri": "file://" + text}]}}
        assert re.fullmatch("[!-~]*", text)
        assert not re.search(r"[\\\"<>^`{|}]", text)


@pytest.mark.parametrize(
    "result",
    [
        accept({"n": SECRET, "b": None}),
        accept({"n": {"x": SECRET}}),
        accept(SECRET),
        ElicitResult(action=SECRET),
        CreateMessageResult(role=SECRET, content={"type": "text"}, model="m"),
        CreateMessageResult(role="user", content={"type": "text", "text": SECRET, "x": b""}, model="m"),
        CreateMessageResult(role="user", content=SECRET, model="m"),
        ListRootsResult(roots=[Root(uri="http://" + SECRET)]),
    ],
)
def test_errors_of_to_input_response_show_no_answer(result):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", result)
    error = caught.value
    assert SECRET not in str(error) + repr(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_repr_of_every_result_shows_no_answer():
    shown = [
        repr(accept({"n": SECRET})),
        repr(CreateMessageResult(role="user", content={"type": "text", "text": SECRET}, model="m")),
        repr(ListRootsResult(roots=[Root(uri="file:///" + SECRET, name=SECRET)])),
        repr(Root(uri="file:///" + SECRET, name=SECRET)),
    ]
    assert not any(SECRET in text for text in shown)
    assert shown[0] == "ElicitResult(action='accept')"
    assert str(accept({"n": SECRET}).__rich_repr__()) == "[('action', 'accept')]"


def test_to_input_response_refuses_a_result_for_a_request_of_another_kind():
    raw = {"inputRequests": {"llm": LLM}}
    asked = input_requests(raw)
    assert isinstance(asked["llm"], CreateMessageRequest)
    with pytest.raises(LocalProtocolError) as caught:
        write("llm", ListRootsResult(roots=[]), asked["llm"])
    assert caught.value.code == "answer_kind_mismatch"


def test_to_input_response_drops_the_content_for_a_url_request():
    assert write("k", accept({"token": object()}), LINK_REQUEST) == {"k": {"action": "accept"}}


@pytest.mark.parametrize(
    "pass_on", [lambda value: value, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_to_input_responses_takes_any_result_for_what_requests_did_not_read(pass_on):
    raw = {"inputRequests": {"a": {"method": "elicitation/create"}, "b": {"method": "com.example/x"}, "c": LLM}}
    seen = pass_on(ElicitationRequests.requests(raw))
    results = {
        "a": ElicitResult(action="accept"),
        "b": ElicitResult(action="accept", content={"n": 3.0}),
        "c": CreateMessageResult(role="user", content={"type": "text", "text": "x"}, model="m"),
    }
    assert ElicitationResponses.to_input_responses(results, seen) == {
        "a": {"action": "accept"},
        "b": {"action": "accept", "content": {"n": 3.0}},
        "c": {"role": "user", "content": {"type": "text", "text": "x"}, "model": "m"},
    }


def test_to_input_responses_refuses_content_with_the_two_halves_of_a_surrogate_pair():
    for value in ("\ud83d\ude00", ["a", "\ud83d\ude00"]):
        with pytest.raises(LocalProtocolError) as caught:
            write("k", accept({"n": value}))
        assert caught.value.code == "wrong_value"


@pytest.mark.parametrize("requests", [None, FORM_REQUEST], ids=["alone", "with requests"])
@pytest.mark.parametrize("result", [accept({"n": "a"}), ElicitResult(action="decline")], ids=["accept", "decline"])
def test_to_input_responses_refuses_keys_that_a_store_would_make_one(requests, result):
    results = dict.fromkeys(["\U0001f600", "\ud83d\ude00"], result)
    with pytest.raises(LocalProtocolError) as caught:
        ElicitationResponses.to_input_responses(results, requests and dict.fromkeys(results, requests))
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/\ud83d\ude00")


@pytest.mark.parametrize("value", ["a", 3.0, ["a"]], ids=repr)
@pytest.mark.parametrize("requests", [None, FORM_REQUEST], ids=["alone", "with requests"])
def test_to_input_response_refuses_content_with_a_name_that_is_a_split_surrogate_pair(requests, value):
    with pytest.raises(LocalProtocolError) as caught:
        write("k", accept({"\U0001f600": value, "\ud83d\ude00": value}), requests)
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/k/content")


def test_to_input_response_writes_lone_surrogates_in_keys_and_names():
    content = {"\ude00\ud83d": "\ude00\ud83d"}
    assert write("\ude00\ud83d", accept(content)) == {"\ude00\ud83d": {"action": "accept", "content": content}}
