"""Defines the commands and their options, and parses the arguments of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Generator, Sequence
from typing import Any, Final, NoReturn

from toolnexus_mrtr.cli._answer import answer
from toolnexus_mrtr.cli._call._options import add_calls
from toolnexus_mrtr.cli._common_options import (
    REPEATABLE,
    add_answer_options,
    add_command,
    add_format,
    add_round_options,
    end_on_signals,
    parse_seconds,
)
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._lint import FORMATS, lint_files
from toolnexus_mrtr.cli._show import show
from toolnexus_mrtr.cli._version import find_version

_FILE: Final[dict[str, Any]] = {
    "metavar": "FILE",
    "help": "the result of the call, its JSON-RPC response, or messages with that response last; - for standard input",
}

#: Finds where a message of argparse begins to quote an argument.
_find_quote: Final = re.compile(r":? ['\"]")

_ANSWER_HELP: Final = """\
Every key under inputRequests needs one of --accept, --decline, --cancel and --json.
Give each field of a form its own --accept, and each item of a list its own too, or
put commas between them; an empty VALUE is a list without items. A choice is given by
its value or by its label. Defaults are never filled in:

  toolnexus-mrtr answer paused.json --accept who.name=Ada --accept who.guests=2
  toolnexus-mrtr answer paused.json --decline who

KEY alone accepts a visit to a url, or a form with nothing filled in. A key may be
empty: --accept .name=Ada, --decline ''. A text that can be read in two ways is
refused; --json takes it. What is no form and no visit is answered by --json, in the
shape that the protocol gives it:

  toolnexus-mrtr answer paused.json --json 'where={"roots": []}' --json reply=@reply.json

With --call or --resume the whole params of the retry are printed, with --request its
whole JSON-RPC request; without them only what the retry adds to the params of the call.
What --save stores keeps the params and the number of retries, so that a call that is
paused again can be resumed from it:

  toolnexus-mrtr answer first.json --call call.json --save saved.json --decline who
  toolnexus-mrtr answer second.json --resume saved.json --accept when.day=2026-07-28

What is saved holds the arguments and the state, and is as secret as they are. While the
command runs, other users of the machine may see its arguments: give what is secret by
--json KEY=@FILE.
"""

_DEMO_HELP: Final = """\
The server runs on this machine, and the call goes no further. What the server asks,
what was answered and what comes of it is told on standard error, step by step; the
result of the call is printed, as JSON:

  toolnexus-mrtr demo --accept who.name=Ada --accept when.day=2026-07-28
  toolnexus-mrtr demo decline --decline delete

Without any answer among the arguments the person at the terminal is asked, which
needs: pip install 'toolnexus-mrtr[call]'

The tools: booking asks two questions, one after the other; form has a field of every
kind; url asks for a visit; state pauses without a question; task goes on in the
background, and asks from there; decline asks what is best declined.

Each answer is for the key that it names, in whatever round that is asked. It answers
one question: where a server asks another one under the same KEY, --answers takes an
array with the answers of each round, {"KEY": {"action": "accept", "content": {...}}}.
"""

_LINT_HELP: Final = """\
A FILE holds JSON: a result, a JSON-RPC response, or several messages, one a line as
stdio carries them. It may be a saved event stream too. The last response is linted.
Where the request with its id stands before it, that says the method and what was
declared; --method and --capabilities say it for all files.

On a terminal the findings are for people. On a pipe or in a file each is one line:
file, severity, code, place (a JSON Pointer), sentence, with tabs between. With
--format junit each file is a suite, and each finding a case: one that failed where it
is an error. That format needs: pip install 'toolnexus-mrtr[junit]'

  toolnexus-mrtr lint *.json | cut -f 1,3
  jq -c . request.json response.json | toolnexus-mrtr lint -

