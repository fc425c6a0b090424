"""Print what every hostile form costs: its size, the calls, the time, and what became of it."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from harness import aligned
from readme import add_write, where, write

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]

from counting import calls  # noqa: E402 - the path has just been set
from hostile_forms import HOSTILE, LARGE, SMALL, Hostile, bytes_of  # noqa: E402 - as above
from test_hostile_forms import answered  # noqa: E402 - as above

HEAD = ["Form", "Bytes", "Calls", "Growth", "Milliseconds", "Outcome"]

#: How many of them the page shows, the dearest first.
SHOWN = 12


def timed(form: Hostile) -> float:
    """Take the least of five times, in milliseconds."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        answered(form)
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_write(parser)
    options = parser.parse_args()
    costs: list[tuple[float, list[str]]] = []
    for name, make in HOSTILE.items():
        small, large = make(SMALL), make(LARGE)
        outcome, milliseconds = answered(large), timed(large)
        cost = calls(answered, large)
        growth = cost / calls(answered, small)
        size = bytes_of(large.schema)
        costs.append((milliseconds, [name, f"{size:,}", f"{cost:,}", f"{growth:.1f}", f"{milliseconds:.1f}", outcome]))
    costs.sort(reverse=True)
    lines = [line for _, line in costs]
    print(f"{where()}\n\n{aligned([HEAD, *lines])}")
    if options.write:
        write("hostile forms", f"{aligned([HEAD, *lines[:SHOWN]])}\n\n{where()}; the {SHOWN} dearest of {len(lines)}.")


if __name__ == "__main__":
    main()
