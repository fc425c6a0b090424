"""Change the modules that security rests on, one small change at a time, and see whether a test notices.

A sample of each module's mutants is tried, the same for the same seed and source. A mutant is asked the tests that
reach its line, in a process of its own on a copy of the tree, until one fails. What survives is printed; the status is
1 unless equivalent.toml explains it, and it explains at most 5 % of a sample.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

# Loaded once, here, for all the processes that are forked from this one; not the package, which each loads as it is.
import ada_url  # noqa: F401
import coverage
import httpx  # noqa: F401
import jsonschema  # noqa: F401
import msgspec  # noqa: F401
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from mutants import Mutant, mutants_of, mutate  # noqa: E402 - the path has just been set
from pytest_parts import Chooser, Recorder  # noqa: E402 - as above

PACKAGE = "toolnexus_mrtr"

#: The modules, each with the files of the tests that it is asked: those made for it, and the vectors.
FORMS = "forms forms_constraints forms_parsing forms_restricted formats hostile_forms vectors"
CALLS = "call_disclosures call_headers exchange identity request_meta stored tasks toolnexus vectors wire_tasks"
MODULES = {
    "_validation": "exchange lint reader validation vectors wire",
    "_urls": "urls vectors",
    "_writer": "vectors writer",
    "_json": "exchange json stored vectors writer",
    "_forms/_schema": FORMS,
    "_forms/_constraints": FORMS,
    "_forms/_checking": FORMS,
    "_forms/_parsing": FORMS,
    "_answers": CALLS,
    "_call_state": CALLS,
    "_pause_state": CALLS,
    "_task_state": CALLS,
}

#: Seconds of the slowest test that is asked; how many are asked first; the share of a sample that may be explained.
SLOWEST, FIRST, EXPLAINED = 0.4, 60, 0.05

fork = multiprocessing.get_context("fork")


class Tests(NamedTuple):
    """What a run of one file of tests on the unchanged code has shown: its tests, and those that reach each line."""

    seconds: dict[str, float]
    reaching: dict[str, dict[str, list[str]]]


def tests_of(mutant: Mutant, files: dict[str, Tests]) -> dict[str, float]:
    """The tests that reach a mutant, fastest first, and their seconds; at import, those that reach the module."""
    found: dict[str, float] = {}
    for name in MODULES[mutant.module].split():
        lines = files[name].reaching[mutant.module]
        at_import = not any(str(mutant.line) in files[other].reaching[mutant.module] for other in files)
        tests = {test for each in lines.values() for test in each} if at_import else lines.get(str(mutant.line), ())
        found |= {test: files[name].seconds[test] for test in tests if files[name].seconds[test] < SLOWEST}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", metavar="MODULE", nargs="*", help=f"some of {', '.join(MODULES)}; all unless named")
    parser.add_argument("--sample", type=int, default=150, help="mutants of each module (150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    modules = options.modules or MODULES
    if unknown := set(modules) - set(MODULES):
        parser.error(f"no such module: {', '.join(sorted(unknown))}")
    every = {module: mutants_of(module, source_of(module)) for module in MODULES}
    explained = explanations(every)
    names = sorted({name for module in modules for name in MODULES[module].split()})
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        trees = fork.Queue()
        for worker in range(options.workers):
            trees.put(copy_tree(Path(scratch) / str(worker)))
        with ProcessPoolExecutor(options.workers, fork, initializer=take_tree, initargs=(trees,)) as pool:
            files = dict(zip(names, pool.map(recorded, names), strict=True))
            sound = []
            for module in modules:
                chooser = random.Random(f"{options.seed}:{module}")
                sample = chooser.sample(every[module], min(options.sample, len(every[module])))
                sound.append(judge(module, sample, explained, files, pool.map))
    sys.exit(not all(sound))


def source_of(module: str) -> str:
    return (ROOT / PACKAGE / f"{module}.py").read_text("utf-8")


def judge(
    module: str,
    sample: list[Mutant],
    explained: set[tuple[str, str, str]],
    files: dict[str, Tests],
    map_: Callable[..., Any],
) -> bool:
    """Try a sample of one module's mutants and print what came of it."""
    tests = [tests_of(mutant, files) for mutant in sample]
    survivors = [mutant for mutant, survived in zip(sample, map_(survives, sample, tests), strict=True) if survived]
    known = [mutant for mutant in survivors if name_of(mutant) in explained]
    noticed = {name_of(mutant) for mutant in sample if mutant not in survivors} & explained
    print(
        f"{module}: {len(sample)} mutants, {len(sample) - len(survivors)} killed,"
        f" {len(survivors)} survived, {len(known)} of them explained",
        flush=True,
    )
    for mutant in sorted(set(survivors) - set(known)):
        print(f"  {module}.py:{mutant.line}\n    - {mutant.old}\n    + {mutant.new}", flush=True)
    for _, line, change in noticed:
        print(f"  explained, but killed: {line}: {change}")
    return len(survivors) == len(known) <= EXPLAINED * len(sample) and not noticed


