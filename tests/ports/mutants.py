"""Change the JavaScript port, one small change at a time, and see whether a vector notices.

Every mutant of its reader, rules, writer and exchange is tried, or a seeded sample of them, each on a copy of the port
that is sent the vectors until it fails one, ends or hangs: then the mutant is noticed. What survives is printed; the
status is 1 unless equivalent.toml explains it, and it explains at most 5 % of what was tried.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import compress, zip_longest
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

from toolnexus_mrtr.cli._json import is_same_json
from toolnexus_mrtr.cli._vectors._operations import leave_out_unexpected

HERE = Path(__file__).resolve().parent
PORT = HERE / "javascript"
VECTORS = HERE.parents[1] / "fixtures" / "2026-07-28"

MODULES = ("reader", "gates", "sampling", "tasks", "writer", "bridge", "exchange", "identity", "outgoing", "urls")

#: What is changed: a pattern, and what takes its place.
CHANGES = [
    (r"===", "!=="),
    (r"!==", "==="),
    (r" <= ", " < "),
    (r" < ", " <= "),
    (r" >= ", " > "),
    (r" > ", " >= "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \?\? ", " && "),
    (r"(?<=[(\s])!(?=[\w(])", ""),
    (r"\bif \((.+)\) (?=\{|return|throw|yield|continue)", "if (false) "),
    (r"\bif \((.+)\) (?=\{|return|throw|yield|continue)", "if (true) "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bnull\b", "undefined"),
    (r" \+ ", " - "),
    (r"(?<![\w.\"])(\d+)(?![\w.\"])", "(\\1 + 1)"),
    (r'"(\w[^"]*)"', '"\\1~"'),
    (r'"", ', ""),
    (r"\.some\(", ".every("),
    (r"\.every\(", ".some("),
    (r"\breturn (?!;)[^;{]+;$", "return undefined;"),
    (r"^(\s+)(?:throw|yield|require\w*|check\w*|delete|continue|[\w.]+\.(?:push|set|add)\()[^{}]*;$", "\\1;"),
    (r"^(\s+)[\w.\[\]]+ = [^{}]*;$", "\\1;"),
]

#: A mutant may not take longer than this; the port as it is takes a few seconds.
SECONDS = 60

#: The share of what is tried that may be explained in place of noticed.
MOST_EXPLAINED = 0.05


class Mutant(NamedTuple):
    """One line of a module, and what takes its place."""

    module: str
    number: int
    line: str
    changed: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is explained by, wherever the line stands."""
        return self.module, self.line.strip(), self.changed.strip()

    def __str__(self) -> str:
        return f"{self.module}.mjs:{self.number}\n  - {self.line.strip()}\n  + {self.changed.strip()}"


def mutants_of(module: str) -> Iterator[Mutant]:
    """Make every mutant of a module."""
    for number, line in enumerate((PORT / f"{module}.mjs").read_text("utf-8").splitlines(), 1):
        if line.lstrip().startswith(("//", "import ", "export {")):
            continue
        made = {line}
        for pattern, replacement in CHANGES:
            for match in re.finditer(pattern, line):
                changed = line[: match.start()] + match.expand(replacement) + line[match.end() :]
                if changed not in made:
                    made.add(changed)
                    yield Mutant(module, number, line, changed)


class Vector(NamedTuple):
    """The line that a port is sent, and what the vector says of its answer."""

    sent: bytes
    operation: str
    expected: dict[str, Any]
    is_ordered: bool

    def is_passed_by(self, answer: bytes) -> bool:
        """Compare as `toolnexus-mrtr vectors` does: what an exchange need not expect counts only where it does."""
        if not answer.endswith(b"\n"):
            return False
        outcome = json.loads(answer)
        if "expect" in outcome and "expect" in self.expected:
            expected = self.expected["expect"]
            outcome = {"expect": leave_out_unexpected(self.operation, outcome["expect"], expected)}
        return is_same_json(outcome, self.expected, is_ordered=self.is_ordered)


