"""The command `answer`: prints the params, or the whole request, that answers a paused result, as JSON."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from toolnexus_mrtr import Call, Pause
from toolnexus_mrtr.cli._assignments import build_forms
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import (
    DEFAULT_METHOD,
    describe_source,
    read_call,
    read_saved_call,
    receive,
    require_decoded,
)
from toolnexus_mrtr.cli._responses import build_answers, list_answer_arguments, resume
from toolnexus_mrtr.cli._save import save

#: Whether the id of a request is one that JSON Schema and every language hold as a number.
_is_number: Final = re.compile(r"0|-?[1-9][0-9]{0,14}").fullmatch


def answer(options: argparse.Namespace) -> Iterator[str]:
    """Print the params of the call that answers a paused result, or its whole request, and save it if asked to."""
    _check_options(options)
    call, id = _read_paused_call(options)
    pause = receive(call, options.file, "FILE")
    if not isinstance(pause, Pause):
        raise BadInput(f"{describe_source(options.file, 'FILE')}: expected a paused result, the call is finished")
    forms = build_forms(pause.input_requests)
    answers = build_answers(pause.input_requests, forms, list_answer_arguments(options))
    retry = resume(pause, answers, forms)
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
