"""Importing: the library beside msgspec alone and beside the SDK, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from harness import Row, Stopwatch, faster, within

#: Bytecode is written and read, as for every installed library; the warm-up leaves it behind.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

CODE = "from time import perf_counter as now; start = now(); import {}; print(now() - start)"


def rows() -> Iterator[Row]:
    ours = importing("toolnexus_mrtr")
    yield Row("import toolnexus_mrtr", "-", "import msgspec", ours, importing("msgspec"), within(1.7))
    yield Row("import toolnexus_mrtr", "-", "import mcp", ours, importing("mcp"), faster(10))


def importing(module: str) -> Stopwatch:
    """Time one import in a fresh interpreter, its own start left out."""
    command = [sys.executable, "-c", CODE.format(module)]

    def stopwatch(_: float) -> float:
        return float(subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout)

    return stopwatch
