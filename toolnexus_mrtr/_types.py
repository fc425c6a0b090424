"""The structs of the protocol, its method names and result types. Imports nothing of the library.

Specification: MCP 2026-07-28, `basic/patterns/mrtr`, `client/elicitation`, and `schema.ts`, which outranks schema.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

from msgspec import Struct

ELICIT: Final = "elicitation/create"
SAMPLE: Final = "sampling/createMessage"
LIST_ROOTS: Final = "roots/list"

#: The three calls that a server may pause (basic/patterns/mrtr, "Supported Requests").
PAUSABLE_METHODS: Final = ("prompts/get", "resources/read", "tools/call")

COMPLETE: Final = "complete"
INPUT_REQUIRED: Final = "input_required"
TASK: Final = "task"

#: The extension by which a tool call may become a task (SEP-2663), and its methods.
TASKS_EXTENSION: Final = "io.modelcontextprotocol/tasks"
CALL_TOOL: Final = "tools/call"
GET_TASK: Final = "tasks/get"
UPDATE_TASK: Final = "tasks/update"
CANCEL_TASK: Final = "tasks/cancel"
TASK_NOTIFICATION: Final = "notifications/tasks"

#: The two kinds of elicitation.
FORM: Final = "form"
URL: Final = "url"
MODES: Final = (FORM, URL)

#: The three things that a person can do with an elicitation (client/elicitation, "Response Actions").
ACTIONS: Final = ("accept", "decline", "cancel")


#: What the members of an elicitation are called on the wire, where that is not their name in Python.
_WIRE_NAMES: Final = {"requested_schema": "requestedSchema", "meta": "_meta"}


class _Value(Struct, frozen=True, kw_only=True):
    """A value of the protocol whose `repr` shows only what may stand in a log: no content, no params."""

    _shown: ClassVar[tuple[str, ...]] = ()

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self._shown]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


class ElicitRequest(_Value, frozen=True, kw_only=True, omit_defaults=True, rename=_WIRE_NAMES):
    """A question to a person: a form, or a visit to a url (client/elicitation, "Elicitation Requests").

    Each field is `None` when the member is absent. `message` is the server's text: pass it through `printable` before a
    terminal sees it. An absent `mode` means form. In the mode `"url"` a reader has
    checked `url` by `inspect_url`; in a form it is unchecked: never show it. `requested_schema` is the server's object,
    whole and in its order, shared with the map that it was read from, and so is `meta`, the `_meta` of the params; one
    that is no object counts as absent.
    """

    _shown: ClassVar[tuple[str, ...]] = ("message", "mode", "url")

    message: str | None = None
    requested_schema: Mapping[str, Any] | None = None
    mode: str | None = None
    url: str | None = None
    meta: Mapping[str, Any] | None = None


#: What the lenient reader makes of an entry of another method, whose params it does not read.
UNREAD: Final = ElicitRequest()


def mode_of(request: ElicitRequest) -> str:
    """Give the mode of an elicitation; without one it is a form (client/elicitation, "Elicitation Requests")."""
    return FORM if request.mode is None else request.mode


class CreateMessageRequest(_Value, frozen=True, kw_only=True):
    """A request to sample a language model (`sampling/createMessage`).

    `params` are kept whole. The properties read the members that the schema names, `None` when absent; only `messages`
    (an array) and `max_tokens` (a number) have been checked.
    """

    params: Mapping[str, Any]

    @property
    def messages(self) -> Sequence[Any]:
        """The conversation so far."""
        messages: Sequence[Any] = self.params["messages"]
        return messages

    @property
    def max_tokens(self) -> float:
        """The most tokens to sample."""
        max_tokens: float = self.params["maxTokens"]
        return max_tokens

    @property
    def model_preferences(self) -> Any:
        """The server's preferences for a model, which a client may ignore."""
        return self.params.get("modelPreferences")

    @property
    def system_prompt(self) -> Any:
        """The system prompt that the server would like."""
        return self.params.get("systemPrompt")

    @property
    def include_context(self) -> Any:
        """Whose context to include: `"none"`, or one of two deprecated words."""
        return self.params.get("includeContext")

    @property
    def temperature(self) -> Any:
        """The sampling temperature."""
        return self.params.get("temperature")

    @property
    def stop_sequences(self) -> Any:
        """Texts at which to stop."""
        return self.params.get("stopSequences")

    @property
    def metadata(self) -> Any:
        """What to pass through to the provider of the model."""
        return self.params.get("metadata")

    @property
    def tools(self) -> Any:
        """Tools that the model may use, if `sampling.tools` was declared."""
        return self.params.get("tools")

    @property
    def tool_choice(self) -> Any:
        """How the model may use them, if `sampling.tools` was declared."""
        return self.params.get("toolChoice")


class ListRootsRequest(_Value, frozen=True, kw_only=True):
    """A request for the client's roots (`roots/list`); `params` is `None` when absent."""

    params: Mapping[str, Any] | None = None


class UnknownRequest(_Value, frozen=True, kw_only=True):
    """An input request whose `method` the protocol does not name; `params` is whatever stood there, or `None`."""

    _shown: ClassVar[tuple[str, ...]] = ("method",)

    method: str
    params: Any = None


#: What one entry of `inputRequests` can be.
InputRequest: TypeAlias = ElicitRequest | CreateMessageRequest | ListRootsRequest | UnknownRequest


def name_request(request: InputRequest | None) -> str:
    """Name what kind of thing is asked, for a message."""
    names: dict[type, str] = {ElicitRequest: ELICIT, CreateMessageRequest: SAMPLE, ListRootsRequest: LIST_ROOTS}
    return names.get(type(request), "a method that the protocol does not name")


class ElicitResult(_Value, frozen=True, kw_only=True):
    """What a person did with an elicitation: `action` is `"accept"`, `"decline"` or `"cancel"`.

    `content` is what was entered into a form: text, numbers, booleans, and lists of text, by field.
    """

    _shown: ClassVar[tuple[str, ...]] = ("action",)

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] | None = None


class CreateMessageResult(_Value, frozen=True, kw_only=True):
    """What a language model said (client/sampling, "Creating Messages").

    `role` is `"user"` or `"assistant"`; what a model says has the latter. `content` is one content block in the wire's
    own shape, or a sequence of at least one. `model` is the name of the model. `stop_reason` says why it stopped, if
    that is known: `"endTurn"`, `"stopSequence"`, `"maxTokens"`, `"toolUse"`, or a word of the provider.
    """

    _shown: ClassVar[tuple[str, ...]] = ("role", "model", "stop_reason")

    role: Literal["user", "assistant"]
    content: Mapping[str, Any] | Sequence[Mapping[str, Any]]
    model: str
    stop_reason: str | None = None


class Root(_Value, frozen=True, kw_only=True):
    """One root of the client: its `uri`, which starts with `file://`, and its `name` for people, if it has one."""

    uri: str
    name: str | None = None


class ListRootsResult(_Value, frozen=True, kw_only=True):
    """The roots of the client: `roots` is a sequence of `Root`, which may be empty."""

    roots: Sequence[Root]


#: What one entry of `inputResponses` is written from.
InputResult: TypeAlias = ElicitResult | CreateMessageResult | ListRootsResult
