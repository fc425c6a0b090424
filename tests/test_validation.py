"""A walk over the rules lists every fault, in document order, where the reader raises the first."""

import sys
from pathlib import Path

import pytest

import toolnexus_mrtr
from toolnexus_mrtr import Call, ElicitationRequests, RemoteProtocolError, input_requests
from toolnexus_mrtr._validation import Limits, pause_faults

PACKAGE = Path(toolnexus_mrtr.__file__).parent


def found(entries):
    faults = pause_faults({"inputRequests": entries}, method=None, capabilities=None, limits=Limits())
    return [(fault.code, fault.at) for fault in faults]


def test_requests_that_are_no_object_are_one_fault():
    assert found([]) == [("wrong_type", "/inputRequests")]


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage", "roots/list"])
def test_params_that_are_no_object_are_one_fault(method):
    assert found({"k": {"method": method, "params": 5}}) == [("wrong_type", "/inputRequests/k/params")]


def test_every_fault_is_found_in_document_order():
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


def deepest(function, *arguments):
    """How many frames of the package's own stood on the stack at once while a function ran."""
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
    "door",
    [ElicitationRequests.requests, input_requests, Call("tools/call", {}).receive],
    ids=["requests", "input_requests", "receive"],
)
def test_a_wrong_type_in_an_entry_is_found_at_most_seven_frames_deep(door):
    form = {"method": "elicitation/create", "params": {"message": 5, "requestedSchema": {}}}
    assert deepest(door, {"resultType": "input_required", "inputRequests": {"k": form}}) <= 7
