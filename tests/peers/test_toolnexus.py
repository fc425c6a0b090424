"""toolnexus, whose host contract this is: its hosts answer through us unchanged, and the two mappings agree."""

import asyncio
import json
from importlib.metadata import version
from types import SimpleNamespace

import pytest
import toolnexus
from low_level_client import META
from mcp.types import ElicitRequestFormParams, ElicitRequestURLParams
from peers import PLAIN
from toolnexus_tool import remote_tool

from toolnexus_mrtr import (
    Answer,
    Call,
    Handlers,
    LocalProtocolError,
    RemoteProtocolError,
    Request,
    answer_to_elicit_result,
    elicitation_to_request,
    run_async,
)

SCHEMA = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
LINK = "https://sign-in.example/?flow=7"


@pytest.fixture
def exercises_toolnexus(request, tested):
    (what,) = request.node.get_closest_marker("exercises").args
    tested("toolnexus", version("toolnexus"), "in process", what)


async def wait_for(request: toolnexus.Request) -> toolnexus.Answer:
    """A host as one writes it for toolnexus: it knows nothing of us."""
    await asyncio.sleep(0)
    if request.kind == "authorization":
        return toolnexus.Answer(id=request.id, ok=request.url.startswith("https://"), data={"access_token": "t"})
    if "right" in request.prompt:
        return toolnexus.Answer(id=request.id, ok=False, reason="declined")
    return toolnexus.Answer(id=request.id, ok=True, data=dict.fromkeys(request.data["schema"]["properties"], "Ada"))


HEARD = [
    {
        "a/b~c": {"action": "accept", "content": {"who": "Ada"}},
        "": {"action": "decline"},
        "consent": {"action": "accept"},
    }
]


@pytest.mark.exercises("a host's `wait_for`, unchanged, through `run_async`")
@pytest.mark.usefixtures("exercises_toolnexus")
def test_a_host_written_for_toolnexus_answers_a_server_of_today(connections):
    server = connections(PLAIN[0])
    handlers = Handlers(wait_for)

    async def send(method, params):
        return await asyncio.to_thread(server.send, method, params)

    call = Call("tools/call", {"name": "several", "arguments": {}, "_meta": handlers.meta()})
    (content,) = asyncio.run(run_async(call, send, handlers))["content"]
    assert json.loads(content["text"]) == HEARD


@pytest.mark.exercises("a tool that calls a server of today, in an agent's loop")
@pytest.mark.usefixtures("exercises_toolnexus")
def test_a_tool_of_toolnexus_calls_a_server_of_today(connections):
    server = connections(PLAIN[0])
    definitions = {each["name"]: each for each in server.send("tools/list", {"_meta": META})["tools"]}

    def model(asked):
        said = asked["messages"][-1]
        if said["role"] == "tool":
            return {"content": said["content"]}
        return {"tool_calls": [{"name": "several", "arguments": {}}]}

    async def agent():
        tool = remote_tool(server.transport.url, definitions["several"], wait_for)
        client = toolnexus.create_in_process_client(model="a model", generate=model)
        async with await toolnexus.create_toolkit(extra_tools=[tool], builtins=False) as toolkit:
            return await client.run("Go on.", toolkit)

    assert json.loads(asyncio.run(agent()).text) == HEARD


def test_a_tool_says_what_went_wrong_and_shows_no_answer(connections):
    def host(request):
        return toolnexus.Answer(id=request.id, ok=True, data={"size": "SECRET"})

    tool = remote_tool(connections(PLAIN[0]).transport.url, {"name": "rounds", "inputSchema": {}}, host)
    result = asyncio.run(tool.execute({}))
    assert result.is_error
    assert "SECRET" not in result.output


def request_of(mapped):
    return mapped.kind, mapped.prompt, mapped.url, mapped.data, mapped.expiresAt


@pytest.mark.exercises("both mappings, side by side")
@pytest.mark.usefixtures("exercises_toolnexus")
@pytest.mark.parametrize(
    "params",
    [
        {"mode": "form", "message": "Who?", "requestedSchema": SCHEMA},
        {"message": "Who?", "requestedSchema": SCHEMA},
        {"message": "", "requestedSchema": SCHEMA},
        {"message": " W\u00f6r\u2028\u0000 ", "requestedSchema": SCHEMA},
        {"message": "Who?", "requestedSchema": SCHEMA, "url": LINK},
        {"message": "Who?"},
        {"requestedSchema": SCHEMA},
        {"mode": "url", "message": "Sign in", "url": LINK},
        {"mode": "url", "message": "Sign in", "url": LINK, "elicitationId": "e-1"},
        {"mode": "url", "url": LINK},
        {"mode": "url", "message": "Sign in", "url": LINK, "requestedSchema": SCHEMA},
    ],
    ids=str,
)
def test_both_map_a_request_alike(params):
    theirs = toolnexus.elicitation_to_request(SimpleNamespace(**params))
    ours = elicitation_to_request(params)
    assert request_of(ours) == request_of(theirs)
    assert ours.id.startswith("elc-")
    assert theirs.id.startswith("elc-")


