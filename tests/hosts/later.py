"""Run a Python program as if it were some days later: `python later.py DAYS PROGRAM ARGUMENT...`."""

import runpy
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    days, program = float(sys.argv[1]), sys.argv[2]
    now = time.time
    time.time = lambda: now() + days * 24 * 3600
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(program).parent)
    runpy.run_path(program, run_name="__main__")
