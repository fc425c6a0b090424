"""`Handlers`: the capabilities that they declare, and requests that are refused since no handler is for them."""

import types

import pytest
from driving import DONE, NO, Person, Server, both, call
from vectors import json_text
from wire_values import FORM, LINK, LLM, MESSAGE, ROOTS, SCHEMA, UNKNOWN, asking, raised

from toolnexus_mrtr import Call, Handlers, LocalProtocolError, Pause, RemoteProtocolError

pytestmark = pytest.mark.usefixtures("clock")


@pytest.mark.parametrize(
    ("handlers", "declared"),
    [
        (Handlers(), {}),
        (Handlers(Person()), {"elicitation": {"form": {}, "url": {}}}),
        (Handlers(Person(), modes=["url"]), {"elicitation": {"url": {}}}),
        (Handlers(Person(), modes=("url", "form")), {"elicitation": {"form": {}, "url": {}}}),
        (Handlers(None, print), {"sampling": {}}),
        (Handlers(None, print, sampling_tools=True), {"sampling": {"tools": {}}}),
        (Handlers(sampling_tools=True), {}),
        (Handlers(list_roots=list), {"roots": {}}),
    ],
)
def test_handlers_capabilities_and_meta_follow_from_the_handlers_given(handlers, declared):
    assert json_text(handlers.capabilities(), ordered=True) == json_text(declared, ordered=True)
    assert json_text(handlers.meta()) == json_text(
        {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": declared,
        }
    )


def test_handlers_meta_and_capabilities_are_fresh_each_time():
    handlers, client = Handlers(Person()), types.MappingProxyType({"name": "cli", "version": "1"})
    meta = handlers.meta(client)
    assert meta["io.modelcontextprotocol/clientInfo"] == {"name": "cli", "version": "1"}
    meta["io.modelcontextprotocol/clientInfo"].clear()
    meta["io.modelcontextprotocol/clientCapabilities"].clear()
    assert handlers.meta(client)["io.modelcontextprotocol/clientInfo"] == dict(client)
    assert handlers.capabilities() == {"elicitation": {"form": {}, "url": {}}}


def test_handlers_compare_by_value_and_are_frozen():
    person = Person()
    assert Handlers(person, modes=["form"]) == Handlers(wait_for=person, modes=("form",))
    with pytest.raises(AttributeError):
        Handlers(person).wait_for = None


@pytest.mark.parametrize("modes", [(), ("forms",), ["form", ""]])
def test_handlers_refuse_empty_and_unknown_modes(modes):
    error = raised(LocalProtocolError, Handlers, Person(), modes=modes)
    assert (error.code, error.at) == ("wrong_value", "/modes")


@pytest.mark.parametrize(
    "given",
    [
        {"wait_for": "x"},
        {"create_message": 1},
        {"list_roots": []},
        {"modes": "form"},
        {"modes": 1},
        {"sampling_tools": 1},
    ],
)
def test_handlers_refuse_arguments_of_a_wrong_type_and_name_them(given):
    with pytest.raises(TypeError, match=next(iter(given))):
        Handlers(**given)


@both
def test_run_refuses_a_mode_that_handlers_meta_did_not_declare(drive):
    handlers = Handlers(Person(), modes=["form"])
    server = Server(asking(a=FORM, b=LINK))
    declaring = Call("tools/call", {"name": "t", "_meta": handlers.meta()})
    error = raised(RemoteProtocolError, drive, declaring, server, handlers)
    assert (error.code, error.at) == ("undeclared_capability", "/inputRequests/b/params/mode")


