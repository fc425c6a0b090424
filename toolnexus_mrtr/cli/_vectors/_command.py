"""The command `vectors`: runs every vector, compares the answers with what is expected, and reports the failures."""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Callable, Generator, Iterator
from typing import Any, Final, NamedTuple

from toolnexus_mrtr import MrtrError, printable
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._json import is_same_json
from toolnexus_mrtr.cli._text import fold, name_argument, quote, truncate
from toolnexus_mrtr.cli._vectors._difference import Difference, find_differences
from toolnexus_mrtr.cli._vectors._fixtures import (
    ExpectedFailures,
    Vector,
    export_fixtures,
    load_expected_failures,
    load_vectors,
)
from toolnexus_mrtr.cli._vectors._operations import OPERATIONS, leave_out_unexpected, run_operation
from toolnexus_mrtr.cli._vectors._program import Program, VectorFailed

_VERDICTS: Final = ("passed", "failed", "expected to fail", "left out")

#: How many characters of an input the report shows.
_MAX_INPUT: Final = 300


class Outcome(NamedTuple):
    """One vector with its verdict, and why it failed or was left out: the differences, or a reason in words."""

    vector: Vector
    verdict: str
    differences: tuple[Difference, ...] = ()
    reason: str = ""


def run_vectors(options: argparse.Namespace) -> Generator[str, None, int]:
    """Print which vectors fail, and how; the status is 1 if a listed one passes or another one fails."""
    if options.export is not None:
        _require_nothing_beside_export(options)
        yield f"{export_fixtures(options.export)} files written to {printable(options.export)}"
        return 0
    vectors = load_vectors(options.folder)
    expected_failures = load_expected_failures(options.expected_failures, vectors)
    vectors = _select(vectors, options.only)
    if options.cmd is None:
        outcomes = [_judge(vector, expected_failures, _ask_library) for vector in vectors]
    else:
        program = Program(options.cmd, options.seconds)
        try:
            outcomes = [
                _judge(vector, expected_failures, lambda vector: program.ask(_write_question(vector)))
                for vector in vectors
            ]
        finally:
            program.stop()
    yield from _report_json(outcomes) if options.format == "json" else _report_text(outcomes)
    return int(any(outcome.verdict == "failed" for outcome in outcomes))


def _require_nothing_beside_export(options: argparse.Namespace) -> None:
    if options.folder or options.cmd or options.only or options.expected_failures:
        raise BadInput("--export: expected it alone, it runs no vectors")


def _select(vectors: list[Vector], names: list[str]) -> list[Vector]:
    """Select the vectors of some operations or ids; all of them where no names are given."""
    operations = dict.fromkeys(vector.operation for vector in vectors)
    ids = {vector.id for vector in vectors}
    for place, name in enumerate(names):
        if name not in operations and name not in ids:
            expected = f"expected the id of a vector, or an operation: {', '.join(operations)}"
            raise BadInput(f"{name_argument('--only', place, names)}: {expected}")
    return [vector for vector in vectors if not names or vector.operation in names or vector.id in names]


def _judge(vector: Vector, expected_failures: ExpectedFailures, ask: Callable[[Vector], dict[str, Any]]) -> Outcome:
    """Run one vector unless it is left out; `ask` gives the answer, or raises `VectorFailed`."""
    why_left_out = expected_failures.find_reason_to_leave_out(vector)
    if why_left_out is not None:
        return Outcome(vector, "left out", (), why_left_out)
    differences: tuple[Difference, ...] = ()
    reason = ""
    try:
        differences = tuple(_compare(vector, ask(vector)))
    except VectorFailed as error:
        reason = str(error)
    listed = expected_failures.vectors.get(vector.id)
    if not differences and not reason:
        if listed is None:
            return Outcome(vector, "passed")
        return Outcome(vector, "failed", (), "listed in --expected-failures, but passes")
    if listed is None:
        return Outcome(vector, "failed", differences, reason)
    return Outcome(vector, "expected to fail", (), listed)


def _compare(vector: Vector, answer: dict[str, Any]) -> Iterator[Difference]:
    if "error" in answer and isinstance(answer["error"], dict):
        # The text of an error is never compared.
        answer = {"error": {name: answer["error"][name] for name in ("code", "at") if name in answer["error"]}}
    elif "expect" in answer:
        outcome = leave_out_unexpected(vector.operation, answer["expect"], vector.expected.get("expect"))
        answer = answer | {"expect": outcome}
    yield from find_differences(vector.expected, answer, is_ordered="Order" in vector.flags)


def _write_question(vector: Vector) -> str:
    return json.dumps({"operation": vector.operation, "input": vector.input})


def _ask_library(vector: Vector) -> dict[str, Any]:
    """Run a vector with this library, which must not change its input."""
    if vector.operation not in OPERATIONS:
        raise VectorFailed("an operation that is not known")
    given = copy.deepcopy(vector.input)
    answer: dict[str, Any]
    try:
        answer = {"expect": run_operation(vector.operation, given)}
    except MrtrError as error:
        answer = {"error": {"code": error.code, "at": error.at}}
    except Exception as error:  # noqa: BLE001 - any other error fails this vector; the rest are still run
        raise VectorFailed(f"raised {type(error).__name__}") from None
    if not is_same_json(given, vector.input, is_ordered=True):
        raise VectorFailed("changed its input")
    return answer


def _report_text(outcomes: list[Outcome]) -> Iterator[str]:
    """Report each failure, then a table of the verdicts by operation."""
    for vector, verdict, differences, reason in outcomes:
        if verdict == "failed":
            yield from fold(f"{vector.operation} {vector.id}: {vector.description}", "", "      ")
            yield from fold(f"input {truncate(json.dumps(vector.input), _MAX_INPUT)}", "    ", "      ")
            yield from fold(reason, "    ", "    ") if reason else ()
            for difference in differences:
                yield from fold(f"at {quote(difference.at)}: {difference}", "    ", "      ")
            yield ""
    counts = _count_verdicts(outcomes)
    width = max(map(len, counts))
    yield "  ".join([" " * width, *_VERDICTS])
    for operation, verdicts in counts.items():
        yield "  ".join([operation.ljust(width), *(str(verdicts[name]).rjust(len(name)) for name in _VERDICTS)])


def _report_json(outcomes: list[Outcome]) -> Iterator[str]:
    failures = [
        {
            "operation": vector.operation,
            "id": vector.id,
            "input": vector.input,
            "reason": reason or "wrong outcome",
            "differences": [difference.to_json() for difference in differences],
        }
        for vector, verdict, differences, reason in outcomes
        if verdict == "failed"
    ]
    yield json.dumps({"operations": _count_verdicts(outcomes), "failures": failures}, indent=2)


def _count_verdicts(outcomes: list[Outcome]) -> dict[str, dict[str, int]]:
    """Count the verdicts of each operation, then those of all of them."""
    operations = dict.fromkeys(outcome.vector.operation for outcome in outcomes)
    counts: dict[str, dict[str, int]] = {name: dict.fromkeys(_VERDICTS, 0) for name in (*operations, "all")}
    for outcome in outcomes:
        counts[outcome.vector.operation][outcome.verdict] += 1
        counts["all"][outcome.verdict] += 1
    return counts
