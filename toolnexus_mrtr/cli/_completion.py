"""Writes the script with which a shell completes the command line, by the package shtab."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from toolnexus_mrtr.cli._errors import BadInput

try:
    import shtab
except ImportError:
    raise BadInput("--print-completion: expected the package shtab: pip install 'toolnexus-mrtr[complete]'") from None

#: What completes an argument, by its metavar.
_COMPLETIONS: Final = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY}


def write_completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Write the script for one of the shells that shtab knows."""
    if shell not in shtab.SUPPORTED_SHELLS:
        raise BadInput(f"--print-completion: expected one of {', '.join(shtab.SUPPORTED_SHELLS)}")
    for action in _find_actions(parser):
        if action.metavar in _COMPLETIONS:
            # shtab looks for this attribute.
            vars(action)["complete"] = _COMPLETIONS[action.metavar]
    return shtab.complete(parser, shell)


def _find_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
        yield action
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                yield from _find_actions(command)
