"""`answer`: the params of the call that answers a paused result, as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from toolnexus_mrtr import Call, ElicitRequest, ElicitResult, Form, InputRequest, MrtrError, Pause
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._form import form_of
from toolnexus_mrtr.cli._input import TOOL, place, read_call, read_saved, received
from toolnexus_mrtr.cli._save import save
from toolnexus_mrtr.cli._text import addressed, asked, cited

_Action: TypeAlias = Literal["accept", "decline", "cancel"]

#: The forms by key: why one cannot be checked, or `None` for a url, in place of it.
_Forms: TypeAlias = dict[str, Form | MrtrError | None]

#: What was typed: by field, the values in the order given.
_Strings: TypeAlias = dict[str, list[str]]


def answer(options: argparse.Namespace) -> Iterator[str]:
    """Print the params of the call that answers a paused result, and save that call."""
    if [options.file, options.call, options.resume].count("-") > 1:
        raise BadInput("expected one of FILE, --call and --resume as standard input, found two")
    if options.save == "-":
        raise BadInput("--save: expected the name of a file")
    pause = received(_call(options), options.file)
    if not isinstance(pause, Pause):
        raise BadInput(f"{place(options.file)}: expected a paused result, the call is finished")
    call = pause.resume(_results(_elicitations(pause.input_requests), options))
    if options.save is not None:
        save(options.save, call.to_json())
    yield json.dumps(call.params, indent=2)


def _call(options: argparse.Namespace) -> Call:
    """Give the call that was paused."""
    if options.resume is not None:
        return read_saved(options.resume)
    return Call(TOOL, {}) if options.call is None else read_call(options.call)


def _elicitations(requests: Mapping[str, InputRequest]) -> dict[str, ElicitRequest]:
    elicitations = {}
    for key, request in requests.items():
        if not isinstance(request, ElicitRequest):
            raise BadInput(f"{cited(key)} asks for {asked(request)}, which the command line cannot answer")
        elicitations[key] = request
    return elicitations


def _results(requests: Mapping[str, ElicitRequest], options: argparse.Namespace) -> dict[str, ElicitResult]:
    forms = {key: None if request.mode == "url" else form_of(request) for key, request in requests.items()}
    accepted = _accepted(options.accept, forms)
    actions: dict[str, _Action] = dict.fromkeys(accepted, "accept")
    _choose("decline", options.decline, actions, requests)
    _choose("cancel", options.cancel, actions, requests)
    for key in requests:
        if key not in actions:
            raise BadInput(f"{cited(key)} is not answered: expected it after --accept, --decline or --cancel")
    contents = _contents(accepted, forms)
    return {key: ElicitResult(action=actions[key], content=contents.get(key)) for key in requests}


def _choose(
    action: Literal["decline", "cancel"], keys: list[str], actions: dict[str, _Action], requests: Mapping[str, Any]
) -> None:
    for key in keys:
        if key not in requests:
            raise BadInput(f"--{action} {cited(key)}: expected a key that is asked")
        if actions.setdefault(key, action) != action:
            raise BadInput(f"{cited(key)} is answered twice: expected one of --accept, --decline and --cancel")


def _contents(accepted: Mapping[str, _Strings], forms: _Forms) -> dict[str, dict[str, Any]]:
    """Give the content of each form that is accepted; what is wrong with any of them is said at once."""
    contents, wrong = {}, []
    for key, form in forms.items():
        if key not in accepted or form is None:
            continue
        if isinstance(form, MrtrError):
            raise BadInput(f"{cited(key)} can only be declined or cancelled, it cannot be checked: {form}")
        typed = {name: texts[0] if len(texts) == 1 else texts for name, texts in accepted[key].items()}
        contents[key], errors = form.parse(typed)
        for error in errors:
            name = error.at[1:].replace("~1", "/").replace("~0", "~")
            wrong.append(f"{addressed(key, name)}: {error.message}")
    if wrong:
        raise BadInput(*wrong)
    return contents


def _accepted(assignments: list[str], forms: _Forms) -> dict[str, _Strings]:
    accepted: dict[str, _Strings] = {}
    for text in assignments:
        key, field, value = _assignment(text, forms)
        if not value.isascii() and any("\udc80" <= character <= "\udcff" for character in value):
            # What is not in the encoding of the terminal is handed over as one of these.
            raise BadInput(f"--accept {cited(text.partition('=')[0])}: expected text in the encoding of the terminal")
        strings = accepted.setdefault(key, {})
        if field is not None:
            strings.setdefault(field, []).append(value)
    return accepted


def _assignment(text: str, forms: _Forms) -> tuple[str, str | None, str]:
    """Split `KEY.FIELD=VALUE`; keys and fields may hold dots and equals signs too, the longest that is asked wins.

    A field that none of the forms has ends at the first equals sign, and is for the form to refuse. What the errors
    show ends there as well: what stands behind it may be an answer.
    """
    other = None
    for key in sorted(forms, key=len, reverse=True):
        form, rest = forms[key], text[len(key) + 1 :]
        if text == key:
            return key, None, ""
        if form is None or not text.startswith(key + ".") or "=" not in rest:
            continue
        for field in sorted(_names(form), key=len, reverse=True):
            if rest.startswith(field + "="):
                return key, field, rest[len(field) + 1 :]
        if other is None:
            name, _, value = rest.partition("=")
            other = key, name, value
    if other is None:
        expected = "expected KEY or KEY.FIELD=VALUE, with the key of a form that is asked"
        raise BadInput(f"--accept {cited(text.partition('=')[0])}: {expected}")
    return other


def _names(form: Form | MrtrError) -> list[str]:
    return [] if isinstance(form, MrtrError) else [field.name for field in form.fields]
