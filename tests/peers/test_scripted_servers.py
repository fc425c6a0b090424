"""Servers on the Python and the TypeScript SDK: each gives back what it was told, as its own SDK understood it."""

import json

import pytest
from drives import DRIVES, HEARD, handlers
from low_level_client import META, ServerError, complete
from peers import PLAIN, SCRIPT, SCRIPTED, SEALED, heard

from toolnexus_mrtr import (
    Answer,
    Call,
    ElicitResult,
    Handlers,
    InvalidAnswer,
    RemoteProtocolError,
)

#: Lets a server that can stream do so.
WITH_PROGRESS = META | {"progressToken": "p-1"}

BOOKING = {
    "name": "Zo\u00eb \U0001f600",
    "mail": "zoe@example.com",
    "site": "https://zoe.example.com/x?y=1",
    "born": "1999-12-31",
    "call_at": "2026-07-28T09:30:00+02:00",
    "nick": "",
    "guests": 2,
    "weight": 20.5,
    "window": False,
    "class": "business",
    "meal": "f",
    "bags": [],
    "extras": ["w", "l"],
    "pay": "i",
}


def tool(name, **options):
    return Call("tools/call", {"name": name, "arguments": {}, "_meta": WITH_PROGRESS}, **options)


def answering(**values):
    """Answer each pause with those of these that it asks for."""
    return lambda pause: {key: values[key] for key in pause.input_requests}


@pytest.mark.exercises("form with a field of every kind")
def test_a_form_of_every_kind_arrives_as_it_was_filled_in(server):
    result = complete(server.send, tool("every_kind"), answering(booking=Answer("1", ok=True, data=BOOKING)))
    assert heard(result) == [{"booking": {"action": "accept", "content": BOOKING}}]


@pytest.mark.exercises("optional fields left out")
def test_a_form_arrives_without_what_was_left_out(server):
    filled = {"name": "Z", "mail": None, "guests": 2.0}
    result = complete(server.send, tool("every_kind"), answering(booking=Answer("1", ok=True, data=filled)))
    assert heard(result) == [{"booking": {"action": "accept", "content": {"name": "Z", "guests": 2}}}]


@pytest.mark.exercises("answer refused before it is sent, then corrected")
def test_a_refused_answer_leaves_the_pause_to_be_answered_again(server):
    call = tool("every_kind")
    pause = call.receive(server.send(call.method, call.params))
    with pytest.raises(InvalidAnswer) as caught:
        pause.resume({"booking": Answer("1", ok=True, data=BOOKING | {"guests": 9, "meal": "Fish"})})
    assert {(error.at, error.code) for error in caught.value.errors} == {
        ("/booking/guests", "too_large"),
        ("/booking/meal", "not_a_choice"),
    }
    result = complete(server.send, pause.resume(answering(booking=ElicitResult(action="decline"))(pause)), answering())
    assert heard(result) == [{"booking": {"action": "decline"}}]


@pytest.mark.exercises("url")
def test_the_consent_to_a_url_arrives_without_the_hosts_token(server):
    answers = answering(consent=Answer("1", ok=True, data={"access_token": "t"}))
    assert heard(complete(server.send, tool("visit"), answers)) == [{"consent": {"action": "accept"}}]


@pytest.mark.exercises("decline")
def test_a_decline_arrives(server):
    answers = answering(booking=Answer("1", ok=False, data={"name": "Z"}, reason="declined"))
    assert heard(complete(server.send, tool("every_kind"), answers)) == [{"booking": {"action": "decline"}}]


@pytest.mark.exercises("cancel")
def test_a_cancel_arrives(server):
    answers = answering(consent=Answer("1", ok=False))
    assert heard(complete(server.send, tool("visit"), answers)) == [{"consent": {"action": "cancel"}}]


@pytest.mark.exercises("several requests at once")
def test_several_answers_arrive_under_their_keys_in_their_order(server):
    def answers(pause):
        ids = {key: request.id for key, request in pause.requests.items()}
        return [
            Answer(ids["consent"], ok=False, reason="declined"),
            Answer(ids[""], ok=True),
            Answer(ids["a/b~c"], ok=True, data={"who": "\u00d8"}),
        ]

    (only,) = heard(complete(server.send, tool("several"), answers))
    assert list(only.items()) == [
        ("a/b~c", {"action": "accept", "content": {"who": "\u00d8"}}),
        ("", {"action": "accept", "content": {}}),
        ("consent", {"action": "decline"}),
    ]


@pytest.mark.exercises("several rounds")
def test_each_round_arrives_with_its_own_answers_alone(server):
    answers = answering(size=Answer("1", ok=True, data={"size": 0.5}), sure=Answer("2", ok=True, data={"sure": True}))
    assert heard(complete(server.send, tool("rounds"), answers)) == [
        {"size": {"action": "accept", "content": {"size": 0.5}}},
        None,
        {"sure": {"action": "accept", "content": {"sure": True}}},
    ]


