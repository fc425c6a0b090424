"""Test the library against real servers, the official conformance suite and toolnexus: all of it, with one command.

Makes an environment for each in a temporary folder, runs the tests of this folder in them, and compares the README's
table with what passed. Wants npm, and reaches for nothing but package registries and loopback.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from environments import ROOT, python_environment, quietly, run_tests  # noqa: E402 - the path has just been set
from marked import with_table  # noqa: E402 - as above
from table import NAME, table  # noqa: E402

README = ROOT / "README.md"

#: Seconds that the tests of one environment may take.
DEADLINE = 600


def node_environment(place: Path) -> Path:
    """Install what package.json names, Node itself among it."""
    place.mkdir(exist_ok=True)
    shutil.copy(HERE / "package.json", place)
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing: the TypeScript server and the conformance suite need it.")
    quietly(npm, "install", "--prefix", place, "--no-package-lock", "--no-audit", "--no-fund")
    return place


def run_reporting(interpreter: Path, names: list[str], variables: dict[str, str]) -> list[dict[str, str]]:
    """Run the tests of some files, and give what they report."""
    report = Path(variables["PEERS_REPORT"])
    report.unlink(missing_ok=True)
    run_tests(interpreter, [HERE / name for name in names], variables, deadline=DEADLINE)
    passed: list[dict[str, str]] = json.loads(report.read_text("utf-8"))
    return passed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the README's table, and record tasks anew")
    parser.add_argument(
        "--environments", metavar="DIR", type=Path, help="keep the environments there and use them again"
    )
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        home = (options.environments or Path(scratch)).resolve()
        home.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor() as pool:
            servers = pool.submit(python_environment, home / "servers", HERE / "requirements.txt")
            toolnexus = pool.submit(python_environment, home / "toolnexus", HERE / "requirements-toolnexus.txt")
            tasks = pool.submit(python_environment, home / "fastmcp-tasks", HERE / "requirements-fastmcp-tasks.txt")
            node = pool.submit(node_environment, home / "node")
        print(f"environments: {time.monotonic() - began:.0f} s", flush=True)
        variables = {
            "PEERS_PYTHON": str(servers.result()),
            "PEERS_FASTMCP_TASKS": str(tasks.result()),
            "PEERS_NODE": str(node.result()),
            "PEERS_REPORT": str(Path(scratch) / "report.json"),
        }
        names = sorted(path.name for path in HERE.glob("test_*.py"))
        others = [name for name in names if name != "test_toolnexus.py"]
        passed = run_reporting(servers.result(), others, variables)
        passed += run_reporting(toolnexus.result(), ["test_toolnexus.py"], variables)
    readme = README.read_text("utf-8")
    wanted = with_table(readme, NAME, table(passed))
    if options.write:
        README.write_text(wanted, "utf-8")
        quietly(servers.result(), HERE / "record_tasks.py", ROOT / "tests" / "wire" / "tasks", variables=variables)
    elif wanted != readme:
        raise SystemExit(f"{table(passed)}\nREADME.md says otherwise: with --write it is corrected.")
    print(f"all of it: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
