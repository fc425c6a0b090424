"""Loads a server's schema: a bounded copy that JSON Schema allows, with every reference leading inside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import unquote

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from toolnexus_mrtr._errors import LazyPointer, RemoteProtocolError, pointer_of
from toolnexus_mrtr._forms._keywords import (
    COUNTED,
    EXPECTED_VALUES,
    LISTS_OF_SCHEMAS,
    MAPS_OF_SCHEMAS,
    is_list_of_names,
)
from toolnexus_mrtr._json import copy_json
from toolnexus_mrtr._text import json_type, quoted

#: How many bytes the JSON text of a schema may have.
MAX_BYTES: Final = 131_072

#: How many subschemas and choices a schema may have, with every reference expanded.
MAX_SUBSCHEMAS: Final = 5_000

#: How deep subschemas and references may be nested in one another.
MAX_LEVELS: Final = 64

#: How deep objects and arrays may be nested, those of defaults and unknown members included.
MAX_DEPTH: Final = 256

#: How many subschemas one value may have to satisfy.
MAX_SUBSCHEMAS_OF_ONE_VALUE: Final = 8

#: How many choices may stand in one place.
MAX_CHOICES: Final = 1_000

#: How many characters a name or a reference may have.
MAX_NAME: Final = 1_000

#: How many items a list of an answer may have.
MAX_ITEMS: Final = 10_000

LATEST: Final = "2020-12"
DRAFT_7: Final = "draft-07"

_LATEST_URI: Final = "https://json-schema.org/draft/2020-12/schema"

#: The dialects that a form is read in, by `$schema` without its empty fragment (basic/index, "JSON Schema Usage").
_DIALECTS: Final = {
    _LATEST_URI: LATEST,
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "http://json-schema.org/draft-07/schema": DRAFT_7,
}


class LoadedSchema(Struct, frozen=True):
    """A schema that was checked: a plain copy of it, and its dialect.

    Every `$ref` in it leads to a schema in it; a `$dynamicRef` or `$recursiveRef` is not followed. `is_plain` says that
    the schema decoded as `_PlainSchema`, so that the type of each field stands in the field itself. It is no
    statement of conformance: a form that is not plain may be in the restricted schema of the specification too.
    """

    root: dict[str, Any]
    dialect: str
    is_plain: bool


def load_schema(schema: Mapping[str, Any]) -> LoadedSchema:
    """Copy a schema and check it.

    Raises `RemoteProtocolError`: `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`.
    """
    root, text = _copy(schema)
    declared = root.get("$schema", _LATEST_URI)
    if not isinstance(declared, str):
        raise _invalid("a string", declared, "/$schema")
    dialect = _DIALECTS.get(declared.removesuffix("#"))
    if dialect is None:
        # An unsupported dialect is to be reported (basic/index, "JSON Schema Usage").
        expected = f"expected JSON Schema {', '.join(_DIALECTS.values())}, found {quoted(declared)}"
        raise RemoteProtocolError("schema_dialect", expected, "/$schema")
    if _is_plain(root, text):
        return LoadedSchema(root, dialect, is_plain=True)
    _Walk(root, dialect).measure(root, "")
    return LoadedSchema(root, dialect, is_plain=False)


def resolve(root: dict[str, Any], reference: str, at: LazyPointer) -> tuple[Any, str]:
    """Find the schema that a reference leads to, and its pointer; nothing outside the root is ever looked up."""
    if not reference.startswith("#"):
        # Implementations MUST NOT fetch what a network uri names (basic/index, "$ref Resolution").
        expected = f"expected a reference into the schema itself, found {quoted(reference)}"
        raise RemoteProtocolError("schema_external_ref", expected, pointer_of(at))
    if len(reference) > MAX_NAME:
        raise _too_large(f"references of at most {MAX_NAME} characters", at)
    path = unquote(reference[1:])
    # A fragment that is no pointer is the name of an anchor.
    found: Any = root if path == "" or path.startswith("/") else None
    for token in path.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(name)] if name.isdecimal() and len(name) < 6 and int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict | bool):
        anchors = "" if path.startswith("/") else ", anchors are not supported"
        raise RemoteProtocolError(
            "schema_invalid", f"expected a schema at {quoted(reference)}{anchors}", pointer_of(at)
        )
    return found, path


def _copy(schema: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Copy a schema, and return the copy and its JSON text."""
    try:
        copy = copy_json(schema, depth=MAX_DEPTH, remote=True)
    except RemoteProtocolError as caught:
        error = caught
    else:
        text = _encode(copy)
        if len(text) > MAX_BYTES:
            raise _too_large(f"at most {MAX_BYTES} bytes", "")
        return copy, text
    if error.code == "too_large":
        raise _too_large(f"at most {MAX_DEPTH} levels of nesting", error.at)
    raise RemoteProtocolError("schema_invalid", "expected a JSON value", error.at)


