"""One profile for hypothesis: repeatable, and without deadlines, since machines are noisy. A clock for the drivers."""

import asyncio

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

# pytest explains failed assertions in this module as it does in tests.
pytest.register_assert_rewrite("wire_values")

#: Not collected here: the first two have a run.py each, which makes their environments; tests/fuzz/run.py is a command.
collect_ignore = ["peers", "hosts", "fuzz"]


class Clock:
    """A clock that moves only when `sleep` is called or a test sets `now`."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


@pytest.fixture
def clock(monkeypatch):
    """Replace the time of the drivers by a `Clock`."""
    clock = Clock()
    monkeypatch.setattr("toolnexus_mrtr._drivers.time", clock)
    monkeypatch.setattr("toolnexus_mrtr._steps.time", clock)
    monkeypatch.setattr(asyncio, "sleep", clock.sleep_async)
    return clock
