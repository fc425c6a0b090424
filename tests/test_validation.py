"""`pause_faults` lists every fault in a fixed order, where the readers raise the first, and finds it in few frames."""

import sys
from pathlib import Path

import pytest
from wire_values import asking, form

import toolnexus_mrtr
from toolnexus_mrtr import Call, ElicitationRequests, RemoteProtocolError, input_requests
from toolnexus_mrtr._validation import Limits, pause_faults

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
