"""Print what every hostile form costs: its size, the calls, the time, and what became of it."""

import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent)]

from hostile_forms import HOSTILE, LARGE, SMALL, bytes_of  # noqa: E402 - the path has just been set
from test_hostile_forms import answered, calls  # noqa: E402


def main() -> None:
    """Print the table."""
    print(f"{'form':<40}{'bytes':>8}{'calls':>9}{'growth':>8}{'ms':>8}  outcome")
    for name, make in HOSTILE.items():
        small, large = make(SMALL), make(LARGE)
        answered(small)
        start = time.perf_counter()
        outcome = answered(large)
        milliseconds = (time.perf_counter() - start) * 1000
        cost = calls(large)
        growth = cost / calls(small)
        print(f"{name:<40}{bytes_of(large.schema):>8}{cost:>9}{growth:>8.1f}{milliseconds:>8.1f}  {outcome}")


if __name__ == "__main__":
    main()
