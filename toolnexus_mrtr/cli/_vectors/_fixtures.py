"""Loads the vectors of a folder or of the package, and the list of those that are expected to fail."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._errors import BadInput, WriteError
from toolnexus_mrtr.cli._expected_failures import load_reasons
from toolnexus_mrtr.cli._json import parse_json

#: The names that operations and vectors may have.
_is_name: Final = re.compile(r"[\w-]+", re.ASCII).fullmatch

#: The version of the file format, and the folder of the protocol revision that this library speaks.
_FORMAT: Final = 1
_REVISION: Final = "2026-07-28"


class Vector(NamedTuple):
    """One vector: an operation, its input and the expected outcome."""

    operation: str
    id: str
    description: str
    input: dict[str, Any]
    #: Either `{"expect": value}` or `{"error": {code, at}}`.
    expected: dict[str, Any]
    flags: tuple[str, ...]


class ExpectedFailures(NamedTuple):
    """Reasons by name: of vectors that must fail, and of operations and flags whose vectors are left out."""

    vectors: Mapping[str, str]
    operations: Mapping[str, str]
    flags: Mapping[str, str]

    def find_reason_to_leave_out(self, vector: Vector) -> str | None:
        """Give the reason why a vector is left out; `None` if it is run."""
        reasons = [self.flags[flag] for flag in vector.flags if flag in self.flags]
        return self.operations.get(vector.operation) or next(iter(reasons), None)


def load_vectors(folder: str | None) -> list[Vector]:
    """Load all vectors of a folder with the layout of `fixtures/`, or those of the package if no folder is given."""
    root = _find_built_in_fixtures() if folder is None else Path(folder)
    try:
        found = [path for path in (root / _REVISION).iterdir() if path.name.endswith(".json") and path.is_file()]
        paths = sorted(found, key=lambda path: path.name)
    except (OSError, ValueError):
        paths = []
    vectors = [vector for path in paths for vector in _load_file(path)]
    if not vectors:
        raise BadInput(f"expected vectors in {folder or 'the package'}, in a folder {_REVISION}")
    return vectors


def export_fixtures(folder: str) -> int:
    """Write the fixtures of the package into a new folder; give the number of files."""
    root = _find_built_in_fixtures()
    try:
        Path(folder).mkdir()
        return sum(_copy_files(root, Path(folder)))
    except OSError as error:
        reason = f"expected a folder that can be made: {error.strerror}"
    except ValueError:
        reason = "expected the name of a folder"
    raise WriteError(f"--export: {reason}")


def load_expected_failures(path: str | None, vectors: list[Vector]) -> ExpectedFailures:
    """Load the list of expected failures; refuses an id, an operation or a flag that no vector has."""
    known = {
        "vectors": ("id of any vector", {vector.id for vector in vectors}),
        "operations": ("operation of any vector", {vector.operation for vector in vectors}),
        "flags": ("flag of any vector", {flag for vector in vectors for flag in vector.flags}),
    }
    return ExpectedFailures(**load_reasons(path, known))


def _copy_files(source: Traversable, target: Path) -> Iterator[int]:
    """Copy the files of a folder and of those inside it; yields 1 for each."""
    for entry in source.iterdir():
        copy = target / entry.name
        if entry.is_dir():
            copy.mkdir()
            yield from _copy_files(entry, copy)
        else:
            copy.write_bytes(entry.read_bytes())
            yield 1


def _find_built_in_fixtures() -> Traversable:
    """Give the folder of the package's fixtures: inside a built package, beside the package in the repository."""
    package = importlib.resources.files("toolnexus_mrtr")
    built_in = package / "fixtures"
    return built_in if built_in.is_dir() else Path(str(package)).parent / "fixtures"


def _load_file(path: Traversable) -> list[Vector]:
    try:
        file = parse_json(path.read_bytes().decode("ascii"))
        if file["format"] == _FORMAT:
            return [_build_vector(file["operation"], vector) for vector in file["vectors"]]
        reason = f"expected the format {_FORMAT}"
    except (OSError, UnicodeDecodeError, KeyError, TypeError):
        reason = "expected vectors in ASCII, as fixtures/README.md says"
    except BadInput as error:
        reason = str(error)
    raise BadInput(f"{path.name}: {reason}")


def _build_vector(operation: str, vector: Mapping[str, Any]) -> Vector:
    texts = operation, vector["id"], vector["description"]
    objects = vector["input"], vector.get("error", {})
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(value, dict) for value in objects):
        raise TypeError
    if not _is_name(operation) or not _is_name(vector["id"]):
        raise TypeError
    expected = {"error": vector["error"]} if "error" in vector else {"expect": vector["expect"]}
    flags = tuple(map(str, vector.get("flags", ())))
    return Vector(operation, vector["id"], vector["description"], vector["input"], expected, flags)
