"""What a server's schema may be: bounded, allowed by JSON Schema, its references inside. Touches the vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from toolnexus_mrtr._errors import LazyPointer, RemoteProtocolError, pointer_of
from toolnexus_mrtr._forms._keywords import HOLDERS, LISTS_OF_SCHEMAS, MAPS_OF_SCHEMAS, SHAPES, is_names
from toolnexus_mrtr._json import DEPTH, copy_json
from toolnexus_mrtr._text import json_type, quoted

#: The bounds of a schema: bytes of its JSON text, subschemas and choices with every reference followed, subschemas and
#: references inside one another, choices in one place, characters of a name or a reference.
BYTES: Final = 131_072
SUBSCHEMAS: Final = 5_000
LEVELS: Final = 64
CHOICES: Final = 1_000
NAME: Final = 1_000

LATEST: Final = "2020-12"
DRAFT_7: Final = "draft-07"

_LATEST_SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"

#: The dialects that a form is read in, by `$schema` without its empty fragment (base, "JSON Schema Usage").
_DIALECTS: Final = {
    _LATEST_SCHEMA: LATEST,
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "http://json-schema.org/draft-07/schema": DRAFT_7,
}


class LoadedSchema(Struct, frozen=True):
    """A schema that passed: a plain copy of it, and its dialect. Every reference in it leads to a schema in it."""

    root: dict[str, Any]
    dialect: str


def load(schema: Mapping[str, Any]) -> LoadedSchema:
    """Copy a schema, or refuse it: `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`."""
    root = _copied(schema)
    declared = root.get("$schema", _LATEST_SCHEMA)
    if not isinstance(declared, str):
        raise _invalid("a string", declared, "/$schema")
    dialect = _DIALECTS.get(declared.removesuffix("#"))
    if dialect is None:
        # An unsupported dialect is to be reported (base, "JSON Schema Usage").
        expected = f"expected JSON Schema {', '.join(_DIALECTS.values())}, found {quoted(declared)}"
        raise RemoteProtocolError("schema_dialect", expected, "/$schema")
    walk = _Walk(root, dialect)
    with suppress(RecursionError):
        walk.expanded_size(root, "")
        return LoadedSchema(root, dialect)
    raise _too_large("levels that the rest of the stack has room for", "")


def target(root: dict[str, Any], reference: str, at: str) -> tuple[Any, str]:
    """Find what a reference leads to, and where it stands; a reference out of the schema is never followed."""
    if not reference.startswith("#"):
        # Implementations MUST NOT fetch what a network uri names (base, "$ref Resolution").
        expected = f"expected a reference into the schema itself, found {quoted(reference)}"
        raise RemoteProtocolError("schema_external_ref", expected, at)
    if len(reference) > NAME:
        raise _too_large(f"references of at most {NAME} characters", at)
    place = unquote(reference[1:])
    # What is no pointer is the name of an anchor; those are not looked for.
    found: Any = root if place == "" or place.startswith("/") else None
    for token in place.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(name)] if name.isdecimal() and len(name) < 6 and int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict | bool):
        raise RemoteProtocolError("schema_invalid", f"expected a schema at {quoted(reference)}", at)
    return found, place


def _copied(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a schema by way of its JSON text; what has none, or holds a lone surrogate, needs a careful look."""
    try:
        text = msgspec.json.encode(schema)
    except (TypeError, ValueError, OverflowError, RecursionError):
        text = None
    if text is None:
        copy = _carefully_copied(schema)
        _need_size(_text(copy))
        return copy
    _need_size(text)
    copy_checked: dict[str, Any] = msgspec.json.decode(text)
    return copy_checked


def _need_size(text: bytes) -> None:
    if len(text) > BYTES:
        raise _too_large(f"at most {BYTES} bytes", "")


