"""Servers that are processes of their own: started until they say where they listen, and ended."""

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

#: Seconds that a server may take to start.
STARTING = 60


@contextmanager
def started(command: Sequence[str]) -> Iterator[str]:
    """Start a server and give the url that it says; end it, and all that it started."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    with process:
        try:
            ready, _, _ = select.select([process.stdout], [], [], STARTING)
            url = process.stdout.readline().strip() if ready else ""
            assert url.startswith("http://127.0.0.1:"), f"{command} did not start"
            yield url
        finally:
            os.killpg(process.pid, signal.SIGKILL)
