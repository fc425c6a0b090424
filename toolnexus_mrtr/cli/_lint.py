"""The command `lint`: prints every finding of the results in some files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Generator, Iterator

import msgspec

from toolnexus_mrtr import Finding, lint, printable
from toolnexus_mrtr._findings import MOST_FINDINGS
from toolnexus_mrtr.cli._input import describe_source, read_result
from toolnexus_mrtr.cli._text import fold, quote


def lint_files(options: argparse.Namespace) -> Generator[str, None, int]:
    """Print the findings of every file; the status is 1 if one of them is an error."""
    found = [(file, lint(read_result(file), method=options.method)) for file in options.files]
    if options.format == "json":
        files = [{"file": file, "findings": msgspec.to_builtins(findings)} for file, findings in found]
        yield json.dumps({"files": files}, indent=2)
    else:
        for file, findings in found:
            yield from _format_findings(file, findings)
    return int(any(finding.severity == "error" for _, findings in found for finding in findings))


def _format_findings(file: str, findings: tuple[Finding, ...]) -> Iterator[str]:
    for finding in findings:
        yield from fold(f"{finding.severity} {finding.code}, at {quote(finding.at)}", "", "      ")
        yield from fold(finding.message, "  ", "  ")
        yield f"  {finding.spec}"
    errors = sum(finding.severity == "error" for finding in findings)
    more = "; there may be more, which are not listed" if len(findings) == MOST_FINDINGS else ""
    yield printable(f"{describe_source(file)}: errors: {errors}, warnings: {len(findings) - errors}{more}")
