"""Reads the arguments of a tool or of a prompt: `--arg NAME=VALUE`, `--arg NAME:=JSON` and `--args JSON`."""

from __future__ import annotations

import argparse
from typing import Any

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import read_argument, require_decoded
from toolnexus_mrtr.cli._json import parse_json
from toolnexus_mrtr.cli._text import name_argument, quote_short


def read_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Read the arguments of a call. No message repeats a value."""
    if options.args is not None:
        return read_argument(options.args, "--args")
    arguments: dict[str, Any] = {}
    for place, text in enumerate(options.arg):
        option = name_argument("--arg", place, options.arg)
        require_decoded(text, option)
        name, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"{option}: expected NAME=VALUE for a text, or NAME:=JSON for anything else")
        is_json = name.endswith(":")
        name = name.removesuffix(":")
        if name in arguments:
            raise BadInput(f"{option}: expected each name once, {quote_short(name)} was given before")
        arguments[name] = _parse(value, option) if is_json else value
    return arguments


def _parse(text: str, option: str) -> Any:
    try:
        return parse_json(text)
    except BadInput:
        raise BadInput(f"{option}: expected JSON after :=") from None