@pytest.mark.parametrize(
    "model",
    [
        ElicitRequestFormParams(message="Who?", requestedSchema=SCHEMA),
        ElicitRequestURLParams(message="Sign in", url=LINK, elicitationId="e-1"),
    ],
    ids=["form", "url"],
)
def test_what_the_sdk_of_toolnexus_parsed_is_mapped_as_its_raw_params_are(model):
    raw = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert request_of(elicitation_to_request(raw)) == request_of(toolnexus.elicitation_to_request(model))


@pytest.mark.exercises("both mappings, side by side")
@pytest.mark.usefixtures("exercises_toolnexus")
@pytest.mark.parametrize(
    "answer",
    [
        {"ok": True, "data": {"who": "Ada", "n": 0.5, "many": ["x"], "yes": False}},
        {"ok": True, "data": {}},
        {"ok": True, "data": None},
        {"ok": True, "data": {"who": "Ada"}, "reason": "declined"},
        {"ok": False, "reason": "declined"},
        {"ok": False, "data": {"who": "Ada"}, "reason": "declined"},
        {"ok": False, "reason": "cancelled"},
        {"ok": False, "reason": "expired"},
        {"ok": False, "reason": "anything else"},
        {"ok": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [toolnexus.Answer, Answer, SimpleNamespace], ids=["theirs", "ours", "anyone's"])
def test_both_map_an_answer_alike(answer, make):
    given = make(id="1", **{"data": None, "reason": None} | answer)
    theirs, ours = toolnexus.answer_to_elicit_result(given), answer_to_elicit_result(given)
    assert (ours.action, ours.content) == (theirs.action, theirs.content)


def test_unlike_toolnexus_we_read_a_map_as_well():
    params = {"message": "Who?", "requestedSchema": SCHEMA}
    assert request_of(toolnexus.elicitation_to_request(params)) == ("input", "", None, None, None)
    assert request_of(elicitation_to_request(params)) == ("input", "Who?", None, {"schema": SCHEMA}, None)
    with pytest.raises(AttributeError):
        toolnexus.answer_to_elicit_result({"ok": True})
    assert answer_to_elicit_result({"ok": True}).action == "accept"


def test_unlike_toolnexus_we_hand_an_empty_schema_on():
    params = {"message": "All right?", "requestedSchema": {}}
    assert toolnexus.elicitation_to_request(SimpleNamespace(**params)).data is None
    assert elicitation_to_request(params).data == {"schema": {}}


def test_unlike_toolnexus_we_send_no_content_with_the_accept_of_an_authorization():
    request = Request("1", "authorization", "Sign in", url=LINK)
    answer = toolnexus.Answer(id="1", ok=True, data={"access_token": "t"})
    assert toolnexus.answer_to_elicit_result(answer).content == {"access_token": "t"}
    assert answer_to_elicit_result(answer, request).content is None
    assert toolnexus.answer_to_elicit_result(toolnexus.Answer(id="1", ok=True)).content == {}
    assert answer_to_elicit_result(toolnexus.Answer(id="1", ok=True), request).content is None


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"mode": "url", "message": "m", "url": "javascript:alert(1)"}, "unsafe_url"),
        ({"mode": "url", "message": "m"}, "missing_member"),
        ({"mode": "url", "message": "m", "url": ""}, "unsafe_url"),
        ({"message": 5}, "wrong_type"),
    ],
    ids=str,
)
def test_unlike_toolnexus_we_hand_nothing_malformed_to_a_host(params, code):
    assert toolnexus.elicitation_to_request(SimpleNamespace(**params)).kind
    with pytest.raises(RemoteProtocolError) as caught:
        elicitation_to_request(params)
    assert caught.value.code == code


def test_unlike_toolnexus_we_take_no_truth_for_a_yes():
    answer = toolnexus.Answer(id="1", ok="no")
    assert toolnexus.answer_to_elicit_result(answer).action == "accept"
    with pytest.raises(LocalProtocolError) as caught:
        answer_to_elicit_result(answer)
    assert (caught.value.code, caught.value.at) == ("wrong_value", "/ok")
