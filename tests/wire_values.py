"""Values of the wire that many tests use, builders of results, and checks of raised errors."""

import copy
import dataclasses
import enum
from typing import Any

import pytest

from toolnexus_mrtr import (
    Call,
    CreateMessageRequest,
    ElicitRequest,
    ListRootsRequest,
    MrtrError,
    Pause,
)

#: An answer that no message, no `repr` and no log may show.
SECRET = "correct horse battery staple"

SCHEMA = {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}

#: The same with an integer beside the text, which JSON may carry as 3.0.
SCHEMA_WITH_INTEGER = SCHEMA | {"properties": {"n": {"type": "string"}, "i": {"type": "integer"}}}


def form(message: str = "m", schema: dict[str, Any] = SCHEMA) -> dict[str, Any]:
    """Make an entry of `inputRequests` that asks for a form."""
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


FORM = form()
LINK = {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "https://a.example/x"}}
LLM = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}
ROOTS = {"method": "roots/list"}
UNKNOWN = {"method": "com.example/approve", "params": {"x": 1}}

#: A result of sampling, the members of `CreateMessageResult` too.
MESSAGE = {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}

#: Two typed elicitations.
FORM_REQUEST = ElicitRequest(message="m", requested_schema={"type": "object"})
LINK_REQUEST = ElicitRequest(message="m", mode="url", url="https://a.example/x")

#: The class that an entry is read as, by its method.
KINDS = {
    "elicitation/create": ElicitRequest,
    "sampling/createMessage": CreateMessageRequest,
    "roots/list": ListRootsRequest,
}


def asking(state: str | None = None, **entries: Any) -> dict[str, Any]:
    """Make a raw result that asks for copies of these entries."""
    raw = {"resultType": "input_required", "inputRequests": entries}
    return copy.deepcopy(raw if state is None else {**raw, "requestState": state})


def paused(*, call: Call | None = None, state: str | None = None, **entries: Any) -> Pause:
    """Let a call receive such a result."""
    pause = (call or Call("tools/call", {"name": "t"}, id="c")).receive(asking(state, **entries))
    assert isinstance(pause, Pause)
    return pause


class Word(str):
    """A str subclass, as enums and templating libraries make them."""

    __slots__ = ()


class Colour(enum.StrEnum):
    RED = "red"


@dataclasses.dataclass
class HostAnswer:
    """An answer as toolnexus declares it, for hosts that do not use ours."""

    id: str
    ok: bool
    data: dict | None = None
    reason: str | None = None


def raised(kind: type[BaseException], function: Any, *arguments: Any, **named: Any) -> Any:
    """Give the error that a call raises: of exactly this class, and without a cause or a context that could leak."""
    with pytest.raises(kind) as caught:
        function(*arguments, **named)
    assert type(caught.value) is kind
    assert_alone(caught.value)
    return caught.value


def refused(code: str, at: str, function: Any, *arguments: Any, **named: Any) -> MrtrError:
    """Give the `MrtrError` that a call raises: with this code, at this place, and without a cause or a context."""
    with pytest.raises(MrtrError) as caught:
        function(*arguments, **named)
    assert (caught.value.code, caught.value.at) == (code, at)
    assert_alone(caught.value)
    return caught.value


def assert_alone(error: BaseException) -> None:
    assert error.__cause__ is None
    assert error.__context__ is None
