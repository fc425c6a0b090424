"""What the commands know of a form: the names of its fields, and what was typed as the JSON types that they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolnexus_mrtr import ElicitRequest
from toolnexus_mrtr.cli._input import BadInput, parse

_TYPES: Final[dict[str, tuple[type, ...]]] = {"integer": (int,), "number": (int, float), "boolean": (bool,)}


def properties(request: ElicitRequest) -> Mapping[str, Any]:
    """Give the schemas of the fields by name; a url has none, and a schema may be anything."""
    schema = request.requested_schema
    fields = None if request.mode == "url" or schema is None else schema.get("properties")
    return fields if isinstance(fields, dict) else {}


def required(request: ElicitRequest) -> frozenset[str]:
    """Give the names of the fields that must be filled in."""
    names = (request.requested_schema or {}).get("required")
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def kind_of(field: Any) -> str:
    """Give the type that the schema of a field names, or `any`; that it may be null as well does not count."""
    kind = field.get("type") if isinstance(field, dict) else None
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    return kind if isinstance(kind, str) else "any"


def typed(texts: Sequence[str], field: Any, name: str) -> Any:
    """Give what was typed for one field as the type that its schema names."""
    kind = kind_of(field)
    if kind == "array":
        return list(texts)
    if len(texts) > 1:
        raise BadInput(f"--accept: expected one value of {name}")
    if kind not in _TYPES:
        return texts[0]
    try:
        value = parse(texts[0])
    except BadInput:
        value = None
    if type(value) not in _TYPES[kind]:
        raise BadInput(f"--accept: expected a value of the type {kind} for {name}")
    return value
