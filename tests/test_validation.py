"""`pause_faults` lists every fault in a fixed order, where the readers raise the first, and finds it in few frames."""

import sys
from pathlib import Path

import msgspec
import pytest
from wire_values import FORM, LINK, LLM, ROOTS, asking, form

import toolnexus_mrtr
from toolnexus_mrtr import (
    Call,
    CreateMessageRequest,
    ElicitationRequests,
    ElicitRequest,
    ListRootsRequest,
    RemoteProtocolError,
    input_requests,
)
from toolnexus_mrtr._validation import Limits, pause_faults, read_well_formed

PACKAGE = Path(toolnexus_mrtr.__file__).parent


def found(entries):
    faults = pause_faults({"inputRequests": entries}, method=None, capabilities=None, limits=Limits())
    return [(fault.code, fault.at) for fault in faults]


def test_pause_faults_gives_one_fault_for_input_requests_of_a_wrong_type():
    assert found([]) == [("wrong_type", "/inputRequests")]


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage", "roots/list"])
def test_pause_faults_gives_one_fault_for_params_of_a_wrong_type(method):
    assert found({"k": {"method": method, "params": 5}}) == [("wrong_type", "/inputRequests/k/params")]


def test_pause_faults_lists_every_fault_of_the_entries_in_document_order():
    entries = {
        "b": {"method": "sampling/createMessage", "params": {"maxTokens": "5"}},
        "a": {"method": "elicitation/create", "params": {"mode": "Form", "requestedSchema": []}},
        "c": 5,
    }
    assert found(entries) == [
        ("missing_member", "/inputRequests/b/params/messages"),
        ("wrong_type", "/inputRequests/b/params/maxTokens"),
        ("unknown_mode", "/inputRequests/a/params/mode"),
        ("missing_member", "/inputRequests/a/params/message"),
        ("wrong_type", "/inputRequests/a/params/requestedSchema"),
        ("wrong_type", "/inputRequests/c"),
    ]


def changed(entry, **params):
    """An entry with other params; `None` takes one away."""
    members = {**entry["params"], **params}
    return {**entry, "params": {name: value for name, value in members.items() if value is not None}}


LINK_PARAMS, SCHEMA = LINK["params"], FORM["params"]["requestedSchema"]


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        (FORM, ElicitRequest(message="m", requested_schema=SCHEMA)),
        (changed(FORM, mode="form"), ElicitRequest(message="m", requested_schema=SCHEMA, mode="form")),
        (changed(FORM, message="\u00e9"), ElicitRequest(message="\u00e9", requested_schema=SCHEMA)),
        (LINK, ElicitRequest(message="m", mode="url", url=LINK_PARAMS["url"])),
        (LLM, CreateMessageRequest(params=LLM["params"])),
        (ROOTS, ListRootsRequest()),
    ],
    ids=["form", "form by its mode", "form with a message beyond ASCII", "link", "sampling", "roots"],
)
def test_read_well_formed_reads_every_shape_of_the_specification(entry, read):
    assert read_well_formed(entry) == read


@pytest.mark.parametrize(
    "entry",
    [
        5,
        {"method": "com.example/approve", "params": {}},
        {"method": "elicitation/create"},
        {"method": "elicitation/create", "params": 5},
        LINK_PARAMS,
        changed(FORM, mode="Form"),
        {**FORM, "params": {**FORM["params"], "mode": None}},
        changed(FORM, message="\ud83d\ude00"),
        changed(FORM, message=5),
        changed(FORM, requestedSchema=[]),
        changed(FORM, url=5),
        changed(FORM, _meta={}),
        changed(LINK, requestedSchema=5),
        changed(LINK, _meta={}),
        changed(LINK, url=5),
        changed(LINK, url="http://localhost"),
        changed(LLM, messages={}),
        changed(LLM, maxTokens=1.5),
        {**LLM, "params": []},
        {**ROOTS, "params": {}},
    ],
    ids=repr,
)
def test_read_well_formed_leaves_to_the_rules_what_may_break_one(entry):
    assert read_well_formed(entry) is None


def test_limits_are_what_the_reference_says_unless_given():
    assert msgspec.structs.asdict(Limits()) == {
        "input_requests": 100,
        "key": 256,
        "message": 65536,
        "request_state": 1048576,
        "depth": 64,
    }


def test_limits_are_given_by_name_and_never_change():
    with pytest.raises(TypeError):
        Limits(5)
    limits = Limits()
    with pytest.raises(AttributeError):
        limits.key = 5
    assert limits.key == 256


def test_limits_that_were_stored_have_no_member_that_is_no_limit():
    with pytest.raises(msgspec.ValidationError, match="keys"):
        msgspec.convert({"keys": 5}, Limits)


@pytest.mark.parametrize(
    ("entry", "capabilities", "needed", "at"),
    [
        (FORM, {}, "elicitation", ""),
        (LINK, {"elicitation": {}}, "elicitation.url", "/params/mode"),
        (LINK_PARAMS, {"elicitation": {"form": {}}}, "elicitation.url", "/mode"),
        (FORM, {"elicitation": {"url": {}}}, "elicitation.form", "/params/mode"),
        (LLM, {}, "sampling", ""),
        (changed(LLM, tools=[]), {"sampling": {}}, "sampling.tools", "/params/tools"),
        (changed(LLM, toolChoice={}), {"sampling": {}}, "sampling.tools", "/params/toolChoice"),
        (ROOTS, {"elicitation": {}}, "roots", ""),
    ],
)
def test_receive_names_the_capability_that_was_not_declared(entry, capabilities, needed, at):
    with pytest.raises(RemoteProtocolError) as caught:
        Call("tools/call", {}, capabilities=capabilities).receive(asking(k=entry))
    assert (caught.value.code, caught.value.at) == ("undeclared_capability", "/inputRequests/k" + at)
    assert repr(needed) in str(caught.value)


def test_requests_looks_at_no_params_of_what_is_no_elicitation():
    read = ElicitationRequests.requests(asking(k={**ROOTS, "params": 5}))
    assert list(read) == ["k"]


def deepest(function, *arguments):
    """Count the frames of the package that are on the stack at most while a function runs."""
    depth = most = 0

    def count(frame, event, _argument):
        nonlocal depth, most
        if event in ("call", "return") and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            depth += 1 if event == "call" else -1
            most = max(most, depth)

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        with pytest.raises(RemoteProtocolError) as caught:
            function(*arguments)
    finally:
        sys.setprofile(before)
    assert (caught.value.code, caught.value.at) == ("wrong_type", "/inputRequests/k/params/message")
    return most


@pytest.mark.parametrize(
    "read",
    [ElicitationRequests.requests, input_requests, Call("tools/call", {}).receive],
    ids=["requests", "input_requests", "receive"],
)
def test_requests_input_requests_and_receive_find_a_wrong_type_within_seven_frames(read):
    assert deepest(read, asking(k=form(message=5))) <= 7
