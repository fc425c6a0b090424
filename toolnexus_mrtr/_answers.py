"""One host answer against its request: the value that the wire carries, or the field errors of a form. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from toolnexus_mrtr._bridge import answer_to_elicit_result
from toolnexus_mrtr._contract import Answer, AnswerLike, Request
from toolnexus_mrtr._errors import FieldError, LocalProtocolError, MrtrError, pointer, prefix_pointers
from toolnexus_mrtr._forms import Form, normalize
from toolnexus_mrtr._json import copy_json
from toolnexus_mrtr._types import (
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    InputRequest,
    InputResult,
    ListRootsRequest,
    ListRootsResult,
    UnknownRequest,
)
from toolnexus_mrtr._writer import message_response, roots_response, to_input_responses

#: What answers one input request: an `Answer`, a typed result, or a map of the members of either.
HostAnswer: TypeAlias = Answer | AnswerLike | InputResult | Mapping[str, Any]

#: The member that tells which kind of request a map answers; `ok` is an `Answer`'s.
_TELLING: Final = {
    "action": ElicitRequest,
    "ok": ElicitRequest,
    "role": CreateMessageRequest,
    "roots": ListRootsRequest,
}

#: What an answer never carries: values are bare results (mrtr, "InputResponses").
_ENVELOPE: Final = frozenset({"id", "jsonrpc", "method", "resultType"})

_TYPED: Final[Mapping[type, type]] = {
    ElicitResult: ElicitRequest,
    CreateMessageResult: CreateMessageRequest,
    ListRootsResult: ListRootsRequest,
}


def input_response(
    key: str, answer: Any, request: InputRequest, schema_at: str
) -> dict[str, Any] | tuple[FieldError, ...]:
    """Give the value of `inputResponses` for one answer, deeply copied, or its field errors at `/<key>/<field>`.

    A map in the wire's own shape keeps its further members, but for those of an envelope. `schema_at` says where in the
    server's result the form's schema stands.

    Raises `LocalProtocolError` `answer_kind_mismatch` or `wrong_value`, `RemoteProtocolError` for a form whose schema
    cannot be checked, `TypeError` for what is no answer at all.
    """
    if isinstance(answer, Mapping) and not isinstance(request, UnknownRequest):
        answer = {name: member for name, member in answer.items() if name not in _ENVELOPE}
    if not isinstance(request, _answered_by(answer)):
        expected = f"the answer to a {type(request).__name__}"
        raise LocalProtocolError("answer_kind_mismatch", f"expected {expected}", pointer(key))
    if isinstance(request, ElicitRequest):
        return _elicited(key, answer, request, schema_at)
    if not isinstance(answer, Mapping):
        written: dict[str, Any] = to_input_responses({key: answer}, {key: request})[key]
        return written
    if isinstance(request, CreateMessageRequest):
        return message_response(key, answer)
    if isinstance(request, ListRootsRequest):
        return roots_response(key, answer)
    copy: dict[str, Any] = copy_json(answer, pointer(key))
    return copy


def answers_by_key(answers: Any, ids: Mapping[str, str]) -> dict[str, Any]:
    """Find the key of each `Answer` by its id; `ids` are those of the requests, by key."""
    if isinstance(answers, str | bytes) or not isinstance(answers, Iterable):
        raise TypeError(f"answers must be a mapping or an iterable of Answers, not {type(answers).__name__}")
    keys = {id: key for key, id in ids.items()}
    given: dict[str, Any] = {}
    for place, answer in enumerate(answers):
        if not _is_host_answer(answer):
            raise TypeError(f"each of answers must be an Answer where they have no keys, not {type(answer).__name__}")
        id = _id(answer)
        key = keys.get(_first(id)) if isinstance(id, str) else None
        if key is None:
            raise LocalProtocolError("answer_id_mismatch", "expected the id of a request of this pause", f"/{place}/id")
        if key in given:
            raise LocalProtocolError("unexpected_answer", "expected one answer to each request", f"/{place}")
        given[key] = answer
    return given


def need_own_id(key: str, answer: Any, own: str | None) -> None:
    """An answer to another of our requests must not pass for this one's; an id that we did not mint says nothing."""
    id = _id(answer) if isinstance(answer, Mapping) or _is_host_answer(answer) else None
    if isinstance(id, str) and id.startswith("elc-") and own is not None and _first(id) != own:
        expected = "expected the answer to this request, found the id of another"
        raise LocalProtocolError("answer_id_mismatch", expected, pointer(key, "id"))


