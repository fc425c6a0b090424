"""Typed to raw: the three kinds of result, as the retry's `inputResponses` carries them. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final, TypeAlias, final

from msgspec import UNSET

from toolnexus_mrtr._errors import FieldError, InvalidAnswer, LocalProtocolError, pointer, prefix_pointers, require_type
from toolnexus_mrtr._forms import coerce, is_uri
from toolnexus_mrtr._json import LEAST, MOST, copy_json, plain_text, to_plain
from toolnexus_mrtr._sampling import content_faults, is_role
from toolnexus_mrtr._text import another, describe_unsendable, has_split_pair, json_type, member_type
from toolnexus_mrtr._types import (
    ACTIONS,
    UNREAD,
    URL,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    InputRequest,
    InputResult,
    ListRootsRequest,
    ListRootsResult,
    Root,
    mode_of,
    name_request,
)

#: Called with the key, the content and the form's schema or `None`; gives the content to send, or field errors.
Fit: TypeAlias = "Callable[[str, Mapping[str, Any], Mapping[str, Any] | None], dict[str, Any] | tuple[FieldError, ...]]"

_SENDABLE: Final = "a string, a number, a boolean or an array of strings"


@final
class ElicitationResponses:
    """Writes answers, as the class of this name in Apache Juneau's client does: a namespace, never instantiated.

    Despite the name it writes all three kinds of result. What comes out is plain and fresh: changing it changes nothing
    of what went in.
    """

    @staticmethod
    def to_input_response(key: str, result: InputResult, request: InputRequest | None = None) -> dict[str, Any]:
        """Write one answer: what `to_input_responses` writes for one `key`, its `result` and, if known, its `request`.

        Pass the `request`: without it nothing tells a form from a visit to a url, and content is sent where the
        `result` has some.

        Raises what `to_input_responses` raises.
        """
        return ElicitationResponses.to_input_responses({key: result}, None if request is None else {key: request})

    @staticmethod
    def to_input_responses(
        results: Mapping[str, InputResult], requests: Mapping[str, InputRequest | None] | None = None
    ) -> dict[str, Any]:
        """Write the `inputResponses` of the retry: bare results under the server's keys, in the order given.

        Pass the `requests` that `input_requests` or `ElicitationRequests.requests` read. Each must then have its answer
        (basic/patterns/mrtr, "Client Requirements", 1), of its kind; the accept of a form always carries `content`,
        that of a url never does. `None` for an optional field is left out, `3.0` for an integer field is sent as `3`;
        the rest is for `Form.check` to judge. Without `requests` content is sent where the result has some, numbers as
        they are. Decline and cancel never carry it. A request that the lenient reader left empty takes any kind of
        result.

        Raises `LocalProtocolError`: `wrong_value` for what the wire cannot carry, `answer_kind_mismatch`,
        `missing_answer`, `unexpected_answer`, each with `at` naming the key; `InvalidAnswer` with `not_sendable` for
        each required field that is `None`; `TypeError` where `results`, a key or a result has a wrong
        type, `None` included.
        """
        _require_mapping("results", results)
        if requests is None:
            requests = dict.fromkeys(results)
        else:
            _require_mapping("requests", requests)
            require_same_keys("results", results, requests)
        written: dict[str, Any] = {}
        errors: list[FieldError] = []
        for key, result in results.items():
            request, name = requests[key], key if type(key) is str and key.isascii() else _plain_key(key)
            quickly = _write_quickly(result, request)
            if quickly is not None:
                written[name] = quickly
                continue
            response = write_result(name, result, request, _coerce)
            if isinstance(response, dict):
                written[name] = response
            else:
                errors += response
        if errors:
            raise InvalidAnswer(errors)
        return written


def require_same_keys(name: str, given: Mapping[str, Any], requests: Mapping[str, InputRequest | None]) -> None:
    """Each request has its answer (basic/patterns/mrtr, "Client Requirements", 1), and each answer its request."""
    if given.keys() == requests.keys():
        return
    for key in given:
        if _plain_key(key, name) not in requests:
            raise LocalProtocolError("unexpected_answer", "expected no answer to what was not asked", pointer(key))
    missing = next(key for key in requests if key not in given)
    raise LocalProtocolError("missing_answer", "expected an answer to every request", pointer(missing))


def _write_quickly(result: InputResult, request: InputRequest | None) -> dict[str, Any] | None:
    """Write the accept of a form whose content is of plain types; `None` where it has to be looked at in full."""
    if type(result) is not ElicitResult or type(result.action) is not str or result.action != "accept":
        return None
    content = result.content
    is_form = request is None or (type(request) is ElicitRequest and request.mode != URL)
    if type(content) is not dict or not is_form:
        return None
    copy = content.copy()
    for name, value in content.items():
        if type(name) is not str or (not name.isascii() and has_split_pair(name)):
            return None
        kind = type(value)
        if (kind is str and (value.isascii() or not has_split_pair(value))) or kind is bool:
            continue
        if kind is list:
            copy[name] = value.copy()
            for item in value:
                if type(item) is not str or not (item.isascii() or not has_split_pair(item)):
                    return None
        elif kind is int:
            if not LEAST < value < MOST:
                return None
        # A float without fraction may belong to an integer field.
        elif kind is not float or value.is_integer() or not isfinite(value):
            return None
    return {"action": "accept", "content": copy}


def write_result(
    key: str, result: InputResult, request: InputRequest | None, fit: Fit
) -> dict[str, Any] | tuple[FieldError, ...]:
    """Write any result, or return the field errors of its form; raise for any other fault.

    `fit` turns the content of an accepted form into what is sent, or into field errors.
    """
    if isinstance(result, ElicitResult) and (request is None or isinstance(request, ElicitRequest)):
        return _write_elicit_result(key, result, request, fit)
    if isinstance(result, CreateMessageResult) and _can_ask_for(CreateMessageRequest, request):
        return write_message(key, _message_members(result))
    if isinstance(result, ListRootsResult) and _can_ask_for(ListRootsRequest, request):
        return write_roots(key, {"roots": result.roots})
    if isinstance(result, InputResult):
        expected = f"an answer to {name_request(request)}, found one of another kind"
        raise LocalProtocolError("answer_kind_mismatch", f"expected {expected}", pointer(key))
    expected = "an ElicitResult, a CreateMessageResult or a ListRootsResult"
    raise TypeError(f"each of results must be {expected}, not {type(result).__name__}")


def _can_ask_for(kind: type, request: InputRequest | None) -> bool:
    return request is None or isinstance(request, kind) or request == UNREAD


def _write_elicit_result(
    key: str, result: ElicitResult, request: ElicitRequest | None, fit: Fit
) -> dict[str, Any] | tuple[FieldError, ...]:
    action, content = result.action, result.content
    if not isinstance(action, str) or action != "accept":
        if not isinstance(action, str) or action not in ACTIONS:
            raise _wrong_value("'accept', 'decline' or 'cancel'", another(json_type(action)), key, "action")
        return {"action": ACTIONS[ACTIONS.index(action)]}
    # The accept of a url has no content (schema.ts, ElicitResult).
    if request is not None and mode_of(request) == URL:
        return {"action": "accept"}
    if content is None:
        if request is None or request == UNREAD:
            return {"action": "accept"}
        content = {}
    if not isinstance(content, Mapping):
        raise _wrong_value("an object", json_type(content), key, "content")
    for name in content:
        if not isinstance(name, str):
            raise _wrong_value("names that are strings", json_type(name), key, "content")
    fitted = fit(key, content, None if request is None else request.requested_schema)
    return {"action": "accept", "content": fitted} if isinstance(fitted, dict) else fitted


def _coerce(
    key: str, content: Mapping[str, Any], schema: Mapping[str, Any] | None
) -> dict[str, Any] | tuple[FieldError, ...]:
    """Leave `None` out and make 3.0 a 3 for an integer field, without any other check; copy what the wire can carry."""
    errors: tuple[FieldError, ...] = ()
    if schema is not None:
        content, errors = coerce(schema, content)
    copy = copy_content(key, content)
    return prefix_pointers(errors, pointer(key)) if errors else copy


def copy_content(key: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Copy what was entered: text, booleans, finite numbers and lists of text (schema.ts, ElicitResult)."""
    copy = {}
    for name, value in content.items():
        if has_split_pair(name):
            raise _wrong_value("names that JSON can carry", describe_unsendable(name), key, "content")
        plain = to_plain(value)
        if type(plain) is list:
            plain = [_text(item, key, name, place) for place, item in enumerate(plain)]
        elif plain is UNSET or plain is None or type(plain) is dict:
            found = describe_unsendable(value) if plain is UNSET else json_type(value)
            raise _wrong_value(_SENDABLE, found, key, "content", name)
        copy[str.__str__(name)] = plain
    return copy


