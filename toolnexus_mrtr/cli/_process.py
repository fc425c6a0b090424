"""Starts the command that an option names, without a shell, and kills it with its process group.

A program in a process group of its own gets no signal that is meant for this one: it is killed here, in whatever way
this program ends.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from toolnexus_mrtr.cli._errors import BadInput, Terminated


def split_command(command: str, option: str = "--cmd") -> list[str]:
    """Split the command that an option names into its arguments, as a shell of POSIX does."""
    if os.name != "posix":
        raise BadInput(f"{option}: expected a POSIX system, as Linux and macOS are")
    arguments: list[str] = []
    with suppress(ValueError):
        arguments = shlex.split(command)
    if not arguments:
        raise BadInput(f"{option}: expected a command")
    return arguments


def start(command: list[str], streams: int, option: str = "--cmd") -> subprocess.Popen[bytes]:
    """Start a program in a session and process group of its own; `streams` is its standard input and output."""
    arrived: list[int] = []
    try:
        # A signal that arrives before the program is known here must wait until then.
        with _handle_signals(lambda number, _: arrived.append(number), "SIGINT", "SIGTERM", "SIGHUP"):
            process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                command, stdin=streams, stdout=streams, bufsize=0, start_new_session=True
            )
    except OSError as error:
        reason = error.strerror
    except ValueError:
        reason = "not the name of a program"
    else:
        if arrived:
            kill(process)
            raise Terminated(arrived[0])
        return process
    raise BadInput(f"{option}: expected a program that runs: {reason}")


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and every process of its process group, and close the pipes to it.

    A process that it started and that has left the group is not killed.
    """
    # Windows has no process groups of this kind.
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    with process:
        # Leaving the block closes the pipes and waits for the program.
        pass


@contextmanager
def raise_on_signals() -> Iterator[None]:
    """Raise `Terminated` inside the block when a signal arrives that would end this program."""

    def end(number: int, _: FrameType | None) -> None:
        raise Terminated(number)

    with _handle_signals(end, "SIGTERM", "SIGHUP"):
        yield


@contextmanager
def _handle_signals(handle: Callable[[int, FrameType | None], None], *names: str) -> Iterator[None]:
    """Handle signals inside the block, unless they are ignored, as with `nohup`; in the main thread alone."""
    previous = {}
    if threading.current_thread() is threading.main_thread():
        for name in names:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                previous[number] = signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