The status is 2 if a file cannot be read; the others are linted all the same. Else it
is 1 if there is an error: something that the library would refuse or that the protocol
forbids.
"""

_VECTORS_HELP: Final = """\
COMMAND reads one line of JSON for each vector, {"operation": ..., "input": ...}, and
answers it with one line: {"expect": ...} or {"error": {"code": ..., "at": ...}}.
It must flush each line. It is started anew after a vector that it did not answer.

FILE says what the program is known to fail, and why: {"vectors": {"ID": "REASON"},
"operations": {"NAME": "REASON"}, "flags": {"FLAG": "REASON"}}. Vectors that are
listed by their id must fail; those of a listed operation or flag are left out. The
status is 1 if a listed vector passes, or if one that is not listed fails.
"""

_ADVERSARY_HELP: Final = """\
COMMAND is a client that speaks MCP 2026-07-28 over streamable HTTP; the url of the
server is added to its arguments. It must call every tool of tools/list once, in any
order, and go on where a call fails; then it must list the prompts once. The
description of each tool says what the user answers, and so does its _meta, for
programs:

  {"arguments": {...}, "host": {"KEY": {"action": "accept", "content": {...}}}}

The answer of a KEY is null where there is nobody to ask. A host that is not shown
keys finds the KEY in the message of each request: What is "KEY"? It stands there as
JSON, in which nothing is escaped but quotes, backslashes and control characters.

What a call does not declare in its _meta is not asked of it; but the tool
"undeclared" asks for it, on purpose. A rule is "not declared" where that left it
untested.

Without COMMAND the url is printed to standard error, and the server runs until Ctrl-C
is pressed. The report then goes to standard output.

Every rule says how binding it is: a broken "must" has failed, a broken "should" or
"advice" is warned of. --rules lists the rules, each with the page and the heading of
the specification that say so. The status is 1 if a rule has failed or was not tested.

FILE says what the client is known to fail, and why: {"rules": {"ID": "REASON"},
"tools": {"NAME": "REASON"}}. A rule that is listed must not pass; a tool that is
listed is left out. So a client in a language that cannot hold half a surrogate pair
lists the tool "half_surrogate".
"""


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments of the command line, `sys.argv` unless given, into the options of one command.

    The option `run` is the function that runs the command. Raises `BadInput`, and `SystemExit` after the help or the
    version was printed.
    """
    parser = _Parser(
        prog="toolnexus-mrtr",
        description="Read what a paused call of MCP 2026-07-28 asks, and write the call that answers it.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        metavar="SHELL",
        help="print the script with which bash, zsh, fish or tcsh completes commands, and exit",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_demo, add_calls, _add_show, _add_answer, _add_lint, _add_vectors, _add_adversary):
        add(commands)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        raise BadInput("expected no other arguments than the command has; --help says more")
    return options


def _add_show(commands: Any) -> None:
    command = add_command(commands, "show", show, "Print what a paused result asks.")
    command.add_argument("file", **_FILE)


def _add_answer(commands: Any) -> None:
    about = "Print the params of the call that answers a paused result, as JSON."
    command = add_command(commands, "answer", answer, about, _ANSWER_HELP)
    command.add_argument("file", **_FILE)
    paused = command.add_mutually_exclusive_group()
    paused.add_argument(
        "--call",
        metavar="FILE",
        help="the JSON-RPC request of the paused call, or the params alone of a tools/call; - for standard input",
    )
    paused.add_argument("--resume", metavar="FILE", help="what --save stored; - for standard input")
    command.add_argument(
        "--request", metavar="ID", help="print a JSON-RPC request with this id, which must be a new one"
    )
    command.add_argument(
        "--save", metavar="FILE", help="store this retry, to go on from if it is paused again; keep it secret"
    )
    add_answer_options(command)


def _add_demo(commands: Any) -> None:
    about = "Call a tool of a small server that is started for it, and tell of each step."
    command = add_command(commands, "demo", _run_demo, about, _DEMO_HELP)
    command.add_argument(
        "tool",
        nargs="?",
        choices=("booking", "form", "url", "state", "task", "decline"),
        default="booking",
        help="the tool to call; booking unless given",
    )
    add_round_options(command)


