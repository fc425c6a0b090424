"""The command `answer`: prints the params, or the whole request, that answers a paused result, as JSON."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

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
    Assignment,
    Forms,
    build_forms,
    read_accepted,
    read_keys,
    read_values,
)
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import (
    DEFAULT_METHOD,
    describe_source,
    read_call,
    read_saved_call,
    receive,
    require_decoded,
)
from toolnexus_mrtr.cli._save import save
from toolnexus_mrtr.cli._text import describe_request, format_field, quote_short

_OPTIONS: Final = "--accept, --decline, --cancel or --json"

#: Whether the id of a request is one that JSON Schema and every language hold as a number.
_is_number: Final = re.compile(r"0|-?[1-9][0-9]{0,14}").fullmatch

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


def answer(options: argparse.Namespace) -> Iterator[str]:
    """Print the params of the call that answers a paused result, or its whole request, and save it if asked to."""
    _check_options(options)
    call, id = _read_paused_call(options)
    pause = receive(call, options.file, "FILE")
    if not isinstance(pause, Pause):
        raise BadInput(f"{describe_source(options.file, 'FILE')}: expected a paused result, the call is finished")
    forms = build_forms(pause.input_requests)
    retry = _resume(pause, _build_answers(pause.input_requests, forms, options), forms)
    printed = retry.params
    if options.request is not None:
        printed = {"jsonrpc": "2.0", "id": _read_id(options.request, id), "method": retry.method, "params": printed}
    if options.save is not None:
        save(options.save, retry.to_json(), "--save")
    yield json.dumps(printed, indent=2)


def _check_options(options: argparse.Namespace) -> None:
    values = ["-" for text in options.json if text.endswith("=@-")]
    if [options.file, options.call, options.resume, *values].count("-") > 1:
        raise BadInput("expected one of FILE, --call, --resume and --json as standard input, found several")
    if options.save == "-":
        raise BadInput("--save: expected the name of a file")
    for name, value in (("--save", options.save), ("--request", options.request)):
        if value is not None and options.call is None and options.resume is None:
            raise BadInput(f"{name}: expected --call or --resume beside it, which say what was called")


def _read_paused_call(options: argparse.Namespace) -> tuple[Call, Any]:
    """Read the call that was paused, and the id of its request where that is known."""
    if options.resume is not None:
        return read_saved_call(options.resume, "--resume"), None
    return (Call(DEFAULT_METHOD, {}), None) if options.call is None else read_call(options.call, "--call")


def _read_id(text: str, paused: Any) -> str | int:
    """Read the id of a request: a number where it is written as one, else text; not that of the paused request."""
    require_decoded(text, "--request")
    id = int(text) if _is_number(text) else text
    # basic/patterns/mrtr, "Client Requirements": the id of a retry is another one.
    if type(id) is type(paused) and id == paused:
        raise BadInput("--request: expected another id than that of the request that was paused")
    return id


def _build_answers(
    requests: Mapping[str, InputRequest], forms: Forms, options: argparse.Namespace
) -> dict[str, ElicitResult | dict[str, Any]]:
    """Build the answer to each key: a typed result, or an object in the wire's shape."""
    accepted: dict[str, list[Assignment]] = {}
    for assignment in read_accepted(options.accept, requests, forms):
        accepted.setdefault(assignment.key, []).append(assignment)
    answers: dict[str, ElicitResult | dict[str, Any]] = {key: ElicitResult(action="accept") for key in accepted}
    for key in read_keys("--decline", options.decline, requests):
        _add(key, ElicitResult(action="decline"), answers)
    for key in read_keys("--cancel", options.cancel, requests):
        _add(key, ElicitResult(action="cancel"), answers)
    for key, value in read_values("--json", options.json, requests):
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


def _resume(pause: Pause, answers: Mapping[str, ElicitResult | dict[str, Any]], forms: Forms) -> Call:
    """Make the retry; an error names the places that the protocol or the server names, and none that was typed."""
    sentences: list[str]
    try:
        return pause.resume(answers)
    except InvalidAnswer as error:
        sentences = [f"{_name_field(one, forms)}: expected {one.message}" for one in error.errors]
    except LocalProtocolError as error:
        key, *names = _split_pointer(error.at)
        members = "".join(f"/{name}" for name in takewhile(lambda name: name in _MEMBERS or name.isdecimal(), names))
        sentences = [f"{quote_short(key)}{members and ', at '}{members}: {error.sentence}"]
    raise BadInput(*sentences)


def _name_field(error: FieldError, forms: Forms) -> str:
    key, name = _split_pointer(error.at)
    form = forms[key]
    is_field = isinstance(form, Form) and name in [field.name for field in form.fields]
    return format_field(key, name) if is_field else quote_short(key)


def _split_pointer(at: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in at.split("/")[1:]]
