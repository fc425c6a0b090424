"""`show`: what a paused result asks, as a person reads it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from toolnexus_mrtr import (
    Call,
    CreateMessageRequest,
    ElicitRequest,
    InputRequest,
    MrtrError,
    Pause,
    inspect_url,
    printable,
)
from toolnexus_mrtr.cli._form import form_lines, form_of
from toolnexus_mrtr.cli._input import TOOL, received
from toolnexus_mrtr.cli._text import asked, folded, named, said


def show(options: argparse.Namespace) -> Iterator[str]:
    """Print what a paused result asks."""
    pause = received(Call(TOOL, {}), options.file)
    if not isinstance(pause, Pause):
        yield "The call is finished: nothing is asked."
        return
    requests = pause.input_requests
    state = "no" if pause.request_state is None else "yes"
    yield f"The call is paused. Asked: {len(requests)}. A state to echo: {state}."
    for key, request in requests.items():
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
    form = form_of(request)
    if isinstance(form, MrtrError):
        warning = f"warning: this can only be declined or cancelled, it cannot be checked: {form}"
        yield from folded(warning, "  ", "      ")
    else:
        yield from form_lines(form)
