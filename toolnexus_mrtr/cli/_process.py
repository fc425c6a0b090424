"""Starts the command that `--cmd` names, without a shell, and kills it with its process group."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from contextlib import suppress

from toolnexus_mrtr.cli._errors import BadInput


def split_command(command: str) -> list[str]:
    """Split a command into its arguments as a shell does."""
    arguments: list[str] = []
    with suppress(ValueError):
        arguments = shlex.split(command)
    if not arguments:
        raise BadInput("--cmd: expected a command")
    return arguments


def start(command: list[str], streams: int) -> subprocess.Popen[bytes]:
    """Start a program in a session and process group of its own; `streams` is its standard input and output."""
    try:
        return subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
            command, stdin=streams, stdout=streams, bufsize=0, start_new_session=True
        )
    except OSError as error:
        reason = error.strerror
    except ValueError:
        reason = "not the name of a program"
    raise BadInput(f"--cmd: expected a program that runs: {reason}")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and every process of its process group, and close the pipes to it.

    A process that it started and that has left the group is not killed.
    """
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with process:
        # Leaving the block closes the pipes and waits for the program.
        pass
