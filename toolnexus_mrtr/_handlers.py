"""What a host does for a server: `Handlers`, the capabilities that follow, and which handler answers a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from toolnexus_mrtr._call_state import CAPABILITIES
from toolnexus_mrtr._errors import LocalProtocolError, pointer, require_type
from toolnexus_mrtr._json import copy_checked, copy_json
from toolnexus_mrtr._outgoing import PROTOCOL_VERSION, REVISION
from toolnexus_mrtr._toolnexus import Answer, AnswerLike, Request
from toolnexus_mrtr._types import (
    FORM,
    MODES,
    TASKS_EXTENSION,
    URL,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    InputRequest,
    ListRootsRequest,
    ListRootsResult,
    Root,
    mode_of,
)

_Elicited: TypeAlias = Answer | AnswerLike | ElicitResult | Mapping[str, Any]
_Sampled: TypeAlias = CreateMessageResult | Mapping[str, Any]
_Roots: TypeAlias = ListRootsResult | Sequence[Root | Mapping[str, Any]]


class _Options(Struct, frozen=True, kw_only=True):
    """The fields of `Handlers` that are given by keyword alone: `kw_only` holds for a whole class."""

    modes: Collection[Literal["form", "url"]] = MODES
    sampling_tools: bool = False
    tasks: bool = False
    extensions: Mapping[str, Any] | None = None


class Handlers(_Options, frozen=True):
    """What a host does for a server, and the declaration that follows from it.

    `wait_for` resolves an elicitation: a `Request` comes, an `Answer` of any make goes back. `create_message` samples a
    language model, `list_roots` lists the client's roots. Each returns its result or, for `run_async`, an awaitable of
    it; a prompt that blocks belongs in `asyncio.to_thread`, since handlers are called in the loop. What they are handed
    is theirs to change. `modes` are the kinds of elicitation that `wait_for` can show; `sampling_tools` says that
    `create_message` heeds `tools` and `tool_choice`. `tasks` declares the extension `io.modelcontextprotocol/tasks`: a
    tool call may become a task, which `run` and `run_async` follow. `extensions` are declared as they are, by their
    identifiers.

    Raises `LocalProtocolError` `wrong_value` for `modes` that are empty or hold another word, and `TypeError` for a
    wrong type.
    """

    wait_for: Callable[[Request], _Elicited | Awaitable[_Elicited]] | None = None
    create_message: Callable[[CreateMessageRequest], _Sampled | Awaitable[_Sampled]] | None = None
    list_roots: Callable[[], _Roots | Awaitable[_Roots]] | None = None

    def __post_init__(self) -> None:
        for name in ("wait_for", "create_message", "list_roots"):
            require_type(name, getattr(self, name), Callable | None, "callable")
        require_type("sampling_tools", self.sampling_tools, bool, "a bool")
        require_type("tasks", self.tasks, bool, "a bool")
        if isinstance(self.modes, str) or not isinstance(self.modes, Iterable):
            raise TypeError(f"modes must be an iterable of str, not {type(self.modes).__name__}")
        modes = tuple(self.modes)
        if not modes or not set(MODES).issuperset(modes):
            raise LocalProtocolError("wrong_value", "expected 'form', 'url' or both", "/modes")
        force_setattr(self, "modes", modes)
        require_type("extensions", self.extensions, Mapping | None, "a mapping")
        force_setattr(self, "extensions", copy_json(self.extensions, "/extensions"))

    def capabilities(self) -> dict[str, Any]:
        """Give the `clientCapabilities` to declare: what has no handler is absent, so that no server asks for it."""
        return _make_capabilities(
            self.modes if self.wait_for is not None else (),
            sampling=self.create_message is not None,
            sampling_tools=self.sampling_tools,
            roots=self.list_roots is not None,
            tasks=self.tasks,
            extensions=copy_checked(self.extensions),
        )

    def meta(self, client_info: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Give the `_meta` that every request of 2026-07-28 carries (basic/index, "_meta"); put it into the params.

        `client_info` is the client's `name` and `version`, which a client SHOULD send.
        """
        return _make_meta(self.capabilities(), client_info)


