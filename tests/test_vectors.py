"""Every vector of the fixtures, carried out by this library; one test each, named by its id."""

import copy
import json

import pytest
from operations import run
from vectors import FIXTURES, VECTORS, Vector

from toolnexus_mrtr import LocalProtocolError, MrtrError, RemoteProtocolError

SIDES = {
    code: RemoteProtocolError if entry["side"] == "remote" else LocalProtocolError
    for code, entry in json.loads((FIXTURES / "codes.json").read_bytes())["errors"].items()
}


def text(value: object, *, ordered: bool) -> str:
    """JSON text, so that 1, 1.0 and true differ; the order of members counts where the vector says so."""
    return json.dumps(value, sort_keys=not ordered)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_vector(vector: Vector) -> None:
    given = copy.deepcopy(vector.input)
    ordered = "Order" in vector.flags
    if vector.error is None:
        assert text(run(vector.operation, given), ordered=ordered) == text(vector.expect, ordered=ordered)
    else:
        with pytest.raises(MrtrError) as caught:
            run(vector.operation, given)
        assert {"code": caught.value.code, "at": caught.value.at} == vector.error
        assert type(caught.value) is SIDES[vector.error["code"]]
        assert len(str(caught.value)) <= 400
    assert text(given, ordered=True) == text(vector.input, ordered=True), "the caller's object was changed"
