"""`request_faults` lists every fault in document order, where the reader raises the first."""

import pytest

from toolnexus_mrtr._rules import request_faults


def found(entries, *, strict=True):
    return [(fault.code, fault.at) for fault in request_faults({"inputRequests": entries}, strict=strict)]


@pytest.mark.parametrize("strict", [True, False])
def test_request_faults_gives_one_fault_for_input_requests_of_a_wrong_type(strict):
    assert found([], strict=strict) == [("wrong_type", "/inputRequests")]


@pytest.mark.parametrize("method", ["elicitation/create", "sampling/createMessage", "roots/list"])
def test_request_faults_gives_one_fault_for_params_of_a_wrong_type(method):
    assert found({"k": {"method": method, "params": 5}}) == [("wrong_type", "/inputRequests/k/params")]


def test_request_faults_lists_every_fault_in_document_order():
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