def read_vectors() -> list[Vector]:
    """Give all vectors, short ones first, which find most mutants soonest."""
    vectors = [
        Vector(
            json.dumps({"operation": path.stem, "input": vector["input"]}).encode("ascii") + b"\n",
            path.stem,
            {name: vector[name] for name in ("expect", "error") if name in vector},
            "Order" in vector.get("flags", ()),
        )
        for path in sorted(VECTORS.glob("*.json"))
        for vector in json.loads(path.read_bytes())["vectors"]
    ]
    return sorted(vectors, key=lambda vector: len(vector.sent))


@contextmanager
def played(port: Path, vectors: list[Vector]) -> Iterator[Iterator[bytes]]:
    """Give the answers of a port, each as it comes; they end early where it fails or hangs."""
    with tempfile.TemporaryFile() as sent:
        sent.writelines(vector.sent for vector in vectors)
        sent.seek(0)
        command = ["node", str(port / "adapter.mjs")]
        program = subprocess.Popen(command, stdin=sent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        timer = Timer(SECONDS, program.kill)
        timer.start()
        try:
            with program:
                assert program.stdout
                yield iter(program.stdout)
                program.kill()
        finally:
            timer.cancel()


def is_noticed(mutant: Mutant, vectors: list[Vector], right: list[bytes]) -> bool:
    """Whether the port with a mutant fails a vector; `right` are the answers of the port as it is."""
    with tempfile.TemporaryDirectory() as folder:
        port = Path(folder) / "port"
        shutil.copytree(PORT, port)
        path = port / f"{mutant.module}.mjs"
        text = path.read_text("utf-8").split("\n")
        text[mutant.number - 1] = mutant.changed
        path.write_text("\n".join(text), "utf-8")
        with played(port, vectors) as answers:
            return any(
                answer != usual and (answer is None or not vector.is_passed_by(answer))
                for vector, answer, usual in zip_longest(vectors, answers, right)
            )


def read_explained() -> set[tuple[str, str, str]]:
    listed = tomllib.loads((HERE / "equivalent.toml").read_text("utf-8"))["mutant"]
    return {(one["module"], one["line"], one["changed"]) for one in listed if one["reason"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", choices=[[], *MODULES], help="the modules to change; all unless given")
    parser.add_argument("--sample", type=int, help="how many mutants; all unless given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once; 2 unless given")
    options = parser.parse_args()
    vectors = read_vectors()
    with played(PORT, vectors) as answers:
        pairs = list(zip(vectors, answers, strict=False))
    if len(pairs) != len(vectors):
        raise SystemExit("expected the port to answer every vector as it is")
    # What the port fails as it is shows nothing.
    pairs = [(vector, answer) for vector, answer in pairs if vector.is_passed_by(answer)]
    vectors, right = [vector for vector, _ in pairs], [answer for _, answer in pairs]
    every = [mutant for module in options.modules or MODULES for mutant in mutants_of(module)]
    explained = read_explained()
    stale = explained - {mutant.key for module in MODULES for mutant in mutants_of(module)}
    if stale:
        raise SystemExit(f"equivalent.toml explains what is no mutant any more: {sorted(stale)}")
    sample = every
    if options.sample is not None:
        sample = random.Random(options.seed).sample(every, min(options.sample, len(every)))
    with ThreadPoolExecutor(options.jobs) as pool:
        noticed = set(compress(sample, pool.map(lambda mutant: is_noticed(mutant, vectors, right), sample)))
    survivors = [mutant for mutant in sample if mutant not in noticed]
    unexplained = [mutant for mutant in survivors if mutant.key not in explained]
    needless = [mutant for mutant in noticed if mutant.key in explained]
    for mutant in unexplained:
        print(mutant)
    for mutant in needless:
        print(f"explained, but noticed: {mutant}")
    equivalent = len(survivors) - len(unexplained)
    print(f"{len(every)} mutants, {len(sample)} tried: {len(noticed)} noticed, {equivalent} explained")
    return int(bool(unexplained or needless) or equivalent > MOST_EXPLAINED * len(sample))


if __name__ == "__main__":
    sys.exit(main())
