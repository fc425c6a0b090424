"""Clients against `toolnexus-mrtr adversary`: the low-level one keeps every rule, the official one most."""

import json
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from peers import HERE

ADVERSARY = Path(sys.executable).with_name("toolnexus-mrtr")


def report(client):
    """What came of each rule, and what was seen of those that were not kept."""
    command = [ADVERSARY, "adversary", "--format", "json", "--cmd", shlex.join([sys.executable, str(HERE / client)])]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    rules = json.loads(done.stdout)["rules"]
    broken = {rule["id"]: rule["seen"] for rule in rules if rule["verdict"] != "passed"}
    return done.returncode, {"rules": {rule["id"]: rule["verdict"] for rule in rules}, "seen": broken}


def test_the_low_level_client_keeps_every_rule_of_the_adversary(tested, monkeypatch):
    monkeypatch.setenv("MCP_CONFORMANCE_SCENARIO", "adversary")
    status, made = report("low_level_client.py")
    assert (status, set(made["rules"].values())) == (0, {"passed"}), made["seen"]
    rules = len(made["rules"])
    tested("`toolnexus-mrtr adversary`", "\N{EN DASH}", "HTTP with JSON", f"every rule, {rules}/{rules}")


def test_the_official_python_client_is_recorded_as_it_is():
    """It hands urls to its host as they are: a host that trusts it visits what it should not."""
    recorded = json.loads((HERE / "official_client.json").read_bytes())
    assert recorded["mcp"] == version("mcp")
    status, made = report("official_client.py")
    assert {"mcp": recorded["mcp"], "status": status, **made} == recorded
