"""The examples of the specification, and some of ours: the readers read them whole, the writers write them alike."""

import json
from typing import Any

import pytest
from vectors import ROOT, json_text
from wire_values import KINDS

from toolnexus_mrtr import (
    CreateMessageResult,
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    ListRootsResult,
    input_requests,
)
from toolnexus_mrtr.cli._vectors._operations import build_result

#: The examples of the specification, if they are beside the repository: a folder for each type.
SPEC = ROOT.parent / "shared" / "spec" / "2026-07-28" / "examples"

#: Folders whose examples are not used here, and why.
ASIDE = {
    "BooleanSchema": "a field of a form; forms are read as they are",
    "NumberSchema": "as above",
    "StringSchema": "as above",
    "TitledMultiSelectEnumSchema": "as above",
    "TitledSingleSelectEnumSchema": "as above",
    "UntitledMultiSelectEnumSchema": "as above",
    "UntitledSingleSelectEnumSchema": "as above",
    "CallToolRequestParams": "a first send, before anything is asked",
}

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1},
        "age": {"type": "number", "minimum": 0.5},
        "tags": {
            "type": "array",
            "items": {"anyOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]},
        },
    },
    "required": ["name"],
}
FORM_PARAMS = {"message": "Who are you?", "requestedSchema": FORM}
URL_PARAMS = {"mode": "url", "message": "Sign in, please.", "url": "https://auth.example.com/start?id=7#go"}
SAMPLING_PARAMS = {
    "messages": [
        {"role": "user", "content": {"type": "text", "text": "Weather in Oslo?"}},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "w", "input": {"city": "Oslo"}}]},
        {"role": "user", "content": [{"type": "tool_result", "toolUseId": "c1", "content": []}]},
    ],
    "modelPreferences": {"hints": [{"name": "small"}], "costPriority": 0.25},
    "systemPrompt": "Be short.",
    "tools": [{"name": "w", "inputSchema": {"type": "object"}}],
    "toolChoice": {"mode": "auto"},
    "maxTokens": 50,
}
ASKED = {
    "who": {"method": "elicitation/create", "params": FORM_PARAMS},
    "sign_in": {"method": "elicitation/create", "params": URL_PARAMS},
    "weather": {"method": "sampling/createMessage", "params": SAMPLING_PARAMS},
    "roots": {"method": "roots/list"},
}
ACCEPTED = {"action": "accept", "content": {"name": "Ada", "age": 36.5, "tags": ["r", "g"], "ok": False, "n": 3}}
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Cold."}, "model": "m-1", "stopReason": "endTurn"}
CALLED = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "w", "input": {}}], "model": "m-1"}
ROOTS = {"roots": [{"uri": "file:///projects/ada", "name": "Work"}, {"uri": "file:///srv"}]}

#: Our examples, by type, so that each test runs without those of the specification too.
OURS: dict[str, list[Any]] = {
    "InputRequiredResult": [
        {"resultType": "input_required", "inputRequests": ASKED, "requestState": "s-1"},
        {"resultType": "input_required", "inputRequests": ASKED},
        {"resultType": "input_required", "requestState": "50%"},
    ],
    "InputRequests": [ASKED],
    "ElicitRequest": [ASKED["who"], ASKED["sign_in"]],
    "ElicitRequestFormParams": [FORM_PARAMS],
    "ElicitRequestURLParams": [URL_PARAMS],
    "CreateMessageRequest": [ASKED["weather"]],
    "CreateMessageRequestParams": [SAMPLING_PARAMS],
    "ListRootsRequest": [ASKED["roots"], {"method": "roots/list", "params": {"_meta": {}}}],
    "InputResponses": [{"who": ACCEPTED, "sign_in": {"action": "accept"}, "weather": SAMPLED, "roots": ROOTS}],
    "ElicitResult": [ACCEPTED, {"action": "accept"}, {"action": "decline"}, {"action": "cancel"}],
    "CreateMessageResult": [SAMPLED, CALLED],
    "ListRootsResult": [ROOTS, {"roots": []}],
    "Root": ROOTS["roots"],
}

METHODS = {
    "ElicitRequestFormParams": "elicitation/create",
    "ElicitRequestURLParams": "elicitation/create",
    "CreateMessageRequestParams": "sampling/createMessage",
}

#: An entry that asks for each kind of result.
FORM_ENTRY, URL_ENTRY, SAMPLING_ENTRY, ROOTS_ENTRY = ASKED.values()


