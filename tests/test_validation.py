"""A walk over the rules lists every fault, in document order, where the reader raises the first."""

import pytest

from toolnexus_mrtr._validation import Limits, pause_faults


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
