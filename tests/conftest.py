"""One profile for hypothesis: repeatable, and without deadlines, since machines are noisy. A clock for the drivers."""

import asyncio

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")

# What these assert is explained as what tests assert.
pytest.register_assert_rewrite("wire_values")

#: They need environments of their own: tests/peers/run.py makes them; tests/fuzz/run.py is a command.
collect_ignore = ["peers", "fuzz"]


class Clock:
    """Time that passes only when somebody sleeps, or says so."""

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
    """Let the time of the drivers pass only when somebody sleeps, or says so."""
    clock = Clock()
    monkeypatch.setattr("toolnexus_mrtr._drivers.time", clock)
    monkeypatch.setattr(asyncio, "sleep", clock.sleep_async)
    return clock
