"""What a command says beside its output: its errors, and the one way to standard error."""

from __future__ import annotations

import sys
from contextlib import suppress


class BadInput(Exception):
    """The input of a command is not what it needs; each argument is one sentence, of where and what was expected."""


class Unwritable(Exception):
    """A file cannot be written; the text says which, and why."""


def say(line: str) -> None:
    """Print a line to standard error; where that is closed or full, nobody hears it, and nothing else happens."""
    # To print to no file is to print to standard output.
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)
