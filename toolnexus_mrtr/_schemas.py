"""What a server's schema may be: bounded, allowed by JSON Schema, its references inside. Touches the vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from toolnexus_mrtr._errors import RemoteProtocolError, json_type, pointer, quoted
from toolnexus_mrtr._plain import DEPTH, plain
from toolnexus_mrtr._vocabulary import HOLDERS, LISTS_OF_SCHEMAS, MAPS_OF_SCHEMAS, SHAPES, is_names

#: The bounds of a schema: bytes of its JSON text, subschemas and choices with every reference followed, subschemas and
#: references inside one another, choices in one place, characters of a name or a reference.
BYTES: Final = 131_072
SUBSCHEMAS: Final = 5_000
LEVELS: Final = 64
CHOICES: Final = 1_000
NAME: Final = 1_000

LATEST: Final = "2020-12"
DRAFT_7: Final = "draft-07"

#: The dialects that a form is read in, by `$schema` without its empty fragment (base, "JSON Schema Usage").
_DIALECTS: Final = {
    "https://json-schema.org/draft/2020-12/schema": LATEST,
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "http://json-schema.org/draft-07/schema": DRAFT_7,
}

#: Where a schema stands: a pointer, or its parent's trail and its own key. Pointers are made only of what is wrong.
_Trail: TypeAlias = "str | tuple[_Trail, str | int]"


class Admitted(Struct, frozen=True):
    """A schema that passed: a plain copy of it, and its dialect. Every reference in it leads to a schema in it."""

    root: dict[str, Any]
    dialect: str


def admit(schema: Mapping[str, Any]) -> Admitted:
    """Copy a schema, or refuse it: `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`."""
    root = _copied(schema)
    declared = root.get("$schema", "https://json-schema.org/draft/2020-12/schema")
    if not isinstance(declared, str):
        raise _invalid("a string", declared, "/$schema")
    dialect = _DIALECTS.get(declared.removesuffix("#"))
    if dialect is None:
        # An unsupported dialect is to be reported (base, "JSON Schema Usage").
        raise RemoteProtocolError(
            "schema_dialect", f"expected JSON Schema 2020-12, found {quoted(declared)}", "/$schema"
        )
    walk = _Walk(root, dialect)
    with suppress(RecursionError):
        walk.weigh(root, "")
        return Admitted(root, dialect)
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
    copy: dict[str, Any] | None = None
    if text is None:
        copy = _carefully_copied(schema)
        text = _text(copy)
    if len(text) > BYTES:
        raise _too_large(f"at most {BYTES} bytes", "")
    return msgspec.json.decode(text) if copy is None else copy


def _text(value: Any) -> bytes:
    """The JSON text of a plain copy; a lone surrogate can only be written escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _carefully_copied(schema: Mapping[str, Any]) -> dict[str, Any]:
    fault = None
    copy: dict[str, Any] = {}
    try:
        copy = plain(schema, remote=True)
    except RemoteProtocolError as error:
        fault = error
    if fault is None:
        return copy
    if fault.code == "too_large":
        raise _too_large(f"at most {DEPTH} levels", fault.at)
    raise RemoteProtocolError("schema_invalid", "expected a JSON value", fault.at)


class _Walk:
    """One visit to every subschema: each keyword has its shape, no reference goes out or round in a circle."""

    def __init__(self, root: dict[str, Any], dialect: str) -> None:
        self._root = root
        # Before 2020-12 `items` may list schemas too.
        self._lists = LISTS_OF_SCHEMAS if dialect == LATEST else LISTS_OF_SCHEMAS | {"items"}
        self._weights: dict[int, int] = {}
        self._written: dict[int, int] = {}
        self._open: set[int] = set()

    def weigh(self, schema: Any, trail: _Trail) -> int:
        """Count the subschemas and choices of a schema, itself included, as if every reference were written out."""
        if isinstance(schema, bool):
            return 1
        if not isinstance(schema, dict):
            raise _invalid("a schema", schema, _at(trail))
        holders = []
        for keyword, value in schema.items():
            shape = SHAPES.get(keyword)
            if shape is not None:
                expected, has_shape = shape
                if not has_shape(value):
                    raise _invalid(expected, value, _at((trail, keyword)))
                if keyword in HOLDERS:
                    holders.append(keyword)
        return self._sum(schema, holders, trail) if holders else 1

    def _sum(self, schema: dict[str, Any], holders: list[str], trail: _Trail) -> int:
        weight = self._weights.get(id(schema), 1)
        if weight > 1:
            return weight
        if id(schema) in self._open:
            raise RemoteProtocolError("schema_invalid", "expected a schema that does not contain itself", _at(trail))
        if len(self._open) == LEVELS:
            raise _too_large(f"at most {LEVELS} levels", _at(trail))
        self._open.add(id(schema))
        for keyword in holders:
            value = schema[keyword]
            if isinstance(value, list) and len(value) > CHOICES:
                raise _too_large(f"at most {CHOICES} choices", _at((trail, keyword)))
            if keyword == "enum":
                weight += len(value)
            elif isinstance(value, str):
                weight += self._referred(keyword, value, (trail, keyword))
            else:
                for subschema, place in self._parts(keyword, value, (trail, keyword)):
                    weight += self.weigh(subschema, place)
                if keyword == "additionalProperties" and isinstance(value, dict) and "required" in schema:
                    # It describes every name that is required and not among the properties.
                    names = set(schema["required"]).difference(schema.get("properties", ()))
                    weight += len(names) * self._written_out(value, (trail, keyword))
            if weight > SUBSCHEMAS:
                raise _too_large(f"at most {SUBSCHEMAS} subschemas and choices", _at(trail))
        self._open.remove(id(schema))
        self._weights[id(schema)] = weight
        return weight

    def _referred(self, keyword: str, reference: str, trail: _Trail) -> int:
        """Weigh what a reference leads to, once for all references to it."""
        if keyword != "$ref" and reference.startswith("#"):
            # What a dynamic reference leads to depends on the way there; it is left unenforced.
            return 0
        schema, place = target(self._root, reference, _at(trail))
        return self._written_out(schema, place)

    def _written_out(self, schema: Any, trail: _Trail) -> int:
        """What it costs to write a schema out once more: its subschemas, and its bytes."""
        if id(schema) not in self._written:
            self._written[id(schema)] = self.weigh(schema, trail) + len(_text(schema)) * SUBSCHEMAS // BYTES
        return self._written[id(schema)]

    def _parts(self, keyword: str, value: Any, trail: _Trail) -> Iterator[tuple[Any, _Trail]]:
        """The schemas that a keyword holds."""
        if keyword in MAPS_OF_SCHEMAS:
            for name, subschema in value.items():
                if len(name) > NAME:
                    raise _too_large(f"names of at most {NAME} characters", _at(trail))
                # `dependencies`, before 2019-09, may list names in place of a schema.
                if keyword != "dependencies" or not is_names(subschema):
                    yield subschema, (trail, name)
        elif isinstance(value, list) and keyword in self._lists:
            for place, subschema in enumerate(value):
                yield subschema, (trail, place)
        else:
            yield value, trail


def _at(trail: _Trail) -> str:
    tokens: list[str | int] = []
    while not isinstance(trail, str):
        trail, token = trail
        tokens.append(token)
    return trail + pointer(*reversed(tokens))


def _invalid(expected: str, value: object, at: str) -> RemoteProtocolError:
    return RemoteProtocolError("schema_invalid", f"expected {expected}, found {json_type(value)}", at)


def _too_large(expected: str, at: str) -> RemoteProtocolError:
    return RemoteProtocolError("schema_too_large", f"expected a schema with {expected}", at)
