"""What the tests share: servers that are started once, and the report of what was exercised against which."""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from peers import SCRIPTED, connected

TESTED = pytest.StashKey()
REPORT = pytest.StashKey()


def pytest_configure(config):
    config.addinivalue_line("markers", "exercises(what): what the table says of a server when the test passes")
    config.stash[REPORT] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" and report.passed and TESTED in item.stash:
        item.config.stash[REPORT].append(item.stash[TESTED])
    return report


def pytest_sessionfinish(session):
    if "PEERS_REPORT" in os.environ:
        Path(os.environ["PEERS_REPORT"]).write_text(json.dumps(session.config.stash[REPORT]), "utf-8")


@pytest.fixture
def tested(request):
    """Say what was tested, for the table; it counts when the test passes."""

    def say(server, version, transport, exercised):
        row = {"server": server, "version": version, "transport": transport, "exercised": exercised}
        request.node.stash[TESTED] = row

    return say


@pytest.fixture(scope="session")
def connections():
    """Every server that was asked for, up until the last test."""
    with ExitStack() as stack:
        open_ones = {}

        def connection(peer):
            if peer not in open_ones:
                open_ones[peer] = stack.enter_context(connected(peer))
            return open_ones[peer]

        yield connection


@pytest.fixture(params=SCRIPTED, ids=str)
def server(request, connections, tested):
    connection = connections(request.param)
    exercised = request.node.get_closest_marker("exercises")
    if exercised is not None:
        tested(connection.peer.server, connection.version, connection.peer.transport, *exercised.args)
    return connection
