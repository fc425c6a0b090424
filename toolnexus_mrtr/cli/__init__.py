"""The command line `toolnexus-mrtr`: runs one command and turns its errors into sentences and an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from io import StringIO

from toolnexus_mrtr import MrtrError
from toolnexus_mrtr.cli._errors import BadInput, CallFailed, Terminated, WriteError, print_error
from toolnexus_mrtr.cli._options import parse_arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    0: the command did its work, or the reader of its output closed the pipe early, as `head` does.
    1: the output cannot be written; or `lint` found an error, a vector failed, a client failed a rule of `adversary` or
    left it untested, or a call failed or its result says that it is an error.
    2: the input is bad.
    128 and the number of a signal: it ended the command, 130 where that was interrupted.

    Bad input and a failed write are reported on stderr: one sentence, or one for each field that does not fit its form.
    """
    try:
        lines, status = _run(arguments)
        return _print_lines(lines, status)
    except KeyboardInterrupt:
        return 130
    except Terminated as error:
        return 128 + error.number
    except (MrtrError, BadInput) as error:
        return _fail(2, *(error.args if isinstance(error, BadInput) else [str(error)]))
    except (CallFailed, WriteError) as error:
        return _fail(1, str(error))


def _run(arguments: Sequence[str] | None) -> tuple[list[str], int]:
    """Run one command to its end, so that nothing is printed if it fails; give its lines and its exit status."""
    lines: list[str] = []
    help_text = StringIO()
    try:
        # argparse prints the help itself, and would ignore that it cannot be written.
        with redirect_stdout(help_text):
            options = parse_arguments(arguments)
    except SystemExit:
        return help_text.getvalue().splitlines(), 0
    command = options.run(options)
    while True:
        try:
            lines.append(next(command))
        except StopIteration as end:
            return lines, end.value or 0


def _print_lines(lines: Iterable[str], status: int) -> int:
    """Print the lines of a command; give its status, or another one if they cannot be written."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        for line in lines:
            print(line.encode(encoding, "backslashreplace").decode(encoding))
        print(end="", flush=True)
    except OSError as error:
        # The interpreter flushes stdout when it ends: what is still buffered must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if isinstance(error, BrokenPipeError) else _fail(1, f"standard output: {error.strerror}")
    return status


def _fail(status: int, *sentences: str) -> int:
    for sentence in sentences:
        print_error(sentence)
    return status
