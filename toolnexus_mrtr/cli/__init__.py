"""The command line: what it reads and when it fails. Imports the door of the library only; nothing imports it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from toolnexus_mrtr import MrtrError, printable
from toolnexus_mrtr.cli._answer import answer
from toolnexus_mrtr.cli._input import BadInput
from toolnexus_mrtr.cli._show import show


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it did its work, 2 with one sentence on stderr when its input is bad."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        for line in options.run(options):
            print(line)
    except (MrtrError, BadInput) as error:
        print(f"toolnexus-mrtr: {printable(str(error))}", file=sys.stderr)
        return 2
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"toolnexus-mrtr: {printable(message)}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="toolnexus-mrtr", description="Read and answer paused calls of MCP 2026-07-28.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    file: dict[str, Any] = {
        "metavar": "FILE",
        "help": "the result of the call, or the whole JSON-RPC response; - for standard input",
    }

    command = commands.add_parser("show", help="print what a paused result asks")
    command.add_argument("file", **file)
    command.set_defaults(run=show)

    command = commands.add_parser("answer", help="print the params of the call that answers it, as JSON")
    command.add_argument("file", **file)
    command.add_argument("--call", metavar="FILE", help="the params of the paused call, or the whole request")
    command.add_argument(
        "--accept", metavar="KEY[.FIELD=VALUE]", action="append", default=[], help="accept, with the value of a field"
    )
    command.add_argument("--decline", metavar="KEY", action="append", default=[], help="decline what KEY asks")
    command.add_argument("--cancel", metavar="KEY", action="append", default=[], help="dismiss what KEY asks")
    command.set_defaults(run=answer)
    return parser
