"""What is known of the terminal that is written to: whether it is one, how wide, and whether it has colors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

#: The narrowest terminal that lines are folded for.
_MIN_COLUMNS: Final = 20

_COLORS: Final = {"red": "\x1b[31m", "yellow": "\x1b[33m"}
_RESET: Final = "\x1b[0m"


#: Whether lines are made for standard error, and not for standard output.
_is_for_stderr: Final = ContextVar("_is_for_stderr", default=False)


@contextmanager
def fold_for_stderr() -> Iterator[None]:
    """Make the lines of the block for standard error: it may be a terminal where standard output is none."""
    token = _is_for_stderr.set(True)
    try:
        yield
    finally:
        _is_for_stderr.reset(token)


def is_terminal() -> bool:
    """Whether the stream that lines are made for, standard output in general, is a terminal, and no pipe or file."""
    stream = sys.stderr if _is_for_stderr.get() else sys.stdout
    # Python sets a stream to None where it is closed.
    return stream is not None and stream.isatty()


def find_columns() -> int | None:
    """Find how many columns the terminal has, by `COLUMNS` where that is set; `None` where there is no terminal."""
    if not is_terminal():
        return None
    # Its imports are slow, and needed on a terminal alone.
    from shutil import get_terminal_size  # noqa: PLC0415 - see above

    return max(_MIN_COLUMNS, get_terminal_size().columns)


def paint(text: str, color: str) -> str:
    """Give a text its color on a terminal, unless `NO_COLOR` is set; anywhere else it stays as it is."""
    if not is_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"{_COLORS[color]}{text}{_RESET}"
