"""How the house is built: one door, private rooms, imports only downwards, nothing loaded that is not needed."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import toolnexus_mrtr

PACKAGE = Path(toolnexus_mrtr.__file__).parent

#: Lowest first: a module imports from layers above its own in this list alone.
LAYERS = """
    _text _types _frozen
    _errors
    _json _urls _findings _outgoing
    _validation _sampling _forms
    _tasks
    _reader _writer _lint
    _toolnexus
    _answers
    _call_state
    _pause_state
    _task_state
    _receiving _stored
    _exchange _handlers
    _steps
    _drivers
    __init__
""".strip().splitlines()
LAYER_OF = {module: layer for layer, modules in enumerate(LAYERS) for module in modules.split()}

#: The same inside the folder of forms.
FORMS_LAYERS = """
    _formats _secrets
    _keywords
    _schema
    _constraints
    _values _fields
    _outline _parsing _checking
    _form
    _lint
    __init__
""".strip().splitlines()
FORMS_LAYER_OF = {module: layer for layer, modules in enumerate(FORMS_LAYERS) for module in modules.split()}

PROMISED = """
    ElicitationRequests input_requests ElicitationResponses ElicitRequest CreateMessageRequest ListRootsRequest
    UnknownRequest InputRequest ElicitResult CreateMessageResult ListRootsResult Root Request Answer
    elicitation_to_request answer_to_elicit_result UrlReport inspect_url printable MrtrError RemoteProtocolError
    LocalProtocolError InvalidAnswer Form Field Choice FieldError Call Pause Done Limits RetryLimitExceeded
    Handlers run run_async lint Finding Origin Disclosure request_meta CallTimeout TaskFailed TaskCancelled
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


def imports_within(path: Path, package: str) -> set[str]:
    """The modules of one package that a file imports, by the first name behind that of the package."""
    names = imports(path)
    inside = {name.removeprefix(package + ".").partition(".")[0] for name in names if name.startswith(package + ".")}
    return inside | ({"__init__"} if package in names else set())


def test_every_module_has_its_layer():
    assert {path.stem for path in PACKAGE.glob("_*") if not path.stem.startswith("__")} | {"__init__"} == set(LAYER_OF)
    assert {path.stem for path in (PACKAGE / "_forms").glob("*.py")} == set(FORMS_LAYER_OF)


@pytest.mark.parametrize("module", LAYER_OF)
def test_a_module_imports_only_from_lower_layers(module):
    paths = (PACKAGE / module).glob("*.py") if module == "_forms" else [PACKAGE / f"{module}.py"]
    for path in paths:
        inside = imports_within(path, "toolnexus_mrtr") - {module}
        assert {name for name in inside if LAYER_OF[name] >= LAYER_OF[module]} == set(), path


@pytest.mark.parametrize("module", FORMS_LAYER_OF)
def test_a_module_of_the_forms_imports_only_from_lower_layers_there(module):
    inside = imports_within(PACKAGE / "_forms" / f"{module}.py", "toolnexus_mrtr._forms")
    assert {name for name in inside if FORMS_LAYER_OF[name] >= FORMS_LAYER_OF[module]} == set()


def test_nobody_outside_the_forms_imports_past_their_door():
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name != "_forms":
            assert not any(name.startswith("toolnexus_mrtr._forms.") for name in imports(path)), path


def test_the_command_line_uses_the_public_names_and_nothing_uses_the_command_line():
    permitted = {"toolnexus_mrtr", "toolnexus_mrtr._text", "toolnexus_mrtr._findings"}
    for path in PACKAGE.rglob("*.py"):
        inside = {name for name in imports(path) if "toolnexus" in name}
        if "cli" in path.relative_to(PACKAGE).parts:
            assert all(name in permitted or name.startswith("toolnexus_mrtr.cli") for name in inside), path
        elif path != PACKAGE / "__main__.py":
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


def test_the_page_for_contributors_names_every_module():
    page = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text("utf-8")
    names = {*LAYER_OF, *FORMS_LAYER_OF}
    assert [name for name in names if f"`{name}`" not in page and f"`{name}/`" not in page] == []
