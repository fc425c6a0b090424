"""The command `adversary` as it is run: with a client or without, its report, and what it refuses."""

import json
import os
import signal
import socket
import sys
from unittest import mock

import pytest
from adversary_client import Client
from command_line import refusal, run
from test_cli_adversary import BAD
from vectors import ROOT

from toolnexus_mrtr import printable
from toolnexus_mrtr.cli import main
from toolnexus_mrtr.cli._adversary._rules import RULES

TASK_RULES = sum(rule.mode == "tasks" for rule in RULES.values())

CLIENT = f"{sys.executable} {ROOT / 'tests' / 'adversary_client.py'}"


def report(*flags):
    done = run("adversary", *flags, "--format", "json")
    return done.status, json.loads(done.out)


def test_adversary_cmd_runs_a_client_with_the_url_and_judges_it():
    status, made = report("--cmd", CLIENT)
    assert status == 0
    assert made["counts"] == {
        "passed": len(RULES) + 1 - TASK_RULES,
        "failed": 0,
        "warned": 0,
        "expected to fail": 0,
        "not exercised": 0,
        "not declared": TASK_RULES,
    }
    assert made["rules"][-1]["seen"] == ["exit status 0"]


#: A client that starts a second process; each writes a byte to a pipe and then waits for ever.
FORKING = """
import os, sys
line = os.open(sys.argv[1], os.O_WRONLY)
os.fork()
os.write(line, b"x")
os.read(os.pipe()[0], 1)
"""


def test_adversary_cmd_kills_a_client_that_does_not_end_and_its_process_group(tmp_path):
    program = tmp_path / "client.py"
    line = tmp_path / "line"
    os.mkfifo(line)
    reader = os.open(line, os.O_RDONLY | os.O_NONBLOCK)
    program.write_text(FORKING, "ascii")
    status, made = report("--seconds", "1", "--cmd", f"{sys.executable} -S {program} {line}")
    assert status == 1
    os.set_blocking(reader, True)
    with os.fdopen(reader, "rb") as held:
        # Reading ends when no process has the other end open any more.
        assert held.read() == b"xx"
    ends = made["rules"][-1]
    assert (ends["id"], ends["verdict"], ends["seen"]) == ("client-ends", "failed", ["expected an end within 1 s"])


def run_until_interrupted(monkeypatch, kind, *flags, stdin=b""):
    """Run the command without --cmd, let a client of this kind play, and press Ctrl-C."""

    def pause():
        url = sys.stderr.getvalue().split()[2].rstrip(";")
        kind(url).play()
        raise KeyboardInterrupt

    monkeypatch.setattr(signal, "pause", pause)
    return run("adversary", *flags, stdin=stdin)


def test_adversary_without_cmd_prints_the_report_on_ctrl_c(monkeypatch):
    done = run_until_interrupted(monkeypatch, BAD["url-unsafe"])
    lines = done.out.splitlines()
    place = lines.index("failed            url-unsafe")
    assert lines[place - 1 : place + 5] == [
        "passed            url-fetched",
        "failed            url-unsafe",
        "    Nobody visits a url that deceives without a warning.",
        '    url_script, retry 1: the answer of "visit": expected no accept',
        '    must: client/elicitation, "Safe URL Handling"',
        "    https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling",
    ]
    assert lines[-1].startswith(f"passed: {len(RULES) - 1 - TASK_RULES}, failed: 1, warned: 0, expected to fail: 0, ")
    assert done.status == 1
    assert printable(done.out.replace("\n", "")) == done.out.replace("\n", "")


def test_adversary_warns_of_what_no_sentence_demands_and_ends_with_status_0(monkeypatch):
    done = run_until_interrupted(monkeypatch, BAD["retry-bound"])
    lines = done.out.splitlines()
    place = lines.index("warned            retry-bound")
    assert lines[place + 1 : place + 4] == [
        "    A server that always pauses is given up.",
        "    endless: expected less than 100 retries, found 100",
        "    advice: no sentence of the specification",
    ]
    assert done.status == 0


def test_adversary_rules_lists_each_rule_with_the_heading_that_says_so():
    done = run("adversary", "--rules")
    assert done.out.startswith(
        "state-unchanged\n"
        "    A state goes back as it came, to the code point.\n"
        '    must: basic/patterns/mrtr, "Client Requirements (Basic Workflow)"\n'
        "    https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr"
        "#client-requirements-basic-workflow\n"
    )
    assert "    advice: no sentence of the specification\n" in done.out
    listed = json.loads(run("adversary", "--rules", "--format", "json").out)["rules"]
    assert [rule["id"] for rule in listed] == list(RULES)
    assert listed[0] == {
        "id": "state-unchanged",
        "level": "must",
        "says": "A state goes back as it came, to the code point.",
        "page": "basic/patterns/mrtr",
        "heading": "Client Requirements (Basic Workflow)",
        "spec": RULES["state-unchanged"].link,
    }
    assert listed[-1]["page"] is listed[-1]["heading"] is listed[-1]["spec"] is None


