"""What MCP demands of clients in these matters: the function that keeps each demand and the vectors that show it."""

import json
from pkgutil import resolve_name

import pytest
from vectors import ROOT, VECTORS

REQUIREMENTS = json.loads((ROOT / "tests" / "requirements.json").read_bytes())
IDS = {vector.id for vector in VECTORS}
FORCES = {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT"}
PAGES = {"basic/patterns/mrtr", "client/elicitation"}


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement["id"])
def test_every_requirement_has_its_code_and_its_vectors_or_says_why_not(requirement):
    assert requirement["force"] in FORCES
    assert requirement["spec"].partition("#")[0] in PAGES
    if "vectors" in requirement:
        assert all(callable(resolve_name(f"toolnexus_mrtr.{code}")) for code in requirement["code"])
        assert requirement["code"]
        assert [id for id in requirement["vectors"] if id not in IDS] == []
        assert requirement["vectors"]
    else:
        assert requirement["why_not"].endswith(".")


def test_every_requirement_is_listed_once():
    ids = [requirement["id"] for requirement in REQUIREMENTS]
    assert len(ids) == len(set(ids))
