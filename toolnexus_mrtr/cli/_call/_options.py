"""Adds the commands `call`, `prompt`, `resource` and `resume` to the command line."""

from __future__ import annotations

import argparse
from collections.abc import Generator
from typing import Any, Final

from toolnexus_mrtr.cli._common_options import REPEATABLE, add_command, add_round_options, end_on_signals, parse_seconds

_HELP: Final = """\
TARGET is an https url, or an http url of this machine. With --stdio it is a command
that is a server; it is started for the call, and ends with it:

  toolnexus-mrtr call https://mcp.example.com/mcp send_parcel --arg to=Ada --arg weight:=1.5
  toolnexus-mrtr call --stdio "python server.py" send_parcel --accept who.name=Ada

What is asked, what was answered and what comes of it is told on standard error, and the
result is printed. Without any answer among the arguments the person at the terminal is
asked. Nothing is accepted for nobody: a question without an answer ends the call, and
so does Ctrl-C. With --save what is needed to go on is stored then, and a task
is left running; without it a task is cancelled. The file holds arguments, answers and
the state, and is as secret as they are:

  toolnexus-mrtr resume https://mcp.example.com/mcp FILE --accept who.name=Ada

Each answer is for the key that it names, in whatever round that is asked. It answers
one question: where a server asks another one under the same KEY, --answers takes an
array with the answers of each round, {"KEY": {"action": "accept", "content": {...}}}.

While the command runs, other users of the machine may see its arguments: give what is
secret by --header @FILE, --args @FILE, --answers FILE or --json KEY=@FILE. No redirect
is followed. A url, and to be asked, need: pip install 'toolnexus-mrtr[call]'

The status is 1 if the call fails or its result is an error, and 2 if a question has no
answer.
"""


def add_calls(commands: Any) -> None:
    """Add the commands that call a server."""
    _add_arguments(_add(commands, "call", "Call a tool of a server, and answer what is asked.", "TOOL"))
    _add_arguments(_add(commands, "prompt", "Get a prompt of a server, and answer what is asked.", "PROMPT"))
    _add(commands, "resource", "Read a resource of a server, and answer what is asked.", "URI")
    _add(commands, "resume", "Go on with a call that --save stored, here or on another machine.", "FILE")


def _add(commands: Any, name: str, about: str, called: str) -> argparse.ArgumentParser:
    command = add_command(commands, name, _run, about, _HELP)
    command.add_argument("target", metavar="TARGET", help="the url of the server; with --stdio a command")
    if called == "FILE":
        command.add_argument("file", metavar="FILE", help="what --save stored; - for standard input")
    else:
        command.add_argument("name", metavar=called, help="what is called")
        command.add_argument(
            "--declare",
            choices=("sampling", "roots"),
            help="let the server ask for this too, to be answered by --json; may be given again",
            **REPEATABLE,
        )
    command.add_argument("--stdio", action="store_true", help="TARGET is a command; on POSIX systems only")
    command.add_argument(
        "--header", metavar="NAME: VALUE", help="a header of each request, or the headers in the @FILE", **REPEATABLE
    )
    add_round_options(command)
    command.add_argument("--save", metavar="FILE", help="where to store an unfinished call; keep it secret")
    command.add_argument("--log", metavar="FILE", help="write every request and response into this file, as JSON")
    command.add_argument(
        "--log-secrets",
        action="store_true",
        help="do not leave out of it the values of headers, states, ids of tasks and answers",
    )
    command.add_argument(
        "--seconds",
        type=parse_seconds,
        default=300.0,
        help="how long the server may take to answer one request; 300 unless given",
    )
    command.set_defaults(command=name)
    return command


def _add_arguments(command: argparse.ArgumentParser) -> None:
    arguments = command.add_mutually_exclusive_group()
    arguments.add_argument(
        "--arg", metavar="NAME=VALUE", help="an argument that is a text; NAME:=JSON for any other", **REPEATABLE
    )
    arguments.add_argument("--args", metavar="JSON|@FILE", help="all arguments, as an object")


def _run(options: argparse.Namespace) -> Generator[str, None, int]:
    # Its imports, subprocess among them, are slow; the other commands do without.
    from toolnexus_mrtr.cli._call import _command  # noqa: PLC0415 - see above

    run = {
        "call": _command.run_call,
        "prompt": _command.run_prompt,
        "resource": _command.run_resource,
        "resume": _command.run_resume,
    }[options.command]
    return end_on_signals(run(options))
