"""`tests/typing/api.py`, which the type checkers check, covers every public name."""

import ast
from pathlib import Path

import toolnexus_mrtr

ASKED = Path(__file__).parent / "typing" / "api.py"


def test_typing_api_imports_every_public_name():
    imported = [node for node in ast.parse(ASKED.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    (public,) = [node for node in imported if node.module == "toolnexus_mrtr"]
    assert {alias.name for alias in public.names} == set(toolnexus_mrtr.__all__)
