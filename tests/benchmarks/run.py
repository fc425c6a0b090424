"""Compare the library with its peers: print one table, and perhaps write it down as JSON.

Needs the extra `bench`. The status is 0 even where a target is missed: machines are noisy, and a mark shows it.
"""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from harness import measure, table

try:
    import rows_exchange
    import rows_forms
    import rows_import
    import rows_reading
    import rows_writing
except ModuleNotFoundError as missing:
    raise SystemExit(f"{missing.name} is not installed: pip install '.[bench]'") from None

PEERS = ("msgspec", "jsonschema", "mcp", "mcp-types", "pydantic")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare toolnexus-mrtr with its peers.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: an impression, no evidence")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was measured here too")
    options = parser.parse_args()
    modules = (rows_reading, rows_writing, rows_forms, rows_exchange, rows_import)
    rows = [row for module in modules for row in module.rows()]
    measured = measure(rows, rounds=5 if options.quick else 25, seconds=0.002 if options.quick else 0.01)
    where = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "packages": {name: version(name) for name in PEERS},
    }
    print(f"{where['date']}, Python {where['python']}, {where['machine']}")
    print(", ".join(f"{name} {number}" for name, number in where["packages"].items()))
    print()
    print(table(measured))
    if options.json:
        rows_written = [asdict(row) for row in measured]
        options.json.write_text(json.dumps({**where, "rows": rows_written}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
