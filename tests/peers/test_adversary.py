"""Clients against `toolnexus-mrtr adversary`: the low-level one keeps every rule, the official one most."""

import json
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from peers import FASTMCP_TASKS, HERE, NODE, node, python

ADVERSARY = Path(sys.executable).with_name("toolnexus-mrtr")


def version_in_node(package):
    return json.loads((NODE / "node_modules" / package / "package.json").read_bytes())["version"]


def version_in_fastmcp_tasks(package):
    program = f"import importlib.metadata; print(importlib.metadata.version({package!r}))"
    return subprocess.run([FASTMCP_TASKS, "-c", program], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


#: How each client is run, and its version. The last two declare tasks, the others do not.
OFFICIAL = {
    "python": (python("python_client.py"), version("mcp")),
    "typescript": (node("typescript_client.mjs"), version_in_node("@modelcontextprotocol/client")),
    "fastmcp-tasks": (
        python("fastmcp_client.py", interpreter=FASTMCP_TASKS),
        version_in_fastmcp_tasks("fastmcp-tasks"),
    ),
    "ext-tasks": (node("ext_tasks_client.mjs"), version_in_node("@modelcontextprotocol/ext-tasks")),
}

#: How often a client polls, and so in which tasks it polls too soon, depends on how fast it runs.
TIMED = ("task-polled-hot",)


def report(client):
    """What came of each rule, and what was seen of those that were not kept."""
    command = [ADVERSARY, "adversary", "--format", "json", "--cmd", shlex.join(client)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    rules = json.loads(done.stdout)["rules"]
    broken = [rule for rule in rules if rule["verdict"] in ("failed", "warned")]
    seen = {rule["id"]: rule["seen"] for rule in broken if rule["id"] not in TIMED}
    return done.returncode, {"rules": {rule["id"]: rule["verdict"] for rule in rules}, "seen": seen}


def test_the_low_level_client_keeps_every_rule_of_the_adversary(tested, monkeypatch):
    monkeypatch.setenv("MCP_CONFORMANCE_SCENARIO", "adversary")
    status, made = report(python("low_level_client.py"))
    assert (status, set(made["rules"].values())) == (0, {"passed"}), made["seen"]
    rules = len(made["rules"])
    tested("`toolnexus-mrtr adversary`", "\N{EN DASH}", "HTTP with JSON", f"every rule, {rules}/{rules}")


@pytest.mark.parametrize("client", OFFICIAL)
def test_an_official_client_is_recorded_as_it_is(client):
    """All hand urls to their host as they are: a host that trusts them visits what it should not."""
    command, client_version = OFFICIAL[client]
    status, made = report(command)
    recorded = json.loads((HERE / "official_clients.json").read_bytes())
    assert {"version": client_version, "status": status, **made} == recorded[client]
