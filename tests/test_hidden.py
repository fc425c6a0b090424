"""No message, `repr` or chained error of a public function shows an answer, params, a declaration or a state."""

import asyncio
import copy
import datetime as dt
import math
import pickle
import traceback
from collections import ChainMap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_values import (
    FORM,
    FORM_REQUEST,
    LINK,
    LINK_REQUEST,
    LLM,
    MESSAGE,
    ROOTS,
    UNKNOWN,
    HostAnswer,
    Word,
    asking,
    assert_alone,
    paused,
)

from toolnexus_mrtr import (
    Answer,
    Call,
    CreateMessageResult,
    Done,
    ElicitationResponses,
    ElicitResult,
    Form,
    Handlers,
    InvalidAnswer,
    ListRootsResult,
    MrtrError,
    Pause,
    Root,
    answer_to_elicit_result,
    run,
    run_async,
)

#: Parts of all that is secret here, text and number.
SECRETS = ["horse", "8675309"]

TEXT, NUMBER = "correct horse battery staple", 8675309


class Loud:
    """A value that no JSON text can hold, and that says all that it knows."""

    def __repr__(self) -> str:
        return TEXT

    def __str__(self) -> str:
        return TEXT


leaves = st.sampled_from(
    [
        TEXT,
        NUMBER,
        -NUMBER,
        NUMBER + 0.5,
        float(NUMBER),
        TEXT + "\ud83d\ude00",
        "\ud800" + TEXT,
        TEXT * 10_000,
        Word(TEXT),
        TEXT.encode(),
        Loud(),
        Loud,
        dt.timedelta(NUMBER),
        {TEXT},
        {5: TEXT},
        None,
        True,
        math.nan,
        math.inf,
    ]
)
names = st.sampled_from(
    ["n", "i", "b", "t", "l", "action", "content", "ok", "data", "role", "model", "roots", "uri", "text"]
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(names, inner, max_size=4)
        | st.dictionaries(names, inner, max_size=4).map(ChainMap)
    ),
    max_leaves=8,
)

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "string", "maxLength": 3, "format": "email"},
        "i": {"type": "integer", "maximum": 5},
        "b": {"type": "boolean"},
        "t": {"type": "string", "enum": ["x", "y"]},
        "l": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}, "maxItems": 1},
    },
    "required": ["n", "i"],
    "additionalProperties": False,
}
WIDE = {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": SCHEMA}}
PAUSES = [paused(a=entry, state=TEXT) for entry in (WIDE, FORM, LINK, LLM, ROOTS, UNKNOWN)]
REQUESTS = [FORM_REQUEST, LINK_REQUEST, *(pause.input_requests["a"] for pause in PAUSES), None]

#: Each shape in which an answer may come, made of any value.
SHAPES = [
    lambda value: value,
    lambda value: Answer("x", ok=True, data=value),
    lambda value: Answer("x", ok=value, data=value, reason=value),
    lambda value: HostAnswer("x", ok=False, data=value, reason=value),
    lambda value: {"ok": True, "data": value},
    lambda value: {"ok": True, "data": value, "action": "accept"},
    lambda value: {"action": "accept", "content": value},
    lambda value: {"action": value, "content": value},
    lambda value: {"action": "decline", "_meta": value, "reason": value},
    lambda value: ElicitResult(action="accept", content=value),
    lambda value: ElicitResult(action=value, content=value),
    lambda value: CreateMessageResult(role="user", content=value, model="m"),
    lambda value: CreateMessageResult(role=value, content=MESSAGE["content"], model=value, stop_reason=value),
    lambda value: MESSAGE | {"content": value},
    lambda value: MESSAGE | {"content": {"type": "text", "text": value}, "_meta": value},
    lambda value: ListRootsResult(roots=value),
    lambda value: ListRootsResult(roots=[Root(uri=value, name=value)]),
    lambda value: {"roots": [{"uri": value, "name": value}]},
]
shapes = st.sampled_from(SHAPES)


def shown_by(error: BaseException) -> str:
    """Give all that a log may show of an error, behind which no other one hangs."""
    assert_alone(error)
    messages = [field.message for field in error.errors] if isinstance(error, InvalidAnswer) else []
    return "".join([str(error), repr(error), repr(error.args), *messages, *traceback.format_exception(error)])


def assert_hidden(text: str) -> None:
    assert [secret for secret in SECRETS if secret in text] == []


def hidden(function: Any, *arguments: Any, **named: Any) -> Any:
    """Give what a call returns, `None` where it raises what it may, of which nothing shows a secret."""
    try:
        return function(*arguments, **named)
    except (MrtrError, TypeError) as error:
        assert_hidden(shown_by(error))
        assert_hidden(shown_by(pickle.loads(pickle.dumps(error))))
    return None


@given(value=values)
@settings(max_examples=300)
def test_call_and_what_it_gives_show_no_params_capabilities_or_state(value):
    for params in (value, {"arguments": value}, {"_meta": {"io.modelcontextprotocol/clientCapabilities": value}}):
        hidden(Call, "tools/call", params)
    call = hidden(Call, "tools/call", {"x": value}, capabilities={"elicitation": {"x": value}}, server="s", id="c")
    call = call or Call("tools/call", {"x": TEXT}, capabilities={"elicitation": {"x": NUMBER}}, server="s", id="c")
    hidden(Call, "tools/call", {}, capabilities=value)
    for raw in (
        asking("s", a=FORM) | {"requestState": value},
        {"content": value},
        asking(TEXT, a=5),
        asking(TEXT, a=LLM),
    ):
        step = hidden(call.receive, raw)
        assert_hidden(f"{call!r} {call} {step!r} {step}")
        if isinstance(step, Pause):
            assert_hidden(repr(list(step.requests.values())))
            hidden(step.resume, {"a": {"action": "cancel"}}, meta=value)
            hidden(step.resume, {"a": {"action": "cancel"}}, meta={"x": value})


@given(value=values, shape=shapes, pause=st.sampled_from(PAUSES))
@settings(max_examples=600)
def test_resume_shows_no_answer(value, shape, pause):
    answer = shape(value)
    for answers in ({"a": answer}, [answer], {"a": answer, "b": answer}, {"b": answer}):
        call = hidden(pause.resume, answers)
        assert_hidden(f"{call!r} {call}")


@given(value=values, shape=shapes, request=st.sampled_from(REQUESTS))
@settings(max_examples=400)
def test_the_writers_and_the_mapping_show_no_answer(value, shape, request):
    answer = shape(value)
    hidden(ElicitationResponses.to_input_response, "a", answer, request)
    hidden(ElicitationResponses.to_input_responses, {"a": answer, "b": answer}, {"a": request, "b": LINK_REQUEST})
    hidden(answer_to_elicit_result, answer, request)
    hidden(answer_to_elicit_result, answer, PAUSES[0].requests["a"])
    hidden(answer_to_elicit_result, answer, None)


@given(value=values)
@settings(max_examples=300)
def test_form_check_and_parse_show_no_answer(value):
    form = Form.of(SCHEMA)
    contents = [value, *({name: value} for name in SCHEMA["properties"])]
    for content in contents:
        assert_hidden(repr([error.message for error in hidden(form.check, content) or ()]))
        parsed = hidden(form.parse, content)
        assert_hidden(repr([error.message for error in parsed[1]] if parsed else None))


def drive_at_once(call: Any, send: Any, handlers: Handlers) -> Any:
    return asyncio.run(run_async(call, send, handlers))


@pytest.mark.parametrize("drive", [run, drive_at_once])
@given(value=values, shape=shapes, pause=st.sampled_from(PAUSES))
@settings(max_examples=100)
def test_run_and_run_async_show_no_answer(drive, value, shape, pause):
    answer = shape(value)
    for returned in (answer, value):
        handlers = Handlers(lambda _, it=returned: it, lambda _, it=returned: it, lambda it=returned: it)
        hidden(drive, pause, lambda _method, _params: {"content": []}, handlers)
    hidden(drive, pause.call, lambda _method, _params: value, Handlers())


@given(
    cut=st.integers(0, 10**6), put=st.sampled_from(["", '"', "}", "5", ",", TEXT, "null", "NaN", "\ud800", "[" * 5000])
)
@settings(max_examples=300)
def test_from_json_shows_nothing_of_what_was_stored(cut, put):
    call = Call("tools/call", {"x": TEXT, "y": NUMBER}, server=TEXT, id="c")
    pause = paused(call=call, a=FORM, state=TEXT)
    data = pause.to_json().decode("ascii")
    place = cut % (len(data) + 1)
    for server in (TEXT, None, "s"):
        assert_hidden(repr(hidden(Pause.from_json, data[:place] + put + data[place:], server=server)))
        assert_hidden(repr(hidden(Pause.from_json, data[:place] + put, server=server)))
        hidden(Call.from_json, data, server=server)


@given(value=values)
@settings(max_examples=200)
def test_repr_of_every_value_with_an_answer_hides_it(value):
    for made in (
        Answer("x", ok=True, data=value),
        ElicitResult(action="accept", content=value),
        CreateMessageResult(role="user", content=value, model="m"),
        ListRootsResult(roots=[Root(uri=value, name=value)]),
        Root(uri=value, name=value),
        Done({"content": value}, "complete"),
    ):
        for shown in (made, copy.copy(made)):
            assert_hidden(f"{shown!r} {shown} {shown.__rich_repr__()!r}")
