"""The command `adversary`: serves a client, or waits for one, and reports which rules it kept."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import suppress

from toolnexus_mrtr.cli._adversary._grading import LIBRARY, Rule
from toolnexus_mrtr.cli._adversary._loopback import Loopback
from toolnexus_mrtr.cli._adversary._server import HostileServer, Verdict
from toolnexus_mrtr.cli._errors import print_to_stderr
from toolnexus_mrtr.cli._process import kill, split_command, start
from toolnexus_mrtr.cli._text import fold

_VERDICTS = ("passed", "failed", "warned", "not exercised", "not declared")

#: The verdicts with which the status is 0. "Not declared" is a rule about a mode that the client does not declare.
_GOOD = ("passed", "warned", "not declared")

_CLIENT_ENDS = Rule("client-ends", "The client comes to an end.", LIBRARY)


def run_adversary(options: argparse.Namespace) -> Generator[str, None, int]:
    """Run the hostile server for one client and print the report; the status is 0 if all verdicts are in `_GOOD`."""
    loopback = Loopback(options.port)
    server = HostileServer(loopback.base, time.monotonic)
    with loopback.serve(server):
        client = _wait_for_interrupt(loopback.url) if options.cmd is None else _run_client(options, loopback.url)
        server.stop_clock()
    verdicts = [*server.judge(), *client]
    yield from _report_json(verdicts) if options.format == "json" else _report_text(verdicts)
    return int(any(one.verdict not in _GOOD for one in verdicts))


def _wait_for_interrupt(url: str) -> list[Verdict]:
    print_to_stderr(f"listening at {url}; Ctrl-C ends it and prints the report")
    with suppress(KeyboardInterrupt):
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
        if verdict in ("failed", "warned") and rule.basis != LIBRARY:
            yield f"    {rule.basis}"
    counts = _count_verdicts(verdicts)
    yield ""
    yield ", ".join(f"{verdict}: {counts[verdict]}" for verdict in _VERDICTS)


def _report_json(verdicts: list[Verdict]) -> Iterator[str]:
    rules = [
        {"id": rule.id, "verdict": verdict, "says": rule.says, "basis": rule.basis, "seen": sentences}
        for rule, verdict, sentences in verdicts
    ]
    yield json.dumps({"rules": rules, "counts": _count_verdicts(verdicts)}, indent=2)


def _count_verdicts(verdicts: list[Verdict]) -> dict[str, int]:
    return {**dict.fromkeys(_VERDICTS, 0), **Counter(one.verdict for one in verdicts)}
