"""`answer`: the params of the call that answers a paused result, as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from toolnexus_mrtr import ElicitationResponses, ElicitRequest, ElicitResult, InputRequest
from toolnexus_mrtr.cli._form import properties, typed
from toolnexus_mrtr.cli._input import BadInput, Paused, read_params, read_paused
from toolnexus_mrtr.cli._text import asked, cited

_Action = Literal["accept", "decline", "cancel"]

#: What was typed: by key, by field, the values in the order given.
_Strings = dict[str, dict[str, list[str]]]


def answer(options: argparse.Namespace) -> Iterator[str]:
    """Print the params of the call that answers a paused result."""
    if options.file == options.call == "-":
        raise BadInput("expected one of FILE and --call as standard input, found both")
    paused = read_paused(options.file)
    if paused is None:
        raise BadInput(f"{options.file}: expected a paused result, the call is finished")
    if not paused.requests and paused.state is None:
        raise BadInput(f"{options.file}: expected something to answer or a state to echo, found neither")
    params = {} if options.call is None else read_params(options.call)
    yield json.dumps(_retry(params, paused, options), indent=2)


def _retry(params: dict[str, Any], paused: Paused, options: argparse.Namespace) -> dict[str, Any]:
    retry = {name: value for name, value in params.items() if name not in ("inputResponses", "requestState")}
    results = _results(_elicitations(paused.requests), options)
    if results:
        retry["inputResponses"] = ElicitationResponses.to_input_responses(results, paused.requests)
    if paused.state is not None:
        retry["requestState"] = paused.state
    return retry


def _elicitations(requests: Mapping[str, InputRequest]) -> dict[str, ElicitRequest]:
    elicitations = {}
    for key, request in requests.items():
        if not isinstance(request, ElicitRequest):
            raise BadInput(f"{cited(key)} asks for {asked(request)}, which the command line cannot answer")
        elicitations[key] = request
    return elicitations


def _results(requests: Mapping[str, ElicitRequest], options: argparse.Namespace) -> dict[str, ElicitResult]:
    accepted = _accepted(options.accept, requests)
    actions: dict[str, _Action] = dict.fromkeys(accepted, "accept")
    _choose("decline", options.decline, actions, requests)
    _choose("cancel", options.cancel, actions, requests)
    results = {}
    for key, request in requests.items():
        if key not in actions:
            raise BadInput(f"{cited(key)} is not answered: expected it after --accept, --decline or --cancel")
        content = {
            name: typed(texts, properties(request)[name], f"{cited(key)}, field {cited(name)}")
            for name, texts in accepted.get(key, {}).items()
        }
        results[key] = ElicitResult(action=actions[key], content=content)
    return results


def _choose(
    action: Literal["decline", "cancel"], keys: list[str], actions: dict[str, _Action], requests: Mapping[str, Any]
) -> None:
    for key in keys:
        if key not in requests:
            raise BadInput(f"--{action} {cited(key)}: expected a key that is asked")
        if actions.setdefault(key, action) != action:
            raise BadInput(f"{cited(key)} is answered twice: expected one of --accept, --decline and --cancel")


def _accepted(assignments: list[str], requests: Mapping[str, ElicitRequest]) -> _Strings:
    accepted: _Strings = {}
    for text in assignments:
        key, field, value = _assignment(text, requests)
        strings = accepted.setdefault(key, {})
        if field is not None:
            strings.setdefault(field, []).append(value)
    return accepted


def _assignment(text: str, requests: Mapping[str, ElicitRequest]) -> tuple[str, str | None, str]:
    """Split `KEY.FIELD=VALUE`; keys and fields may hold dots and equals signs too, the longest that is asked wins.

    What the errors show ends at the first equals sign: what stands behind it may be an answer.
    """
    shown = cited(text.partition("=")[0])
    expected = "expected KEY or KEY.FIELD=VALUE with a key that is asked"
    for key in sorted(requests, key=len, reverse=True):
        if text == key:
            return key, None, ""
        if text.startswith(key + "."):
            rest = text[len(key) + 1 :]
            for field in sorted(properties(requests[key]), key=len, reverse=True):
                if rest.startswith(field + "="):
                    return key, field, rest[len(field) + 1 :]
            expected = f"expected KEY or KEY.FIELD=VALUE with a field that the form of {cited(key)} has"
    raise BadInput(f"--accept {shown}: {expected}")
