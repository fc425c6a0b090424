"""Every vector of the fixtures, run by this library; one test each, named by its id."""

import copy
import json

import pytest
from vectors import FIXTURES, VECTORS, Vector, json_text

from toolnexus_mrtr import LocalProtocolError, MrtrError, RemoteProtocolError
from toolnexus_mrtr.cli._vectors._operations import leave_out_unexpected, run_operation

SIDES = {
    code: RemoteProtocolError if entry["side"] == "remote" else LocalProtocolError
    for code, entry in json.loads((FIXTURES / "codes.json").read_bytes())["errors"].items()
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_vector(vector: Vector) -> None:
    given = copy.deepcopy(vector.input)
    ordered = "Order" in vector.flags
    if vector.error is None:
        outcome = leave_out_unexpected(vector.operation, run_operation(vector.operation, given), vector.expect)
        assert json_text(outcome, ordered=ordered) == json_text(vector.expect, ordered=ordered)
    else:
        with pytest.raises(MrtrError) as caught:
            run_operation(vector.operation, given)
        assert {"code": caught.value.code, "at": caught.value.at} == vector.error
        assert isinstance(caught.value, SIDES[vector.error["code"]])
        assert len(str(caught.value)) <= 400
    assert json_text(given, ordered=True) == json_text(vector.input, ordered=True), "the caller's object was changed"
