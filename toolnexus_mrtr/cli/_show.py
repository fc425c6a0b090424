"""The command `show`: prints for a person what a paused result asks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import ceil, floor
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
from toolnexus_mrtr.cli._input import (
    DEFAULT_METHOD,
    Failure,
    build_form,
    prefix_errors_with,
    read_response,
    receive_result,
)
from toolnexus_mrtr.cli._text import describe_request, fold, quote, quote_lines, to_json_text

#: How many unenforced keywords are shown before "and N more". Fields and choices are all shown: a person has to pick.
_MAX_UNENFORCED: Final = 5

#: The bounds that a generator of schemas gives to every whole number of JavaScript: nobody chose them.
_SAFE_INTEGER: Final = 2**53 - 1

#: What is entered, by the kind of a field.
KINDS: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "choice": "one choice",
    "choices": "any of the choices",
    "strings": "a list of text",
    "unsupported": "something that cannot be shown",
}


def show(options: argparse.Namespace) -> Iterator[str]:
    """Print what a paused result asks."""
    response = read_response(options.file)
    if isinstance(response, Failure):
        yield f"The call failed, nothing is asked. The code of the error: {response.code}."
        yield from quote_lines(response.message)
        return
    with prefix_errors_with(options.file):
        pause = receive_result(Call(DEFAULT_METHOD, {}), response.result)
    if not isinstance(pause, Pause):
        yield "The call is finished: nothing is asked."
        return
    yield from show_pause(pause)


def show_pause(pause: Pause) -> Iterator[str]:
    """Show what a pause asks."""
    requests = pause.input_requests
    if pause.task_id is None:
        state = "no" if pause.request_state is None else "yes"
        yield f"The call is paused. Asked: {len(requests)}. A state to echo: {state}."
    else:
        yield f"The call has become a task, which is {pause.raw['status']}. Asked: {len(requests)}."
        if pause.status_message:
            yield from quote_lines(pause.status_message)
    for key, request in requests.items():
        yield ""
        yield from fold(f"{quote(key)}: {describe_request(request)}", "", "      ")
        yield from _show_request(request)


def _show_request(request: InputRequest) -> Iterator[str]:
    if isinstance(request, ElicitRequest):
        yield from quote_lines(request.message or "")
        yield from _show_url(request.url or "") if request.mode == "url" else _show_form(build_form(request))
    elif isinstance(request, CreateMessageRequest):
        yield from _show_sampling(request)


def _show_sampling(request: CreateMessageRequest) -> Iterator[str]:
    """Show what a model would be given: the system prompt and each message, their text whole."""
    yield f"  tokens: at most {to_json_text(request.max_tokens)}"
    if request.system_prompt is not None:
        yield "  system prompt:"
        yield from _show_block(request.system_prompt)
    for message in request.messages:
        members = message if isinstance(message, dict) else {}
        yield from fold(f"message, role {to_json_text(members.get('role'))}:", "  ", "      ")
        content = members.get("content")
        for block in content if isinstance(content, list) else [content]:
            yield from _show_block(block)


def _show_block(block: Any) -> Iterator[str]:
    """Show a text, of anything else its type alone: it may be long, and is nothing that a person could read."""
    kind = block.get("type") if isinstance(block, dict) else None
    text = block.get("text") if isinstance(block, dict) and kind == "text" else block
    if isinstance(text, str):
        yield from quote_lines(text, "    | ")
    else:
        yield from _indent(f"content of the type {to_json_text(kind)}")


def _show_url(url: str) -> Iterator[str]:
    """Show the host and the warnings, then the whole url: last and unfolded, so it hides nothing and can be copied."""
    report = inspect_url(url)
    yield f"  host: {report.host}"
    for warning in report.warnings:
        yield f"  warning: {warning}"
    yield f"  url: {printable(url)}"


def _show_form(form: Form | MrtrError) -> Iterator[str]:
    """Show what a form is, its fields in the server's order, then the keywords that only the server checks."""
    if isinstance(form, MrtrError):
        warning = f"warning: this can only be declined or cancelled, it cannot be checked: {form}"
        yield from fold(warning, "  ", "      ")
        return
    if form.title is not None:
        yield from fold(f"title: {quote(form.title)}", "  ", "      ")
    if form.description:
        yield from quote_lines(form.description)
    if not form.answerable:
        yield from fold("warning: decline or cancel this, a required field cannot be shown", "  ", "      ")
    defaults = form.defaults()
    for field in form.fields:
        required = ", required" if field.required else ""
        yield from fold(f"{quote(field.name)}: {KINDS[field.kind]}{required}", "  ", "      ")
        yield from _show_field(field)
        if field.name in defaults:
            yield from _indent(f"default: {to_json_text(defaults[field.name])}")
    for pointer in form.unenforced[:_MAX_UNENFORCED]:
        yield from fold(f"not enforced: {quote(pointer)}", "  ", "      ")
    if len(form.unenforced) > _MAX_UNENFORCED:
        yield f"  and {len(form.unenforced) - _MAX_UNENFORCED} more constraints not enforced"


def _show_field(field: Field) -> Iterator[str]:
    if field.label != field.name:
        yield from _indent(f"label: {quote(field.label)}")
    yield from show_details(field)
    name = "suggestion" if field.kind == "string" else "choice"
    for choice in field.choices or ():
        value = to_json_text(choice.value)
        label = "" if choice.label in (choice.value, value) else f", {quote(choice.label)}"
        yield from _indent(f"{name}: {value}{label}")
        if choice.description:
            yield from quote_lines(choice.description, "      | ")


def show_details(field: Field) -> Iterator[str]:
    """Show what is said of a field beside its name, its label, its kind, its choices and its default."""
    if field.description:
        yield from quote_lines(field.description, "    | ")
    if field.sensitive:
        yield from _indent("warning: this seems to ask for a secret, which a form must not do")
    yield from _show_bounds("value", _list_value_bounds(field))
    yield from _show_bounds("characters", [("at least", field.min_length), ("at most", field.max_length)])
    yield from _show_bounds("items", [("at least", field.min_items), ("at most", field.max_items)])
    if field.format is not None:
        yield from _indent(f"format: {quote(field.format)}")
    if field.pattern is not None:
        yield from _indent(f"pattern, not checked: {quote(field.pattern)}")


def _list_value_bounds(field: Field) -> list[tuple[str, Any]]:
    """List the bounds of a number; a whole one above 0 is at least 1, and bounds that nobody chose are left out."""
    minimum, maximum = field.minimum, field.maximum
    above, below = field.exclusive_minimum, field.exclusive_maximum
    if field.kind == "integer" and above is not None and abs(above) < _SAFE_INTEGER:
        minimum = floor(above) + 1 if minimum is None else max(minimum, floor(above) + 1)
        above = None
    if field.kind == "integer" and below is not None and abs(below) < _SAFE_INTEGER:
        maximum = ceil(below) - 1 if maximum is None else min(maximum, ceil(below) - 1)
        below = None
    return [
        ("at least", None if minimum == -_SAFE_INTEGER else minimum),
        ("more than", above),
        ("at most", None if maximum == _SAFE_INTEGER else maximum),
        ("less than", below),
        ("a multiple of", field.multiple_of),
    ]


def _show_bounds(name: str, bounds: list[tuple[str, Any]]) -> Iterator[str]:
    shown = [f"{words} {to_json_text(bound)}" for words, bound in bounds if bound is not None]
    if shown:
        yield from _indent(f"{name}: {', '.join(shown)}")


def _indent(text: str) -> Iterator[str]:
    return fold(text, "    ", "      ")
