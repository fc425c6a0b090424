"""The lines that a person reads before and after a prompt. Every text of the server in them is made safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolnexus_mrtr import Call, Field, Form, Request, inspect_url, printable
from toolnexus_mrtr.cli._show import KINDS, show_details
from toolnexus_mrtr.cli._text import fold, quote, quote_lines, split_pointer, to_json_text

_CALLED: Final = {"tools/call": "tool", "prompts/get": "prompt", "resources/read": "resource"}

#: What each warning about a url means to a person.
_WARNINGS: Final = {
    "insecure_http": "the connection is not encrypted: others can read and change what you see and enter there",
    "punycode": "the host has letters that can look like those of another one",
    "ip_host": "the host is a number and has no name that says whose it is",
    "local_network": "the host is this machine, or in its own network",
    "unusual_port": "the port is an unusual one",
    "not_a_uri": "the address is malformed, and programs may read it in different ways",
}


def describe_asker(request: Request) -> str:
    """Say which server asks, and for which tool, prompt or resource."""
    origin = request.origin
    server = "The server" if origin is None or origin.server is None else f"The server {quote(origin.server)}"
    if origin is None or origin.name is None or origin.method not in _CALLED:
        return f"{server} asks"
    return f"{server} asks, for the {_CALLED[origin.method]} {quote(origin.name)}"


def introduce(request: Request, place: int, count: int) -> Iterator[str]:
    """Say who asks, and which of how many questions this is."""
    which = f" (question {place} of {count})" if count > 1 else ""
    yield ""
    yield from fold(f"{describe_asker(request)}{which}:", "", "  ")


def describe_visit(url: str) -> Iterator[str]:
    """Set the host off, then say the warnings, then the whole url: last and unfolded, so that it can be copied."""
    report = inspect_url(url)
    yield "  It wants you to visit a page. Nothing is opened for you."
    yield ""
    yield from fold(f"host: {report.host}", "    ", "      ")
    yield ""
    for warning in report.warnings:
        yield from fold(f"warning: {_WARNINGS[warning]} ({warning})", "  ", "      ")
    yield "  the whole address:"
    yield printable(url)


def describe_form(form: Form) -> Iterator[str]:
    """Show the title and the description of a form."""
    if form.title is not None:
        yield from fold(f"title: {quote(form.title)}", "  ", "      ")
    if form.description:
        yield from quote_lines(form.description)


def describe_field(field: Field, place: int, count: int, default: Any) -> Iterator[str]:
    """Show a field: which one it is, what is entered, and all that is said of it; its choices are in its prompt."""
    required = "required" if field.required else "optional"
    yield ""
    yield from fold(f"{place}/{count}  {quote(field.label)}: {KINDS[field.kind]}, {required}", "", "      ")
    if field.label != field.name:
        yield from fold(f"its name: {quote(field.name)}", "    ", "      ")
    yield from show_details(field)
    if default is not None:
        yield from fold(f"default: {to_json_text(default)}", "    ", "      ")
    if field.kind == "strings":
        yield "    One a line; an empty line ends the list."
    elif field.kind == "string" and field.choices:
        yield "    Tab shows suggestions."
    if field.format == "date":
        yield "    A date such as 2026-07-28."
    elif field.format == "date-time":
        yield from fold(
            "A date and a time such as 2026-07-28 10:00, in the time zone of this machine unless you add another: "
            "2026-07-28 10:00 Europe/Paris.",
            "    ",
            "    ",
        )


def describe_value(value: Any, *, hidden: bool, labels: Sequence[str] = ()) -> Iterator[str]:
    """Show what was entered for a field, by the labels of what was chosen if it was."""
    shown = "(hidden)" if hidden else "(left out)" if value is None else ", ".join(labels) or to_json_text(value)
    yield from fold(shown, "  > ", "    ")


def describe_disclosures(call: Call, secrets: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """List all that a retry gives away, with the values, but for those of the fields that `secrets` has by key."""
    responses = call.params["inputResponses"]
    server = "the server" if call.server is None else f"the server {quote(call.server)}"
    yield ""
    yield from fold(f"This leaves your machine, to {server}:", "", "  ")
    for disclosure in call.disclosures:
        value: Any = responses
        tokens = split_pointer(disclosure.at)
        for token in tokens:
            value = value[token]
        key, *names = tokens
        if names[0] == "action":
            yield from fold(f"{quote(key)}: {value}", "  ", "      ")
        else:
            shown = "(hidden)" if names[-1] in secrets.get(key, ()) else to_json_text(value)
            yield from fold(f"{quote(names[-1])}: {shown}", "    ", "      ")
