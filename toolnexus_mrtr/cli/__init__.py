"""The command line: what it reads and when it fails. Imports the door of the library only; nothing imports it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from toolnexus_mrtr import MrtrError, printable
from toolnexus_mrtr.cli._errors import BadInput, Unwritable, say
from toolnexus_mrtr.cli._options import parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    It is 0 when the command did its work, also for a reader who has seen enough, as `head` has; 2 when its input is
    bad and 1 when its output cannot be written, with one sentence on stderr, or one for each field that does not fit
    its form; 1 also when `lint` found an error, `vectors` a vector that fails or `adversary` a rule that was not kept;
    130 when it was interrupted.
    """
    try:
        status = _run(arguments)
        print(end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        # What is still buffered would fail once more when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0 if isinstance(error, BrokenPipeError) else _fail(1, f"standard output: {error.strerror}")
    return status


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = parsed(arguments)
        lines, status = _finished(options.run(options))
    except SystemExit:
        # The help or the version was asked for, and printed.
        return 0
    except (MrtrError, BadInput) as error:
        return _fail(2, *(error.args if isinstance(error, BadInput) else [str(error)]))
    except Unwritable as error:
        return _fail(1, str(error))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    for line in lines:
        print(line.encode(encoding, "backslashreplace").decode(encoding))
    return status


def _finished(command: Iterator[str]) -> tuple[list[str], int]:
    """Give all that a command prints, before any of it is printed, and its status; 0 unless it says another."""
    lines = []
    while True:
        try:
            lines.append(next(command))
        except StopIteration as end:
            return lines, end.value or 0


def _fail(status: int, *sentences: str) -> int:
    for sentence in sentences:
        say(f"toolnexus-mrtr: {printable(sentence)}")
    return status
