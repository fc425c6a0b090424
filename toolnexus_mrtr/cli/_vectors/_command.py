"""`vectors`: the vectors of the fixtures, held against this library or any other program."""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Callable, Generator, Iterator
from typing import Any, Final, NamedTuple

from toolnexus_mrtr import MrtrError
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._text import cited, cut, folded, named
from toolnexus_mrtr.cli._vectors._difference import Difference, as_text, differences, same
from toolnexus_mrtr.cli._vectors._fixtures import Exceptions, Vector, load_exceptions, load_vectors
from toolnexus_mrtr.cli._vectors._operations import OPERATIONS, run
from toolnexus_mrtr.cli._vectors._program import NoAnswer, Program

_VERDICTS: Final = ("passed", "failed", "expected to fail", "left out")

#: How much of an input is shown.
_SHOWN: Final = 300


class Held(NamedTuple):
    """One vector, what came of it, and in what it differs from what was expected."""

    vector: Vector
    verdict: str
    differences: tuple[Difference, ...] = ()
    reason: str = ""


def vectors(options: argparse.Namespace) -> Generator[str, None, int]:
    """Print which vectors fail, and how; 1 where one does that is not expected to, or the other way round."""
    loaded = load_vectors(options.folder)
    exceptions = load_exceptions(options.expected_failures, loaded)
    unknown = set(options.only).difference(vector.operation for vector in loaded)
    if unknown:
        raise BadInput(f"--only {cited(min(unknown))}: expected an operation that has vectors")
    loaded = [vector for vector in loaded if not options.only or vector.operation in options.only]
    if options.cmd is None:
        held = [_held(vector, exceptions, _own) for vector in loaded]
    else:
        program = Program(options.cmd, options.seconds)
        try:
            held = [_held(vector, exceptions, lambda vector: program.ask(_line(vector))) for vector in loaded]
        finally:
            program.stop()
    yield from _json(held) if options.format == "json" else _text(held)
    return int(any(one.verdict == "failed" for one in held))


def _held(vector: Vector, exceptions: Exceptions, answer: Callable[[Vector], dict[str, Any]]) -> Held:
    why_not = exceptions.left_out(vector)
    if why_not is not None:
        return Held(vector, "left out", (), why_not)
    found: tuple[Difference, ...] = ()
    reason = ""
    try:
        found = tuple(_compared(vector, answer(vector)))
    except NoAnswer as error:
        reason = str(error)
    listed = exceptions.vectors.get(vector.id)
    if not found and not reason:
        return Held(vector, "passed") if listed is None else Held(vector, "failed", (), "passes, and is listed to fail")
    return Held(vector, "failed", found, reason) if listed is None else Held(vector, "expected to fail", (), listed)


def _compared(vector: Vector, answer: dict[str, Any]) -> Iterator[Difference]:
    if "error" in answer and isinstance(answer["error"], dict):
        # The text of an error is never compared.
        answer = {"error": {name: answer["error"][name] for name in ("code", "at") if name in answer["error"]}}
    yield from differences(vector.outcome, answer, is_ordered="Order" in vector.flags)


def _line(vector: Vector) -> str:
    return json.dumps({"operation": vector.operation, "input": vector.input})


def _own(vector: Vector) -> dict[str, Any]:
    """What this library makes of a vector; its input is not to be changed."""
    if vector.operation not in OPERATIONS:
        raise NoAnswer("an operation that is not known")
    given = copy.deepcopy(vector.input)
    outcome: dict[str, Any]
    try:
        outcome = {"expect": run(vector.operation, given)}
    except MrtrError as error:
        outcome = {"error": {"code": error.code, "at": error.at}}
    except Exception as error:  # noqa: BLE001 - whatever it is, the vector fails, and the others are held on
        raise NoAnswer(f"raised {type(error).__name__}") from None
    if not same(given, vector.input, is_ordered=True):
        raise NoAnswer("changed its input")
    return outcome


def _text(held: list[Held]) -> Iterator[str]:
    for one in held:
        if one.verdict == "failed":
            yield from folded(f"{one.vector.operation} {one.vector.id}: {one.vector.description}", "", "      ")
            yield from folded(f"input {cut(as_text(one.vector.input, is_ordered=True), _SHOWN)}", "    ", "      ")
            yield from folded(one.reason, "    ", "    ") if one.reason else ()
            for difference in one.differences:
                yield from folded(f"at {named(difference.at)}: {difference}", "    ", "      ")
            yield ""
    counts = _counts(held)
    width = max(map(len, counts))
    yield "  ".join([" " * width, *_VERDICTS])
    for operation, verdicts in counts.items():
        yield "  ".join([operation.ljust(width), *(str(verdicts[name]).rjust(len(name)) for name in _VERDICTS)])


def _json(held: list[Held]) -> Iterator[str]:
    failures = [
        {
            "operation": one.vector.operation,
            "id": one.vector.id,
            "reason": one.reason or "another outcome",
            "differences": [difference.members() for difference in one.differences],
        }
        for one in held
        if one.verdict == "failed"
    ]
    yield json.dumps({"operations": _counts(held), "failures": failures}, indent=2)


def _counts(held: list[Held]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for one in held:
        for name in (one.vector.operation, "all"):
            counts.setdefault(name, dict.fromkeys(_VERDICTS, 0))[one.verdict] += 1
    # The sum comes last.
    return counts | {"all": counts.pop("all")} if counts else counts
