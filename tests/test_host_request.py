"""What a host gets to ask a person, and makes of the decision: `Request`, `Origin`, and the answers that they make."""

import json

import msgspec
import pytest
from wire_values import FORM, LINK, LLM, SECRET, paused, refused

from toolnexus_mrtr import Answer, Call, Form, Origin, Pause, RemoteProtocolError, Request, elicitation_to_request


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [
        ("tools/call", {"name": "send"}, "send"),
        ("prompts/get", {"name": "letter"}, "letter"),
        ("resources/read", {"uri": "file:///a"}, "file:///a"),
        ("tools/call", {}, None),
        ("tools/call", {"name": 5, "": "x"}, None),
    ],
)
def test_origin_of_a_request_names_the_server_the_call_and_the_key(method, params, name):
    pause = paused(call=Call(method, params, server="parcels"), a=FORM, b=LINK)
    origins = {key: request.origin for key, request in pause.requests.items()}
    assert origins == {key: Origin(server="parcels", method=method, name=name, key=key) for key in ("a", "b")}
    again = Pause.from_json(pause.to_json(), server="parcels")
    assert {key: request.origin for key, request in again.requests.items()} == origins


def test_origin_is_absent_from_a_request_of_elicitation_to_request():
    request = elicitation_to_request(FORM, id="1")
    assert request.origin is None
    assert "origin" not in json.loads(msgspec.json.encode(request))


def test_origin_goes_to_json_and_back_with_a_request():
    (request,) = paused(call=Call("tools/call", {"name": "t"}, server="s"), a=FORM).requests.values()
    assert msgspec.json.decode(msgspec.json.encode(request), type=Request) == request
    assert msgspec.to_builtins(request)["origin"] == {"server": "s", "method": "tools/call", "name": "t", "key": "a"}


def test_request_shows_neither_data_nor_key():
    call = Call("tools/call", {"name": "t"}, server="s")
    (request,) = paused(call=call, **{SECRET: FORM}).requests.values()
    shown = f"Request(id={request.id!r}, kind='input', prompt='m', origin={request.origin!r})"
    assert repr(request) == str(request) == shown
    assert repr(request.origin) == "Origin(server='s', method='tools/call', name='t')"
    assert request.origin.__rich_repr__() == [("server", "s"), ("method", "tools/call"), ("name", "t")]
    assert SECRET not in shown
    assert "data" not in dict(request.__rich_repr__())


def test_request_makes_the_answers_that_resume_sends():
    pause = paused(a=FORM)
    request = pause.requests["a"]
    assert request.accept({"n": "x"}) == Answer(request.id, ok=True, data={"n": "x"})
    for answer, sent in (
        (request.accept({"n": "x"}), {"action": "accept", "content": {"n": "x"}}),
        (request.decline(), {"action": "decline"}),
        (request.cancel(), {"action": "cancel"}),
    ):
        assert pause.resume([answer]).params["inputResponses"] == {"a": sent}
        assert pause.resume({"a": answer}).params["inputResponses"] == {"a": sent}


def test_accept_of_a_visit_takes_no_data():
    pause = paused(a=LINK)
    request = pause.requests["a"]
    assert pause.resume([request.accept()]).params["inputResponses"] == {"a": {"action": "accept"}}
    for data in ({}, {"access_token": SECRET}):
        assert SECRET not in str(refused("wrong_value", "/data", request.accept, data))


def test_form_of_a_request_knows_its_message():
    entry = {
        "method": "elicitation/create",
        "params": {
            "message": "Enter your password.",
            "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
    }
    form = paused(a=entry).requests["a"].form()
    assert isinstance(form, Form)
    assert [(field.name, field.sensitive) for field in form.fields] == [("a", True)]


def test_form_of_a_request_is_none_for_a_visit_and_without_a_schema():
    assert paused(a=LINK).requests["a"].form() is None
    assert Request("1", "input", "m").form() is None
    assert Request("1", "input", "m", data={"schema": 5}).form() is None


def test_form_of_a_request_raises_for_a_schema_that_cannot_be_checked():
    request = Request("1", "input", "m", data={"schema": {"type": "object", "properties": 5}})
    with pytest.raises(RemoteProtocolError) as caught:
        request.form()
    assert (caught.value.code, caught.value.at) == ("schema_invalid", "/properties")


def test_requests_of_a_pause_leave_out_what_is_no_elicitation():
    assert list(paused(a=LLM, b=FORM).requests) == ["b"]