def name_of(mutant: Mutant) -> tuple[str, str, str]:
    """How equivalent.toml names a mutant: module, text of the line, change."""
    return mutant.module, source_of(mutant.module).splitlines()[mutant.line - 1].strip(), mutant.change


def explanations(every: dict[str, list[Mutant]]) -> set[tuple[str, str, str]]:
    """What equivalent.toml explains; an entry that names no mutant any more is refused."""
    entries = tomllib.loads((HERE / "equivalent.toml").read_text("utf-8")).get("mutant", [])
    explained = {(entry["module"], entry["line"], entry["change"]) for entry in entries if entry["reason"]}
    possible = {name_of(mutant) for module in {name[0] for name in explained} for mutant in every[module]}
    if stale := explained - possible:
        sys.exit("equivalent.toml explains what is no mutant: " + "; ".join(map(" | ".join, sorted(stale))))
    return explained


def copy_tree(to: Path) -> Path:
    """Copy what git would keep of the work tree, without bytecode."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    return to


def recorded(name: str) -> Tests:
    """Run one file of tests on the unchanged code, unless that has been done with these very files."""
    digest = hashlib.sha256(str(SLOWEST).encode())
    for path in sorted([*TREE.glob("tests/*.py"), *TREE.glob("fixtures/**/*.json"), *(TREE / PACKAGE).rglob("*.py")]):
        if path.stem == f"test_{name}" or not path.stem.startswith("test_"):
            digest.update(path.read_bytes())
    cache = Path(tempfile.gettempdir()) / f"mutation-{name}-{digest.hexdigest()[:16]}.json"
    if not cache.exists():
        run_apart(partial(record, name, cache), seconds=1800)
    found = json.loads(cache.read_text("utf-8"))
    if found["failed"]:
        sys.exit(f"these fail on the unchanged code: {', '.join(found['failed'])}")
    return Tests(found["seconds"], found["reaching"])


def record(name: str, cache: Path) -> int:
    enter(TREE)
    measured = coverage.Coverage(data_file=None, config_file=False, include=[f"{TREE}/{PACKAGE}/*"])
    recorder = Recorder(measured)
    measured.start()
    pytest.main([*OPTIONS, f"tests/test_{name}.py"], plugins=[recorder])
    measured.stop()
    reaching: dict[str, dict[int, list[str]]] = {}
    for module in MODULES:
        lines = measured.get_data().contexts_by_lineno(str(TREE / PACKAGE / f"{module}.py"))
        reaching[module] = {line: [test for test in tests if test] for line, tests in lines.items() if any(tests)}
    found = {"failed": recorder.failed, "seconds": recorder.seconds, "reaching": reaching}
    cache.write_text(json.dumps(found), "utf-8")
    return 0


OPTIONS = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestWarning"]


def enter(tree: Path) -> None:
    """Make this process one that works on a copy of the tree; nothing it does writes bytecode, which could be stale."""
    os.setsid()
    os.chdir(tree)
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in {str(HERE), str(ROOT)})]
    os.environ.update(PYTHONPATH=str(tree), PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True


def take_tree(trees: Any) -> None:
    global TREE  # noqa: PLW0603 - one for each worker
    TREE = trees.get()


TREE = ROOT


def survives(mutant: Mutant, tests: dict[str, float]) -> bool:
    """Whether no test that reaches a mutant fails: first the fastest are asked, then the others."""
    path = TREE / PACKAGE / f"{mutant.module}.py"
    source = path.read_text("utf-8")
    path.write_text(mutate(source, mutant), "utf-8")
    try:
        names = list(tests)
        for chosen in (names[:FIRST], names[FIRST:]):
            seconds = 20 + 4 * sum(tests[test] for test in chosen)
            if chosen and run_apart(partial(ask, TREE, chosen), seconds=seconds) != 0:
                return False
        return True
    finally:
        path.write_text(source, "utf-8")


def ask(tree: Path, chosen: list[str]) -> int:
    enter(tree)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    files = sorted({test.partition("::")[0] for test in chosen})
    return pytest.main(["-x", *OPTIONS, *files], plugins=[Chooser(chosen)])


def run_apart(function: Callable[[], int], *, seconds: float) -> int:
    """Call a function in a forked process, silently, and give the status back; 1 where it was not done in time."""
    child = fork.Process(target=_end_with, args=(function,))
    child.start()
    child.join(seconds)
    if child.is_alive():
        os.killpg(child.pid, signal.SIGKILL)
        child.join()
    return child.exitcode


def _end_with(function: Callable[[], int]) -> None:
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    os._exit(function())


if __name__ == "__main__":
    main()
