"""Writing: `to_input_responses` beside msgspec alone and beside the pydantic models of the SDK."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mcp_types
from harness import Row, calling, faster, slope, within
from inputs import contents, paused_for_forms
from msgspec import to_builtins

from toolnexus_mrtr import ElicitationResponses, ElicitResult, input_requests

WORK = "to_input_responses"

#: How the SDK's session dumps a request.
AS_SENT = {"by_alias": True, "mode": "json", "exclude_none": True}


def rows() -> Iterator[Row]:
    for entries in (1, 10, 200):
        results, requests = answered(entries)
        dump = as_the_sdk_sends(results)
        written = ElicitationResponses.to_input_responses(results, requests)
        assert written == to_builtins(results) == dump(**AS_SENT)["inputResponses"]
        ours = calling(ElicitationResponses.to_input_responses, results, requests)
        yield Row(WORK, str(entries), "msgspec.to_builtins", ours, calling(to_builtins, results), within(3))
        yield Row(WORK, str(entries), "pydantic dump", ours, calling(dump, **AS_SENT), faster(2.5))
    few, many = (calling(ElicitationResponses.to_input_responses, *answered(entries)) for entries in (10, 1_000))
    yield Row(WORK, "1,000", "itself with 10", many, few, slope(10, 1_000, 1.1))


def answered(entries: int) -> tuple[dict[str, ElicitResult], dict[str, object]]:
    """So many forms, each accepted, and the requests that they answer."""
    results = {key: ElicitResult(action="accept", content=content) for key, content in contents(entries).items()}
    return results, input_requests(paused_for_forms(entries))


def as_the_sdk_sends(results: dict[str, ElicitResult]) -> Callable[..., dict[str, Any]]:
    """The dump of the retry's params, its models already made."""
    models = {key: mcp_types.ElicitResult(action="accept", content=result.content) for key, result in results.items()}
    return mcp_types.CallToolRequestParams(name="send_parcel", input_responses=models).model_dump
