"""Checks what a client sent against the rules; no state and no I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._adversary._trials import MAX_RETRIES, Trial
from toolnexus_mrtr.cli._text import quote_short

#: The most seconds that a hostile schema may cost beyond what the client takes for any other pause.
MAX_SCHEMA_SECONDS: Final = 5.0

_ACTIONS: Final = ("accept", "decline", "cancel")
_ENVELOPE_MEMBERS: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "resultType", "error"})
_RETRY_MEMBERS: Final = ("inputResponses", "requestState")
_ABSENT: Final = object()

#: How many keys one sentence names.
_MAX_KEYS: Final = 3


class Check(NamedTuple):
    """Whether the client kept one rule, by its id, in one place; the sentence says where and what was expected."""

    rule: str
    is_kept: bool
    sentence: str = ""


class Course(NamedTuple):
    """What became of the calls of one tool, once the client has ended."""

    #: How many calls were begun, and the most retries that one of them had.
    calls: int
    retries: int
    is_completed: bool
    #: Whether something was accepted, and whether the trap was requested.
    is_accepted: bool
    is_fetched: bool


def make_digest(value: Any) -> bytes:
    """Make a digest of a JSON value: numbers that are equal have the same one however they are written, true has not.

    The order of members does not count either.
    """
    return sha256(json.dumps(_normalize(value), sort_keys=True).encode("ascii")).digest()


def _normalize(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _normalize(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_normalize(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_retry(params: Mapping[str, Any]) -> bool:
    """Whether a send carries what only a retry carries."""
    return any(name in params for name in _RETRY_MEMBERS)


def select_call_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Select the params that a call and its retries have in common."""
    return {name: value for name, value in params.items() if name not in ("_meta", *_RETRY_MEMBERS)}


def check_retry(trial: Trial, number: int, params: Mapping[str, Any]) -> Iterator[Check]:
    """Check the state and the answers of retry `number` of a trial."""
    pause = trial.rounds[min(number, len(trial.rounds)) - 1]
    earlier = {key for one in trial.rounds[: number - 1] for key in one.get("inputRequests", ())}
    checks = _check_state(pause.get("requestState", _ABSENT), params.get("requestState", _ABSENT))
    answers = params.get("inputResponses", {})
    yield from prefix(f"{trial.name}, retry {number}", checks)
    yield from prefix(f"{trial.name}, retry {number}", _check_keys(pause.get("inputRequests", {}), answers, earlier))
    yield from prefix(f"{trial.name}, retry {number}", check_answers(trial, pause.get("inputRequests", {}), answers))


def prefix(place: str, checks: Iterable[Check]) -> Iterator[Check]:
    """Say in the sentence of each check where it was made."""
    for check in checks:
        yield check._replace(sentence=f"{place}: {check.sentence}")


def check_ending(trial: Trial, course: Course) -> Iterator[Check]:
    """Check a trial after the client has ended."""
    if trial.outcome == "answered":
        is_answered = course.is_completed or course.retries >= trial.pauses
        sentence = f"{trial.name}: expected retries: {trial.pauses}, found: {course.retries}"
        yield Check("unanswered", is_answered, sentence)
        # A send without state and answers is taken for a new call, which a client may make at any time. A client that
        # makes nothing else has lost the state.
        sentence = f"{trial.name}: expected retries with the state, found the call made anew {course.calls} times"
        yield Check("state-dropped", course.is_completed or course.calls == 1, sentence)
    elif trial.outcome == "given up" and trial.rounds:
        # A retry that has nothing to carry looks like a new call.
        is_kept = course.retries == 0 and course.calls < MAX_RETRIES
        yield Check(trial.rule, is_kept, f"{trial.name}: expected no retry, found {course.retries or course.calls}")
    elif trial.outcome == "not accepted" and course.retries == 0:
        yield Check(trial.rule, is_kept=True)
    elif trial.outcome == "bounded":
        sentence = f"{trial.name}: expected less than {MAX_RETRIES} retries, found {course.retries}"
        yield Check(trial.rule, course.retries < MAX_RETRIES, sentence)
    if trial.has_trap:
        rule = "url-fetched" if trial.mode == "url" else "ref-fetched"
        # A user who accepts a visit may be led there by the client.
        is_kept = not course.is_fetched or (trial.mode == "url" and course.is_accepted)
        yield Check(rule, is_kept, f"{trial.name}: expected no request of its url")


def check_schema_time(name: str, seconds: float, usual: float) -> Check:
    """Check how long a hostile schema took, beside the longest time that the client took for any other pause."""
    sentence = f"{name}: expected at most {MAX_SCHEMA_SECONDS + usual:.1f} seconds, found {seconds:.1f}"
    return Check("schema-slow", seconds <= MAX_SCHEMA_SECONDS + usual, sentence)


