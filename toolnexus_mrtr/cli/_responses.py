"""Builds the answers to a pause from the options that answer its keys, such as `--accept`, and makes the retry."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from toolnexus_mrtr import (
    Call,
    ElicitRequest,
    ElicitResult,
    FieldError,
    Form,
    InputRequest,
    InvalidAnswer,
    LocalProtocolError,
    MrtrError,
    Pause,
)
from toolnexus_mrtr.cli._assignments import (
    Argument,
    Assignment,
    Forms,
    list_arguments,
    read_accepted,
    read_keys,
    read_values,
)
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._text import describe_request, format_field, quote_short, split_pointer

_OPTIONS: Final = "--accept, --decline, --cancel or --json"

#: The members of an answer that an error may name: any other name may be a person's.
_MEMBERS: Final = {
    "action",
    "content",
    "data",
    "mimeType",
    "model",
    "name",
    "role",
    "roots",
    "stopReason",
    "text",
    "uri",
}


class AnswerArguments(NamedTuple):
    """The arguments of the options that answer keys."""

    accept: list[Argument]
    decline: list[Argument]
    cancel: list[Argument]
    json: list[Argument]

    def pairs(self) -> Iterator[tuple[str, Argument]]:
        """List each argument behind the name of its option."""
        return ((option, one) for option, given in self._asdict().items() for one in given)

    def select(self, is_wanted: Callable[[str, str], bool]) -> AnswerArguments:
        """Keep the arguments that are wanted, by the name of the option and the text."""
        return AnswerArguments(
            *([one for one in given if is_wanted(option, one.text)] for option, given in self._asdict().items())
        )


def list_answer_arguments(options: argparse.Namespace) -> AnswerArguments:
    """List the arguments of the options that answer keys."""
    names = AnswerArguments._fields
    return AnswerArguments(*(list_arguments(f"--{name}", getattr(options, name)) for name in names))


def build_answers(
    requests: Mapping[str, InputRequest],
    forms: Forms,
    arguments: AnswerArguments,
    values: Mapping[str, dict[str, Any]] = MappingProxyType({}),
) -> dict[str, ElicitResult | dict[str, Any]]:
    """Build the answer to each key: a typed result, or an object in the wire's shape.

    `values` are objects as `--json` takes them, from elsewhere than the arguments.
    """
    accepted: dict[str, list[Assignment]] = {}
    for assignment in read_accepted(arguments.accept, requests, forms):
        accepted.setdefault(assignment.key, []).append(assignment)
    answers: dict[str, ElicitResult | dict[str, Any]] = {key: ElicitResult(action="accept") for key in accepted}
    for key in read_keys(arguments.decline, requests):
        _add(key, ElicitResult(action="decline"), answers)
    for key in read_keys(arguments.cancel, requests):
        _add(key, ElicitResult(action="cancel"), answers)
    for key, value in (*read_values(arguments.json, requests), *values.items()):
        _add(key, value, answers)
    for key, request in requests.items():
        if not isinstance(request, ElicitRequest) and not isinstance(answers.get(key), dict):
            raise BadInput(f"{quote_short(key)} asks for {describe_request(request)}: expected its answer after --json")
        if key not in answers:
            raise BadInput(f"{quote_short(key)} is not answered: expected it after {_OPTIONS}")
    for key, content in _parse_contents(accepted, forms).items():
        answers[key] = ElicitResult(action="accept", content=content)
    return answers


def _add(key: str, value: ElicitResult | dict[str, Any], answers: dict[str, ElicitResult | dict[str, Any]]) -> None:
    if answers.setdefault(key, value) != value:
        raise BadInput(f"{quote_short(key)} is answered twice: expected it after one of {_OPTIONS}")


def _parse_contents(accepted: Mapping[str, list[Assignment]], forms: Forms) -> dict[str, dict[str, Any]]:
    """Parse the content of each accepted form; raises one `BadInput` with the field errors of all of them."""
    contents, sentences = {}, []
    for key, form in forms.items():
        if key not in accepted:
            continue
        if isinstance(form, MrtrError):
            raise BadInput(f"{quote_short(key)} can only be declined or cancelled, it cannot be checked: {form}")
        if not form.answerable:
            raise BadInput(f"{quote_short(key)} can only be declined or cancelled, a required field is unsupported")
        contents[key], errors = form.parse(_join_values(accepted[key], form))
        sentences += [f"{format_field(key, error.field)}: expected {error.message}" for error in errors]
    if sentences:
        raise BadInput(*sentences)
    return contents


def _join_values(assignments: list[Assignment], form: Form) -> dict[str, str | list[str]]:
    """Make the strings of each field: those given, or the only one; of a list an empty one means no item."""
    values_by_field: dict[str, list[str]] = {}
    for _, field, value in assignments:
        if field is not None:
            values_by_field.setdefault(field, []).append(value)
    lists = {field.name for field in form.fields if field.kind in ("choices", "strings")}
    strings: dict[str, str | list[str]] = {}
    for name, values in values_by_field.items():
        if len(values) > 1:
            strings[name] = values
        else:
            strings[name] = [] if name in lists and values == [""] else values[0]
    return strings


def resume(pause: Pause, answers: Mapping[str, Any], forms: Forms, max_retries: int | None = None) -> Call:
    """Make the retry; an error names the places that the protocol or the server names, and none that was typed.

    `answers` and `max_retries` are those of `Pause.resume`.
    """
    sentences: list[str]
    try:
        return pause.resume(answers, max_retries=max_retries)
    except InvalidAnswer as error:
        sentences = [f"{_name_field(one, forms)}: expected {one.message}" for one in error.errors]
    except LocalProtocolError as error:
        key, *names = split_pointer(error.at)
        members = "".join(f"/{name}" for name in takewhile(lambda name: name in _MEMBERS or name.isdecimal(), names))
        sentences = [f"{quote_short(key)}{members and ', at '}{members}: {error.sentence}"]
    raise BadInput(*sentences)


def _name_field(error: FieldError, forms: Forms) -> str:
    key, name = split_pointer(error.at)
    form = forms[key]
    is_field = isinstance(form, Form) and name in [field.name for field in form.fields]
    return format_field(key, name) if is_field else quote_short(key)
