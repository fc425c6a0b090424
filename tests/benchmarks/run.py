"""Compare the library with its peers: print one table, and perhaps write it down as JSON.

Needs the extra `bench`. The status is 0 even where a target is missed: machines are noisy, and a mark shows it.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from harness import measure, summary, table
from readme import add_write, where, write

try:
    import rows_clients
    import rows_exchange
    import rows_forms
    import rows_import
    import rows_reading
    import rows_writing
except ModuleNotFoundError as missing:
    raise SystemExit(f"{missing.name} is not installed: pip install '.[bench]'") from None

PEERS = ("msgspec", "jsonschema", "mcp", "mcp-types", "fastmcp", "pydantic")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare toolnexus-mrtr with its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: an impression, no evidence")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was measured here too")
    add_write(parser)
    options = parser.parse_args()
    modules = (rows_reading, rows_writing, rows_forms, rows_exchange, rows_clients, rows_import)
    rows = [row for module in modules for row in module.rows()]
    measured = measure(rows, rounds=5 if options.quick else 25, seconds=0.002 if options.quick else 0.01)
    packages = {name: version(name) for name in PEERS}
    beside = ", ".join(f"{name} {number}" for name, number in packages.items())
    print(f"{where()}\n{beside}\n\n{table(measured)}")
    if options.json:
        written = {**where()._asdict(), "packages": packages, "rows": [asdict(row) for row in measured]}
        options.json.write_text(json.dumps(written, indent=2) + "\n", "utf-8")
    if options.write:
        write("speed", f"{summary(measured)}\n\n{where()}; {beside}.")


if __name__ == "__main__":
    main()
