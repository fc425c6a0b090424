"""Fuzz what reads a stranger's bytes: guided by coverage with atheris (extra `fuzz`), and by chance without it.

Each target runs for some seconds in a process of its own. The first fault ends it: the value is printed as JSON, to be
added to the target's corpus, and the status is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]

try:
    import atheris
except ModuleNotFoundError:
    atheris = None

if atheris is not None and "--worker" in sys.argv:
    with atheris.instrument_imports(include=["toolnexus_mrtr"]):
        import toolnexus_mrtr  # noqa: F401 - it is imported for its instruments

from decoder import WORDS, decoded  # noqa: E402 - the path has just been set
from targets import CORPUS, TARGETS, corpus, seeds  # noqa: E402 - as above

#: Bytes of one input; seconds that one may take; bytes of a target's corpus that are kept.
LONGEST, SLOWEST, KEPT = 8192, 10, 36_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=f"some of {', '.join(TARGETS)}; all unless named")
    parser.add_argument("--seconds", type=int, default=60, help="how long each target runs")
    parser.add_argument(
        "--keep", action="store_true", help="write what was found worth keeping into the corpus (atheris)"
    )
    parser.add_argument("--worker", metavar="DIR", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.targets or list(TARGETS)
    if unknown := set(names) - TARGETS.keys():
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    if options.worker:
        fuzz(names[0], options.worker, options.seconds)
    if atheris is None:
        print("atheris is not installed: random examples instead, not guided by coverage", flush=True)
        sound = [by_chance(name, options.seconds) for name in names]
    else:
        sound = [guided(name, options.seconds, keep=options.keep) for name in names]
    sys.exit(not all(sound))


def guided(name: str, seconds: int, *, keep: bool) -> bool:
    """Fuzz a target in a process of its own, and say what came of it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
        home = Path(scratch)
        fill(home / "found", [*seeds(name), *corpus(name)])
        (home / "words").write_text("".join(map(quoted, filter(None, WORDS))), "ascii")
        command = [sys.executable, str(Path(__file__).resolve()), "--worker", scratch, "--seconds", str(seconds), name]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=scratch)
        runs, edges = (([0, *re.findall(said, done.stderr)])[-1] for said in (r"#(\d+)\s", r"cov: (\d+)"))
        found = len(list((home / "found").iterdir()))
        print(f"{name}: {runs} runs, {edges} edges, {found} inputs that reach them", flush=True)
        if done.returncode:
            print(done.stdout[-6000:] or done.stderr[-6000:], flush=True)
            for left in home.glob("*-*"):
                say_fault(name, decoded(left.read_bytes(), seeds(name)))
        elif keep:
            write_corpus(name, home / "found")
        return not done.returncode


def fuzz(name: str, home: Path, seconds: int) -> None:
    """Run one target until its time is over; never returns."""
    documents = seeds(name)

    def once(data: bytes) -> None:
        TARGETS[name](decoded(data, documents))

    atheris.Setup(
        [
            sys.argv[0],
            str(home / "found"),
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST}",
            f"-timeout={SLOWEST}",
            f"-dict={home / 'words'}",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
        ],
        once,
    )
    atheris.Fuzz()


def by_chance(name: str, seconds: int) -> bool:
    """Do without a guide: random bytes from random seeds, until the time is over."""
    from hypothesis import given, seed, settings  # noqa: PLC0415 - only here
    from hypothesis import strategies as st  # noqa: PLC0415 - as above

    documents = seeds(name)
    value: Any = None
    count, end = 0, time.monotonic() + seconds

    def hold(data: bytes) -> None:
        nonlocal count, value
        count, value = count + 1, decoded(data, documents)
        TARGETS[name](value)

    try:
        for value in [*documents, *corpus(name)]:
            TARGETS[name](value)
        while time.monotonic() < end:
            some = settings(max_examples=500, database=None, deadline=None, derandomize=False)
            seed(random.getrandbits(64))(some(given(st.binary(max_size=64))(hold)))()
    except Exception:  # noqa: BLE001 - whatever it is, it is a fault
        # What hypothesis tried last is the smallest that it found.
        traceback.print_exc(file=sys.stdout)
        say_fault(name, value)
        return False
    print(f"{name}: {count} random examples", flush=True)
    return True


def say_fault(name: str, value: Any) -> None:
    """Print what failed as its corpus will hold it."""
    print(f"{name}: a fault, with {json.dumps(value)}", flush=True)


def quoted(word: str) -> str:
    """One line of a dictionary of libFuzzer's."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogatepass")) + '"\n'


def fill(folder: Path, values: Iterable[Any]) -> None:
    folder.mkdir()
    for place, value in enumerate(values):
        (folder / f"{place:04}").write_text(json.dumps(value), "ascii")


def write_corpus(name: str, found: Path) -> None:
    """Add what reaches steps that neither the seeds nor the corpus reach, the shortest first."""
    documents, kept = seeds(name), corpus(name)
    reached = set().union(*(reach(name, value) for value in [*documents, *kept]))
    texts = {json.dumps(decoded(path.read_bytes(), documents)) for path in found.iterdir()}
    for text in sorted(texts, key=lambda text: (len(text), text)):
        steps = reach(name, json.loads(text))
        if steps - reached and sum(len(json.dumps(each)) for each in kept) + len(text) < KEPT:
            kept.append(json.loads(text))
            reached |= steps
    if kept:
        rows = ",\n".join(map(json.dumps, kept))
        (CORPUS / f"{name}.json").write_text(f"[\n{rows}\n]\n", "ascii")


def reach(name: str, value: Any) -> set[tuple[str, int, int]]:
    """Give the steps from line to line that the library takes for a value."""
    steps: set[tuple[str, int, int]] = set()

    def entered(frame: FrameType, _event: str, _argument: Any) -> Any:
        if "toolnexus_mrtr" not in frame.f_code.co_filename:
            return None
        before = 0

        def stepped(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal before
            if event == "line":
                steps.add((frame.f_code.co_filename, before, frame.f_lineno))
                before = frame.f_lineno
            return stepped

        return stepped

    sys.settrace(entered)
    try:
        TARGETS[name](value)
    finally:
        sys.settrace(None)
    return steps


if __name__ == "__main__":
    main()
