"""What is done inside of a process with pytest: record which test runs which lines, or ask chosen tests of a mutant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import coverage
import pytest
from hypothesis import Phase, settings

#: Examples of one property: enough to break on most mutants, few enough to be asked hundreds of times.
EXAMPLES = 15


def _load_profile() -> None:
    """Have few examples and none made smaller; called when the profile of conftest.py has been loaded."""
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(
        "mutants", settings.get_profile("repeatable"), max_examples=EXAMPLES, phases=phases, database=None
    )
    settings.load_profile("mutants")


class Recorder:
    """Measure each test: how long it takes, what it came to; its lines are recorded under its id."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    def pytest_collection(self) -> None:
        _load_profile()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.measured.switch_context(item.nodeid)
        result = yield
        self.measured.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration
        if report.failed:
            self.failed.append(report.nodeid)


class Chooser:
    """Run the chosen tests alone, in their order."""

    def __init__(self, chosen: list[str]) -> None:
        self.places = {test: place for place, test in enumerate(chosen)}

    def pytest_collection(self) -> None:
        _load_profile()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        chosen = [item for item in items if item.nodeid in self.places]
        items[:] = sorted(chosen, key=lambda item: self.places[item.nodeid])
