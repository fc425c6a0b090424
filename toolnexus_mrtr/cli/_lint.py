"""`lint`: all that is wrong with results, and what is unwise in them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Iterator

import msgspec

from toolnexus_mrtr import Finding, lint, printable
from toolnexus_mrtr.cli._input import place, read_result
from toolnexus_mrtr.cli._text import folded, named


def lint_files(options: argparse.Namespace) -> Generator[str, None, int]:
    """Print what lint finds in every file; 1 where an error is among it."""
    found = [(file, lint(read_result(file), method=options.method)) for file in options.files]
    if options.format == "json":
        files = [{"file": file, "findings": msgspec.to_builtins(findings)} for file, findings in found]
        yield json.dumps({"files": files}, indent=2)
    else:
        for file, findings in found:
            yield from _lines(file, findings)
    return int(any(finding.severity == "error" for _, findings in found for finding in findings))


def _lines(file: str, findings: tuple[Finding, ...]) -> Iterator[str]:
    for finding in findings:
        yield from folded(f"{finding.severity} {finding.code}, at {named(finding.at)}", "", "      ")
        yield from folded(finding.message, "  ", "  ")
        yield f"  {finding.spec}"
    errors = sum(finding.severity == "error" for finding in findings)
    yield printable(f"{place(file)}: errors: {errors}, warnings: {len(findings) - errors}")