@pytest.mark.exercises("state alone")
def test_a_pause_that_asks_nothing_is_retried_with_its_state_alone(server):
    assert heard(complete(server.send, tool("wait"), answering())) == [None, None]


@pytest.mark.exercises("form, sampling and roots at once")
@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: drive.__name__)
def test_a_form_a_sampling_and_the_roots_arrive_together(server, drive):
    assert heard(drive(tool("mixed"), server.send, handlers())) == [HEARD]


@pytest.mark.exercises("tool name beyond ASCII")
def test_names_beyond_ascii_arrive(server):
    answer = Answer("1", ok=True, data={"gr\u00f6\u00dfe": "gro\u00df"})
    answers = {"gr\u00f6\u00dfe": answer}
    assert heard(complete(server.send, tool("gr\u00f6\u00dfe"), lambda _: answers)) == [
        {"gr\u00f6\u00dfe": {"action": "accept", "content": {"gr\u00f6\u00dfe": "gro\u00df"}}}
    ]


@pytest.mark.exercises("prompt")
def test_a_prompt_is_got_with_what_it_asked_for(server):
    call = Call("prompts/get", {"name": "brief", "_meta": META})
    result = complete(server.send, call, answering(tone=Answer("1", ok=True, data={"tone": "warm"})))
    (message,) = result["messages"]
    assert json.loads(message["content"]["text"]) == [{"tone": {"action": "accept", "content": {"tone": "warm"}}}]


@pytest.mark.exercises("resource")
def test_a_resource_is_read_with_what_it_asked_for(server):
    call = Call("resources/read", {"uri": "note://7", "_meta": META})
    result = complete(server.send, call, answering(page=Answer("1", ok=True, data={"page": 3})))
    (contents,) = result["contents"]
    assert json.loads(contents["text"]) == [{"page": {"action": "accept", "content": {"page": 3}}}]


@pytest.mark.exercises("state of awkward characters")
@pytest.mark.parametrize("server", PLAIN, indirect=True, ids=str)
def test_a_state_of_awkward_characters_comes_back_intact(server):
    call = tool("rounds")
    pause = call.receive(server.send(call.method, call.params))
    assert pause.request_state == SCRIPT["state"] + "[]"
    retry = pause.resume({"size": ElicitResult(action="cancel")})
    answers = answering(sure=ElicitResult(action="cancel"))
    assert heard(complete(server.send, retry, answers))[0] == {"size": {"action": "cancel"}}


@pytest.mark.exercises("tampered state refused")
@pytest.mark.parametrize("server", SEALED, indirect=True, ids=str)
@pytest.mark.parametrize("tamper", [lambda state: state[:-2] + "AA", lambda state: state.upper(), lambda _: ""])
def test_the_server_refuses_a_state_that_is_not_its_own(server, tamper):
    call = tool("wait")
    pause = call.receive(server.send(call.method, call.params))
    retry = pause.resume()
    with pytest.raises(ServerError) as caught:
        server.send(retry.method, retry.params | {"requestState": tamper(pause.request_state)})
    assert (caught.value.code, caught.value.data["reason"]) == (-32602, "invalid_request_state")
    assert heard(complete(server.send, retry, answering())) == [None, None]


FORMS_ALONE = Handlers(wait_for=lambda request: Answer(request.id, ok=True), modes=("form",)).meta()


@pytest.mark.exercises("capability that was not declared")
@pytest.mark.parametrize("server", [peer for peer in SCRIPTED if "Python" in peer.server], indirect=True, ids=str)
def test_what_was_not_declared_is_refused_when_the_server_asks_for_it_all_the_same(server):
    call = Call("tools/call", {"name": "visit", "_meta": FORMS_ALONE})
    raw = server.send(call.method, call.params)
    with pytest.raises(RemoteProtocolError) as caught:
        call.receive(raw)
    assert (caught.value.code, caught.value.at) == ("undeclared_capability", "/inputRequests/consent/params/mode")


@pytest.mark.exercises("capability that was not declared")
@pytest.mark.parametrize("server", [peer for peer in SCRIPTED if "TypeScript" in peer.server], indirect=True, ids=str)
def test_a_server_that_checks_what_was_declared_does_not_ask(server):
    call = Call("tools/call", {"name": "visit", "_meta": FORMS_ALONE})
    with pytest.raises(ServerError) as caught:
        server.send(call.method, call.params)
    assert caught.value.code == -32021


@pytest.mark.parametrize("server", PLAIN, indirect=True, ids=str)
def test_the_answers_come_as_the_table_says(server):
    call = tool("visit")
    server.content_types.clear()
    complete(server.send, call, answering(consent=ElicitResult(action="accept")))
    assert (
        server.content_types
        == {
            "HTTP with JSON": {"application/json"},
            "HTTP with SSE": {"text/event-stream"},
            "stdio": set(),
        }[server.peer.transport]
    )
