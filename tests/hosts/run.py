"""Test the web host of this folder in a real Chromium against a real server, with one command.

Makes an environment in a temporary folder and runs the tests in it. Wants Chromium and its driver (Debian's packages
`chromium` and `chromium-driver`), and reaches for nothing but a package registry and loopback.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))

from environments import python_environment, run_tests  # noqa: E402 - the path has just been set

#: Seconds that the tests may take.
DEADLINE = 480


def find_program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is missing: Debian has it in its packages chromium and chromium-driver.")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--environments", metavar="DIR", type=Path, help="keep the environment there and use it again")
    options = parser.parse_args()
    variables = {"HOSTS_CHROMIUM": find_program("chromium"), "HOSTS_DRIVER": find_program("chromedriver")}
    with tempfile.TemporaryDirectory(prefix="hosts-") as scratch:
        home = (options.environments or Path(scratch)).resolve()
        home.mkdir(parents=True, exist_ok=True)
        interpreter = python_environment(home / "hosts", HERE / "requirements.txt")
        run_tests(interpreter, sorted(HERE.glob("test_*.py")), variables, deadline=DEADLINE)


if __name__ == "__main__":
    main()
