"""The documents name no file, no test and no place in a document that does not exist."""

import re

import pytest
from reference.page import anchor
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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(document):
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")):
        path, _, fragment = target.partition("#")
        if ":" in target:
            continue
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), target
        if fragment:
            headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
            assert fragment in map(anchor, headings), target


def test_every_promise_of_security_md_names_where_it_is_tested():
    promised = (ROOT / "SECURITY.md").read_text("utf-8").partition("## What is promised")[2].partition("\n## ")[0]
    _head, _line, *rows = [line.strip("| ").split(" | ") for line in promised.splitlines() if line.startswith("| ")]
    assert rows
    assert [promise for promise, *_, tests in rows if not re.search("`(?:tests|fixtures)/", tests)] == []
