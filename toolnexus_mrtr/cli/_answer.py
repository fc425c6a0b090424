"""`answer`: the params of the call that answers a paused result, as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from toolnexus_mrtr import (
    ElicitationRequests,
    ElicitationResponses,
    ElicitRequest,
    ElicitResult,
    InputRequest,
    input_requests,
)
from toolnexus_mrtr.cli._input import BadInput, read_params, read_result


def answer(options: argparse.Namespace) -> Iterator[str]:
    """Print the params of the call that answers a paused result."""
    raw = read_result(options.file)
    if not ElicitationRequests.is_input_required(raw):
        raise BadInput(f"{options.file}: expected a paused result, the call is finished")
    params = read_params(options.call) if options.call else {}
    params = {name: value for name, value in params.items() if name not in ("inputResponses", "requestState")}
    requests = input_requests(raw)
    results = _results(options, requests)
    if results or requests:
        params["inputResponses"] = ElicitationResponses.to_input_responses(results, requests)
    state = ElicitationRequests.request_state(raw)
    if state is not None:
        params["requestState"] = state
    yield json.dumps(params, indent=2)


def _results(options: argparse.Namespace, requests: Mapping[str, InputRequest]) -> dict[str, ElicitResult]:
    contents: dict[str, dict[str, Any]] = {}
    for text in options.accept:
        key, field, value = _assignment(text, requests)
        content = contents.setdefault(key, {})
        if field is not None:
            content[field] = _typed(value, field, requests[key])
    results = {key: ElicitResult(action="accept", content=content) for key, content in contents.items()}
    results |= {key: ElicitResult(action="decline") for key in options.decline}
    results |= {key: ElicitResult(action="cancel") for key in options.cancel}
    return {key: results[key] for key in (*requests, *results) if key in results}


def _assignment(text: str, requests: Mapping[str, InputRequest]) -> tuple[str, str | None, str]:
    """Split `KEY.FIELD=VALUE`; a key may hold dots itself, so the longest one that is asked wins."""
    for key in sorted(requests, key=len, reverse=True):
        if text == key:
            return key, None, ""
        if text.startswith(key + ".") and "=" in text[len(key) :]:
            field, _, value = text[len(key) + 1 :].partition("=")
            return key, field, value
    raise BadInput(f"--accept {text}: expected KEY or KEY.FIELD=VALUE with a key that is asked")


def _typed(value: str, field: str, request: InputRequest) -> Any:
    schema = (request.requested_schema or {}) if isinstance(request, ElicitRequest) else {}
    kind = schema.get("properties", {}).get(field, {}).get("type")
    if kind not in ("number", "integer", "boolean", "array"):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise BadInput(f"--accept {field}: expected a value of the type {kind}") from None