def examples(kind: str) -> list[Any]:
    """Give every example of a type, ours first, as parameters with ids."""
    ours = [pytest.param(value, id=f"{kind}-{place}") for place, value in enumerate(OURS[kind])]
    theirs = [
        pytest.param(json.loads(path.read_bytes()), id=f"{kind}-{path.stem}")
        for path in sorted((SPEC / kind).glob("*.json"))
    ]
    return ours + theirs


def wrapped(kind: str) -> list[Any]:
    """Give every example of a type of params as an entry of `inputRequests`."""
    return [
        pytest.param({"method": METHODS[kind], "params": example.values[0]}, id=example.id)
        for example in examples(kind)
    ]


def assert_read_whole(request: Any, entry: dict[str, Any]) -> None:
    params = entry.get("params")
    assert type(request) is KINDS[entry["method"]]
    if isinstance(request, ElicitRequest):
        assert request == ElicitRequest(
            message=params["message"],
            mode=params.get("mode"),
            requested_schema=params.get("requestedSchema"),
            url=params.get("url"),
        )
    else:
        assert request.params is params


def may_have_asked(result: Any) -> dict[str, Any]:
    """Give an entry that a result answers; an accept without content answers a url, since a form needs content."""
    if isinstance(result, ElicitResult):
        return URL_ENTRY if result == ElicitResult(action="accept") else FORM_ENTRY
    return SAMPLING_ENTRY if isinstance(result, CreateMessageResult) else ROOTS_ENTRY


@pytest.mark.parametrize("raw", examples("InputRequiredResult"))
def test_both_readers_find_the_state_and_every_key_of_an_input_required_result(raw):
    assert ElicitationRequests.is_input_required(raw)
    assert ElicitationRequests.request_state(raw) == raw.get("requestState")
    entries = raw.get("inputRequests", {})
    assert list(input_requests(raw)) == list(entries)
    assert list(ElicitationRequests.requests(raw)) == list(entries)


@pytest.mark.parametrize("entries", examples("InputRequests"))
def test_input_requests_reads_every_entry_in_its_order(entries):
    read = input_requests({"inputRequests": entries})
    assert list(read) == list(entries)
    for key, entry in entries.items():
        assert_read_whole(read[key], entry)


@pytest.mark.parametrize(
    "entry",
    [
        *examples("ElicitRequest"),
        *examples("CreateMessageRequest"),
        *examples("ListRootsRequest"),
        *wrapped("ElicitRequestFormParams"),
        *wrapped("ElicitRequestURLParams"),
        *wrapped("CreateMessageRequestParams"),
    ],
)
def test_input_requests_reads_an_entry_whole(entry):
    assert_read_whole(input_requests({"inputRequests": {"key": entry}})["key"], entry)


@pytest.mark.parametrize(
    ("kind", "example"),
    [
        pytest.param(kind, *example.values, id=example.id)
        for kind in (ElicitResult, CreateMessageResult, ListRootsResult)
        for example in examples(kind.__name__)
    ],
)
def test_to_input_responses_writes_each_kind_of_result_as_in_the_example(kind, example):
    result = build_result(example)
    assert type(result) is kind
    asked = input_requests({"inputRequests": {"key": may_have_asked(result)}})
    for requests in (None, asked):
        written = ElicitationResponses.to_input_responses({"key": result}, requests)
        assert json_text(written) == json_text({"key": example})


@pytest.mark.parametrize("example", examples("Root"))
def test_to_input_response_writes_a_root_as_in_the_example(example):
    written = ElicitationResponses.to_input_response("key", build_result({"roots": [example]}))
    assert json_text(written) == json_text({"key": {"roots": [example]}})


@pytest.mark.parametrize("example", examples("InputResponses"))
def test_to_input_responses_writes_several_results_as_in_the_example(example):
    results = {key: build_result(answer) for key, answer in example.items()}
    asked = input_requests({"inputRequests": {key: may_have_asked(result) for key, result in results.items()}})
    for requests in (None, asked):
        written = ElicitationResponses.to_input_responses(results, requests)
        assert json_text(written) == json_text(example)
        assert list(written) == list(example)


def test_every_example_folder_of_the_specification_is_used_or_set_aside():
    assert {folder.name for folder in SPEC.glob("*")} <= OURS.keys() | ASIDE.keys()