def expect(monkeypatch, kind, listed):
    """Run the command with a list of expected failures, and let a client of this kind play."""
    done = run_until_interrupted(monkeypatch, kind, "--expected-failures", "-", "--format", "json", stdin=listed)
    return done.status, {rule["id"]: (rule["verdict"], rule["seen"]) for rule in json.loads(done.out)["rules"]}


def test_adversary_expected_failures_must_not_pass(monkeypatch):
    listed = {"rules": {"state-unchanged": "it trims", "state-empty": "it trims"}}
    status, rules = expect(monkeypatch, BAD["state-unchanged"], listed)
    assert status == 1
    verdict, seen = rules["state-unchanged"]
    assert (verdict, seen[0]) == ("expected to fail", "it trims")
    assert seen[1] == "awkward_state, retry 1: expected the requestState as it was given"
    assert rules["state-empty"] == ("failed", ["listed in --expected-failures, but passes"])
    assert expect(monkeypatch, BAD["state-unchanged"], {"rules": {"state-unchanged": "it trims"}})[0] == 0


class InUtf8(Client):
    """Cannot hold half of a surrogate pair."""

    def call(self, name, host, arguments):
        assert name != "half_surrogate"
        super().call(name, host, arguments)


def test_adversary_expected_failures_leave_out_a_listed_tool(monkeypatch):
    status, rules = expect(monkeypatch, InUtf8, {"tools": {"half_surrogate": "strings are UTF-8"}})
    assert status == 0
    assert {verdict for verdict, _ in rules.values()} == {"passed", "not declared"}


def test_adversary_expected_failures_take_what_was_not_tested(monkeypatch):
    listed = {"tools": {"endless": "it takes too long"}, "rules": {"retry-bound": "left out with its tool"}}
    status, rules = expect(monkeypatch, Client, listed)
    assert (status, rules["retry-bound"]) == (0, ("expected to fail", ["left out with its tool"]))


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ({"rules": {"x": "why"}}, '"x" is not the id of any rule'),
        ({"tools": {"x": "why"}}, '"x" is not the name of any tool'),
        ({"rules": {"leaked": ""}}, "expected rules and tools to be objects, with a reason for every name, and"),
        ({"vectors": {}}, "expected rules and tools to be objects, with a reason for every name, and"),
    ],
)
def test_adversary_expected_failures_refuse_what_is_no_rule_or_tool(listed, sentence):
    found = refusal("adversary", "--expected-failures", "-", stdin=listed)
    assert found.startswith(f"standard input: {sentence}")


def test_adversary_help_says_that_a_message_names_its_key():
    assert 'What is "KEY"?' in run("adversary", "--help").out


@pytest.mark.parametrize(
    "closed", [None, mock.Mock(**{"write.side_effect": BrokenPipeError})], ids=["closed", "broken"]
)
def test_adversary_prints_only_the_report_when_standard_error_is_closed(closed, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", closed)
    monkeypatch.setattr(signal, "pause", mock.Mock(side_effect=KeyboardInterrupt))
    assert main(["adversary", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"]["not exercised"] == len(RULES)


def test_adversary_ends_with_status_0_for_full_marks(monkeypatch):
    assert run_until_interrupted(monkeypatch, Client).status == 0


@pytest.mark.parametrize("command", ["", "'", "./no-such-program", "a\0b", "\ud800"])
def test_adversary_cmd_refuses_a_command_that_does_not_run(command):
    assert refusal("adversary", "--cmd", command).startswith("--cmd: expected ")


@pytest.mark.parametrize("port", ["-1", "65536", "x", "1.5", "9" * 5_000])
def test_adversary_port_refuses_an_invalid_port(port):
    expected = "argument --port: expected a port from 0 to 65535; --help says more"
    assert refusal("adversary", "--port", port) == expected


@pytest.mark.parametrize("seconds", ["0", "-1", "3600", "nan", "inf", "x"])
def test_adversary_seconds_refuse_an_invalid_number(seconds):
    expected = "argument --seconds: expected seconds, more than 0 and less than 3600; --help says more"
    assert refusal("adversary", "--seconds", seconds) == expected


def test_adversary_port_refuses_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refusal("adversary", "--port", port).startswith("--port: expected a port that is free")
