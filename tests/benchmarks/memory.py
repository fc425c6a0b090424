"""What an import costs beside the peers that are installed: time, memory and modules, each in a fresh process."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec

from harness import aligned
from readme import add_write, where, write
from rows_import import ENVIRONMENT

#: Modules, and the distributions that they come from.
PEERS = {"msgspec": "msgspec", "mcp_types": "mcp-types", "mcp": "mcp", "fastmcp": "fastmcp"}

#: Prints milliseconds, MiB of resident memory and modules that an import adds. Linux alone says how much is resident
#: now; the most that ever was, which other systems tell too, includes the process that this one was forked from.
CODE = """
import sys, time
def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) / 256
before, modules, start = resident(), len(sys.modules), time.perf_counter()
import {}
seconds = time.perf_counter() - start
print(seconds * 1000, resident() - before, len(sys.modules) - modules)
"""


def imported(module: str) -> list[float]:
    """Import it once, in a process of its own."""
    command = [sys.executable, "-c", CODE.format(module)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return [float(figure) for figure in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="fresh processes of each, taking turns")
    add_write(parser)
    options = parser.parse_args()
    modules = ["toolnexus_mrtr", *filter(find_spec, PEERS)]
    for module in modules:
        # Leaves the bytecode behind, and warms up.
        imported(module)
    rounds = [[imported(module) for module in modules] for _ in range(options.rounds)]
    lines = [["Import", "Version", "Milliseconds", "MiB", "Modules"]]
    for module, figures in zip(modules, zip(*rounds, strict=True), strict=True):
        milliseconds, mebibytes, count = (statistics.median(column) for column in zip(*figures, strict=True))
        number = version(PEERS.get(module, "toolnexus-mrtr"))
        lines.append([f"`{module}`", number, f"{milliseconds:.0f}", f"{mebibytes:.1f}", f"{count:.0f}"])
    made = f"{aligned(lines)}\n\n{where()}."
    print(made)
    if options.write:
        write("imports", made)


if __name__ == "__main__":
    main()
