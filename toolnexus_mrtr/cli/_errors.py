"""The errors that end a command, and printing to standard error."""

from __future__ import annotations

import sys
from contextlib import suppress

from toolnexus_mrtr import printable


class BadInput(Exception):
    """The input of a command is not what it needs; each argument is one sentence: where, and what was expected."""


class CallFailed(Exception):
    """A call came to no result; the text says why."""


class WriteError(Exception):
    """A file cannot be written; the text says which, and why."""


class Terminated(BaseException):
    """A signal that ends the program has arrived; `number` says which."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def print_error(sentence: str) -> None:
    """Print an error to standard error, as one line that a terminal does not obey."""
    print_to_stderr(f"toolnexus-mrtr: {printable(sentence)}")


def print_to_stderr(line: str) -> None:
    """Print a line to standard error; ignored where that is closed or full."""
    # Python sets sys.stderr to None where it is closed, and print(file=None) would write to standard output.
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)
