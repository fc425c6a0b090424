"""`show`: what a paused result asks, as a person reads it. All of the server's text goes through `printable`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from toolnexus_mrtr import (
    CreateMessageRequest,
    ElicitationRequests,
    ElicitRequest,
    InputRequest,
    ListRootsRequest,
    input_requests,
    inspect_url,
    printable,
)
from toolnexus_mrtr.cli._input import read_result


def show(options: argparse.Namespace) -> Iterator[str]:
    """Print what a paused result asks."""
    raw = read_result(options.file)
    if not ElicitationRequests.is_input_required(raw):
        yield "The call is not paused: nothing is asked."
        return
    requests = input_requests(raw)
    state = ElicitationRequests.request_state(raw)
    yield f"The call is paused: {len(requests)} asked, {'no state' if state is None else 'a state'} to echo."
    for key, request in requests.items():
        yield ""
        yield from (printable(line) for line in _lines(key, request))


def _lines(key: str, request: InputRequest) -> Iterator[str]:
    if isinstance(request, ElicitRequest):
        yield f"{key!a}: {'a visit to a url' if request.mode == 'url' else 'a form'}"
        yield f"  {request.message}"
        yield from _url_lines(request.url) if request.mode == "url" else _form_lines(request.requested_schema or {})
    elif isinstance(request, CreateMessageRequest):
        yield f"{key!a}: a message of a language model"
        yield f"  {len(request.messages)} messages, at most {request.max_tokens} tokens"
    elif isinstance(request, ListRootsRequest):
        yield f"{key!a}: the roots of the client"
    else:
        yield f"{key!a}: something unknown, of the method {request.method}"


def _url_lines(url: str | None) -> Iterator[str]:
    report = inspect_url(url or "")
    yield f"  url: {report.url}"
    yield f"  host: {report.host}"
    for warning in report.warnings:
        yield f"  warning: {warning}"


def _form_lines(schema: Mapping[str, Any]) -> Iterator[str]:
    properties = schema.get("properties")
    required = schema.get("required")
    for name, field in properties.items() if isinstance(properties, Mapping) else ():
        kind = field.get("type", "any") if isinstance(field, Mapping) else "any"
        needed = ", required" if isinstance(required, list) and name in required else ""
        yield f"  {name}: {kind}{needed}"
