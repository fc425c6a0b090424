"""`show`: what a paused result asks, as a person reads it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from toolnexus_mrtr import CreateMessageRequest, ElicitRequest, InputRequest, inspect_url, printable
from toolnexus_mrtr.cli._form import kind_of, properties, required
from toolnexus_mrtr.cli._input import read_paused
from toolnexus_mrtr.cli._text import asked, folded, named, said


def show(options: argparse.Namespace) -> Iterator[str]:
    """Print what a paused result asks."""
    paused = read_paused(options.file)
    if paused is None:
        yield "The call is finished: nothing is asked."
        return
    state = "no" if paused.state is None else "yes"
    yield f"The call is paused. Asked: {len(paused.requests)}. A state to echo: {state}."
    for key, request in paused.requests.items():
        yield ""
        yield from folded(f"{named(key)}: {asked(request)}", "", "      ")
        yield from _lines(request)


def _lines(request: InputRequest) -> Iterator[str]:
    if isinstance(request, ElicitRequest):
        yield from said(request.message or "")
        yield from _url_lines(request.url or "") if request.mode == "url" else _form_lines(request)
    elif isinstance(request, CreateMessageRequest):
        yield f"  messages: {len(request.messages)}"
        yield f"  tokens: at most {request.max_tokens}"


def _url_lines(url: str) -> Iterator[str]:
    """Give where a url leads, and the whole of it: last and unfolded, so that it hides nothing and can be copied."""
    report = inspect_url(url)
    yield f"  host: {report.host}"
    for warning in report.warnings:
        yield f"  warning: {warning}"
    yield f"  url: {printable(url)}"


def _form_lines(request: ElicitRequest) -> Iterator[str]:
    needed = required(request)
    for name, field in properties(request).items():
        yield from folded(f"{named(name)}: {kind_of(field)}{', required' if name in needed else ''}", "  ", "      ")
