"""`--save`: writes what is secret to a file, all of it or nothing, for its owner alone."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from toolnexus_mrtr.cli._errors import Unwritable


def save(name: str, data: bytes) -> None:
    """Write a file in place of the one that is there; whoever reads it finds the one or the other, whole."""
    try:
        # A link itself gives way: what it leads to may be anybody's.
        folder, file = os.path.split(name)
        path = Path(os.path.realpath(folder), file)
        # To put a file in the place of a device or a pipe would break it.
        is_other = path.exists() and not path.is_file()
        if not is_other:
            _put(path, data)
    except OSError as error:
        raise Unwritable(f"{name}: expected it to be writable: {error.strerror}") from None
    except ValueError:
        is_other = True
    if is_other:
        raise Unwritable(f"{name}: expected the name of a file")


def _put(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".toolnexus-mrtr-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb", opener=_private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
