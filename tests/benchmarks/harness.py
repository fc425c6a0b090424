"""How two pieces of work are compared: rounds interleaved over all rows, and the median of each row's ratios.

A row pairs our work with a peer's. Both run in every round, one right after the other and taking turns at going first,
so that what disturbs the machine disturbs both; the ratio is taken within a round, the median over all of them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from timeit import Timer
from typing import Any

#: Takes how long one pass should last, in seconds, and measures one: the seconds that the work took once.
Stopwatch = Callable[[float], float]


@dataclass(frozen=True)
class Target:
    """What a ratio is, and what it should be; whether it is so is `None` where nothing is aimed at."""

    text: str
    figure: Callable[[float, float], float]
    holds: Callable[[float], bool | None]


@dataclass(frozen=True)
class Row:
    """Our work beside a peer's, not measured yet."""

    work: str
    size: str
    peer: str
    ours: Stopwatch
    theirs: Stopwatch
    target: Target


@dataclass(frozen=True)
class Measured:
    """One row of the table; times in seconds."""

    work: str
    size: str
    peer: str
    ours: float
    theirs: float
    ratio: float
    target: str
    met: bool | None


def within(limit: float) -> Target:
    """Ours takes at most `limit` times as long."""
    return Target(f"within {limit:g}x", lambda ours, theirs: ours / theirs, lambda ratio: ratio <= limit)


def faster(factor: float) -> Target:
    """Theirs takes at least `factor` times as long."""
    return Target(f"{factor:g}x faster", lambda ours, theirs: theirs / ours, lambda ratio: ratio >= factor)


def slope(few: int, many: int, limit: float) -> Target:
    """Ours with `many` entries beside ours with `few`: the slope of time over size, both as logarithms."""
    return Target(
        f"slope {limit:g}",
        lambda ours, theirs: math.log(ours / theirs) / math.log(many / few),
        lambda ratio: ratio <= limit,
    )


def orientation() -> Target:
    """Nothing is aimed at: how many times as long theirs takes."""
    return Target("orientation", lambda ours, theirs: theirs / ours, lambda _: None)


def calling(function: Callable[..., object], *arguments: Any, **options: Any) -> Stopwatch:
    """Time a call, as often in one pass as the pass has room for; no garbage is collected meanwhile."""
    names = {f"argument_{place}": argument for place, argument in enumerate(arguments)}
    written = ", ".join([*names, *(f"{name}={name}" for name in options)])
    timer = Timer(f"function({written})", globals={"function": function, **names, **options})
    times = 0

    def stopwatch(seconds: float) -> float:
        nonlocal times
        if not times:
            once = min(timer.repeat(5, 1))
            times = max(1, round(seconds / once))
        return timer.timeit(times) / times

    return stopwatch


def measure(rows: Sequence[Row], *, rounds: int, seconds: float) -> list[Measured]:
    """Measure all rows; the first round only warms up."""
    passes: list[list[tuple[float, float]]] = [[] for _ in rows]
    for turn in range(rounds + 1):
        for row, pairs in zip(rows, passes, strict=True):
            if turn % 2:
                ours, theirs = row.ours(seconds), row.theirs(seconds)
            else:
                theirs, ours = row.theirs(seconds), row.ours(seconds)
            if turn:
                pairs.append((ours, theirs))
    return [settle(row, pairs) for row, pairs in zip(rows, passes, strict=True)]


def settle(row: Row, pairs: Sequence[tuple[float, float]]) -> Measured:
    """Make one line of the passes of a row: medians, and the target against the median of the ratios."""
    ratio = statistics.median(row.target.figure(ours, theirs) for ours, theirs in pairs)
    return Measured(
        work=row.work,
        size=row.size,
        peer=row.peer,
        ours=statistics.median(ours for ours, _ in pairs),
        theirs=statistics.median(theirs for _, theirs in pairs),
        ratio=ratio,
        target=row.target.text,
        met=row.target.holds(ratio),
    )


def table(measured: Iterable[Measured]) -> str:
    """Lay the rows out as a Markdown table, columns aligned; times in microseconds."""
    lines = [["work", "size", "against", "ours µs", "theirs µs", "ratio", "target", "met"]]
    lines += [
        [
            *(row.work, row.size, row.peer),
            *(f"{row.ours * 1e6:,.2f}", f"{row.theirs * 1e6:,.2f}", f"{row.ratio:.2f}"),
            *(row.target, {True: "yes", False: "NO", None: "-"}[row.met]),
        ]
        for row in measured
    ]
    return aligned(lines)


def summary(measured: Iterable[Measured]) -> str:
    """Lay out one line for each kind of work and peer, its sizes together."""
    lines = [["Work", "Sizes", "Ours, µs", "Against", "Ratio", "Target", "Met"]]
    groups: dict[tuple[str, str, str], list[Measured]] = {}
    for row in measured:
        groups.setdefault((row.work, row.peer, row.target), []).append(row)
    for (work, peer, target), rows in groups.items():
        missed = [row.size for row in rows if row.met is False]
        met = "-" if rows[0].met is None else "yes"
        lines.append(
            [
                *(work, "; ".join(row.size for row in rows), "; ".join(_short(row.ours * 1e6) for row in rows)),
                *(peer, "; ".join(f"{row.ratio:.2f}" for row in rows), target),
                f"no: {', '.join(missed)}" if missed else met,
            ]
        )
    return aligned(lines)


def _short(figure: float) -> str:
    """Give three digits that mean something."""
    return f"{float(f'{figure:.3g}'):,g}"


def changes(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Pair the rows of two runs by work, size and peer; a row that one of them lacks has no change."""
    old, new = ({(row["work"], row["size"], row["peer"]): row for row in rows} for rows in (before, after))
    return [[*key, *_change(old.get(key), new.get(key))] for key in {**old, **new}]


def _change(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> list[str]:
    ratios = [f"{row['ratio']:.2f}" if row else "-" for row in (old, new)]
    target = (new or old or {})["target"]
    if old is None or new is None:
        return [*ratios, "-", target, "gone" if old else "new"]
    met = "" if old["met"] == new["met"] else {True: "met again", False: "MISSED NOW", None: ""}[new["met"]]
    return [*ratios, f"{new['ratio'] / old['ratio'] - 1:+.0%}", target, met]


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Lay lines out as a Markdown table, the first one its head, columns aligned."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    head, *rest = lines
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in [head, ["-" * width for width in widths], *rest]
    )
