"""A command of the user's own: started without a shell, and ended with all that it started."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from contextlib import suppress

from toolnexus_mrtr.cli._errors import BadInput


def words(command: str) -> list[str]:
    """Split a command as a shell does."""
    found: list[str] = []
    with suppress(ValueError):
        found = shlex.split(command)
    if not found:
        raise BadInput("--cmd: expected a command")
    return found


def started(program: list[str], streams: int) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own; `streams` is what its standard input and output are."""
    try:
        return subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
            program, stdin=streams, stdout=streams, bufsize=0, start_new_session=True
        )
    except OSError as error:
        reason = error.strerror
    except ValueError:
        reason = "not the name of a program"
    raise BadInput(f"--cmd: expected a program that runs: {reason}")


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program, and all that it started in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with process:
        # Leaving closes the pipes, which nobody waits for any more.
        pass
