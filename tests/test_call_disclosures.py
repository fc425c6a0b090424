"""`Call.disclosures`: all that a retry gives away is listed, each value once, and no value is in the list."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import is_json, json_objects, json_values, text
from wire_values import FORM, LINK, LLM, MESSAGE, ROOTS, SECRET, UNKNOWN, asking, form, paused, refused

from toolnexus_mrtr import (
    Answer,
    Call,
    CreateMessageResult,
    Disclosure,
    ElicitResult,
    ListRootsResult,
    Pause,
    Root,
)

ROOTED = {"roots": [{"uri": "file:///a"}]}
KINDS_BY_FIRST = {'"': "string", "[": "array", "{": "object", "t": "boolean", "f": "boolean", "n": "null"}


def kind_of(value: Any) -> str:
    """Give the JSON type by the text that is sent."""
    return KINDS_BY_FIRST.get(json.dumps(value)[0], "number")


def resolved(document: Any, pointer: str) -> Any:
    """Follow a JSON Pointer through objects."""
    assert pointer.startswith("/")
    for token in pointer.split("/")[1:]:
        document = document[token.replace("~1", "/").replace("~0", "~")]
    return document


def escaped(*tokens: str) -> str:
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)


def listed(call: Call) -> list[tuple[str, str, str]]:
    return [(given.key, given.at, given.kind) for given in call.disclosures]


def members(value: Disclosure) -> list[Any]:
    return [value.server, value.key, value.at, value.kind]


EVERY_KIND = {
    "text": ({"type": "string"}, SECRET, "string"),
    "whole": ({"type": "integer"}, 3.0, "number"),
    "part": ({"type": "number"}, 0.5, "number"),
    "yes": ({"type": "boolean"}, True, "boolean"),
    "many": ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, ["b"], "array"),
    "none": ({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, [], "array"),
    "empty": ({"type": "string"}, "", "string"),
}


def form_of(fields: dict[str, Any]) -> dict[str, Any]:
    return form(schema={"type": "object", "properties": fields})


def test_disclosures_list_the_action_and_each_value_of_content_with_its_kind():
    entry = form_of({name: schema for name, (schema, _, _) in EVERY_KIND.items()})
    content = {name: value for name, (_, value, _) in EVERY_KIND.items()}
    retry = paused(call=Call("tools/call", {}, server="files"), a=entry).resume(
        {"a": ElicitResult(action="accept", content=content)}
    )
    assert retry.disclosures == (
        Disclosure("files", "a", "/a/action", "string"),
        *(Disclosure("files", "a", f"/a/content/{name}", kind) for name, (_, _, kind) in EVERY_KIND.items()),
    )


@pytest.mark.parametrize(
    "answer",
    [
        Answer("h", ok=True, data={"n": "x"}),
        ElicitResult(action="accept", content={"n": "x"}),
        {"ok": True, "data": {"n": "x"}},
        {"action": "accept", "content": {"n": "x"}},
    ],
)
def test_disclosures_are_the_same_for_an_answer_of_any_make(answer):
    retry = paused(a=FORM).resume({"a": answer})
    assert listed(retry) == [("a", "/a/action", "string"), ("a", "/a/content/n", "string")]


@pytest.mark.parametrize("answer", [Answer("h", ok=False, reason="declined"), {"action": "cancel", "content": {}}])
@pytest.mark.parametrize("entry", [FORM, LINK])
def test_disclosures_of_a_no_are_its_action_alone(entry, answer):
    assert listed(paused(a=entry).resume({"a": answer})) == [("a", "/a/action", "string")]


def test_disclosures_of_a_visit_are_its_action_and_never_the_data_that_stayed_here():
    assert listed(paused(a=LINK).resume({"a": Answer("h", ok=True, data={"token": SECRET})})) == [
        ("a", "/a/action", "string")
    ]


def test_disclosures_of_an_empty_form_are_its_action_alone():
    entry = form(schema={"type": "object", "properties": {}})
    assert listed(paused(a=entry).resume({"a": Answer("h", ok=True)})) == [("a", "/a/action", "string")]


def test_disclosures_list_each_further_member_of_an_answer():
    answer = {"x": None, "action": "accept", "content": {"n": "x"}, "_meta": {"t": SECRET}, "list": [SECRET], "id": "h"}
    assert listed(paused(a=FORM).resume({"a": answer})) == [
        ("a", "/a/action", "string"),
        ("a", "/a/content/n", "string"),
        ("a", "/a/x", "null"),
        ("a", "/a/_meta", "object"),
        ("a", "/a/list", "array"),
    ]
    visit = {"action": "accept", "_meta": {"t": 1}, "list": [1]}
    assert listed(paused(a=LINK).resume({"a": visit})) == [("a", "/a/action", "string"), ("a", "/a/_meta", "object")]


@pytest.mark.parametrize(
    ("entry", "answer", "expected"),
    [
        (LLM, MESSAGE, [("role", "string"), ("content", "object"), ("model", "string")]),
        (
            LLM,
            CreateMessageResult(role="assistant", content=[MESSAGE["content"]], model="m", stop_reason="endTurn"),
            [("role", "string"), ("content", "array"), ("model", "string"), ("stopReason", "string")],
        ),
        (ROOTS, ROOTED, [("roots", "array")]),
        (ROOTS, ListRootsResult(roots=[Root(uri="file:///a", name="n")]), [("roots", "array")]),
        (
            UNKNOWN,
            {"done": True, "content": {"n": 1}, "id": 7, "x": None},
            [("done", "boolean"), ("content", "object"), ("id", "number"), ("x", "null")],
        ),
        (UNKNOWN, {}, []),
    ],
)
def test_disclosures_of_the_other_kinds_are_their_members(entry, answer, expected):
    retry = paused(a=entry).resume({"a": answer})
    assert listed(retry) == [("a", f"/a/{name}", kind) for name, kind in expected]


def test_disclosures_follow_the_order_of_what_is_sent():
    pause = paused(b=FORM, a=LINK, c=ROOTS)
    retry = pause.resume(
        {"c": ROOTED, "a": {"action": "decline"}, "b": {"content": {"z": 1, "n": "x"}, "action": "accept"}}
    )
    assert [given.at for given in retry.disclosures] == [
        f"/{key}/{name}" if name != "content" else f"/{key}/content/{field}"
        for key, response in retry.params["inputResponses"].items()
        for name, value in response.items()
        for field in (value if name == "content" else [name])
    ]
    assert list(dict.fromkeys(given.key for given in retry.disclosures)) == ["b", "a", "c"]


def test_disclosures_escape_keys_and_names_in_their_pointers():
    entry = form_of({"": {"type": "string"}, "~/": {"type": "boolean"}, "\ud800": {"type": "string"}})
    retry = paused(**{"a/b~c": entry}).resume(
        {"a/b~c": {"action": "accept", "content": {"": "x", "~/": True, "\ud800": "y"}, "m/~": 1}}
    )
    assert listed(retry) == [
        ("a/b~c", "/a~1b~0c/action", "string"),
        ("a/b~c", "/a~1b~0c/content/", "string"),
        ("a/b~c", "/a~1b~0c/content/~0~1", "boolean"),
        ("a/b~c", "/a~1b~0c/content/\ud800", "string"),
        ("a/b~c", "/a~1b~0c/m~1~0", "number"),
    ]


def test_disclosures_of_a_first_send_are_none_whatever_its_params():
    params = {"name": "t", "arguments": {"n": SECRET}, "inputResponses": {"a": {"action": "accept"}}}
    assert Call("tools/call", params).disclosures == ()
    assert paused(call=Call("tools/call", params), a=FORM).call.disclosures == ()


def test_disclosures_of_a_retry_without_answers_are_none():
    retry = state_only().resume()
    assert (retry.retry, retry.params["requestState"], retry.disclosures) == (1, "s", ())


def state_only() -> Pause:
    pause = Call("tools/call", {"name": "t"}).receive({"resultType": "input_required", "requestState": "s"})
    assert isinstance(pause, Pause)
    return pause


def test_disclosures_are_those_of_this_retry_and_not_of_an_earlier_one():
    first = paused(a=FORM).resume({"a": Answer("h", ok=True, data={"n": "x"})})
    second = first.receive(asking(b=LINK)).resume({"b": Answer("h", ok=True)})
    assert listed(second) == [("b", "/b/action", "string")]
    waited = first.receive({"resultType": "input_required", "requestState": "s"}).resume()
    assert waited.disclosures == ()
    assert first.receive(asking(b=LINK)).call.disclosures == first.disclosures


@pytest.mark.parametrize("server", [None, "files", ""])
def test_disclosures_name_the_server_of_the_call(server):
    retry = paused(call=Call("tools/call", {}, server=server), a=FORM, b=ROOTS).resume(
        {"a": Answer("h", ok=True, data={"n": "x"}), "b": ROOTED}
    )
    assert [given.server for given in retry.disclosures] == [server] * 3


def test_disclosures_of_a_call_from_a_stored_pause_are_those_made_here():
    pause = paused(call=Call("tools/call", {}, server="files"), a=FORM, b=UNKNOWN, c=LLM)
    answers = {"a": {"action": "accept", "content": {"n": "x"}, "_meta": {}}, "b": {"q": 1.0}, "c": MESSAGE}
    retry = pause.resume(answers)
    again = Pause.from_json(pause.to_json(), server="files").resume(answers)
    stored = Call.from_json(retry.to_json(), server="files")
    assert len(retry.disclosures) == 7
    assert retry.disclosures == again.disclosures == stored.disclosures


def test_disclosures_never_hold_a_value():
    answers = {
        "a": {"action": "accept", "content": {"n": SECRET}, "more": SECRET, "_meta": {SECRET: SECRET}},
        "b": {"x": SECRET, "y": [SECRET], "z": {SECRET: SECRET}},
        "c": {**MESSAGE, "content": {"type": "text", "text": SECRET}},
        "d": {"roots": [{"uri": "file:///a", "name": SECRET}]},
    }
    retry = paused(state=SECRET, a=FORM, b=UNKNOWN, c=LLM, d=ROOTS).resume(answers)
    assert SECRET in json.dumps(retry.params["inputResponses"])
    assert len(retry.disclosures) == 11
    for one in retry.disclosures:
        assert SECRET not in repr(members(one))
        assert SECRET not in repr(one) + str(one) + repr(one.__rich_repr__())


def test_disclosure_shows_neither_key_nor_pointer():
    given = Disclosure("files", SECRET, f"/{SECRET}/action", "string")
    assert repr(given) == str(given) == "Disclosure(server='files', kind='string')"
    assert given.__rich_repr__() == [("server", "files"), ("kind", "string")]
    assert SECRET not in repr((given,))


def test_disclosure_is_frozen_and_compared_by_value():
    given = Disclosure("s", "a", "/a/action", "string")
    assert given == Disclosure("s", "a", "/a/action", "string")
    assert {given, Disclosure("s", "a", "/a/action", "string")} == {given}
    assert given != Disclosure("s", "b", "/a/action", "string")
    with pytest.raises(AttributeError):
        given.kind = "number"


def test_disclosures_change_nothing_and_are_the_same_each_time():
    retry = paused(a=FORM).resume({"a": Answer("h", ok=True, data={"n": "x"})})
    before = retry.to_json()
    assert retry.disclosures == retry.disclosures
    assert type(retry.disclosures) is tuple
    assert retry.to_json() == before


@pytest.mark.parametrize("responses", [None, 1, "x", [1], {"a": None}, {"a": "x"}, {"a": [1]}])
def test_from_json_refuses_a_stored_call_whose_answers_are_no_objects(responses):
    stored = json.loads(paused(a=FORM).resume({"a": {"action": "decline"}}).to_json())
    stored["call"]["params"]["inputResponses"] = responses
    refused("stored_pause_invalid", "", Call.from_json, json.dumps(stored))


#: Keys and names that JSON can carry.
words = text.filter(lambda word: json.loads(json.dumps(word)) == word)

#: A marker that stands in no name and in no key, so that a value that leaked is found.
MARK = "\u2620 value"

fields = st.one_of(
    st.tuples(st.just({"type": "string"}), words.map(lambda word: MARK + word)),
    st.tuples(st.just({"type": "integer"}), st.integers(-(2**53), 2**53)),
    st.tuples(st.just({"type": "number"}), st.floats(allow_nan=False, allow_infinity=False)),
    st.tuples(st.just({"type": "boolean"}), st.booleans()),
    st.tuples(
        st.just({"type": "array", "items": {"type": "string", "enum": [MARK, "b"]}}),
        st.lists(st.sampled_from([MARK, "b"]), unique=True),
    ),
)


def sendable(value: Any) -> bool:
    return is_json(value) and json.loads(json.dumps(value)) == value


#: Members that mean nothing to the library.
extras = st.dictionaries(
    words.map(lambda word: "x-" + word), json_values.map(lambda value: [MARK, value]).filter(sendable), max_size=3
)


@st.composite
def elicited(draw: st.DrawFn) -> tuple[dict[str, Any], Any, list[list[str]]]:
    """Make a form, an answer and where the values stand that are sent."""
    drawn = draw(st.dictionaries(words, fields, max_size=4))
    more = draw(extras)
    content = {name: value for name, (_, value) in drawn.items()}
    entry = form_of({name: schema for name, (schema, _) in drawn.items()})
    answer = {"action": "accept", "content": content, **more}
    return entry, answer, [["action"], *(["content", name] for name in content), *([name] for name in more)]


@st.composite
def unknown(draw: st.DrawFn) -> tuple[dict[str, Any], Any, list[list[str]]]:
    """Make a request of another kind, its answer and its members."""
    answer = draw(json_objects.filter(sendable))
    answer.pop("action", None)
    return UNKNOWN, answer, [[name] for name in answer]


def told(answer: Any) -> tuple[dict[str, Any], Any, list[list[str]]]:
    return LLM, answer, [[name] for name in answer]


questions = st.dictionaries(
    words,
    st.one_of(
        elicited(),
        unknown(),
        extras.map(lambda more: told({**MESSAGE, **more})),
        st.just((LINK, {"action": "accept", "content": {"n": MARK}}, [["action"]])),
        st.just((FORM, {"action": "decline", "content": {"n": MARK}}, [["action"]])),
        st.just((ROOTS, ROOTED, [["roots"]])),
    ),
    min_size=1,
    max_size=4,
)


@given(questions, st.one_of(st.none(), words))
def test_disclosures_list_each_value_of_any_answers_once_in_order_and_hold_none(asked, server):
    raw = {"resultType": "input_required", "inputRequests": {key: entry for key, (entry, _, _) in asked.items()}}
    pause = Call("tools/call", {}, server=server).receive(raw)
    retry = pause.resume({key: answer for key, (_, answer, _) in asked.items()})
    sent = retry.params["inputResponses"]
    expected = [(key, escaped(key, *place)) for key, (_, _, places) in asked.items() for place in places]
    assert [(one.key, one.at) for one in retry.disclosures] == expected
    assert len({one.at for one in retry.disclosures}) == len(expected)
    for one in retry.disclosures:
        assert one.server == server
        assert one.kind == kind_of(resolved(sent, one.at))
        assert one.kind in {"string", "number", "boolean", "array", "object", "null"}
        assert MARK not in repr(members(one)) + repr(one)
        assert repr(one) == f"Disclosure(server={server!r}, kind={one.kind!r})"
    assert Call.from_json(retry.to_json(), server=server).disclosures == retry.disclosures
    again = Pause.from_json(pause.to_json(), server=server)
    assert again.resume({key: answer for key, (_, answer, _) in asked.items()}).disclosures == retry.disclosures
