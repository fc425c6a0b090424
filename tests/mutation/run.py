"""Change the modules that security rests on, one small change at a time, and see whether a test notices.

A sample of each module's mutants is tried, the same for the same seed and source. A mutant is asked the tests that
reach its line, in a process of its own on a copy of the tree, until one fails. What survives is printed; the status is
1 unless equivalent.toml explains it, and it explains at most 5 % of a sample.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

# Loaded once, here, for all the processes that are forked from this one; not the package, which each loads as it is.
import ada_url  # noqa: F401 - as the comment above says
import coverage
import httpx  # noqa: F401 - as above
import jsonschema  # noqa: F401 - as above
import msgspec  # noqa: F401 - as above
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from mutants import Mutant, mutants_of, mutate  # noqa: E402 - the path has just been set
from pytest_parts import Asker, Recorder, change_in_place, fork_and_wait  # noqa: E402 - as above

PACKAGE = "toolnexus_mrtr"

#: The modules, each with the files of the tests that it is asked: those made for it, and the vectors.
FORMS = "forms forms_constraints forms_parsing forms_restricted formats hostile_forms vectors"
CALLS = "call_disclosures call_headers exchange request_meta stored tasks toolnexus vectors wire_tasks"
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

#: Seconds of the slowest test that is asked; the share of a sample that may be explained.
SLOWEST, EXPLAINED = 1.3, 0.05


class Tests(NamedTuple):
    """What a run of one file of tests on the unchanged code has shown: its tests, and those that reach each line."""

    seconds: dict[str, float]
    reaching: dict[str, dict[str, list[str]]]


def tests_of(mutant: Mutant, files: dict[str, Tests]) -> dict[str, float]:
    """The tests that reach a mutant, fastest first, and their seconds; of what runs at import, all."""
    found: dict[str, float] = {}
    for name in MODULES[mutant.module].split():
        lines = files[name].reaching[mutant.module]
        at_import = not any(str(mutant.line) in files[other].reaching[mutant.module] for other in files)
        tests = files[name].seconds if at_import else lines.get(str(mutant.line), ())
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
    with tempfile.TemporaryDirectory(prefix="mutation-") as scratch:
        trees = [copy_tree(Path(scratch) / str(worker)) for worker in range(options.workers)]
        sound = []
        for module in modules:
            chooser = random.Random(f"{options.seed}:{module}")
            sample = chooser.sample(every[module], min(options.sample, len(every[module])))
            sound.append(judge(module, sample, explained, trees))
    sys.exit(not all(sound))


def source_of(module: str) -> str:
    return (ROOT / PACKAGE / f"{module}.py").read_text("utf-8")


def judge(
    module: str,
    sample: list[Mutant],
    explained: set[tuple[str, str, str]],
    trees: list[Path],
) -> bool:
    """Try a sample of one module's mutants and print what came of it."""
    with ThreadPoolExecutor(len(trees)) as pool:
        names = MODULES[module].split()
        parts = [names[start :: len(trees)] for start in range(len(trees))]
        recorded = pool.map(lambda tree, part: {name: tests_in(name, tree) for name in part}, trees, parts)
        files = {name: tests for part in recorded for name, tests in part.items()}
        samples = [sample[start :: len(trees)] for start in range(len(trees))]
        survivors = [*chain.from_iterable(pool.map(partial(survivors_of, files), trees, samples))]
    known = [mutant for mutant in survivors if name_of(mutant) in explained]
    # One line may hold two mutants of one name: that neither survives is what makes an explanation wrong.
    noticed = ({name_of(mutant) for mutant in sample} & explained) - {name_of(mutant) for mutant in survivors}
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


