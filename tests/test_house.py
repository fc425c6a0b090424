"""How the house is built: one door, private rooms, imports only downwards, nothing loaded that is not needed."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import toolnexus_mrtr

PACKAGE = Path(toolnexus_mrtr.__file__).parent

FLOORS = {
    "_errors": 0,
    "_contract": 0,
    "_wire": 0,
    "_urls": 1,
    "_formats": 0,
    "_secrets": 0,
    "_plain": 1,
    "_keywords": 1,
    "_vocabulary": 2,
    "_schemas": 3,
    "_outline": 4,
    "_fields": 5,
    "_checking": 6,
    "_parsing": 6,
    "_forms": 7,
    "_rules": 8,
    "_reader": 9,
    "_gates": 9,
    "_form_rules": 9,
    "_bridge": 10,
    "_writer": 10,
    "_records": 10,
    "_lint": 10,
    "_answers": 11,
    "_stored": 11,
    "_resuming": 12,
    "_exchange": 13,
    "_handlers": 13,
    "_drivers": 14,
}

PROMISED = """
    ElicitationRequests input_requests ElicitationResponses ElicitRequest CreateMessageRequest ListRootsRequest
    UnknownRequest InputRequest ElicitResult CreateMessageResult ListRootsResult Root Request Answer
    elicitation_to_request answer_to_elicit_result UrlReport inspect_url printable MrtrError RemoteProtocolError
    LocalProtocolError InvalidAnswer Form Field Choice FieldError Call Pause Done Limits RetryLimitExceeded
    Handlers run run_async lint Finding
""".split()


def imports(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: a relative import"
            found.add(node.module or "")
    return found


def test_every_room_has_its_floor():
    assert {path.stem for path in PACKAGE.glob("_*.py")} - {"__init__"} == set(FLOORS)


@pytest.mark.parametrize("room", FLOORS)
def test_a_room_imports_only_from_floors_below(room):
    inside = {name.removeprefix("toolnexus_mrtr.") for name in imports(PACKAGE / f"{room}.py") if "toolnexus" in name}
    assert {name for name in inside if FLOORS[name] >= FLOORS[room]} == set()


def test_the_command_line_uses_the_door_and_nothing_uses_the_command_line():
    for path in PACKAGE.rglob("*.py"):
        inside = {name for name in imports(path) if "toolnexus" in name}
        if path.parent.name == "cli":
            assert all(name == "toolnexus_mrtr" or name.startswith("toolnexus_mrtr.cli") for name in inside), path
        else:
            assert not any(name.startswith("toolnexus_mrtr.cli") for name in inside), path


def test_the_door_keeps_what_was_promised():
    assert sorted(toolnexus_mrtr.__all__) == sorted(PROMISED)


@pytest.mark.parametrize("name", [name for name in PROMISED if name != "InputRequest"])
def test_every_public_name_and_member_has_a_docstring(name):
    public = getattr(toolnexus_mrtr, name)
    assert inspect.getdoc(public)
    for member, value in vars(public).items() if inspect.isclass(public) else ():
        if not member.startswith("_") and (callable(value) or isinstance(value, property | staticmethod)):
            assert inspect.getdoc(getattr(public, member) if not isinstance(value, property) else value), member


def test_every_room_opens_with_one_sentence():
    for path in PACKAGE.rglob("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        assert docstring, path
        assert docstring.splitlines()[0].endswith("."), path


def test_the_import_loads_neither_jsonschema_nor_asyncio():
    code = "import sys, toolnexus_mrtr; print(*sorted({'jsonschema', 'referencing', 'asyncio'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
