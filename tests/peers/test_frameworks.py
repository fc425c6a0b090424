"""Servers on frameworks, each with its own way to ask, and one in the flat shape of Apache Juneau."""

import json

import pytest
from low_level_client import META, ServerError, complete
from peers import FLAT, GUARDS, RESOLVERS

from toolnexus_mrtr import Answer, Call, CreateMessageResult, ElicitResult, Form, Handlers, ListRootsResult, Root
from toolnexus_mrtr import run as drive


def tool(name, **arguments):
    return Call("tools/call", {"name": name, "arguments": arguments, "_meta": META})


def text(result):
    (content,) = result["content"]
    return content["text"]


def accepting(**values):
    """Accept each form with those of these values that it has a field for."""

    def wait_for(request):
        names = [field.name for field in Form.of(request.data["schema"]).fields]
        return Answer(request.id, ok=True, data={name: values[name] for name in names if name in values})

    return wait_for


def forms(**values):
    """Answer a pause of forms alone, by the requests' ids."""
    return lambda pause: [accepting(**values)(request) for request in pause.requests.values()]


@pytest.mark.exercises("form, sampling and roots at once, then a second round")
@pytest.mark.parametrize("server", RESOLVERS, indirect=True, ids=str)
def test_resolvers_get_what_they_asked_for(server):
    handlers = Handlers(
        accepting(city="Troms\u00f8", nights=2, budget=1.75, season="winter", meals=["dinner"], sure=True),
        lambda asked: CreateMessageResult(
            role="assistant", content={"type": "text", "text": "Onwards"}, model=f"of {asked.max_tokens:g} tokens"
        ),
        lambda: ListRootsResult(roots=[Root(uri="file:///work")]),
    )
    result = drive(tool("book", for_whom="Zo\u00eb"), server.send, handlers)
    assert json.loads(text(result)) == {
        "for_whom": "Zo\u00eb",
        "trip": {
            "city": "Troms\u00f8",
            "nights": 2,
            "budget": 1.75,
            "season": "winter",
            "meals": ["dinner"],
            "note": None,
        },
        "sure": True,
        "motto": "Onwards",
        "roots": ["file:///work"],
    }


@pytest.mark.exercises("accept, decline, cancel")
@pytest.mark.parametrize("server", RESOLVERS, indirect=True, ids=str)
@pytest.mark.parametrize(
    ("answer", "action"),
    [
        (Answer("1", ok=True, data={"city": "Oslo", "nights": 1}), "accept"),
        (Answer("1", ok=False, reason="declined"), "decline"),
        (Answer("1", ok=False, reason="expired"), "cancel"),
    ],
    ids=["accept", "decline", "cancel"],
)
def test_a_resolver_learns_what_became_of_its_question(server, answer, action):
    result = complete(server.send, tool("outcome", for_whom="Ada"), lambda pause: dict.fromkeys(pause.requests, answer))
    assert json.loads(text(result)) == {"for_whom": "Ada", "action": action}


@pytest.mark.exercises("capability that was not declared")
@pytest.mark.parametrize("server", RESOLVERS, indirect=True, ids=str)
def test_a_resolver_does_not_ask_for_what_was_not_declared(server):
    call = Call("tools/call", {"name": "outcome", "arguments": {"for_whom": "Ada"}, "_meta": Handlers().meta()})
    with pytest.raises(ServerError) as caught:
        server.send(call.method, call.params)
    assert caught.value.code == -32021


@pytest.mark.exercises("two rounds, sealed state")
@pytest.mark.parametrize("server", GUARDS, indirect=True, ids=str)
def test_a_guard_gets_its_answers_round_by_round(server):
    result = complete(server.send, tool("transfer", amount=1.5), forms(account="savings", value=False))
    assert result["structuredContent"] == {"amount": 1.5, "account": "savings", "confirmed": False}


@pytest.mark.exercises("decline")
@pytest.mark.parametrize("server", GUARDS, indirect=True, ids=str)
def test_a_guard_learns_of_a_decline(server):
    result = complete(server.send, tool("transfer", amount=2), lambda _: {"account": ElicitResult(action="decline")})
    assert result["structuredContent"] == {"amount": 2, "account": None}


@pytest.mark.exercises("prompt")
@pytest.mark.parametrize("server", GUARDS, indirect=True, ids=str)
def test_a_guarded_prompt_is_got(server):
    result = complete(server.send, Call("prompts/get", {"name": "brief", "_meta": META}), forms(tone="warm"))
    assert [message["content"]["text"] for message in result["messages"]] == ["Be warm."]


@pytest.mark.exercises("resource")
@pytest.mark.parametrize("server", GUARDS, indirect=True, ids=str)
def test_a_guarded_resource_is_read(server):
    result = complete(server.send, Call("resources/read", {"uri": "note://7", "_meta": META}), forms(page=3))
    assert [contents["text"] for contents in result["contents"]] == ["note 7, page 3"]


@pytest.mark.exercises("tampered state refused")
@pytest.mark.parametrize("server", GUARDS + RESOLVERS, indirect=True, ids=str)
def test_a_framework_refuses_a_state_that_is_not_its_own(server):
    calls = {"guard_server.py": tool("transfer", amount=1), "resolver_server.py": tool("outcome", for_whom="Ada")}
    (call,) = [call for file, call in calls.items() if any(file in part for part in server.peer.command)]
    pause = call.receive(server.send(call.method, call.params))
    retry = pause.resume(dict.fromkeys(pause.requests, ElicitResult(action="cancel")))
    with pytest.raises(ServerError) as caught:
        server.send(retry.method, retry.params | {"requestState": pause.request_state[:-2] + "AA"})
    assert (caught.value.code, caught.value.data["reason"]) == (-32602, "invalid_request_state")


@pytest.mark.exercises("several requests at once, accept and decline")
@pytest.mark.parametrize("server", [FLAT], indirect=True, ids=str)
def test_a_flat_server_is_answered(server):
    def answers(pause):
        ids = {key: request.id for key, request in pause.requests.items()}
        return [
            Answer(ids["deployTarget"], ok=True, data={"target": "live"}),
            Answer(ids["approval"], ok=False, reason="declined"),
        ]

    assert json.loads(text(complete(server.send, tool("deploy"), answers))) == {
        "state": "flat-1",
        "responses": {
            "deployTarget": {"action": "accept", "content": {"target": "live"}},
            "approval": {"action": "decline"},
        },
    }
