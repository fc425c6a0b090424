"""Checks the types of the README's Python blocks: each is a module of its own, for `mypy --strict`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def main() -> int:
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        for number, block in enumerate(blocks, 1):
            (Path(folder) / f"readme_block_{number}.py").write_text(block, "utf-8")
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", folder], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