def _text(item: object, key: str, *place: str | int) -> str:
    if not isinstance(item, str) or has_split_pair(item):
        found = describe_unsendable(item) if isinstance(item, str) else json_type(item)
        raise _wrong_value("a string", found, key, "content", *place)
    return str.__str__(item)


def write_message(key: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Copy what a model said: a role, one content block or several, and the model (schema.ts, CreateMessageResult)."""
    role, content, model = members.get("role"), members.get("content"), members.get("model")
    if not is_role(role):
        raise _wrong_value("'user' or 'assistant'", another(member_type(members, "role")), key, "role")
    if isinstance(content, list | tuple) and not content:
        # client/sampling, "Result Fields".
        raise _wrong_value("at least one content block", "an empty array", key, "content")
    for fault in content_faults(members, pointer(key)):
        raise LocalProtocolError("wrong_value", fault.message, fault.at)
    if not isinstance(model, str):
        raise _wrong_value("a string", member_type(members, "model"), key, "model")
    if not isinstance(members.get("stopReason", ""), str):
        raise _wrong_value("a string", json_type(members["stopReason"]), key, "stopReason")
    copy: dict[str, Any] = copy_json(members, pointer(key))
    return copy


def write_roots(key: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the client's roots: each has a uri that starts with `file://` (schema.ts, Root)."""
    roots = members.get("roots")
    if not isinstance(roots, list | tuple):
        raise _wrong_value("an array", member_type(members, "roots"), key, "roots")
    written = []
    for place, given in enumerate(roots):
        root = _root_members(given) if isinstance(given, Root) else given
        if not isinstance(root, Mapping):
            raise _wrong_value("a Root", json_type(root), key, "roots", place)
        uri = root.get("uri")
        if not isinstance(uri, str) or not uri.startswith("file://") or not is_uri(uri):
            expected = "a uri of RFC 3986 that starts with 'file://', all else percent-encoded"
            raise _wrong_value(expected, another(member_type(root, "uri")), key, "roots", place, "uri")
        if not isinstance(root.get("name", ""), str):
            raise _wrong_value("a string", json_type(root["name"]), key, "roots", place, "name")
        written.append(root)
    copy: dict[str, Any] = copy_json({**members, "roots": written}, pointer(key))
    return copy


def _message_members(result: CreateMessageResult) -> dict[str, Any]:
    members = {"role": result.role, "content": result.content, "model": result.model}
    return members if result.stop_reason is None else {**members, "stopReason": result.stop_reason}


def _root_members(root: Root) -> dict[str, Any]:
    return {"uri": root.uri} if root.name is None else {"uri": root.uri, "name": root.name}


def _plain_key(key: Any, name: str = "results") -> str:
    return plain_text(f"a key of {name}", key, key)


def _require_mapping(name: str, value: object) -> None:
    if type(value) is not dict:
        require_type(name, value, Mapping, "a mapping")


def _wrong_value(expected: str, found: str, *place: str | int) -> LocalProtocolError:
    return LocalProtocolError("wrong_value", f"expected {expected}, found {found}", pointer(*place))