@both
@pytest.mark.parametrize(
    ("entry", "handlers", "name"),
    [
        (FORM, Handlers(), "wait_for"),
        (LINK, Handlers(Person(), modes=["form"]), "'url'"),
        (FORM, Handlers(Person(), modes=["url"]), "'form'"),
        ({"message": "m", "requestedSchema": SCHEMA}, Handlers(Person(), modes=["url"]), "'form'"),
        (LLM, Handlers(Person()), "create_message"),
        ({**LLM, "params": {**LLM["params"], "tools": []}}, Handlers(create_message=Person()), "sampling_tools"),
        ({**LLM, "params": {**LLM["params"], "toolChoice": {}}}, Handlers(create_message=Person()), "sampling_tools"),
        (ROOTS, Handlers(Person(), Person()), "list_roots"),
        (UNKNOWN, Handlers(Person(), Person(), list, sampling_tools=True), "Pause.resume"),
    ],
)
def test_run_names_the_handler_that_a_request_lacks_before_anything_is_asked(drive, entry, handlers, name):
    asked = []
    handlers = Handlers(
        handlers.wait_for and asked.append,
        handlers.create_message and asked.append,
        handlers.list_roots and (lambda: asked.append("roots")),
        modes=handlers.modes,
        sampling_tools=handlers.sampling_tools,
    )
    sibling = LINK if handlers.modes == ("url",) else FORM
    entries = {"a": sibling, "b/c": entry} if handlers.wait_for else {"b/c": entry}
    server, steps = Server(asking(**entries), DONE), []
    error = raised(LocalProtocolError, drive, call(), server, handlers, on_step=steps.append)
    assert (error.code, error.at) == ("unsupported_request", "/b~1c")
    assert name in str(error)
    assert (asked, len(server.sent)) == ([], 1)
    assert [type(step) for step in steps] == [Call, Pause]


@both
def test_run_hands_sampling_with_tools_to_a_handler_with_sampling_tools(drive):
    entry = {**LLM, "params": {**LLM["params"], "tools": [], "toolChoice": {}}}
    server = Server(asking(a=entry), DONE)
    drive(call(), server, Handlers(create_message=lambda _: MESSAGE, sampling_tools=True))
    assert server.responses == {"a": MESSAGE}


# What a call does not declare itself

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@both
@pytest.mark.parametrize(
    ("own", "sent"),
    [
        ({}, {VERSION: "2026-07-28"}),
        ({"_meta": None}, {VERSION: "2026-07-28"}),
        ({"_meta": {"k": {"v": 1}}}, {VERSION: "2026-07-28", "k": {"v": 1}}),
        ({"_meta": {VERSION: "2026-09-01"}}, {VERSION: "2026-09-01"}),
        ({"_meta": {CAPABILITIES: None}}, {VERSION: "2026-07-28"}),
    ],
    ids=["no _meta", "null", "another member", "another version", "null in it"],
)
def test_run_declares_the_handlers_for_a_call_that_declares_nothing(drive, own, sent):
    server, handlers = Server(asking(a=FORM), DONE), Handlers(lambda request: request.decline(), modes=["form"])
    drive(Call("tools/call", {"name": "t", **own}), server, handlers)
    assert [params["_meta"] for params in server.sent] == [{**sent, CAPABILITIES: {"elicitation": {"form": {}}}}] * 2
    gated = Server(asking(a=LINK))
    error = raised(RemoteProtocolError, drive, Call("tools/call", {"name": "t", **own}), gated, handlers)
    assert error.code == "undeclared_capability"


@both
@pytest.mark.parametrize(
    ("params", "options"),
    [
        ({"_meta": {CAPABILITIES: {"elicitation": {}}}}, {}),
        ({"_meta": {CAPABILITIES: {}}}, {}),
        ({}, {"capabilities": {"elicitation": {}}}),
        ({}, {"capabilities": {}}),
    ],
)
def test_run_declares_nothing_for_a_call_that_declares_anything(drive, params, options):
    server = Server(DONE)
    drive(Call("tools/call", params, **options), server, Handlers(Person(), print, list))
    assert server.sent == [params]


@both
def test_run_declares_the_handlers_for_a_stored_pause_and_keeps_the_ids_of_its_requests(drive):
    pause = Call("tools/call", {"name": "t", "_meta": {"k": 1}}, id="c").receive(asking("s", a=FORM))
    person, server = Person(NO), Server(DONE)
    drive(Pause.from_json(pause.to_json()), server, Handlers(person))
    assert [request.id for request in person.asked] == [pause.requests["a"].id]
    assert server.sent[0]["_meta"] == {"k": 1, **Handlers(person).meta()}
    assert pause.call.params["_meta"] == {"k": 1}
