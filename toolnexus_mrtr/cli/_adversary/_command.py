"""The command `adversary`: serves a client, or waits for one, and reports which rules it kept."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress

from toolnexus_mrtr.cli._adversary._attacks import make_trials
from toolnexus_mrtr.cli._adversary._loopback import Loopback
from toolnexus_mrtr.cli._adversary._rules import RULES, Rule
from toolnexus_mrtr.cli._adversary._server import HostileServer
from toolnexus_mrtr.cli._adversary._verdicts import Verdict
from toolnexus_mrtr.cli._errors import print_to_stderr
from toolnexus_mrtr.cli._expected_failures import load_reasons
from toolnexus_mrtr.cli._process import kill, split_command, start
from toolnexus_mrtr.cli._text import fold

_VERDICTS = ("passed", "failed", "warned", "expected to fail", "not exercised", "not declared")

#: The verdicts with which the status is 1: a rule is broken, or it was not tested.
_BAD = ("failed", "not exercised")

_CLIENT_ENDS = Rule("client-ends", "must", "The client exits in time.")


def run_adversary(options: argparse.Namespace) -> Generator[str, None, int]:
    """Run the hostile server for one client and print the report; the status is 1 if a verdict is one of `_BAD`."""
    if options.rules:
        yield from _list_rules_as_json() if options.format == "json" else _list_rules()
        return 0
    known = {
        "rules": ("id of any rule", RULES.keys()),
        "tools": ("name of any tool", {trial.name for trial in make_trials("")}),
    }
    expected = load_reasons(options.expected_failures, known)
    loopback = Loopback(options.port)
    server = HostileServer(loopback.base, time.monotonic, expected["tools"])
    with loopback.serve(server):
        client = _wait_for_interrupt(loopback.url) if options.cmd is None else _run_client(options, loopback.url)
        server.stop_clock()
    verdicts = [*_expect_failures(server.judge(), expected["rules"]), *client]
    yield from _report_json(verdicts) if options.format == "json" else _report_text(verdicts)
    return int(any(one.verdict in _BAD for one in verdicts))


def _list_rules() -> Iterator[str]:
    for rule in RULES.values():
        yield rule.id
        yield from fold(rule.says, "    ", "      ")
        yield from fold(rule.basis, "    ", "      ")
        if rule.link:
            yield f"    {rule.link}"


def _list_rules_as_json() -> Iterator[str]:
    yield json.dumps({"rules": [_to_json(rule) for rule in RULES.values()]}, indent=2)


def _expect_failures(verdicts: list[Verdict], reasons: Mapping[str, str]) -> Iterator[Verdict]:
    """Change the verdicts on the rules that are listed: they must not pass."""
    for one in verdicts:
        if one.rule.id not in reasons or one.verdict == "not declared":
            yield one
        elif one.verdict == "passed":
            yield Verdict(one.rule, "failed", ("listed in --expected-failures, but passes",))
        else:
            yield Verdict(one.rule, "expected to fail", (reasons[one.rule.id], *one.sentences))


def _wait_for_interrupt(url: str) -> list[Verdict]:
    # Whoever reads that line may interrupt at once.
    with suppress(KeyboardInterrupt):
        print_to_stderr(f"listening at {url}; Ctrl-C ends it and prints the report")
        signal.pause()
    return []


def _run_client(options: argparse.Namespace, url: str) -> list[Verdict]:
    """Run the client until it ends or its time is over, its standard output discarded; give the verdict on that."""
    process = start([*split_command(options.cmd), url], subprocess.DEVNULL)
    try:
        process.wait(options.seconds)
    except subprocess.TimeoutExpired:
        return [Verdict(_CLIENT_ENDS, "failed", (f"expected an end within {options.seconds:g} s",))]
    finally:
        kill(process)
    return [Verdict(_CLIENT_ENDS, "passed", (f"exit status {process.returncode}",))]


def _report_text(verdicts: list[Verdict]) -> Iterator[str]:
    width = max(map(len, _VERDICTS))
    for rule, verdict, sentences in verdicts:
        yield f"{verdict.ljust(width)}  {rule.id}"
        for sentence in sentences if verdict == "passed" else (rule.says, *sentences):
            yield from fold(sentence, "    ", "      ")
        if verdict in ("failed", "warned"):
            yield from fold(rule.basis, "    ", "      ")
            yield from (f"    {rule.link}",) if rule.link else ()
    counts = _count_verdicts(verdicts)
    yield ""
    yield ", ".join(f"{verdict}: {counts[verdict]}" for verdict in _VERDICTS)


def _report_json(verdicts: list[Verdict]) -> Iterator[str]:
    rules = [_to_json(rule) | {"verdict": verdict, "seen": sentences} for rule, verdict, sentences in verdicts]
    yield json.dumps({"rules": rules, "counts": _count_verdicts(verdicts)}, indent=2)


def _to_json(rule: Rule) -> dict[str, object]:
    """Give a rule as JSON; page, heading and link are null where no sentence of the specification says so."""
    place = {"page": rule.page or None, "heading": rule.heading or None, "spec": rule.link or None}
    return {"id": rule.id, "level": rule.level, "says": rule.says, **place}


def _count_verdicts(verdicts: list[Verdict]) -> dict[str, int]:
    return {**dict.fromkeys(_VERDICTS, 0), **Counter(one.verdict for one in verdicts)}
