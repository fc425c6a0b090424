"""The program of `--cmd`: it does not outlive the command, and is started on POSIX systems only."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from command_line import refusal, run
from vectors import FIXTURES

from toolnexus_mrtr.cli import _process
from toolnexus_mrtr.cli._errors import Terminated

#: Says that it runs, through the pipe that it is named, and then waits; it inherits nothing that would end it.
PROGRAM = "import os, sys, time; os.write(os.open(sys.argv[1], os.O_WRONLY), b'%d' % os.getpid()); time.sleep(60)"


def has_ended(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture(autouse=True)
def _signals_that_end_a_program():
    """Signals as a shell leaves them; who runs the tests may have them ignored, as `nohup` does."""
    handlers = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("command", ["vectors", "adversary"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_that_ends_vectors_or_adversary_ends_the_program_of_cmd(pipe, command, number):
    program = f"{sys.executable} -c '{PROGRAM.replace(chr(39), chr(34))}' {pipe}"
    arguments = [sys.executable, "-m", "toolnexus_mrtr", command, "--cmd", program]
    with (
        subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ours,
        pipe.open("rb", buffering=0) as reading,
    ):
        started = int(reading.read(4096))
        ours.send_signal(number)
        out, err = ours.communicate(timeout=30)
    assert (ours.returncode, out, err) == (128 + number, b"", b"")
    assert has_ended(started)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_that_arrives_while_the_program_starts_ends_it(monkeypatch, number):
    started = []
    popen = subprocess.Popen

    def start_late(*arguments, **more):
        started.append(popen(*arguments, **more))
        signal.raise_signal(number)
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", start_late)
    handler = signal.getsignal(number)
    with pytest.raises(Terminated) as ended:
        _process.start([sys.executable, "-c", "import time; time.sleep(60)"], subprocess.PIPE)
    assert ended.value.number == number
    assert started[0].returncode == -signal.SIGKILL
    assert signal.getsignal(number) is handler


def test_main_ends_with_128_and_the_number_of_the_signal(monkeypatch):
    monkeypatch.setattr(signal, "pause", lambda: signal.raise_signal(signal.SIGTERM))
    done = run("adversary")
    assert (done.status, done.out) == (128 + signal.SIGTERM, "")


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with _process.raise_on_signals():
        signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_a_command_leaves_the_handlers_as_they_were():
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    assert run("vectors", "--only", "printable").status == 0
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


def test_vectors_cmd_runs_in_another_thread_than_the_main_one():
    command = f"{sys.executable} -c pass"
    statuses = []
    thread = threading.Thread(
        target=lambda: statuses.append(run("vectors", "--only", "paused-state-only", "--cmd", command).status)
    )
    thread.start()
    thread.join()
    assert statuses == [1]


@pytest.mark.parametrize("command", [["vectors", str(FIXTURES)], ["adversary"]], ids=lambda command: command[0])
def test_cmd_is_refused_on_other_systems_than_posix(command, monkeypatch):
    monkeypatch.setattr(_process, "os", _NotPosix())
    expected = "--cmd: expected a POSIX system, as Linux and macOS are"
    assert refusal(*command, "--cmd", f"{sys.executable} -c pass") == expected


class _NotPosix:
    name = "nt"
