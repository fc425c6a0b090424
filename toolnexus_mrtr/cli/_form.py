"""What the commands know of a form: whether it can be checked, and its fields as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolnexus_mrtr import ElicitRequest, Field, Form, MrtrError
from toolnexus_mrtr.cli._text import folded, named, said, written

#: How many fields of a form, choices of a field and pointers are shown; of the rest it is said that there are more.
_FIELDS: Final = 100
_CHOICES: Final = 20
_POINTERS: Final = 5

_KINDS: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "choice": "one choice",
    "choices": "any of the choices",
    "unsupported": "something that cannot be shown",
}


def form_of(request: ElicitRequest) -> Form | MrtrError:
    """Give the form that a request asks to fill in, or why it cannot be checked."""
    try:
        return Form.of(request.requested_schema or {})
    except MrtrError as error:
        return error


def form_lines(form: Form) -> Iterator[str]:
    """Give what a form asks: its fields in the server's order, and what of it only the server checks."""
    defaults = form.defaults()
    for field in form.fields[:_FIELDS]:
        needed = ", required" if field.required else ""
        yield from folded(f"{named(field.name)}: {_KINDS[field.kind]}{needed}", "  ", "      ")
        yield from _about(field)
        if field.name in defaults:
            yield from _detail(f"default: {written(defaults[field.name])}")
    yield from _more("  ", len(form.fields) - _FIELDS, "fields")
    for pointer in form.unenforced[:_POINTERS]:
        yield from folded(f"not enforced: {named(pointer)}", "  ", "      ")
    yield from _more("  ", len(form.unenforced) - _POINTERS, "that are not enforced")


def _about(field: Field) -> Iterator[str]:
    if field.label != field.name:
        yield from _detail(f"label: {named(field.label)}")
    if field.description:
        yield from said(field.description, "    | ")
    if field.sensitive:
        yield from _detail("warning: this seems to ask for a secret, which a form must not do")
    yield from _bounds("value", field.minimum, field.maximum)
    yield from _bounds("characters", field.min_length, field.max_length)
    yield from _bounds("items", field.min_items, field.max_items)
    if field.format is not None:
        yield from _detail(f"format: {named(field.format)}")
    choices = field.choices or ()
    for choice in choices[:_CHOICES]:
        value = written(choice.value)
        labelled = "" if choice.label in (choice.value, value) else f", {named(choice.label)}"
        yield from _detail(f"choice: {value}{labelled}")
    yield from _more("    ", len(choices) - _CHOICES, "choices")


def _bounds(what: str, least: Any, most: Any) -> Iterator[str]:
    limits = (("at least", least), ("at most", most))
    said_limits = [f"{words} {written(limit)}" for words, limit in limits if limit is not None]
    if said_limits:
        yield from _detail(f"{what}: {', '.join(said_limits)}")


def _detail(text: str) -> Iterator[str]:
    return folded(text, "    ", "      ")


def _more(lead: str, count: int, what: str) -> Iterator[str]:
    if count > 0:
        yield f"{lead}and {count} more {what}"
