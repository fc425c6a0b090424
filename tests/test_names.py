"""The documents name no file and no test that does not exist."""

import re

import pytest
from vectors import ROOT

DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "fixtures" / "README.md",
    ROOT / "tests" / "benchmarks" / "README.md",
]
TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)\(", path.read_text("utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_and_test_that_a_document_names_exists(document):
    text = document.read_text("utf-8")
    files = re.findall(r"\b(?:tests|fixtures|toolnexus_mrtr)/[\w./-]*\w", text)
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert set(re.findall(r"\btest_\w+\b(?!\.py)", text)) - TESTS == set()


def test_every_promise_of_security_md_names_where_it_is_tested():
    promised = (ROOT / "SECURITY.md").read_text("utf-8").partition("## What is promised")[2].partition("\n## ")[0]
    _head, _line, *rows = [line.strip("| ").split(" | ") for line in promised.splitlines() if line.startswith("| ")]
    assert rows
    assert [promise for promise, *_, tests in rows if not re.search("`(?:tests|fixtures)/", tests)] == []
