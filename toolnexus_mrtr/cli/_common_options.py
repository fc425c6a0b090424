"""Options that several commands have, and how a command is added to the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, Final, TypeAlias

#: A command yields the lines to print; it may be a generator that returns the exit status.
Command: TypeAlias = Callable[[argparse.Namespace], Iterator[str]]

REPEATABLE: Final[dict[str, Any]] = {"action": "append", "default": []}


def add_command(
    commands: Any, name: str, run: Command, about: str, epilog: str | None = None
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=about,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter if epilog else argparse.HelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(run=run)
    return command


def end_on_signals(lines: Generator[str, None, int]) -> Generator[str, None, int]:
    """Give the lines of a command that starts programs; a signal that ends it ends those too."""
    # Its import of subprocess is slow; other commands do without.
    from toolnexus_mrtr.cli._process import raise_on_signals  # noqa: PLC0415 - see above

    with raise_on_signals():
        return (yield from lines)


def add_format(command: argparse.ArgumentParser, formats: Iterable[str] = ("text", "json")) -> None:
    command.add_argument("--format", choices=tuple(formats), default="text", help="how to print; text unless given")


def add_answer_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--accept", metavar="KEY[.FIELD=VALUE]", help="accept what KEY asks, and fill in a field", **REPEATABLE
    )
    command.add_argument("--decline", metavar="KEY", help="say no to what KEY asks", **REPEATABLE)
    command.add_argument("--cancel", metavar="KEY", help="dismiss what KEY asks without a choice", **REPEATABLE)
    command.add_argument(
        "--json", metavar="KEY=VALUE", help="answer KEY with a JSON object, or with that in the @FILE", **REPEATABLE
    )


def add_round_options(command: argparse.ArgumentParser) -> None:
    """Add the options that answer what is asked in any round of a call."""
    add_answer_options(command)
    command.add_argument(
        "--answers",
        metavar="FILE",
        help="answers as a JSON object by KEY, or an array of such objects, one for each round; - for standard input",
    )


def parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 3600:
        raise argparse.ArgumentTypeError("expected seconds, more than 0 and less than 3600")
    return seconds
