"""The command line: what it reads and when it fails. Imports the door of the library only; nothing imports it."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Generator, Sequence
from typing import Any, Final, NoReturn

from toolnexus_mrtr import MrtrError, printable
from toolnexus_mrtr.cli._answer import answer
from toolnexus_mrtr.cli._input import BadInput
from toolnexus_mrtr.cli._lint import lint_files
from toolnexus_mrtr.cli._save import Unwritable
from toolnexus_mrtr.cli._show import show

_ANSWERING: Final = """\
Every key that the result asks needs one of --accept, --decline and --cancel.
Give each field of a form its own --accept, and each item of a list its own too, or
put commas between them. Choices are known by value or by label:

  toolnexus-mrtr answer paused.json --accept who.name=Ada --accept who.guests=2
  toolnexus-mrtr answer paused.json --decline who

KEY alone accepts a visit to a url, or a form with nothing filled in. A key may be
empty: --accept .name=Ada, --decline ''.

Without --call, what is printed is only what the retry adds to the params of the
call. A call that is paused again goes on from what was saved, its params and the
number of its retries kept:

  toolnexus-mrtr answer first.json --call call.json --save saved.json --decline who
  toolnexus-mrtr answer second.json --resume saved.json --accept when.day=2026-07-28

What is saved holds the arguments and the state, and is as secret as they are.
"""

_PORTING: Final = """\
COMMAND reads one JSON line for each vector, {"operation": ..., "input": ...}, and
answers it with one line: {"expect": ...} or {"error": {"code": ..., "at": ...}}.
It must flush each line. It is started anew after a vector that it did not answer.

FILE says what the program is known to fail, and why: {"vectors": {"ID": "REASON"},
"operations": {"NAME": "REASON"}, "flags": {"FLAG": "REASON"}}. Vectors that are
listed must fail; those of an operation or a flag that is listed are not run. The
status is 1 where it is otherwise.
"""

_ATTACKING: Final = """\
COMMAND is a client that speaks MCP 2026-07-28 over streamable HTTP; the url is put
behind its arguments. It calls every tool of tools/list once, in that order, and goes
on where a call fails; then it lists the prompts once. The description of each tool
says what the user answers, and so does its _meta, for programs:

  {"arguments": {...}, "host": {"KEY": {"action": "accept", "content": {...}}}}

The answer of a KEY is null where there is nobody to ask. Without COMMAND the url is
printed to standard error, and the report when Ctrl-C is pressed. Full marks are all
rules passed; what a client does not declare it is not asked.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    It is 0 when the command did its work, also for a reader who has seen enough, as `head` has; 2 when its input is
    bad and 1 when its output cannot be written, with one sentence on stderr, or one for each field that does not fit
    its form; 1 also when `lint` found an error, `vectors` a vector that fails or
    `adversary` a rule that was not kept; 130 when it was interrupted.
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
        options = _parser().parse_args(arguments)
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


def _finished(command: Generator[str, None, int | None]) -> tuple[list[str], int]:
    """Give all that a command prints, before any of it is printed, and its status; 0 unless it says another."""
    lines = []
    while True:
        try:
            lines.append(next(command))
        except StopIteration as end:
            return lines, end.value or 0


def _fail(status: int, *sentences: str) -> int:
    with contextlib.suppress(OSError):
        for sentence in sentences:
            print(f"toolnexus-mrtr: {printable(sentence)}", file=sys.stderr)
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadInput(f"{message}; --help says more")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        # The import takes as long as all the rest.
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see above

        try:
            print(parser.prog, version("toolnexus-mrtr"))
        except PackageNotFoundError:
            print(parser.prog, "(not installed)")
        parser.exit()


def _hold_vectors(options: argparse.Namespace) -> Generator[str, None, int]:
    # Programs and threads are for this command alone, and slow to import.
    from toolnexus_mrtr.cli._vectors import vectors  # noqa: PLC0415 - see above

    return vectors(options)


def _play_adversary(options: argparse.Namespace) -> Generator[str, None, int]:
    # A web server is for this command alone, and slow to import.
    from toolnexus_mrtr.cli._adversary import adversary  # noqa: PLC0415 - see above

    return adversary(options)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 65536:
        raise ValueError
    return port


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 3600:
        raise ValueError
    return seconds


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toolnexus-mrtr",
        description="Read what a paused call of MCP 2026-07-28 asks, and write the call that answers it.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    file: dict[str, Any] = {
        "metavar": "FILE",
        "help": "the result of the call, or the whole JSON-RPC response; - for standard input",
    }

    about = "Print what a paused result asks."
    command = commands.add_parser("show", help=about, description=about, allow_abbrev=False)
    command.add_argument("file", **file)
    command.set_defaults(run=show)

    about = "Print the params of the call that answers a paused result, as JSON."
    command = commands.add_parser(
        "answer",
        help=about,
        description=about,
        epilog=_ANSWERING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("file", **file)
    paused = command.add_mutually_exclusive_group()
    paused.add_argument(
        "--call",
        metavar="FILE",
        help="the JSON-RPC request of the paused call, or its bare params, as of tools/call; - as above",
    )
    paused.add_argument("--resume", metavar="FILE", help="the paused call as --save has stored it; - as above")
    command.add_argument("--save", metavar="FILE", help="store the call that answers, for --resume; keep it secret")
    repeated: dict[str, Any] = {"action": "append", "default": []}
    command.add_argument(
        "--accept", metavar="KEY[.FIELD=VALUE]", help="accept what KEY asks, and fill in a field", **repeated
    )
    command.add_argument("--decline", metavar="KEY", help="say no to what KEY asks", **repeated)
    command.add_argument("--cancel", metavar="KEY", help="dismiss what KEY asks without a choice", **repeated)
    command.set_defaults(run=answer)

    about = "List all that is wrong with results, and what is unwise in them. The status is 1 where a MUST is broken."
    command = commands.add_parser("lint", help=about, description=about, allow_abbrev=False)
    command.add_argument("files", nargs="+", **file)
    command.add_argument("--method", metavar="METHOD", help="the method of the calls, as tools/call")
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to print; text unless given")
    command.set_defaults(run=lint_files)

    about = "Hold the vectors of the fixtures against this library, or against any other program."
    command = commands.add_parser(
        "vectors",
        help=about,
        description=about,
        epilog=_PORTING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("folder", nargs="?", metavar="DIR", help="the vectors; those that are built in unless given")
    command.add_argument("--cmd", metavar="COMMAND", help="the other program, with its arguments")
    command.add_argument(
        "--only", metavar="OPERATION", help="run the vectors of this operation; may be given again", **repeated
    )
    command.add_argument(
        "--expected-failures", metavar="FILE", help="which vectors that program is known to fail, as JSON"
    )
    command.add_argument(
        "--seconds", type=_seconds, default=10.0, help="how long it may take for one vector; 10 unless given"
    )
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to print; text unless given")
    command.set_defaults(run=_hold_vectors)

    about = "Play a hostile server on loopback, and report what a client does about it. The status is 0 for full marks."
    command = commands.add_parser(
        "adversary",
        help=about,
        description=about,
        epilog=_ATTACKING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("--port", type=_port, default=0, help="where to listen; a free port unless given")
    command.add_argument("--cmd", metavar="COMMAND", help="the client, with its arguments; it is given the url")
    command.add_argument(
        "--seconds", type=_seconds, default=60.0, help="how long the client may take in all; 60 unless given"
    )
    command.add_argument("--format", choices=("text", "json"), default="text", help="how to print; text unless given")
    command.set_defaults(run=_play_adversary)
    return parser
