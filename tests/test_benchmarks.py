"""The arithmetic of the benchmarks, on given numbers, and what the README says of them; nothing is measured here."""

import re

import pytest
from benchmarks.harness import (
    Measured,
    Row,
    aligned,
    calling,
    changes,
    faster,
    measure,
    orientation,
    settle,
    slope,
    summary,
    table,
    within,
)
from vectors import ROOT


def row(target, ours=None, theirs=None):
    return Row("reading", "10", "a peer", ours, theirs, target)


def passes(*times):
    remaining = iter(times)
    return lambda _: next(remaining)


@pytest.mark.parametrize(
    ("target", "ours", "theirs", "ratio", "met"),
    [
        (within(2.5), 5.0, 2.0, 2.5, True),
        (within(2.5), 5.2, 2.0, 2.6, False),
        (faster(6), 2.0, 12.0, 6.0, True),
        (faster(6), 2.0, 11.0, 5.5, False),
        (slope(10, 1_000, 1.1), 100.0, 1.0, 1.0, True),
        (slope(10, 1_000, 1.1), 10_000.0, 1.0, 2.0, False),
        (orientation(), 2.0, 12.0, 6.0, None),
    ],
)
def test_settle_holds_each_target_against_its_own_ratio(target, ours, theirs, ratio, met):
    measured = settle(row(target), [(ours, theirs)])
    assert (measured.ratio, measured.met) == (pytest.approx(ratio), met)


def test_settle_takes_the_median_of_ratios_and_not_the_ratio_of_medians():
    measured = settle(row(within(2.5)), [(1.0, 1.0), (2.0, 8.0), (9.0, 2.0)])
    assert (measured.ours, measured.theirs, measured.ratio) == (2.0, 2.0, 1.0)


def test_measure_only_warms_up_in_the_first_round():
    (measured,) = measure([row(within(2), passes(900.0, 3.0, 3.0), passes(1.0, 2.0, 2.0))], rounds=2, seconds=0)
    assert (measured.ours, measured.theirs, measured.ratio) == (3.0, 2.0, 1.5)


def test_measure_lets_both_take_turns_at_going_first():
    went = []
    noting = [row(within(1), lambda _: went.append("ours") or 1.0, lambda _: went.append("theirs") or 1.0)]
    measure(noting, rounds=1, seconds=0)
    assert went == ["theirs", "ours", "ours", "theirs"]


def test_calling_passes_its_arguments_to_the_function():
    seen = []
    calling(lambda *arguments, **options: seen.append((arguments, options)), 1, "two", three=3)(0.0)
    assert set(map(repr, seen)) == {"((1, 'two'), {'three': 3})"}


def test_table_marks_the_rows_that_missed_their_target():
    measured = [settle(row(target), [(2e-6, 3e-6)]) for target in (faster(6), within(2.5), orientation())]
    lines = table(measured).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert [[cell.strip() for cell in line.split("|")[-3:-1]] for line in lines[2:]] == [
        ["6x faster", "NO"],
        ["within 2.5x", "yes"],
        ["orientation", "-"],
    ]


def measured_row(size, ratio, target="within 3x", *, ours=1.5e-6, met=True):
    return Measured("writing", size, "a peer", ours, 1e-6, ratio, target, met)


def test_summary_has_one_line_a_work_and_peer_and_names_the_sizes_that_missed():
    rows = [
        measured_row("1", 2.0),
        measured_row("10", 3.5, met=False),
        measured_row("1,000", 1.0, "slope 1.1", ours=0.0123456),
        measured_row("1", 7.0, "orientation", met=None),
    ]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in summary(rows).splitlines()[2:]]
    assert lines == [
        ["writing", "1; 10", "1.5; 1.5", "a peer", "2.00; 3.50", "within 3x", "no: 10"],
        ["writing", "1,000", "12,300", "a peer", "1.00", "slope 1.1", "yes"],
        ["writing", "1", "1.5", "a peer", "7.00", "orientation", "-"],
    ]


def test_aligned_makes_columns_as_wide_as_their_cells():
    assert aligned([["a", "bb"], ["ccc", "d"]]).splitlines() == ["| a   | bb |", "| --- | -- |", "| ccc | d  |"]


def as_written(size, ratio, *, met=True):
    return {"work": "writing", "size": size, "peer": "a peer", "ratio": ratio, "target": "within 3x", "met": met}


def test_changes_compares_two_runs_row_by_row():
    before = [as_written("1", 2.0), as_written("10", 2.0), as_written("5", 4.0, met=False), as_written("200", 1.0)]
    before += [as_written("3", 4.0, met=None), as_written("4", 4.0)]
    after = [as_written("1", 2.5), as_written("10", 4.0, met=False), as_written("5", 2.0), as_written("7", 1.0)]
    after += [as_written("3", 5.0, met=None), as_written("4", 5.0, met=None)]
    assert [[size, *change] for _, size, _, *change in changes(before, after)] == [
        ["1", "2.00", "2.50", "+25%", "within 3x", ""],
        ["10", "2.00", "4.00", "+100%", "within 3x", "MISSED NOW"],
        ["5", "4.00", "2.00", "-50%", "within 3x", "met again"],
        ["200", "1.00", "-", "-", "within 3x", "gone"],
        ["3", "4.00", "5.00", "+25%", "within 3x", ""],
        ["4", "4.00", "5.00", "+25%", "within 3x", ""],
        ["7", "-", "1.00", "-", "within 3x", "new"],
    ]


def figures(text):
    return set(re.findall(r"\d[\d.,]*\d|\d", text))


def test_the_readme_has_only_figures_of_speed_that_the_page_of_measurements_has():
    section = (ROOT / "README.md").read_text("utf-8").partition("\n## Speed\n")[2].partition("\n## ")[0]
    page = (ROOT / "tests" / "benchmarks" / "README.md").read_text("utf-8")
    assert figures(section)
    assert figures(section) - figures(page) == set()
