"""What goes out with a call beside its params: the headers of an HTTP request; and what a retry gives away."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from toolnexus_mrtr._errors import pointer
from toolnexus_mrtr._types import CALL_TOOL, CANCEL_TASK, GET_TASK, UPDATE_TASK

#: The member of `_meta` that says which revision a client speaks (basic/index, "_meta"), and what this one does.
PROTOCOL_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
REVISION: Final = "2026-07-28"

#: The member of the params that names what is called, by method (basic/transports/streamable-http, "Standard Headers";
#: of a task: the page of its extension, "Streamable HTTP: Routing Headers").
_NAMES: Final = {
    CALL_TOOL: "name",
    "prompts/get": "name",
    "resources/read": "uri",
    GET_TASK: "taskId",
    UPDATE_TASK: "taskId",
    CANCEL_TASK: "taskId",
}

_KINDS: Final = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


class Disclosure(Struct, frozen=True):
    """One value that a retry gives away; never the value itself.

    `server` is your own name for the server, `key` the server's key of the question. `at` is a JSON Pointer into
    `inputResponses`, such as `/who/content/name`. `kind` is the JSON type: `string`, `number`, `boolean`, `array`,
    `object` or `null`. The `repr` leaves out key and pointer, which may hold what a server keeps to itself.
    """

    server: str | None
    key: str
    at: str
    kind: str

    def __repr__(self) -> str:
        return f"Disclosure(server={self.server!r}, kind={self.kind!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("server", self.server), ("kind", self.kind)]


def name_of(method: str, params: Mapping[str, Any]) -> str | None:
    """Give the name of the tool or prompt, the uri of the resource or the id of the task, if the params have it."""
    name = params.get(_NAMES[method]) if method in _NAMES else None
    return name if isinstance(name, str) else None


def make_headers(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    """Make the standard headers of a streamable HTTP request."""
    meta = params.get("_meta")
    version = meta.get(PROTOCOL_VERSION) if isinstance(meta, dict) else None
    name = name_of(method, params)
    headers = {"MCP-Protocol-Version": version if isinstance(version, str) else REVISION, "Mcp-Method": method}
    if name is not None:
        headers["Mcp-Name"] = name
    return {header: _encode(value) for header, value in headers.items()}


def list_disclosures(server: str | None, responses: Mapping[str, Any]) -> tuple[Disclosure, ...]:
    """List what `inputResponses` give away, in their order."""
    return tuple(
        Disclosure(server, key, at, _KINDS[type(value)])
        for key, response in responses.items()
        for at, value in _values_of(response, pointer(key))
    )


def _encode(value: str) -> str:
    """Write in base64 what a header cannot carry as it is (basic/transports/streamable-http, "Value Encoding")."""
    looks_encoded = value.startswith("=?base64?") and value.endswith("?=")
    if value.isascii() and value.isprintable() and value.strip() == value and not looks_encoded:
        return value
    encoded = b2a_base64(value.encode("utf-8", "surrogatepass"), newline=False).decode("ascii")
    return f"=?base64?{encoded}?="


def _values_of(response: Mapping[str, Any], at: str) -> Iterator[tuple[str, Any]]:
    """Give the members of one input response, and in place of a `content` beside an `action` its values."""
    for name, value in response.items():
        if name == "content" and "action" in response and isinstance(value, dict):
            yield from ((f"{at}/content{pointer(field)}", entered) for field, entered in value.items())
        else:
            yield at + pointer(name), value
