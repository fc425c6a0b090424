"""`adversary`: a hostile server for any client, and the report on what that client did."""

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
from toolnexus_mrtr.cli._errors import say
from toolnexus_mrtr.cli._process import kill, started, words
from toolnexus_mrtr.cli._text import folded

_VERDICTS = ("passed", "failed", "warned", "not exercised", "not declared")

#: With these a client has full marks: what it does not declare it is not asked.
_FULL = ("passed", "warned", "not declared")

_ENDS = Rule("client-ends", "The client comes to an end.", LIBRARY)


def adversary(options: argparse.Namespace) -> Generator[str, None, int]:
    """Play the hostile server for one client, and print the report; 1 where it is not full marks."""
    loopback = Loopback(options.port)
    player = HostileServer(loopback.base, time.monotonic)
    with loopback.serving(player):
        ran = _until_interrupted(loopback.url) if options.cmd is None else _with_client(options, loopback.url)
        player.ended()
    verdicts = [*player.verdicts(), *ran]
    yield from _json(verdicts) if options.format == "json" else _text(verdicts)
    return int(any(one.verdict not in _FULL for one in verdicts))


def _until_interrupted(url: str) -> list[Verdict]:
    say(f"listening at {url}; Ctrl-C ends it and prints the report")
    with suppress(KeyboardInterrupt):
        signal.pause()
    return []


def _with_client(options: argparse.Namespace, url: str) -> list[Verdict]:
    """Run the client until it ends, or its time is over; what it prints is not read."""
    process = started([*words(options.cmd), url], subprocess.DEVNULL)
    try:
        process.wait(options.seconds)
    except subprocess.TimeoutExpired:
        return [Verdict(_ENDS, "failed", (f"expected an end within {options.seconds:g} s",))]
    finally:
        kill(process)
    return [Verdict(_ENDS, "passed", (f"exit status {process.returncode}",))]


def _text(verdicts: list[Verdict]) -> Iterator[str]:
    width = max(map(len, _VERDICTS))
    for rule, verdict, seen in verdicts:
        yield f"{verdict.ljust(width)}  {rule.id}"
        for sentence in seen if verdict == "passed" else (rule.says, *seen):
            yield from folded(sentence, "    ", "      ")
        if verdict in ("failed", "warned") and rule.basis != LIBRARY:
            yield f"    {rule.basis}"
    counts = _counts(verdicts)
    yield ""
    yield ", ".join(f"{verdict}: {counts[verdict]}" for verdict in _VERDICTS)


def _json(verdicts: list[Verdict]) -> Iterator[str]:
    rules = [
        {"id": rule.id, "verdict": verdict, "says": rule.says, "basis": rule.basis, "seen": seen}
        for rule, verdict, seen in verdicts
    ]
    yield json.dumps({"rules": rules, "counts": _counts(verdicts)}, indent=2)


def _counts(verdicts: list[Verdict]) -> dict[str, int]:
    counts = Counter(one.verdict for one in verdicts)
    return {verdict: counts[verdict] for verdict in _VERDICTS}
