"""The command `lint`: prints every finding of the results in some files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from toolnexus_mrtr import Finding, lint, printable
from toolnexus_mrtr._findings import MOST_FINDINGS
from toolnexus_mrtr.cli._errors import BadInput, print_error
from toolnexus_mrtr.cli._input import CAPABILITIES, describe_source, read_argument, read_result
from toolnexus_mrtr.cli._terminal import is_terminal, paint
from toolnexus_mrtr.cli._text import fold, quote

_COLORS: Final = {"error": "red", "warning": "yellow"}


class Checked(NamedTuple):
    """A file with its findings, or with the reason why it cannot be read."""

    file: str
    findings: tuple[Finding, ...]
    error: str | None = None


def lint_files(options: argparse.Namespace) -> Generator[str, None, int]:
    """Print the findings of every file; the status is 2 if one cannot be read, else 1 if a finding is an error."""
    declared = None if options.capabilities is None else read_argument(options.capabilities, "--capabilities")
    checked = [_check(file, options.method, declared) for file in options.files]
    for one in checked:
        if one.error is not None:
            print_error(one.error)
        elif len(one.findings) == MOST_FINDINGS:
            print_error(f"{describe_source(one.file)}: there may be more findings, which are not listed")
    yield from FORMATS[options.format](checked)
    if any(one.error is not None for one in checked):
        return 2
    return int(any(finding.severity == "error" for one in checked for finding in one.findings))


def _check(file: str, method: str | None, declared: Mapping[str, Any] | None) -> Checked:
    """Lint one file; what the options do not say is taken from the request that stands beside the response."""
    try:
        result, request = read_result(file)
    except BadInput as error:
        return Checked(file, (), str(error))
    if request is not None:
        method = request["method"] if method is None else method
        declared = _find_capabilities(request) if declared is None else declared
    return Checked(file, lint(result, method=method, capabilities=declared))


def _find_capabilities(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Find what a request declares; `None` where it declares nothing, or not as the protocol says."""
    value: Any = request
    for name in ("params", "_meta", CAPABILITIES):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def _report_text(checked: list[Checked]) -> Iterator[str]:
    for one in checked:
        if is_terminal():
            yield from _format_for_person(one)
        else:
            for finding in one.findings:
                columns = one.file, finding.severity, finding.code, finding.at, finding.message
                yield "\t".join(map(printable, columns))


def _format_for_person(checked: Checked) -> Iterator[str]:
    for finding in checked.findings:
        lines = fold(f"{finding.severity} {finding.code}, at {quote(finding.at)}", "", "      ")
        severity, space, rest = next(lines).partition(" ")
        yield paint(severity, _COLORS[finding.severity]) + space + rest
        yield from lines
        yield from fold(finding.message, "  ", "  ")
        yield f"  {finding.spec}"
    if checked.error is None:
        errors = sum(finding.severity == "error" for finding in checked.findings)
        warnings = len(checked.findings) - errors
        yield printable(f"{describe_source(checked.file)}: errors: {errors}, warnings: {warnings}")


def _report_json(checked: list[Checked]) -> Iterator[str]:
    files = [
        {"file": one.file, "findings": msgspec.to_builtins(one.findings)}
        | ({} if one.error is None else {"error": one.error})
        for one in checked
    ]
    yield json.dumps({"files": files}, indent=2)


def _report_junit(checked: list[Checked]) -> Iterator[str]:
    # It loads a parser of XML and a package that need not be installed.
    from toolnexus_mrtr.cli._junit import write_junit  # noqa: PLC0415 - see above

    return write_junit((one.file, one.findings, one.error) for one in checked)


#: How the findings of all files are printed, by the name of the format.
FORMATS: Final[dict[str, Callable[[list[Checked]], Iterator[str]]]] = {
    "text": _report_text,
    "json": _report_json,
    "junit": _report_junit,
}