def _encode(value: Any) -> bytes:
    """Encode a plain copy; a lone surrogate, which msgspec cannot encode, is escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


class _Option(Struct, forbid_unknown_fields=True):
    const: str
    title: str = ""


_Options: TypeAlias = Annotated[list[_Option], Meta(min_length=1, max_length=MAX_CHOICES)]
_Enum: TypeAlias = Annotated[list[str], Meta(max_length=MAX_CHOICES)]
_Count: TypeAlias = Annotated[int, Meta(ge=0)]


class _Items(Struct, forbid_unknown_fields=True, rename="camel"):
    type: Literal["string"] = "string"
    enum: _Enum = []
    any_of: _Options | UnsetType = UNSET


class _Property(Struct, forbid_unknown_fields=True, rename="camel"):
    type: Literal["string", "number", "integer", "boolean", "array"]
    title: str = ""
    description: str = ""
    default: Any = None
    format: str = ""
    minimum: float = 0
    maximum: float = 0
    min_length: _Count = 0
    max_length: _Count = 0
    min_items: _Count = 0
    max_items: _Count = 0
    enum: _Enum = []
    enum_names: Any = None
    one_of: _Options | UnsetType = UNSET
    items: _Items | UnsetType = UNSET


class _PlainSchema(Struct, forbid_unknown_fields=True):
    """A shape that most forms have, near to the restricted schema (schema.ts, PrimitiveSchemaDefinition).

    It is here for speed alone: what decodes as this needs no walk, which would accept it.
    """

    properties: dict[Annotated[str, Meta(max_length=MAX_NAME)], _Property]
    type: Literal["object"] = "object"
    title: str = ""
    description: str = ""
    required: list[str] = []
    dialect: str = field(name="$schema", default="")


_decoder: Final = msgspec.json.Decoder(_PlainSchema)


def _is_plain(root: dict[str, Any], text: bytes) -> bool:
    # Each subschema and each choice takes at least one byte.
    if len(text) > MAX_SUBSCHEMAS or not is_list_of_names(root.get("required", [])):
        return False
    try:
        _decoder.decode(text)
    except msgspec.DecodeError:
        return False
    return True


class _Walk:
    """Visits every subschema: checks the value of each keyword, and refuses external and cyclic references.

    The walk bounds the work that a schema makes later on, by its expanded size: its subschemas and choices are counted,
    itself included, and for each reference once more those that it leads to, with a surcharge for their bytes. Sizes
    are kept, so that what is in a schema is walked through once.
    """

    def __init__(self, root: dict[str, Any], dialect: str) -> None:
        self._root = root
        # Before 2020-12 `items` may list schemas too.
        self._lists = LISTS_OF_SCHEMAS if dialect == LATEST else LISTS_OF_SCHEMAS | {"items"}
        self._sizes: dict[int, int] = {}
        self._sizes_of_copies: dict[int, int] = {}
        self._ancestors: set[int] = set()

    def measure(self, schema: Any, at: LazyPointer) -> int:
        """Check a schema with all that is in it, and return its expanded size."""
        if isinstance(schema, bool):
            return 1
        if not isinstance(schema, dict):
            raise _invalid("a schema", schema, at)
        counted = []
        for keyword, value in schema.items():
            if keyword in EXPECTED_VALUES:
                expected, is_expected = EXPECTED_VALUES[keyword]
                if not is_expected(value):
                    raise _invalid(expected, value, (at, keyword))
                if keyword in COUNTED:
                    counted.append(keyword)
        return self._size(schema, counted, at) if counted else 1

    def _size(self, schema: dict[str, Any], counted: list[str], at: LazyPointer) -> int:
        if id(schema) in self._sizes:
            return self._sizes[id(schema)]
        if id(schema) in self._ancestors:
            raise RemoteProtocolError(
                "schema_invalid", "expected a schema whose references do not lead back to themselves", pointer_of(at)
            )
        if len(self._ancestors) == MAX_LEVELS:
            raise _too_large(f"at most {MAX_LEVELS} levels", at)
        self._ancestors.add(id(schema))
        size = 1
        for keyword in counted:
            size += self._size_of_value(schema, keyword, (at, keyword))
            if size > MAX_SUBSCHEMAS:
                raise _too_large(f"at most {MAX_SUBSCHEMAS} subschemas and choices, references expanded", at)
        self._ancestors.remove(id(schema))
        self._sizes[id(schema)] = size
        return size

    def _size_of_value(self, schema: dict[str, Any], keyword: str, at: LazyPointer) -> int:
        value = schema[keyword]
        if isinstance(value, list) and len(value) > MAX_CHOICES:
            raise _too_large(f"at most {MAX_CHOICES} choices or members of a list", at)
        if keyword == "enum":
            return len(value)
        if isinstance(value, str):
            return self._size_of_reference(keyword, value, at)
        size = 0
        for subschema, place in self._subschemas(keyword, value, at):
            size += self.measure(subschema, place)
        if keyword == "additionalProperties" and isinstance(value, dict) and "required" in schema:
            # It describes every name that is required and not among the properties.
            undescribed = set(schema["required"]).difference(schema.get("properties", ()))
            size += len(undescribed) * self._size_of_copy(value, at)
        return size

    def _size_of_reference(self, keyword: str, reference: str, at: LazyPointer) -> int:
        if keyword != "$ref" and reference.startswith("#"):
            # The target of a dynamic reference depends on the way to it; such a reference is left unenforced.
            return 0
        schema, place = resolve(self._root, reference, at)
        return self._size_of_copy(schema, place)

    def _size_of_copy(self, schema: Any, at: LazyPointer) -> int:
        """Return what one more copy of a schema adds: its subschemas and choices, and its share of the bytes."""
        if id(schema) not in self._sizes_of_copies:
            share = len(_encode(schema)) * MAX_SUBSCHEMAS // MAX_BYTES
            self._sizes_of_copies[id(schema)] = self.measure(schema, at) + share
        return self._sizes_of_copies[id(schema)]

    def _subschemas(self, keyword: str, value: Any, at: LazyPointer) -> Iterator[tuple[Any, LazyPointer]]:
        """Yield the schemas that the value of a keyword holds."""
        if keyword in MAPS_OF_SCHEMAS:
            for name, subschema in value.items():
                if len(name) > MAX_NAME:
                    raise _too_large(f"names of at most {MAX_NAME} characters", at)
                # `dependencies`, before 2019-09, may list names in place of a schema.
                if keyword != "dependencies" or not is_list_of_names(subschema):
                    yield subschema, (at, name)
        elif isinstance(value, list) and keyword in self._lists:
            for place, subschema in enumerate(value):
                yield subschema, (at, place)
        else:
            yield value, at


def _invalid(expected: str, value: object, at: LazyPointer) -> RemoteProtocolError:
    return RemoteProtocolError("schema_invalid", f"expected {expected}, found {json_type(value)}", pointer_of(at))


def _too_large(expected: str, at: LazyPointer) -> RemoteProtocolError:
    return RemoteProtocolError("schema_too_large", f"expected a schema with {expected}", pointer_of(at))
