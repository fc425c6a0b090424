"""From the answers to a pause to the call to send next. Works on what is kept; gives none of it out. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolnexus_mrtr._answers import answers_by_key, input_response, need_own_id
from toolnexus_mrtr._errors import FieldError, InvalidAnswer, pointer
from toolnexus_mrtr._reader import input_requests
from toolnexus_mrtr._records import CallRecord, PauseRecord
from toolnexus_mrtr._rules import elicitation_params
from toolnexus_mrtr._types import ElicitRequest, InputRequest
from toolnexus_mrtr._writer import need_same_keys


def asked_by(pause: PauseRecord) -> dict[str, InputRequest]:
    """Read what a pause asks, shared with it and so never to be given out."""
    return input_requests(pause.raw)


def ids_of(pause: PauseRecord, asked: Mapping[str, InputRequest]) -> dict[str, str]:
    """The id of each elicitation: the pause's own, and its place among all that is asked, counted from 1."""
    places = enumerate(asked.items(), 1)
    return {key: f"elc-{pause.id}-{n}" for n, (key, request) in places if isinstance(request, ElicitRequest)}


def resumed(pause: PauseRecord, answers: Any, meta: Mapping[str, Any] | None) -> CallRecord:
    """Make the call to send next, of answers by key or by id."""
    asked = asked_by(pause)
    ids = ids_of(pause, asked)
    given: Mapping[str, Any] = answers if isinstance(answers, Mapping) else answers_by_key(answers, ids)
    need_same_keys("answers", given, asked)
    responses: dict[str, Any] = {}
    errors: list[FieldError] = []
    for key, request in asked.items():
        response = response_to(pause, key, given[key], request, ids.get(key))
        if isinstance(response, tuple):
            errors += response
        else:
            responses[key] = response
    if errors:
        raise InvalidAnswer(errors)
    return pause.retried(responses, meta)


def response_to(
    pause: PauseRecord, key: str, answer: Any, request: InputRequest, id: str | None
) -> dict[str, Any] | tuple[FieldError, ...]:
    """Give what the retry carries for one answer, or the field errors of a form; `id` is that of an elicitation."""
    need_own_id(key, answer, id)
    _, inside = elicitation_params(pause.asks[key])
    return input_response(key, answer, request, pointer("inputRequests", key) + inside + "/requestedSchema")
