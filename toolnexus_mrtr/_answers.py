"""The answers of a host: which request each belongs to, what is sent for it or its field errors, and asking again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from toolnexus_mrtr._errors import (
    FieldError,
    LocalProtocolError,
    call_prefixing_pointers,
    pointer,
    prefix_pointers,
)
from toolnexus_mrtr._forms import Form, normalize
from toolnexus_mrtr._json import copy_json
from toolnexus_mrtr._toolnexus import Answer, AnswerLike, Request, answer_to_elicit_result, is_answer_like
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
    name_request,
)
from toolnexus_mrtr._writer import write_message, write_result, write_roots

#: What answers one input request: an `Answer`, a typed result, or a map of the members of either.
HostAnswer: TypeAlias = Answer | AnswerLike | InputResult | Mapping[str, Any]

#: A map with this member answers this kind of request; `ok` is a member of an `Answer`.
_KINDS_BY_MEMBER: Final = {
    "action": ElicitRequest,
    "ok": ElicitRequest,
    "role": CreateMessageRequest,
    "roots": ListRootsRequest,
}

#: What an answer never carries: values are bare results (basic/patterns/mrtr, "InputResponses").
_ENVELOPE: Final = frozenset({"id", "jsonrpc", "method", "resultType"})

#: The members of an `Answer`, beside its `id`.
_OF_AN_ANSWER: Final = frozenset({"ok", "data", "reason"})

#: An id that this library made for a request of an exchange, and what may stand behind it: the request was asked again.
_is_own_id: Final = re.compile(r"elc-.*-[0-9]+-[0-9a-f]{16}.*", re.DOTALL).fullmatch
_is_again: Final = re.compile(r"(?:\.(?:[2-9]|[1-9][0-9]+))?").fullmatch

_KINDS_BY_RESULT: Final[Mapping[type, type]] = {
    ElicitResult: ElicitRequest,
    CreateMessageResult: CreateMessageRequest,
    ListRootsResult: ListRootsRequest,
}


def write_answer(
    key: str, answer: Any, request: InputRequest, schema_at: str
) -> dict[str, Any] | tuple[FieldError, ...]:
    """Give the value of `inputResponses` for one answer, deeply copied, or its field errors at `/<key>/<field>`.

    A map in the wire's own shape keeps its further members, but for those of an envelope; the decline, cancel or url
    accept of an elicitation keeps `_meta` alone. `schema_at` says where in the result the form's schema stands.

    Raises `LocalProtocolError` `answer_kind_mismatch` or `wrong_value`, `RemoteProtocolError` for a form whose schema
    cannot be checked, `TypeError` for what is no answer at all.
    """
    if isinstance(answer, Mapping) and not isinstance(request, UnknownRequest):
        answer = {name: member for name, member in answer.items() if name not in _ENVELOPE}
    if not isinstance(request, _kinds_answered_by(answer)):
        expected = f"an answer to {name_request(request)}"
        raise LocalProtocolError("answer_kind_mismatch", f"expected {expected}", pointer(key))
    if isinstance(request, ElicitRequest):
        return _write_elicitation_answer(key, answer, request, schema_at)
    if not isinstance(answer, Mapping):
        return write_result(key, answer, request, partial(_check, schema_at))
    if isinstance(request, CreateMessageRequest):
        return write_message(key, answer)
    if isinstance(request, ListRootsRequest):
        return write_roots(key, answer)
    copy: dict[str, Any] = copy_json(answer, pointer(key))
    return copy


def match_answers_by_id(answers: Any, ids: Mapping[str, str]) -> dict[str, Any]:
    """Find the key of each `Answer` by its id; `ids` are those of the requests, by key."""
    if isinstance(answers, str | bytes) or not isinstance(answers, Iterable):
        raise TypeError(f"answers must be a mapping or an iterable of Answers, not {type(answers).__name__}")
    keys = {id: key for key, id in ids.items()}
    given: dict[str, Any] = {}
    for place, answer in enumerate(answers):
        if not _is_answer(answer):
            raise TypeError(f"each of answers must be an Answer, where they have no keys, not {type(answer).__name__}")
        id = _id(answer)
        key = keys.get(_first_id(id)) if isinstance(id, str) else None
        if key is None:
            raise LocalProtocolError("answer_id_mismatch", "expected the id of a request of this pause", f"/{place}/id")
        if key in given:
            raise LocalProtocolError("unexpected_answer", "expected one answer to each request", f"/{place}")
        given[key] = answer
    return given


def require_matching_id(key: str, answer: Any, own_id: Callable[[], str | None]) -> None:
    """Refuse an answer whose id was made for another request of an exchange; any other id is ignored.

    `own_id` gives that of this request, `None` where it has none since it is no elicitation.
    """
    id = _id(answer) if isinstance(answer, Mapping) or _is_answer(answer) else None
    if isinstance(id, str) and _is_own_id(id) and _first_id(id) != own_id():
        expected = "expected the answer to this request, found the id of another"
        raise LocalProtocolError("answer_id_mismatch", expected, pointer(key, "id"))


def ask_again(request: Request, key: str, answer: Any, errors: Sequence[FieldError], attempt: int) -> Request:
    """Make the `Request` that asks again, for the `attempt`th time.

    What was entered is under `data["content"]`, and what is wrong with it under `data["errors"]`. `errors` are those of
    this key, which is taken off each `at`.
    """
    place = pointer(key)
    listed = [{"at": error.at.removeprefix(place), "code": error.code, "message": error.message} for error in errors]
    content = dict(_to_elicit_result(key, answer).content or {})
    return replace(
        request, id=f"{request.id}.{attempt}", data={**(request.data or {}), "content": content, "errors": listed}
    )


def _is_answer(answer: object) -> bool:
    """Whether this is an `Answer`, of any make, rather than a result of the wire."""
    if isinstance(answer, Mapping):
        return "ok" in answer and "action" not in answer
    return is_answer_like(answer)


def _id(answer: Any) -> Any:
    return answer.get("id") if isinstance(answer, Mapping) else getattr(answer, "id", None)


def _first_id(id: str) -> str:
    """Give the id under which a request was asked first: `.2`, `.3` and so on behind it say that it was asked again."""
    head, dot, times = id.rpartition(".")
    return head if _is_again(dot + times) else id


def _kinds_answered_by(answer: object) -> tuple[type, ...]:
    """The kinds of request that this can be an answer to."""
    if isinstance(answer, Mapping):
        kinds = [kind for name, kind in _KINDS_BY_MEMBER.items() if name in answer]
        # A map with none of these members may answer any kind; what it lacks is reported later. What an `Answer` holds
        # is the host's: it is never sent as it is to a method that nobody here knows.
        return *(kinds or _KINDS_BY_MEMBER.values()), *(() if "ok" in answer else (UnknownRequest,))
    if _is_answer(answer):
        return (ElicitRequest,)
    if type(answer) in _KINDS_BY_RESULT:
        return (_KINDS_BY_RESULT[type(answer)],)
    raise TypeError(f"each of answers must be an Answer, a result or a mapping, not {type(answer).__name__}")


def _write_elicitation_answer(
    key: str, answer: Any, request: ElicitRequest, schema_at: str
) -> dict[str, Any] | tuple[FieldError, ...]:
    response = write_result(key, _to_elicit_result(key, answer, request), request, partial(_check, schema_at))
    if not isinstance(response, dict):
        return response
    extras: dict[str, Any] = {}
    if isinstance(answer, Mapping) and not _is_answer(answer):
        extras = {name: answer[name] for name in answer if name not in ("action", "content")}
    if "content" not in response:
        # A token that a visit brought to the host may stand beside the action.
        extras = {name: extras[name] for name in extras if name == "_meta"}
    copy: dict[str, Any] = copy_json(extras, pointer(key))
    return response | copy


def _to_elicit_result(key: str, answer: Any, request: ElicitRequest | None = None) -> ElicitResult:
    if isinstance(answer, ElicitResult):
        return answer
    if _is_answer(answer):
        return call_prefixing_pointers(pointer(key), answer_to_elicit_result, answer, request)
    if "action" not in answer or not _OF_AN_ANSWER.isdisjoint(answer):
        # What an `Answer` holds is the host's, and must not travel.
        expected = "expected an Answer, or a map with the member 'action' and none of 'ok', 'data' and 'reason'"
        raise LocalProtocolError("wrong_value", expected, pointer(key, "action"))
    return ElicitResult(action=answer["action"], content=answer.get("content"))


def _check(
    schema_at: str, key: str, content: Mapping[str, Any], schema: Mapping[str, Any] | None
) -> dict[str, Any] | tuple[FieldError, ...]:
    """Fit content to its form, all of it checked."""
    form = call_prefixing_pointers(schema_at, Form.of, schema)
    fitted, errors = call_prefixing_pointers(schema_at, normalize, form, content)
    return prefix_pointers(errors, pointer(key)) if errors else fitted
