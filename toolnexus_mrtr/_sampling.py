"""The rules for sampling messages: those in a server's request, and the client's answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolnexus_mrtr._findings import SAMPLING, Finding, error
from toolnexus_mrtr._text import another, json_type, member_type

_ROLES: Final = ("user", "assistant")

_USE: Final = "tool_use"
_RESULT: Final = "tool_result"

#: What each type of content block requires, by name and JSON type (schema.ts, SamplingMessageContentBlock and, for the
#: content of a tool result, ContentBlock). A block of another type may have any members.
_MEMBERS: Final[Mapping[str, Mapping[str, str]]] = {
    "text": {"text": "a string"},
    "image": {"data": "a string", "mimeType": "a string"},
    "audio": {"data": "a string", "mimeType": "a string"},
    _USE: {"id": "a string", "name": "a string", "input": "an object"},
    _RESULT: {"toolUseId": "a string", "content": "an array"},
    "resource_link": {"uri": "a string", "name": "a string"},
    "resource": {"resource": "an object"},
}


def message_findings(messages: Sequence[Any], at: str) -> Iterator[Finding]:
    """List what is wrong with the messages of a request, in their order; `at` is where they stand."""
    for place, message in enumerate(messages):
        here = f"{at}/{place}"
        if not isinstance(message, Mapping):
            yield error("bad_message", f"expected an object, found {json_type(message)}", here, SAMPLING + "#messages")
            continue
        if not is_role(message.get("role")):
            text = f"expected the role 'user' or 'assistant', found {another(member_type(message, 'role'))}"
            yield error("bad_role", text, here + "/role", SAMPLING + "#messages")
        yield from content_faults(message, here)
        yield from _tool_findings(message, here)
        before, after = messages[place - 1] if place else None, messages[place + 1 : place + 2]
        yield from _balance_findings(message, before, after[0] if after else None, here)


def content_faults(message: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List what is wrong with the content of one message, a block or an array of them; `at` is where the message is."""
    content = message.get("content")
    if not isinstance(content, Mapping | list | tuple):
        found = member_type(message, "content")
        yield _bad_content(f"expected a content block or an array of them, found {found}", at + "/content")
    for place, block in _blocks_of(content):
        yield from _block_faults(block, f"{at}/content{place}")


def is_role(role: Any) -> bool:
    """Whether this is one of the two roles of sampling (client/sampling, "Messages")."""
    return isinstance(role, str) and role in _ROLES


def _blocks_of(content: Any) -> list[tuple[str, Any]]:
    """Give the blocks of a message, each with the pointer to it from the content."""
    if isinstance(content, Mapping):
        return [("", content)]
    return [(f"/{place}", block) for place, block in enumerate(content)] if isinstance(content, list | tuple) else []


def _block_faults(block: Any, at: str, *, is_nested: bool = False) -> Iterator[Finding]:
    if not isinstance(block, Mapping):
        yield _bad_content(f"expected a content block, found {json_type(block)}", at)
        return
    yield from _member_faults(block, {"type": "a string"}, at)
    kind = block.get("type")
    yield from _member_faults(block, _MEMBERS.get(kind, {}) if isinstance(kind, str) else {}, at)
    resource, content = block.get("resource"), block.get("content")
    if kind == "resource" and isinstance(resource, Mapping):
        # schema.ts, TextResourceContents and BlobResourceContents.
        yield from _member_faults(resource, {"uri": "a string"}, at + "/resource")
        if not any(isinstance(resource.get(name), str) for name in ("text", "blob")):
            yield _bad_content("expected 'text' or 'blob', a string", at + "/resource")
    if kind == _RESULT and isinstance(content, list | tuple) and not is_nested:
        for place, item in enumerate(content):
            yield from _block_faults(item, f"{at}/content/{place}", is_nested=True)


def _member_faults(holder: Mapping[str, Any], members: Mapping[str, str], at: str) -> Iterator[Finding]:
    for name, expected in members.items():
        if name not in holder:
            yield _bad_content(f"expected a member {name!r}", f"{at}/{name}")
        elif json_type(holder[name]) != expected:
            yield _bad_content(f"expected {expected}, found {json_type(holder[name])}", f"{at}/{name}")


def _tool_findings(message: Mapping[str, Any], at: str) -> Iterator[Finding]:
    """List the tool uses and results in a message of the wrong role, and results beside other content."""
    blocks = _blocks_of(message.get("content"))
    for kind, role in ((_USE, "assistant"), (_RESULT, "user")):
        for place, block in blocks:
            if _is_of(block, kind) and is_role(message.get("role")) and message["role"] != role:
                text = f"expected this block in a message of the role {role!r}"
                yield error("tool_role", text, f"{at}/content{place}", SAMPLING + "#message-roles")
    results = [_is_of(block, _RESULT) for _, block in blocks]
    if any(results) and not all(results):
        # client/sampling, "Tool Result Messages".
        text = "expected nothing beside tool results in a message that has some"
        yield error("mixed_tool_results", text, at + "/content", SAMPLING + "#tool-result-messages")


def _balance_findings(message: Mapping[str, Any], before: Any, after: Any, at: str) -> Iterator[Finding]:
    """List the tool uses without a result in the next message, and the results without a use in the one before."""
    # client/sampling, "Tool Use and Result Balance".
    link = SAMPLING + "#tool-use-and-result-balance"
    text = "expected a tool result with this id in the next message"
    for place in _without_partner(_ids_of(message, _USE, "id"), _ids_of(after, _RESULT, "toolUseId")):
        yield error("unanswered_tool_use", text, f"{at}/content{place}", link)
    text = "expected a tool use with this id in the message before, and one result for it"
    for place in _without_partner(_ids_of(message, _RESULT, "toolUseId"), _ids_of(before, _USE, "id")):
        yield error("unmatched_tool_result", text, f"{at}/content{place}", link)


def _without_partner(ours: list[tuple[str, str]], theirs: list[tuple[str, str]]) -> Iterator[str]:
    left = Counter(id for _, id in theirs)
    for place, id in ours:
        if not left[id]:
            yield place
        left[id] -= left[id] > 0


def _ids_of(message: Any, kind: str, name: str) -> list[tuple[str, str]]:
    """Give the ids in the blocks of one type that are strings, each with the pointer to its block from the content."""
    blocks = _blocks_of(message.get("content")) if isinstance(message, Mapping) else []
    ids = [(place, block.get(name)) for place, block in blocks if _is_of(block, kind)]
    return [(place, id) for place, id in ids if isinstance(id, str)]


def _is_of(block: Any, kind: str) -> bool:
    return isinstance(block, Mapping) and block.get("type") == kind


def _bad_content(message: str, at: str) -> Finding:
    return error("bad_content", message, at, SAMPLING + "#messages")
