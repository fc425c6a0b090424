"""The command `answer`: prints the params of the call that answers a paused result, as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from toolnexus_mrtr import Call, ElicitRequest, ElicitResult, Form, InputRequest, MrtrError, Pause
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import (
    DEFAULT_METHOD,
    build_form,
    describe_source,
    read_call,
    read_saved_call,
    receive,
)
from toolnexus_mrtr.cli._save import save
from toolnexus_mrtr.cli._text import describe_request, format_field, quote_short

_Action: TypeAlias = Literal["accept", "decline", "cancel"]

#: The forms by key; in place of a form, the error where it cannot be checked, and `None` for a url.
_Forms: TypeAlias = dict[str, Form | MrtrError | None]

#: The values of `--accept` by field, those of one field in the order given.
_Strings: TypeAlias = dict[str, list[str]]


def answer(options: argparse.Namespace) -> Iterator[str]:
    """Print the params of the call that answers a paused result, and save that call if asked to."""
    if [options.file, options.call, options.resume].count("-") > 1:
        raise BadInput("expected one of FILE, --call and --resume as standard input, found two")
    if options.save == "-":
        raise BadInput("--save: expected the name of a file")
    pause = receive(_read_paused_call(options), options.file)
    if not isinstance(pause, Pause):
        raise BadInput(f"{describe_source(options.file)}: expected a paused result, the call is finished")
    call = pause.resume(_build_results(_require_elicitations(pause.input_requests), options))
    if options.save is not None:
        save(options.save, call.to_json())
    yield json.dumps(call.params, indent=2)


def _read_paused_call(options: argparse.Namespace) -> Call:
    if options.resume is not None:
        return read_saved_call(options.resume)
    return Call(DEFAULT_METHOD, {}) if options.call is None else read_call(options.call)


def _require_elicitations(requests: Mapping[str, InputRequest]) -> dict[str, ElicitRequest]:
    elicitations = {}
    for key, request in requests.items():
        if not isinstance(request, ElicitRequest):
            kind = describe_request(request)
            raise BadInput(f"{quote_short(key)} asks for {kind}, which the command line cannot answer")
        elicitations[key] = request
    return elicitations


def _build_results(requests: Mapping[str, ElicitRequest], options: argparse.Namespace) -> dict[str, ElicitResult]:
    forms = {key: None if request.mode == "url" else build_form(request) for key, request in requests.items()}
    accepted = _parse_assignments(options.accept, forms)
    actions: dict[str, _Action] = dict.fromkeys(accepted, "accept")
    _add_action("decline", options.decline, actions, requests)
    _add_action("cancel", options.cancel, actions, requests)
    for key in requests:
        if key not in actions:
            raise BadInput(f"{quote_short(key)} is not answered: expected it after --accept, --decline or --cancel")
    contents = _parse_contents(accepted, forms)
    return {key: ElicitResult(action=actions[key], content=contents.get(key)) for key in requests}


def _add_action(
    action: Literal["decline", "cancel"], keys: list[str], actions: dict[str, _Action], requests: Mapping[str, Any]
) -> None:
    for key in keys:
        if key not in requests:
            raise BadInput(f"--{action} {quote_short(key)}: expected a key that is asked")
        if actions.setdefault(key, action) != action:
            raise BadInput(f"{quote_short(key)} is answered twice: expected one of --accept, --decline and --cancel")


def _parse_contents(accepted: Mapping[str, _Strings], forms: _Forms) -> dict[str, dict[str, Any]]:
    """Parse the content of each accepted form; raises one `BadInput` with the field errors of all of them."""
    contents, sentences = {}, []
    for key, form in forms.items():
        if key not in accepted or form is None:
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


def _join_values(values_by_field: _Strings, form: Form) -> dict[str, str | list[str]]:
    """Make the strings of each field: those given, or the only one; of a list an empty one means no item."""
    lists = {field.name for field in form.fields if field.kind in ("choices", "strings")}
    strings: dict[str, str | list[str]] = {}
    for name, values in values_by_field.items():
        if len(values) > 1:
            strings[name] = values
        else:
            strings[name] = [] if name in lists and values == [""] else values[0]
    return strings


def _parse_assignments(assignments: list[str], forms: _Forms) -> dict[str, _Strings]:
    """Sort the values of `--accept` by key and field."""
    accepted: dict[str, _Strings] = {}
    for text in assignments:
        key, field, value = _split_assignment(text, forms)
        if not value.isascii() and any("\udc80" <= character <= "\udcff" for character in value):
            # Python decodes each byte that is not in the encoding of the terminal to a surrogate of this range.
            name = quote_short(text.partition("=")[0])
            raise BadInput(f"--accept {name}: expected text in the encoding of the terminal")
        strings = accepted.setdefault(key, {})
        if field is not None:
            strings.setdefault(field, []).append(value)
    return accepted


def _split_assignment(text: str, forms: _Forms) -> tuple[str, str | None, str]:
    """Split `KEY.FIELD=VALUE`; keys and fields may hold dots and equals signs too, the longest that is asked wins.

    A field that no form has ends at the first equals sign; the form refuses it later. Errors show the text up to that
    sign only, since what follows may be an answer.
    """
    unknown = None
    for key in sorted(forms, key=len, reverse=True):
        form, rest = forms[key], text[len(key) + 1 :]
        if text == key:
            return key, None, ""
        if form is None or not text.startswith(key + ".") or "=" not in rest:
            continue
        for field in sorted(_list_field_names(form), key=len, reverse=True):
            if rest.startswith(field + "="):
                return key, field, rest[len(field) + 1 :]
        if unknown is None:
            name, _, value = rest.partition("=")
            unknown = key, name, value
    if unknown is None:
        expected = "expected KEY, or KEY.FIELD=VALUE for a form, with a key that is asked"
        raise BadInput(f"--accept {quote_short(text.partition('=')[0])}: {expected}")
    return unknown


def _list_field_names(form: Form | MrtrError) -> list[str]:
    return [] if isinstance(form, MrtrError) else [field.name for field in form.fields]