def _check_state(given: Any, found: Any) -> Iterator[Check]:
    if given is _ABSENT:
        yield Check("state-invented", found is _ABSENT, "expected no requestState")
    elif given == "":
        yield Check("state-empty", found == "", "expected an empty requestState")
    else:
        yield Check("state-dropped", found is not _ABSENT, "expected a requestState")
        if found is not _ABSENT:
            yield Check("state-unchanged", found == given, "expected the requestState as it was given")


def _check_keys(asked: Mapping[str, Any], answers: Any, earlier: set[str]) -> Iterator[Check]:
    if not isinstance(answers, dict):
        yield Check("answer-missing", is_kept=False, sentence="expected inputResponses to be an object")
        return
    extra = sorted(answers.keys() - asked.keys())
    old = [key for key in extra if key in earlier]
    new = [key for key in extra if key not in earlier]
    missing = [key for key in asked if key not in answers]
    if earlier:
        yield Check("answers-kept", not old, f"expected no answer to {list_keys(old)} again")
    yield Check("answer-key", not new, f"expected no answer to {list_keys(new)}")
    if asked:
        yield Check("answer-missing", not missing, f"expected an answer to {list_keys(missing)}")


def list_keys(keys: list[str]) -> str:
    """Name the first keys and count the rest."""
    more = [f"{len(keys) - _MAX_KEYS} more"] if len(keys) > _MAX_KEYS else []
    return ", ".join([*map(quote_short, keys[:_MAX_KEYS]), *more])


def check_answers(trial: Trial, asked: Mapping[str, Any], answers: Any) -> Iterator[Check]:
    """Check each answer to what was asked."""
    for key in asked.keys() & (answers.keys() if isinstance(answers, dict) else ()):
        mode = asked[key]["params"].get("mode", "form")
        checks = _check_answer(trial, trial.answers[key], mode, answers[key])
        yield from prefix(f"the answer of {quote_short(key)}", checks)


def has_accept(answers: Any) -> bool:
    """Whether something is accepted among the answers."""
    values = answers.values() if isinstance(answers, dict) else ()
    return any(isinstance(answer, dict) and answer.get("action") == "accept" for answer in values)


def _check_answer(trial: Trial, chosen: Any, mode: str, answer: Any) -> Iterator[Check]:
    is_bare = isinstance(answer, dict) and "action" in answer
    yield Check("answer-bare", is_bare, "expected an object with an action")
    if not is_bare:
        return
    more = sorted(_ENVELOPE_MEMBERS & answer.keys())
    yield Check("answer-members", not more, f"expected no {', no '.join(more)}")
    action = answer["action"]
    is_known = action in _ACTIONS
    yield Check("answer-action", is_known, f"expected one of the actions {', '.join(_ACTIONS)}")
    if not is_known:
        return
    if trial.outcome == "not accepted":
        yield Check(trial.rule, action != "accept", "expected no accept")
    else:
        yield Check("consent", action != "accept" or chosen["action"] == "accept", "expected no accept")
        # A client may always decline or cancel. Where the user does, it should say which of them.
        is_same = action == chosen["action"] or "accept" in (action, chosen["action"])
        yield Check("action-changed", is_same, f"expected the action {chosen['action']}")
    yield from _check_content(trial, chosen, mode, answer)


def _check_content(trial: Trial, chosen: Any, mode: str, answer: Mapping[str, Any]) -> Iterator[Check]:
    content, is_accept = answer.get("content", _ABSENT), answer["action"] == "accept"
    yield Check("content-null", content is not None, "expected content to be left out, found null")
    if content is None:
        return
    if not is_accept:
        yield Check("content-refused", content is _ABSENT, "expected no content")
    if mode == "url":
        yield Check("content-url", not is_accept or content is _ABSENT, "expected no content")
    elif not is_accept:
        # A client that declines keeps the rules on what is accepted.
        yield from (Check(rule, is_kept=True) for rule in ("content-missing", "content-values", "content-changed"))
    else:
        yield from _check_submitted(content, chosen.get("content") if trial.outcome == "answered" else None)


def _check_submitted(content: Any, entered: Mapping[str, Any] | None) -> Iterator[Check]:
    """Check the content of a form that was accepted; `entered` is what the user entered, where that can be sent."""
    if content is _ABSENT:
        yield Check("content-changed" if entered else "content-missing", is_kept=False, sentence="expected content")
        return
    yield Check("content-missing", is_kept=True)
    fits = isinstance(content, dict) and all(map(_is_content_value, content.values()))
    yield Check("content-values", fits, "expected strings, numbers, booleans and lists of strings")
    if fits and entered is not None:
        yield Check("content-changed", make_digest(content) == make_digest(entered), "expected what the user entered")


def _is_content_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str | int | float)
