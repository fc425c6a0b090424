"""Writes findings as JUnit XML, which CI services show beside the results of tests."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from toolnexus_mrtr import Finding, printable
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._text import quote

try:
    from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite
except ImportError:
    raise BadInput("--format junit: expected the package junitparser: pip install 'toolnexus-mrtr[junit]'") from None


def write_junit(files: Iterable[tuple[str, tuple[Finding, ...], str | None]]) -> Iterator[str]:
    """Write a suite for each file, with its findings or the reason why it cannot be read.

    Each finding is a case: an error is one that failed, a warning one that passed, with its sentence as the output. A
    file without findings is a case that passed.
    """
    report = JUnitXml("toolnexus-mrtr lint")
    for file, findings, error in files:
        suite = TestSuite(_to_xml(file))
        cases = [_build_case(file, finding) for finding in findings]
        if not cases:
            case = TestCase("result", _to_xml(file))
            if error is not None:
                case.result = [Error(_to_xml(error), "unreadable")]
            cases.append(case)
        suite.add_testcases(cases)
        report.add_testsuite(suite)
    data = io.BytesIO()
    report.write(data, pretty=True)
    # In ASCII it is the same XML in every encoding that standard output may have.
    yield from data.getvalue().decode("utf-8").encode("ascii", "xmlcharrefreplace").decode("ascii").splitlines()


def _build_case(file: str, finding: Finding) -> TestCase:
    case = TestCase(_to_xml(f"{finding.code}, at {quote(finding.at)}"), _to_xml(file))
    text = f"{_to_xml(finding.message)}\n{finding.spec}"
    if finding.severity == "error":
        failure = Failure(_to_xml(finding.message), finding.code)
        failure.text = text
        case.result = [failure]
    else:
        case.system_out = f"warning: {text}"
    return case


def _to_xml(text: str) -> str:
    """Make a text printable, and escape the two characters beside that no XML can hold."""
    return printable(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
