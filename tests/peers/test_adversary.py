"""Clients against `toolnexus-mrtr adversary`: the low-level one keeps every rule, the official one most."""

import json
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from peers import HERE, NODE, node, python

ADVERSARY = Path(sys.executable).with_name("toolnexus-mrtr")


CLIENT = NODE / "node_modules" / "@modelcontextprotocol" / "client"

#: How each official client is run, and its version.
OFFICIAL = {
    "python": (python("python_client.py"), version("mcp")),
    "typescript": (node("typescript_client.mjs"), json.loads((CLIENT / "package.json").read_bytes())["version"]),
}


def report(client):
    """What came of each rule, and what was seen of those that were not kept."""
    command = [ADVERSARY, "adversary", "--format", "json", "--cmd", shlex.join(client)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    rules = json.loads(done.stdout)["rules"]
    broken = {rule["id"]: rule["seen"] for rule in rules if rule["verdict"] != "passed"}
    return done.returncode, {"rules": {rule["id"]: rule["verdict"] for rule in rules}, "seen": broken}


def test_the_low_level_client_keeps_every_rule_of_the_adversary(tested, monkeypatch):
    monkeypatch.setenv("MCP_CONFORMANCE_SCENARIO", "adversary")
    status, made = report(python("low_level_client.py"))
    assert (status, set(made["rules"].values())) == (0, {"passed"}), made["seen"]
    rules = len(made["rules"])
    tested("`toolnexus-mrtr adversary`", "\N{EN DASH}", "HTTP with JSON", f"every rule, {rules}/{rules}")


@pytest.mark.parametrize("client", OFFICIAL)
def test_an_official_client_is_recorded_as_it_is(client):
    """Both hand urls to their host as they are: a host that trusts them visits what it should not."""
    command, client_version = OFFICIAL[client]
    status, made = report(command)
    recorded = json.loads((HERE / "official_clients.json").read_bytes())
    assert {"version": client_version, "status": status, **made} == recorded[client]