def request_meta(
    *,
    form: bool = False,
    url: bool = False,
    sampling: bool = False,
    sampling_tools: bool = False,
    roots: bool = False,
    tasks: bool = False,
    extensions: Mapping[str, Any] | None = None,
    client_info: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Give the `_meta` of a request (basic/index, "_meta") to a client without `Handlers`; what is true is declared.

    `form` and `url` are the modes of elicitation; `sampling_tools` implies `sampling`; `roots` is for a client that
    lists its roots. `tasks` declares the extension `io.modelcontextprotocol/tasks`, by which a tool call may become a
    task. `extensions` are declared as they are, by their identifiers; `client_info` is the client's `name`
    and `version`, which a client SHOULD send.

    Raises `TypeError` for a wrong type, and `LocalProtocolError` `wrong_value` for what JSON cannot carry.
    """
    flags = {"form": form, "url": url, "sampling": sampling, "sampling_tools": sampling_tools, "roots": roots}
    for name, flag in {**flags, "tasks": tasks}.items():
        require_type(name, flag, bool, "a bool")
    require_type("extensions", extensions, Mapping | None, "a mapping")
    capabilities = _make_capabilities(
        [mode for mode, is_declared in ((FORM, form), (URL, url)) if is_declared],
        sampling=sampling or sampling_tools,
        sampling_tools=sampling_tools,
        roots=roots,
        tasks=tasks,
        extensions=copy_json(extensions, "/extensions"),
    )
    return _make_meta(capabilities, client_info)


def _make_capabilities(
    modes: Collection[str],
    *,
    sampling: bool,
    sampling_tools: bool,
    roots: bool,
    tasks: bool,
    extensions: dict[str, Any] | None,
) -> dict[str, Any]:
    declared: dict[str, Any] = {}
    if modes:
        declared["elicitation"] = {mode: {} for mode in MODES if mode in modes}
    if sampling:
        declared["sampling"] = {"tools": {}} if sampling_tools else {}
    if roots:
        declared["roots"] = {}
    if tasks:
        extensions = {TASKS_EXTENSION: {}, **(extensions or {})}
    if extensions is not None:
        declared["extensions"] = extensions
    return declared


def _make_meta(capabilities: dict[str, Any], client_info: Mapping[str, Any] | None) -> dict[str, Any]:
    require_type("client_info", client_info, Mapping | None, "a mapping")
    meta = {PROTOCOL_VERSION: REVISION, CAPABILITIES: capabilities}
    if client_info is not None:
        meta["io.modelcontextprotocol/clientInfo"] = copy_json(client_info, "/client_info")
    return meta


class HostCall(Struct, frozen=True):
    """A call of one of the host's functions, still to be made."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def host_call_for(handlers: Handlers, key: str, request: InputRequest, host_request: Request | None) -> HostCall:
    """Find the handler for a request and its argument: `host_request`, or a copy of a request to sample.

    A handler is passed over where `modes` or `sampling_tools` exclude the request.
    """
    expected = "expected nothing that no handler can answer; pass Pause.resume a map for it"
    if isinstance(request, ElicitRequest):
        mode = mode_of(request)
        if handlers.wait_for is not None and mode in handlers.modes:
            return HostCall("wait_for", handlers.wait_for, (host_request,))
        expected = f"expected Handlers with wait_for, and with {mode!r} among its modes"
    elif isinstance(request, CreateMessageRequest):
        needs_tools = request.tools is not None or request.tool_choice is not None
        if handlers.create_message is not None and (handlers.sampling_tools or not needs_tools):
            return HostCall(
                "create_message", handlers.create_message, (replace(request, params=copy_checked(request.params)),)
            )
        expected = f"expected Handlers with create_message{', and with sampling_tools' if needs_tools else ''}"
    elif isinstance(request, ListRootsRequest):
        if handlers.list_roots is not None:
            return HostCall("list_roots", handlers.list_roots, ())
        expected = "expected Handlers with list_roots"
    raise LocalProtocolError("unsupported_request", expected, pointer(key))


def to_answer(key: str, request: InputRequest, handler: str, result: Any) -> Any:
    """Turn what a handler returned into what `Pause.resume` takes: a bare sequence of roots into their result."""
    if result is None:
        raise LocalProtocolError("missing_answer", f"expected {handler} to return an answer, not None", pointer(key))
    if isinstance(request, ListRootsRequest) and isinstance(result, Sequence) and not isinstance(result, str | bytes):
        return {"roots": list(result)}
    return result
