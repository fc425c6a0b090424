"""What is known of the terminal that standard output may be: whether it is one, how wide, and whether it has colors."""

from __future__ import annotations

import os
import sys
from typing import Final

#: The narrowest terminal that lines are folded for.
_MIN_COLUMNS: Final = 20

_COLORS: Final = {"red": "\x1b[31m", "yellow": "\x1b[33m"}
_RESET: Final = "\x1b[0m"


def is_terminal() -> bool:
    """Whether standard output is a terminal, and no pipe or file."""
    # Python sets sys.stdout to None where it is closed.
    return sys.stdout is not None and sys.stdout.isatty()


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
