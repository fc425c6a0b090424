"""Environments for tests of real programs, and how the tests of a folder are run in them."""

from __future__ import annotations

import os
import signal
import subprocess
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python_environment(place: Path, requirements: Path) -> Path:
    """Make a Python environment with these requirements and the library, and give its interpreter."""
    interpreter = place / "bin" / "python"
    if not interpreter.exists():
        venv.create(place, with_pip=True)
    quietly(interpreter, "-m", "pip", "install", "--disable-pip-version-check", "--requirement", requirements, ROOT)
    return interpreter


def quietly(*command: str | Path, variables: Mapping[str, str] | None = None) -> None:
    """Run a command, and show what it said only when it fails."""
    environment = os.environ | (variables or {})
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{' '.join(map(str, command))} failed.")


def run_tests(interpreter: Path, tests: Sequence[Path], variables: Mapping[str, str], *, deadline: float) -> None:
    """Run files of tests, by the pytest.ini beside them; end them after the deadline, with what they have started."""
    options = ["-m", "pytest", "-q", "-c", tests[0].parent / "pytest.ini", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | variables
    process = subprocess.Popen([interpreter, *options, *tests], env=environment)
    try:
        status = process.wait(deadline)
    except subprocess.TimeoutExpired:
        # pytest ends what its fixtures have started.
        process.send_signal(signal.SIGINT)
        status = process.wait()
    if status:
        raise SystemExit(f"{', '.join(path.name for path in tests)}: failed.")
