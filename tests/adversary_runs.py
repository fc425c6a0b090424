"""Runs clients against the adversary in this process, on a clock that the tests set, and reads its verdicts."""

import contextlib

from adversary_client import Client

from toolnexus_mrtr.cli._adversary._loopback import Loopback
from toolnexus_mrtr.cli._adversary._server import HostileServer


class Clock:
    """A clock that the tests set."""

    now = 0.0

    def __call__(self):
        return self.now


def judge(kind=Client):
    """Let a client of this kind play all trials, and give the verdicts."""
    loopback, clock = Loopback(0), Clock()
    server = HostileServer(loopback.base, clock)
    with loopback.serve(server):
        kind(loopback.url, clock).play()
        server.stop_clock()
    return server.judge()


def not_passed(verdicts):
    """Give the verdicts other than passed, by the id of their rule; tasks that are not declared are left out."""
    without_tasks = "tasks", "not declared"
    found = [one for one in verdicts if one.verdict != "passed" and (one.rule.mode, one.verdict) != without_tasks]
    return {one.rule.id: one.verdict for one in found}


@contextlib.contextmanager
def serving(clock=None):
    """Serve on loopback; gives a client, and the server with its verdicts."""
    loopback = Loopback(0)
    server = HostileServer(loopback.base, clock or Clock())
    with loopback.serve(server):
        yield Client(loopback.url), server


def find_verdict(server, rule):
    """Give the verdict on a rule, and the sentences about it."""
    ((verdict, lines),) = [(one.verdict, one.sentences) for one in server.judge() if one.rule.id == rule]
    return verdict, lines
