"""The vectors that lie in a folder, or in the package; and which of them are expected to fail."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import read_object
from toolnexus_mrtr.cli._json import parse
from toolnexus_mrtr.cli._text import cited

#: What an operation, or a vector, is called.
_is_name: Final = re.compile(r"[\w-]+", re.ASCII).fullmatch

#: The version of their layout, and the folder of the revision that this library speaks.
_FORMAT: Final = 1
_REVISION: Final = "2026-07-28"


class Vector(NamedTuple):
    """One vector: an input, and what comes of it."""

    operation: str
    id: str
    description: str
    input: dict[str, Any]
    #: Either `{"expect": value}` or `{"error": {code, at}}`.
    outcome: dict[str, Any]
    flags: tuple[str, ...]


class Exceptions(NamedTuple):
    """Why some vectors are expected to fail, by id, and why some are not run at all, by operation or by flag."""

    vectors: Mapping[str, str]
    operations: Mapping[str, str]
    flags: Mapping[str, str]

    def left_out(self, vector: Vector) -> str | None:
        """Say why a vector is not run, if it is not."""
        reasons = [self.flags[flag] for flag in vector.flags if flag in self.flags]
        return self.operations.get(vector.operation) or next(iter(reasons), None)


def load_vectors(folder: str | None) -> list[Vector]:
    """Read all the vectors of a folder that is laid out as `fixtures/` is; without one, those of the package."""
    root = _own() if folder is None else Path(folder)
    try:
        found = [path for path in (root / _REVISION).iterdir() if path.name.endswith(".json") and path.is_file()]
        paths = sorted(found, key=lambda path: path.name)
    except (OSError, ValueError):
        paths = []
    vectors = [vector for path in paths for vector in _read(path)]
    if not vectors:
        raise BadInput(f"expected vectors in {folder or 'the package'}, in a folder {_REVISION}")
    return vectors


def load_exceptions(name: str | None, vectors: list[Vector]) -> Exceptions:
    """Read which vectors are expected to fail; what is not among the vectors must not be listed."""
    listed = {} if name is None else read_object(name)
    exceptions = Exceptions(*(listed.get(name, {}) for name in Exceptions._fields))
    known = (
        {vector.id for vector in vectors},
        {vector.operation for vector in vectors},
        {flag for vector in vectors for flag in vector.flags},
    )
    for reasons, names in zip(exceptions, known, strict=True):
        if not isinstance(reasons, dict) or not all(isinstance(reason, str) and reason for reason in reasons.values()):
            raise BadInput(f"{name}: expected a reason for every name, in vectors, operations and flags")
        for unknown in sorted(reasons.keys() - names):
            raise BadInput(f"{name}: {cited(unknown)} is none of the vectors")
    return exceptions


def _own() -> Traversable:
    """Where the vectors of the package are: in it, once it is built; beside it, in the repository."""
    package = importlib.resources.files("toolnexus_mrtr")
    packed = package / "fixtures"
    return packed if packed.is_dir() else Path(str(package)).parent / "fixtures"


def _read(path: Traversable) -> list[Vector]:
    try:
        file = parse(path.read_bytes().decode("ascii"))
        if file["format"] == _FORMAT:
            return [_vector(file["operation"], vector) for vector in file["vectors"]]
        reason = f"expected the format {_FORMAT}"
    except (OSError, UnicodeDecodeError, KeyError, TypeError):
        reason = "expected vectors in ASCII, as fixtures/README.md says"
    except BadInput as error:
        reason = str(error)
    raise BadInput(f"{path.name}: {reason}")


def _vector(operation: str, vector: Mapping[str, Any]) -> Vector:
    texts = operation, vector["id"], vector["description"]
    boxes = vector["input"], vector.get("error", {})
    if not all(isinstance(text, str) for text in texts) or not all(isinstance(box, dict) for box in boxes):
        raise TypeError
    if not _is_name(operation) or not _is_name(vector["id"]):
        raise TypeError
    outcome = {"error": vector["error"]} if "error" in vector else {"expect": vector["expect"]}
    flags = tuple(map(str, vector.get("flags", ())))
    return Vector(operation, vector["id"], vector["description"], vector["input"], outcome, flags)