def _text(value: Any) -> bytes:
    """The JSON text of a plain copy; a lone surrogate can only be written escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _carefully_copied(schema: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copy: dict[str, Any] = copy_json(schema, remote=True)
    except RemoteProtocolError as fault:
        refused = fault
    else:
        return copy
    if refused.code == "too_large":
        raise _too_large(f"at most {DEPTH} levels", refused.at)
    raise RemoteProtocolError("schema_invalid", "expected a JSON value", refused.at)


class _Walk:
    """One visit to every subschema: each keyword has its shape, no reference goes out or round in a circle."""

    def __init__(self, root: dict[str, Any], dialect: str) -> None:
        self._root = root
        # Before 2020-12 `items` may list schemas too.
        self._lists = LISTS_OF_SCHEMAS if dialect == LATEST else LISTS_OF_SCHEMAS | {"items"}
        self._weights: dict[int, int] = {}
        self._written: dict[int, int] = {}
        self._open: set[int] = set()

    def expanded_size(self, schema: Any, trail: LazyPointer) -> int:
        """Count the subschemas and choices of a schema, itself included, as if every reference were written out."""
        if isinstance(schema, bool):
            return 1
        if not isinstance(schema, dict):
            raise _invalid("a schema", schema, trail)
        holders = []
        for keyword, value in schema.items():
            shape = SHAPES.get(keyword)
            if shape is not None:
                expected, has_shape = shape
                if not has_shape(value):
                    raise _invalid(expected, value, (trail, keyword))
                if keyword in HOLDERS:
                    holders.append(keyword)
        return self._sum(schema, holders, trail) if holders else 1

    def _sum(self, schema: dict[str, Any], holders: list[str], trail: LazyPointer) -> int:
        if id(schema) in self._weights:
            return self._weights[id(schema)]
        if id(schema) in self._open:
            raise RemoteProtocolError("schema_invalid", "expected a schema without a circle", pointer_of(trail))
        if len(self._open) == LEVELS:
            raise _too_large(f"at most {LEVELS} levels", trail)
        self._open.add(id(schema))
        weight = 1
        for keyword in holders:
            value = schema[keyword]
            if isinstance(value, list) and len(value) > CHOICES:
                raise _too_large(f"at most {CHOICES} choices", (trail, keyword))
            if keyword == "enum":
                weight += len(value)
            elif isinstance(value, str):
                weight += self._referred(keyword, value, (trail, keyword))
            else:
                for subschema, place in self._parts(keyword, value, (trail, keyword)):
                    weight += self.expanded_size(subschema, place)
                if keyword == "additionalProperties" and isinstance(value, dict) and "required" in schema:
                    # It describes every name that is required and not among the properties.
                    names = set(schema["required"]).difference(schema.get("properties", ()))
                    weight += len(names) * self._written_out(value, (trail, keyword))
            if weight > SUBSCHEMAS:
                raise _too_large(f"at most {SUBSCHEMAS} subschemas and choices", trail)
        self._open.remove(id(schema))
        self._weights[id(schema)] = weight
        return weight

    def _referred(self, keyword: str, reference: str, trail: LazyPointer) -> int:
        """Weigh what a reference leads to, once for all references to it."""
        if keyword != "$ref" and reference.startswith("#"):
            # What a dynamic reference leads to depends on the way there; it is left unenforced.
            return 0
        schema, place = target(self._root, reference, pointer_of(trail))
        return self._written_out(schema, place)

    def _written_out(self, schema: Any, trail: LazyPointer) -> int:
        """What it costs to write a schema out once more: its subschemas, and its bytes."""
        if id(schema) not in self._written:
            self._written[id(schema)] = self.expanded_size(schema, trail) + len(_text(schema)) * SUBSCHEMAS // BYTES
        return self._written[id(schema)]

    def _parts(self, keyword: str, value: Any, trail: LazyPointer) -> Iterator[tuple[Any, LazyPointer]]:
        """The schemas that a keyword holds."""
        if keyword in MAPS_OF_SCHEMAS:
            for name, subschema in value.items():
                if len(name) > NAME:
                    raise _too_large(f"names of at most {NAME} characters", trail)
                # `dependencies`, before 2019-09, may list names in place of a schema.
                if keyword != "dependencies" or not is_names(subschema):
                    yield subschema, (trail, name)
        elif isinstance(value, list) and keyword in self._lists:
            for place, subschema in enumerate(value):
                yield subschema, (trail, place)
        else:
            yield value, trail


def _invalid(expected: str, value: object, at: LazyPointer) -> RemoteProtocolError:
    return RemoteProtocolError("schema_invalid", f"expected {expected}, found {json_type(value)}", pointer_of(at))


def _too_large(expected: str, at: LazyPointer) -> RemoteProtocolError:
    return RemoteProtocolError("schema_too_large", f"expected a schema with {expected}", pointer_of(at))
