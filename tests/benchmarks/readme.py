"""What is measured, written into the README: the table, and where and when it was made."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
README = TESTS.parent / "README.md"
sys.path.insert(0, str(TESTS))

from marked import with_table  # noqa: E402 - the path has just been set


class Where(NamedTuple):
    """When and on what something was measured; the kind of machine, and not its name."""

    date: str
    python: str
    machine: str

    def __str__(self) -> str:
        return f"{self.date}, Python {self.python}, {self.machine}"


def where() -> Where:
    """Say when and on what this runs."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return Where(datetime.now(UTC).date().isoformat(), platform.python_version(), machine)


def add_write(parser: argparse.ArgumentParser) -> None:
    """Let a command take `--write`."""
    parser.add_argument("--write", action="store_true", help="write the table into the README too")


def write(name: str, made: str) -> None:
    """Put a table into the README."""
    README.write_text(with_table(README.read_text("utf-8"), name, made + "\n"), "utf-8")
