"""The fixtures as values: every vector of every file, where they are, and how outcomes are compared.

Read without the loader of the command line, so that a fault in that loader cannot hide a vector.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FIXTURES = Path(os.environ.get("MRTR_FIXTURES", ROOT / "fixtures"))
FILES = sorted((FIXTURES / "2026-07-28").glob("*.json"))


@dataclass(frozen=True)
class Vector:
    operation: str
    id: str
    input: dict[str, Any]
    expect: Any
    error: dict[str, str] | None
    flags: tuple[str, ...]


def json_text(value: object, *, ordered: bool = False) -> str:
    """JSON text, so that 1, 1.0 and true differ; the order of members counts if `ordered`."""
    return json.dumps(value, sort_keys=not ordered)


def load(path: Path) -> list[Vector]:
    file = json.loads(path.read_bytes())
    return [
        Vector(
            file["operation"],
            vector["id"],
            vector["input"],
            vector.get("expect"),
            vector.get("error"),
            tuple(vector.get("flags", ())),
        )
        for vector in file["vectors"]
    ]


VECTORS = [vector for path in FILES for vector in load(path)]
