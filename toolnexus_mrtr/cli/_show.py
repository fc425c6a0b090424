"""The command `show`: prints for a person what a paused result asks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, Final

from toolnexus_mrtr import (
    Call,
    CreateMessageRequest,
    ElicitRequest,
    Field,
    Form,
    InputRequest,
    MrtrError,
    Pause,
    inspect_url,
    printable,
)
from toolnexus_mrtr.cli._input import DEFAULT_METHOD, build_form, receive
from toolnexus_mrtr.cli._text import describe_request, fold, quote, quote_lines, to_json_text

#: How many fields of a form, choices of a field and unenforced keywords are shown before "and N more".
_MAX_FIELDS: Final = 100
_MAX_CHOICES: Final = 20
_MAX_UNENFORCED: Final = 5

_KINDS: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "choice": "one choice",
    "choices": "any of the choices",
    "unsupported": "something that cannot be shown",
}


def show(options: argparse.Namespace) -> Iterator[str]:
    """Print what a paused result asks."""
    pause = receive(Call(DEFAULT_METHOD, {}), options.file)
    if not isinstance(pause, Pause):
        yield "The call is finished: nothing is asked."
        return
    requests = pause.input_requests
    state = "no" if pause.request_state is None else "yes"
    yield f"The call is paused. Asked: {len(requests)}. A state to echo: {state}."
    for key, request in requests.items():
        yield ""
        yield from fold(f"{quote(key)}: {describe_request(request)}", "", "      ")
        yield from _show_request(request)


def _show_request(request: InputRequest) -> Iterator[str]:
    if isinstance(request, ElicitRequest):
        yield from quote_lines(request.message or "")
        yield from _show_url(request.url or "") if request.mode == "url" else _show_form(build_form(request))
    elif isinstance(request, CreateMessageRequest):
        yield f"  messages: {len(request.messages)}"
        yield f"  tokens: at most {request.max_tokens}"


def _show_url(url: str) -> Iterator[str]:
    """Show the host and the warnings, then the whole url: last and unfolded, so it hides nothing and can be copied."""
    report = inspect_url(url)
    yield f"  host: {report.host}"
    for warning in report.warnings:
        yield f"  warning: {warning}"
    yield f"  url: {printable(url)}"


def _show_form(form: Form | MrtrError) -> Iterator[str]:
    """Show the fields of a form in the server's order, then the keywords that only the server checks."""
    if isinstance(form, MrtrError):
        warning = f"warning: this can only be declined or cancelled, it cannot be checked: {form}"
        yield from fold(warning, "  ", "      ")
        return
    defaults = form.defaults()
    for field in form.fields[:_MAX_FIELDS]:
        required = ", required" if field.required else ""
        yield from fold(f"{quote(field.name)}: {_KINDS[field.kind]}{required}", "  ", "      ")
        yield from _show_field(field)
        if field.name in defaults:
            yield from _indent(f"default: {to_json_text(defaults[field.name])}")
    yield from _show_rest("  ", len(form.fields) - _MAX_FIELDS, "fields")
    for pointer in form.unenforced[:_MAX_UNENFORCED]:
        yield from fold(f"not enforced: {quote(pointer)}", "  ", "      ")
    yield from _show_rest("  ", len(form.unenforced) - _MAX_UNENFORCED, "constraints not enforced")


def _show_field(field: Field) -> Iterator[str]:
    if field.label != field.name:
        yield from _indent(f"label: {quote(field.label)}")
    if field.description:
        yield from quote_lines(field.description, "    | ")
    if field.sensitive:
        yield from _indent("warning: this seems to ask for a secret, which a form must not do")
    yield from _show_bounds("value", field.minimum, field.maximum)
    yield from _show_bounds("characters", field.min_length, field.max_length)
    yield from _show_bounds("items", field.min_items, field.max_items)
    if field.format is not None:
        yield from _indent(f"format: {quote(field.format)}")
    choices = field.choices or ()
    for choice in choices[:_MAX_CHOICES]:
        value = to_json_text(choice.value)
        label = "" if choice.label in (choice.value, value) else f", {quote(choice.label)}"
        yield from _indent(f"choice: {value}{label}")
    yield from _show_rest("    ", len(choices) - _MAX_CHOICES, "choices")


def _show_bounds(name: str, minimum: Any, maximum: Any) -> Iterator[str]:
    bounds = (("at least", minimum), ("at most", maximum))
    shown = [f"{words} {to_json_text(bound)}" for words, bound in bounds if bound is not None]
    if shown:
        yield from _indent(f"{name}: {', '.join(shown)}")


def _indent(text: str) -> Iterator[str]:
    return fold(text, "    ", "      ")


def _show_rest(prefix: str, count: int, name: str) -> Iterator[str]:
    if count > 0:
        yield f"{prefix}and {count} more {name}"