def asked_again(request: Request, key: str, errors: Sequence[FieldError], attempt: int) -> Request:
    """Ask a request of a pause again, the `attempt`th time, with what was wrong under `data["errors"]`.

    `errors` are those of this key; each `at` is then `/<field>`.
    """
    place = pointer(key)
    listed = [{"at": error.at.removeprefix(place), "code": error.code, "message": error.message} for error in errors]
    return replace(request, id=f"{request.id}.{attempt}", data={**(request.data or {}), "errors": listed})


def _is_host_answer(answer: object) -> bool:
    """Whether this is an `Answer`, of any make, rather than a result of the wire."""
    if isinstance(answer, Mapping):
        return "ok" in answer and "action" not in answer
    return hasattr(answer, "ok")


def _id(answer: Any) -> Any:
    return answer.get("id") if isinstance(answer, Mapping) else getattr(answer, "id", None)


def _first(id: str) -> str:
    """The id under which a request was asked first; `.2`, `.3` behind it say that it was asked again."""
    head, dot, times = id.rpartition(".")
    return head if dot and times.isdecimal() else id


def _answered_by(answer: object) -> tuple[type, ...]:
    """The kinds of request that this can be an answer to."""
    if isinstance(answer, Mapping):
        told = [kind for name, kind in _TELLING.items() if name in answer]
        # A map that tells nothing is no answer of another kind but an incomplete one of this.
        return UnknownRequest, *(told or _TELLING.values())
    if _is_host_answer(answer):
        return (ElicitRequest,)
    if type(answer) in _TYPED:
        return (_TYPED[type(answer)],)
    raise TypeError(f"each of answers must be an Answer, a result or a mapping, not {type(answer).__name__}")


def _elicited(key: str, answer: Any, request: ElicitRequest, schema_at: str) -> dict[str, Any] | tuple[FieldError, ...]:
    extras: dict[str, Any] = {}
    if isinstance(answer, ElicitResult):
        result = answer
    elif _is_host_answer(answer):
        result = _prefixing_errors(pointer(key), answer_to_elicit_result, answer, request)
    elif ("action" in answer) is ("ok" in answer):
        # With both, what an `Answer` holds for the host alone would travel.
        expected = "expected an Answer, or a map with one of the members 'action' and 'ok'"
        raise LocalProtocolError("wrong_value", expected, pointer(key, "action"))
    else:
        result = ElicitResult(action=answer["action"], content=answer.get("content"))
        extras = copy_json({name: answer[name] for name in answer if name not in ("action", "content")}, pointer(key))
    content = {} if result.content is None else result.content
    # What is no map of fields is the writer's to refuse.
    is_form = result.action == "accept" and request.mode != "url"
    if is_form and isinstance(content, Mapping) and all(isinstance(name, str) for name in content):
        form = _prefixing_errors(schema_at, Form.of, request.requested_schema)
        settled_content, errors = normalize(form, content)
        if errors:
            return prefix_pointers(errors, pointer(key))
        return {"action": "accept", "content": settled_content} | extras
    value: dict[str, Any] = to_input_responses({key: result}, {key: request})[key] | extras
    return value


def _prefixing_errors(place: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function whose errors point into what it was given, and let them point from the outside."""
    try:
        return function(*arguments)
    except MrtrError as caught:
        error = caught
    raise type(error)(error.code, error.sentence, place + error.at)
