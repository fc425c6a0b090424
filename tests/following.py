"""Follow a recorded call: the library is given each response, and must send the next request as it was recorded."""

from itertools import pairwise
from typing import Any

import pytest
from vectors import json_text

from toolnexus_mrtr import Call, Done, Pause, RemoteProtocolError, TaskCancelled, TaskFailed


def follow(steps: list[dict[str, Any]]) -> None:
    """Follow one call, with the answers that were recorded, to the end that its last response says."""
    first = steps[0]["request"]
    call = Call(first["method"], first["params"])
    require_sent(call, steps[0])
    for step, upcoming in pairwise(steps):
        pause = call.receive(step["response"]["result"])
        assert isinstance(pause, Pause)
        if upcoming["request"]["method"] == "tasks/cancel":
            call = pause.cancel_task()
        else:
            call = pause.resume(upcoming["request"]["params"].get("inputResponses", {}))
        require_sent(call, upcoming)
    require_end(call, steps[-1]["response"])


def require_sent(call: Call, step: dict[str, Any]) -> None:
    assert call.method == step["request"]["method"]
    assert json_text(call.params) == json_text(step["request"]["params"])
    assert call.headers == step["headers"]


def require_end(call: Call, response: dict[str, Any]) -> None:
    result = response.get("result", {})
    if "error" in response:
        return  # A JSON-RPC error is for the transport.
    if result.get("status") == "failed":
        with pytest.raises(TaskFailed) as failed:
            call.receive(result)
        assert failed.value.error == result["error"]
    elif result.get("status") == "cancelled":
        with pytest.raises(TaskCancelled):
            call.receive(result)
    elif result["resultType"] == "task":
        with pytest.raises(RemoteProtocolError) as refused:
            call.receive(result)
        assert refused.value.code == "unknown_result_type"
    else:
        assert call.receive(result) == Done(result.get("result", result), "complete")
