"""Compare two files that `run.py --json` wrote: row by row, how the ratio changed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from harness import aligned, changes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", metavar="A.json", type=Path)
    parser.add_argument("after", metavar="B.json", type=Path)
    options = parser.parse_args()
    files = [json.loads(path.read_bytes()) for path in (options.before, options.after)]
    for name, file in zip("AB", files, strict=True):
        print(f"{name}: {file['date']}, Python {file['python']}, {file['machine']}")
    head = ["work", "size", "against", "A", "B", "change", "target", "met"]
    print(f"\n{aligned([head, *changes(*(file['rows'] for file in files))])}")


if __name__ == "__main__":
    main()
