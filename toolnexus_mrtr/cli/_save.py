"""Writes what `--save` stores: the whole file or nothing, readable by its owner alone, since it holds secrets."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from toolnexus_mrtr.cli._errors import WriteError


def save(path: str, data: bytes, name: str) -> None:
    """Write a file in one step: whoever reads it meanwhile finds the old content or the new, never a part.

    `name` says in messages what the file is.
    """
    try:
        # A link at this path is replaced, not followed: its target may belong to somebody else.
        folder, file = os.path.split(path)
        target = Path(os.path.realpath(folder), file)
        # A device or a pipe must not be replaced by a file.
        is_not_a_file = target.exists() and not target.is_file()
        if not is_not_a_file:
            _replace_file(target, data)
    except OSError as error:
        raise WriteError(f"{name}: expected it to be writable: {error.strerror}") from None
    except ValueError:
        is_not_a_file = True
    if is_not_a_file:
        raise WriteError(f"{name}: expected the name of a file")


def _replace_file(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".toolnexus-mrtr-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb", opener=_open_for_owner) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
