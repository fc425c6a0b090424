"""The official conformance suite, played by the low-level client."""

import json
import re
import shlex
import subprocess
import sys

import pytest
from peers import HERE, NODE

SUITE = NODE / "node_modules" / "@modelcontextprotocol" / "conformance"

#: How many checks each scenario makes; a suite that skips one makes fewer, and is content.
SCENARIOS = {
    "sep-2322-client-request-state": 5,
    "request-metadata": 8,
    "http-standard-headers": 9,
    "tools_call": 2,
    "json-schema-ref-no-deref": 1,
    "json-schema-2020-12-preservation": 9,
}


@pytest.mark.parametrize(("scenario", "checks"), SCENARIOS.items())
def test_the_low_level_client_passes_every_check_of(scenario, checks, tested):
    version = json.loads((SUITE / "package.json").read_bytes())["version"]
    tested("Conformance suite `@modelcontextprotocol/conformance`", version, "HTTP", f"`{scenario}` {checks}/{checks}")
    client = shlex.join([sys.executable, str(HERE / "low_level_client.py")])
    suite = [NODE / "node_modules" / ".bin" / "node", SUITE / "dist" / "index.js", "client", "--command", client]
    options = ["--scenario", scenario, "--spec-version", "2026-07-28"]
    done = subprocess.run([*suite, *options], capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout + done.stderr
    assert re.findall(r"^Passed: .*$", said, re.MULTILINE) == [f"Passed: {checks}/{checks}, 0 failed, 0 warnings"], said
    assert done.returncode == 0
