"""Reading: `input_requests` beside msgspec alone, the SDK's pydantic model and its whole path; the lenient reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness import Row, calling, faster, slope, within
from inputs import paused
from mcp_types import InputRequiredResult
from mcp_types.methods import parse_server_result
from msgspec import Struct, convert

from toolnexus_mrtr import ElicitationRequests, input_requests

WORK = "input_requests"


class Entry(Struct):
    """One input request; its params are a map of anything."""

    method: str
    params: dict[str, Any] | None = None


class Paused(Struct, rename="camel"):
    """A paused result, as little read as its envelope allows."""

    result_type: str
    input_requests: dict[str, Entry]
    request_state: str | None = None


def rows() -> Iterator[Row]:
    for entries in (1, 10, 200):
        raw = paused(entries)
        _all_read_the_same(raw)
        ours = calling(input_requests, raw)
        bare = calling(convert, raw, Paused)
        model = calling(InputRequiredResult.model_validate, raw)
        path = calling(parse_server_result, "tools/call", "2026-07-28", raw)
        lenient = calling(ElicitationRequests.requests, raw)
        yield Row(WORK, str(entries), "msgspec.convert", ours, bare, within(2.5))
        yield Row(WORK, str(entries), "mcp_types model", ours, model, faster(6))
        yield Row(WORK, str(entries), "mcp_types path", ours, path, faster(20))
        yield Row("ElicitationRequests.requests", str(entries), "input_requests", lenient, ours, within(2))
    few, many = calling(input_requests, paused(10)), calling(input_requests, paused(1_000))
    yield Row(WORK, "1,000", "itself with 10", many, few, slope(10, 1_000, 1.1))


def _all_read_the_same(raw: dict[str, Any]) -> None:
    read = [
        input_requests(raw),
        convert(raw, Paused).input_requests,
        InputRequiredResult.model_validate(raw).input_requests,
        parse_server_result("tools/call", "2026-07-28", raw).input_requests,
    ]
    assert all(list(each) == list(raw["inputRequests"]) for each in read)
