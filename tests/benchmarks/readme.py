"""What is measured, written into the page beside this module: the table, and where and when it was made."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
PAGE = HERE / "README.md"
sys.path.insert(0, str(HERE.parent))

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
    parser.add_argument("--write", action="store_true", help="write the table into README.md beside this program too")


def write(name: str, made: str) -> None:
    """Put a table into the page."""
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), name, made + "\n"), "utf-8")