def _add_lint(commands: Any) -> None:
    about = "List what is wrong with results, and what is unwise in them."
    command = add_command(commands, "lint", lint_files, about, _LINT_HELP)
    command.add_argument("files", nargs="+", **_FILE)
    command.add_argument("--method", metavar="METHOD", help="the method of the calls, such as tools/call")
    command.add_argument(
        "--capabilities", metavar="JSON|@FILE", help="the capabilities that were declared to the server, as an object"
    )
    add_format(command, FORMATS)


def _add_vectors(commands: Any) -> None:
    about = "Run the vectors of the fixtures against this library, or against any other program."
    command = add_command(commands, "vectors", _run_vectors, about, _VECTORS_HELP)
    command.add_argument("folder", nargs="?", metavar="DIR", help="the vectors; the built-in ones unless given")
    command.add_argument(
        "--cmd", metavar="COMMAND", help="the other program, with its arguments; on POSIX systems only"
    )
    command.add_argument(
        "--only",
        metavar="OPERATION|ID",
        help="run the vectors of this operation, or the one with this id; may be given again",
        **REPEATABLE,
    )
    command.add_argument(
        "--export", metavar="DIR", help="write the built-in fixtures into this new folder, and run nothing"
    )
    command.add_argument(
        "--expected-failures", metavar="FILE", help="which vectors that program is known to fail, as JSON"
    )
    command.add_argument(
        "--seconds",
        type=parse_seconds,
        default=10.0,
        help="how long the program may take for one vector; 10 unless given",
    )
    add_format(command)


def _add_adversary(commands: Any) -> None:
    about = "Run a hostile server on loopback, and report which rules a client keeps."
    command = add_command(commands, "adversary", _run_adversary, about, _ADVERSARY_HELP)
    command.add_argument("--port", type=_parse_port, default=0, help="the port to listen on; a free one unless given")
    command.add_argument(
        "--cmd",
        metavar="COMMAND",
        help="the client, with its arguments; the url is added to them; on POSIX systems only",
    )
    command.add_argument(
        "--expected-failures", metavar="FILE", help="what that client is known to fail, as JSON; - for standard input"
    )
    command.add_argument("--rules", action="store_true", help="list the rules, and run nothing")
    command.add_argument(
        "--seconds", type=parse_seconds, default=60.0, help="how long the client may take in all; 60 unless given"
    )
    add_format(command)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # Behind the first quote argparse repeats what was typed, which may be an answer.
        raise BadInput(f"{_find_quote.split(message, 1)[0]}; --help says more")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(parser.prog, find_version() or "(not installed)")
        parser.exit()


class _PrintCompletion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _: Any, values: Any, __: Any = None) -> None:
        # It loads a package that need not be installed.
        from toolnexus_mrtr.cli._completion import write_completion  # noqa: PLC0415 - see above

        print(write_completion(parser, values))
        parser.exit()


def _run_demo(options: argparse.Namespace) -> Generator[str, None, int]:
    # Its imports, subprocess among them, are slow; the other commands do without.
    from toolnexus_mrtr.cli._demo import run_demo  # noqa: PLC0415 - see above

    return end_on_signals(run_demo(options))


def _run_vectors(options: argparse.Namespace) -> Generator[str, None, int]:
    # Its imports, subprocess among them, are slow; the other commands do without.
    from toolnexus_mrtr.cli._vectors import run_vectors  # noqa: PLC0415 - see above

    return end_on_signals(run_vectors(options))


def _run_adversary(options: argparse.Namespace) -> Generator[str, None, int]:
    # Its imports, http.server among them, are slow; the other commands do without.
    from toolnexus_mrtr.cli._adversary import run_adversary  # noqa: PLC0415 - see above

    return end_on_signals(run_adversary(options))


def _parse_port(text: str) -> int:
    if not text.isdecimal() or len(text) > 5 or int(text) > 65535:
        raise argparse.ArgumentTypeError("expected a port from 0 to 65535")
    return int(text)