def tests_in(name: str, tree: Path) -> Tests:
    """Run one file of tests on the unchanged code, unless that has been done with these very files."""
    digest = hashlib.sha256()
    for path in sorted([*tree.glob("tests/*.py"), *tree.glob("fixtures/**/*.json"), *(tree / PACKAGE).rglob("*.py")]):
        if path.stem == f"test_{name}" or not path.stem.startswith("test_"):
            digest.update(path.read_bytes())
    cache = Path(tempfile.gettempdir()) / f"mutation-{name}-{digest.hexdigest()[:16]}.json"
    if not cache.exists():
        fork_and_wait(partial(record, name, tree, cache), 1800)
    found = json.loads(cache.read_text("utf-8"))
    if found["failed"]:
        sys.exit(f"these fail on the unchanged code: {', '.join(found['failed'])}")
    return Tests(found["seconds"], found["reaching"])


def record(name: str, tree: Path, cache: Path) -> int:
    enter(tree)
    measured = coverage.Coverage(data_file=None, config_file=False, include=[f"{tree}/{PACKAGE}/*"])
    recorder = Recorder(measured)
    measured.start()
    pytest.main([*OPTIONS, f"tests/test_{name}.py"], plugins=[recorder])
    measured.stop()
    reaching: dict[str, dict[int, list[str]]] = {}
    for module in MODULES:
        lines = measured.get_data().contexts_by_lineno(str(tree / PACKAGE / f"{module}.py"))
        reaching[module] = {line: [test for test in tests if test] for line, tests in lines.items() if any(tests)}
    found = {"failed": recorder.failed, "seconds": recorder.seconds, "reaching": reaching}
    cache.write_text(json.dumps(found), "utf-8")
    return 0


OPTIONS = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestWarning"]


def enter(tree: Path) -> None:
    """Make this process a silent one that works on a copy of the tree; no bytecode is written, which could be stale."""
    os.chdir(tree)
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in {str(HERE), str(ROOT)})]
    os.environ.update(PYTHONPATH=str(tree), PYTHONDONTWRITEBYTECODE="1")
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)


def survivors_of(files: dict[str, Tests], tree: Path, sample: list[Mutant]) -> list[Mutant]:
    """The mutants that no test notices.

    Each is made in a fork of a process that has collected the tests. One of what runs at import may need more than
    that: where it survived, it is written into the tree, and asked again in a process that loads it.
    """
    survivors = asked(files, tree, sample, [partial(in_place, mutant) for mutant in sample])
    path = tree / PACKAGE
    for mutant in [mutant for mutant in survivors if mutant.at_import]:
        source = source_of(mutant.module)
        (path / f"{mutant.module}.py").write_text(mutate(source, mutant), "utf-8")
        if not asked(files, tree, [mutant], [lambda: None], may_break=True):
            survivors.remove(mutant)
        (path / f"{mutant.module}.py").write_text(source, "utf-8")
    return survivors


def in_place(mutant: Mutant) -> None:
    module = importlib.import_module(f"{PACKAGE}.{mutant.module.replace('/', '.')}")
    source = source_of(mutant.module)
    change_in_place(module, source, mutate(source, mutant), at_import=mutant.at_import)


def asked(
    files: dict[str, Tests],
    tree: Path,
    mutants: list[Mutant],
    changes: list[Callable[[], None]],
    *,
    may_break: bool = False,
) -> list[Mutant]:
    """Have the tests of these mutants collected once, and give those back that none of them notices."""
    tests = [tests_of(mutant, files) for mutant in mutants]
    names = sorted({test.partition("::")[0] for each in tests for test in each})
    with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
        told = Path(scratch) / "survived"
        told.touch()

        def tell(place: int, *, noticed: bool) -> None:
            if not noticed:
                with told.open("a") as file:
                    file.write(f"{place}\n")

        def ask() -> int:
            enter(tree)
            return pytest.main([*OPTIONS, *names], plugins=[Asker([*zip(changes, tests, strict=True)], tell)])

        if fork_and_wait(ask, 3600) != 0:
            # What is changed in the tree may break the import of the tests, which is to notice it.
            if not may_break:
                sys.exit(f"the tests {', '.join(names)} could not be asked")
            return []
        return [mutants[int(place)] for place in told.read_text().split()]


if __name__ == "__main__":
    main()
