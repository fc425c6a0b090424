"""The readers beyond the vectors: Python's own types, sharing, misuse."""

import types
from collections import ChainMap, defaultdict

import pytest
from wire_values import FORM, ROOTS, Word, form

from toolnexus_mrtr import (
    Call,
    CreateMessageRequest,
    ElicitationRequests,
    ElicitRequest,
    ListRootsRequest,
    RemoteProtocolError,
    UnknownRequest,
    input_requests,
)

READERS = [
    ElicitationRequests.is_input_required,
    ElicitationRequests.requests,
    ElicitationRequests.request_state,
    input_requests,
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize("raw", [None, [], "input_required", b"{}", 5], ids=repr)
def test_every_reader_takes_only_a_mapping(reader, raw):
    with pytest.raises(TypeError, match="^raw must be a mapping"):
        reader(raw)


@pytest.mark.parametrize("wrap", [types.MappingProxyType, ChainMap], ids=lambda wrap: wrap.__name__)
def test_every_reader_takes_any_mapping(wrap):
    entries = wrap(
        {
            "form": wrap(
                {"method": "elicitation/create", "params": wrap({"message": "m", "requestedSchema": wrap({})})}
            ),
            "llm": wrap({"method": "sampling/createMessage", "params": wrap({"messages": (), "maxTokens": 1})}),
            "roots": wrap({"method": "roots/list"}),
            "other": wrap({"method": "x"}),
        }
    )
    raw = wrap({"resultType": "input_required", "inputRequests": entries, "requestState": "s"})
    assert ElicitationRequests.is_input_required(raw)
    assert ElicitationRequests.request_state(raw) == "s"
    assert [type(request) for request in input_requests(raw).values()] == [
        ElicitRequest,
        CreateMessageRequest,
        ListRootsRequest,
        UnknownRequest,
    ]
    assert ElicitationRequests.requests(raw)["form"].message == "m"


def test_is_input_required_and_input_requests_take_subclasses_of_str():
    raw = {"resultType": Word("input_required"), "inputRequests": {Word("k"): {**FORM, "method": Word(FORM["method"])}}}
    assert ElicitationRequests.is_input_required(raw)
    assert isinstance(input_requests(raw)["k"], ElicitRequest)


def test_request_state_gives_the_very_same_object():
    state = "eyJ9 " * 1000
    assert ElicitationRequests.request_state({"requestState": state}) is state


def test_input_requests_shares_schemas_and_params_with_the_raw_result():
    params = {"messages": [], "maxTokens": 1}
    read = input_requests({"inputRequests": {"a": FORM, "b": {"method": "sampling/createMessage", "params": params}}})
    assert read["a"].requested_schema is FORM["params"]["requestedSchema"]
    assert read["b"].params is params


def test_create_message_request_has_its_params_as_properties():
    params = {
        "messages": [{"role": "user", "content": {"type": "text", "text": "?"}}],
        "maxTokens": 50,
        "modelPreferences": {"hints": []},
        "systemPrompt": "short",
        "includeContext": "none",
        "temperature": 0.1,
        "stopSequences": ["."],
        "metadata": {"a": 1},
        "tools": [],
        "toolChoice": {"mode": "auto"},
    }
    request = CreateMessageRequest(params=params)
    assert (request.messages, request.max_tokens) == (params["messages"], 50)
    assert request.model_preferences == {"hints": []}
    assert (request.system_prompt, request.include_context) == ("short", "none")
    assert (request.temperature, request.stop_sequences) == (0.1, ["."])
    assert (request.metadata, request.tools, request.tool_choice) == ({"a": 1}, [], {"mode": "auto"})
    assert CreateMessageRequest(params={"messages": [], "maxTokens": 1}).tools is None


def test_elicit_request_is_frozen_and_compares_by_value():
    assert ElicitRequest(message="m") == ElicitRequest(message="m")
    with pytest.raises(AttributeError):
        ElicitRequest(message="m").message = "n"
    with pytest.raises(TypeError):
        ElicitRequest("m")


def test_repr_of_every_input_request_shows_no_params():
    shown = [
        repr(CreateMessageRequest(params={"messages": ["SECRET"], "maxTokens": 1})),
        repr(ListRootsRequest(params={"SECRET": 1})),
        repr(UnknownRequest(method="x", params="SECRET")),
        repr(ElicitRequest(message="m", requested_schema={"SECRET": 1})),
    ]
    assert not any("SECRET" in text for text in shown)
    assert shown[2] == "UnknownRequest(method='x')"


def test_input_requests_quotes_and_cuts_hostile_text_in_its_errors():
    raw = {
        "inputRequests": {"\x1b[2J" + "k" * 100_000: {"method": "elicitation/create", "params": {"mode": "x" * 9999}}}
    }
    with pytest.raises(RemoteProtocolError) as caught:
        input_requests(raw)
    assert len(str(caught.value)) < 250
    assert "\x1b" not in str(caught.value)
    assert caught.value.at.endswith("k/params/mode")


def test_input_requests_and_requests_read_schemas_nested_ten_thousand_levels_deep():
    schema = inner = {}
    for _ in range(10_000):
        inner["x"] = {}
        inner = inner["x"]
    raw = {"inputRequests": {"a": form(schema=schema)}}
    assert input_requests(raw)["a"].requested_schema is schema
    assert ElicitationRequests.requests(raw)["a"].requested_schema is schema


def test_input_requests_does_not_fill_in_a_defaultdict():
    flat = defaultdict(dict, message="m", requestedSchema={})
    enveloped = defaultdict(dict, method="elicitation/create", params=defaultdict(dict, message="m"))
    assert input_requests({"inputRequests": {"a": flat}})["a"].message == "m"
    assert set(flat) == {"message", "requestedSchema"}
    with pytest.raises(RemoteProtocolError) as caught:
        input_requests({"inputRequests": {"a": enveloped}})
    assert (caught.value.code, caught.value.at) == ("missing_member", "/inputRequests/a/params/requestedSchema")
    assert set(enveloped["params"]) == {"message"}


@pytest.mark.parametrize("key", [1, b"a", None, ("a",)], ids=repr)
@pytest.mark.parametrize("reader", [ElicitationRequests.requests, input_requests])
def test_input_requests_and_requests_refuse_keys_other_than_str(reader, key):
    with pytest.raises(RemoteProtocolError) as caught:
        reader({"inputRequests": {"a": ROOTS, key: ROOTS}})
    assert (caught.value.code, caught.value.at) == ("wrong_type", "/inputRequests")


@pytest.mark.parametrize("reader", [ElicitationRequests.requests, input_requests])
def test_input_requests_and_requests_give_plain_str_as_keys(reader):
    (key,) = reader({"inputRequests": {Word("a"): ROOTS}})
    assert (type(key), key) == (str, "a")


#: The two halves of a surrogate pair side by side, as `json.loads` gives them for CESU-8 bytes.
HALVES = "\ud83d\ude00"


@pytest.mark.parametrize("read", [ElicitationRequests.requests, input_requests, Call("tools/call", {}).receive])
@pytest.mark.parametrize(
    ("entries", "at", "code"),
    [
        ({HALVES: FORM}, "", "wrong_type"),
        ({HALVES: FORM, "\U0001f600": FORM}, "", "wrong_type"),
        ({HALVES: None}, "", "wrong_type"),
        ({Word("a" + HALVES): FORM}, "", "wrong_type"),
        ({"a": form(HALVES)}, "/a/params/message", "wrong_type"),
        ({"a": {"message": "\u00e9" + HALVES, "requestedSchema": {}}}, "/a/message", "wrong_type"),
        ({"a": {"mode": "url", "message": HALVES, "url": "https://host.example/"}}, "/a/message", "wrong_type"),
        ({"a": {"mode": HALVES, "message": "m"}}, "/a/mode", "unknown_mode"),
        ({"a": {"method": HALVES}}, "/a/method", "wrong_type"),
    ],
    ids=ascii,
)  # fmt: skip
def test_input_requests_and_requests_refuse_split_surrogate_pairs_as_receive_does(read, entries, at, code):
    with pytest.raises(RemoteProtocolError) as caught:
        read({"resultType": "input_required", "inputRequests": entries})
    assert (caught.value.code, caught.value.at) == (code, "/inputRequests" + at)


def test_input_requests_and_requests_read_lone_surrogates_in_keys_and_messages():
    entry = {"method": "elicitation/create", "params": {"message": "\ude00\ud83d", "requestedSchema": {}}}
    raw = {"inputRequests": {"\ude00\ud83d": entry}}
    assert input_requests(raw) == ElicitationRequests.requests(raw)
    assert input_requests(raw)["\ude00\ud83d"].message == "\ude00\ud83d"
