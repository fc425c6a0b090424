"""What is done inside of a process with pytest: record which test runs which lines, and ask tests of mutants."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType

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


class Asker:
    """Ask tests, collected once, of one change after the other: each is made in a fork of this process.

    `asked` has, for each change, what makes it, and the names of the tests in their order with the seconds that each
    has taken. `told` hears of each whether it was noticed: a test failed, or was not done in time.
    """

    def __init__(self, asked: list[tuple[Callable[[], None], dict[str, float]]], told: Callable[..., None]) -> None:
        self.asked, self.told = asked, told
        self.failed = False

    def pytest_collection(self) -> None:
        _load_profile()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for place, (change, tests) in enumerate(self.asked):
            chosen = [items[name] for name in tests if name in items]
            limit = 10 + 3 * sum(tests.values())
            self.told(place, noticed=fork_and_wait(partial(self._ask, change, chosen), limit) != 0)
        return True

    def _ask(self, change: Callable[[], None], chosen: list[pytest.Item]) -> int:
        change()
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return 1
        return 0


def fork_and_wait(function: Callable[[], int], seconds: float) -> int:
    """Call a function in a forked process and give its status back; 1 where it raises or is not done in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            status = function()
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 1


def change_in_place(module: ModuleType, before: str, after: str, *, at_import: bool) -> None:
    """Make what has been loaded work as a changed source says: the bodies of its functions, or its constants."""
    code = compile(after, str(module.__file__), "exec", dont_inherit=True)
    if not at_import:
        old = _functions(compile(before, str(module.__file__), "exec", dont_inherit=True))
        new = {_place(one): other for one, other in zip(old, _functions(code), strict=True)}
        for function in gc.get_objects():
            if isinstance(function, FunctionType) and function.__code__.co_filename == module.__file__:
                function.__code__ = new.get(_place(function.__code__), function.__code__)
        return
    changed = ModuleType(module.__name__)
    changed.__file__ = module.__file__
    exec(code, changed.__dict__)
    parts = (module.__name__.partition(".")[0], "test")
    others = [vars(other) for name, other in sys.modules.items() if name.startswith(parts)]
    for name, value in vars(changed).items():
        old_value = vars(module).get(name)
        if not isinstance(value, FunctionType | type) and not name.startswith("__") and value != old_value:
            for names in others:
                if names.get(name) is old_value:
                    names[name] = value


def _functions(code: CodeType) -> list[CodeType]:
    """The code of the functions of a module and of its classes, but for those within functions."""
    found = []
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            is_class = not inner.co_flags & inspect.CO_OPTIMIZED
            found += _functions(inner) if is_class else [inner]
    return found


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno
