"""Shows on a terminal, in one line that it takes away again, that something is waited for."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from toolnexus_mrtr import printable
from toolnexus_mrtr.cli._terminal import find_columns, fold_for_stderr

_FRAMES: Final = "-\\|/"

#: Seconds between two frames.
_PACE: Final = 0.1

_CLEAR: Final = "\r\x1b[2K"


@contextmanager
def spin(text: str) -> Iterator[None]:
    """Show a text and the seconds that passed, as long as the block lasts; nothing where there is no terminal."""
    with fold_for_stderr():
        columns = find_columns()
    if columns is None or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_draw, args=(printable(text), columns, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _draw(text: str, columns: int, over: threading.Event) -> None:
    """Draw until it is over. A wide character takes two columns, so that half of them are kept free."""
    began = time.monotonic()
    shown = text if text.isascii() else text[: columns // 2 - 12]
    frame = 0
    while not over.wait(_PACE):
        line = f"{_FRAMES[frame % len(_FRAMES)]} {time.monotonic() - began:.0f} s  {shown}"
        _write(f"{_CLEAR}{line[: columns - 1]}")
        frame += 1
    if frame:
        _write(_CLEAR)


def _write(text: str) -> None:
    with suppress(OSError, UnicodeEncodeError):
        sys.stderr.write(text)
        sys.stderr.flush()
