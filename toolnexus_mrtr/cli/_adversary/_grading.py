"""The rules for clients, and the checks of what a client sent against them; no state and no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolnexus_mrtr._findings import ELICITATION, MRTR, RESULT_TYPE, SAFE_URLS, SPEC
from toolnexus_mrtr.cli._adversary._attacks import Trial
from toolnexus_mrtr.cli._json import is_same_json
from toolnexus_mrtr.cli._text import quote_short

_CLIENTS: Final = MRTR + "#client-requirements-basic-workflow"

#: The basis of a rule that the specification does not state for clients.
LIBRARY: Final = "library"


class Rule(NamedTuple):
    """What a client must do if it declares a mode of elicitation, and why: a page of the specification or `LIBRARY`."""

    id: str
    says: str
    basis: str
    mode: str = "form"


_RULES: Final = (
    Rule("state-unchanged", "A state goes back as it came, to the code point.", _CLIENTS),
    Rule("state-dropped", "A state that was given goes back.", _CLIENTS),
    Rule("state-empty", "An empty state goes back as an empty state.", _CLIENTS),
    Rule("state-invented", "Without a state none is sent, not even an earlier one.", _CLIENTS),
    Rule("leaked", "The first send of a call carries no state and no answers of another.", _CLIENTS),
    Rule("answers-kept", "Answers of an earlier pause are not sent again.", MRTR),
    Rule("answer-key", "An answer stands under the very key of its request, and under no other.", MRTR),
    Rule("answer-missing", "All that was asked is answered before the retry.", _CLIENTS),
    Rule("answer-bare", "An answer is the bare result: no envelope, no result type.", MRTR),
    Rule("answer-action", "The action is accept, decline or cancel, as the user chose.", ELICITATION),
    Rule("content-refused", "A decline and a cancel carry no content.", LIBRARY),
    Rule("content-url", "The accept of a url carries no content.", ELICITATION, "url"),
    Rule("content-null", "Content is left out, never null.", ELICITATION),
    Rule(
        "content-missing", "The accept of a form carries content, an empty object where nothing is filled in.", LIBRARY
    ),
    Rule("content-values", "Content holds strings, numbers, booleans and lists of strings alone.", ELICITATION),
    Rule("content-changed", "Content is what the user entered, in value and type.", LIBRARY),
    Rule("params-changed", "A retry has the params of its request, JSON-identical.", MRTR),
    Rule("meta-dropped", "A retry carries its request's _meta.", MRTR),
    Rule("id-reused", "Each send has a JSON-RPC id of its own.", _CLIENTS),
    Rule("message-json", "What is sent is a JSON object, with no NaN and no name twice.", LIBRARY),
    Rule("unanswered", "A pause that the user can answer is answered by a retry.", LIBRARY),
    Rule("nobody", "Nothing is accepted where there is nobody to accept it.", ELICITATION + "#user-interaction-model"),
    Rule("ref-fetched", "A reference of a schema is never fetched.", SPEC + "basic/index"),
    Rule("url-fetched", "A url is never fetched by the client itself.", SAFE_URLS, "url"),
    Rule("url-unsafe", "A url that deceives is not accepted.", SAFE_URLS, "url"),
    Rule("retry-bound", "A server that always pauses is given up.", LIBRARY),
    Rule("retry-hurried", "Between states without questions the client waits.", LIBRARY),
    Rule("pause-of-nothing", "A pause that neither asks nor has a state is not retried.", LIBRARY),
    Rule("result-type", "A result of an unknown type is not taken for a pause.", RESULT_TYPE),
    Rule("complete", "A result that is complete is not retried, whatever other members it has.", RESULT_TYPE),
    Rule("paused-list", "A pause of a method that cannot be paused is not retried.", LIBRARY),
    Rule("undeclared", "What was not declared is not answered.", LIBRARY),
    Rule("malformed", "A pause with a malformed request is not retried.", LIBRARY),
    Rule("schema-slow", "A hostile schema is answered or given up within 5 seconds.", LIBRARY),
)

RULES: Final = {rule.id: rule for rule in _RULES}

#: Rules whose breach is a warning, not a failure.
WARN_ONLY: Final = ("retry-hurried",)

#: Rules whose checks are reported even when passed, for the numbers in them.
SHOWN_WHEN_PASSED: Final = ("retry-bound", "retry-hurried", "schema-slow")

#: After this many retries the server of the trial `endless` completes the call.
MAX_RETRIES: Final = 100

#: The most seconds that a client may spend on a hostile schema, and the fewest over three pauses that ask nothing.
MAX_SCHEMA_SECONDS: Final = 5.0
_MIN_BUSY_SECONDS: Final = 0.05

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
    sentence: str


def check_retry(trial: Trial, number: int, params: Mapping[str, Any], sent: list[dict[str, Any]]) -> Iterator[Check]:
    """Check retry `number` of a trial; `sent` are the params of the sends before it."""
    pause = trial.rounds[min(number, len(trial.rounds)) - 1]
    for check in _check_params(trial, pause, params, sent):
        yield check._replace(sentence=f"{trial.name}, retry {number}: {check.sentence}")


def check_first_send(trial: Trial, params: Mapping[str, Any]) -> Iterator[Check]:
    """Check the first send of a call."""
    found = [name for name in _RETRY_MEMBERS if name in params]
    yield Check("leaked", not found, f"{trial.name}, first send: expected no {', no '.join(found)}")


def check_ending(trial: Trial, retries: int, *, is_fetched: bool) -> Iterator[Check]:
    """Check a trial after the client has ended, by its number of retries and whether its trap was requested."""
    if trial.outcome == "answered":
        pauses = len(trial.rounds)
        yield Check("unanswered", retries >= pauses, f"{trial.name}: expected retries: {pauses}, found: {retries}")
    elif trial.outcome == "given up":
        yield Check(trial.rule, retries == 0, f"{trial.name}: expected no retry, found {retries}")
    elif trial.outcome == "not accepted" and retries == 0:
        yield Check(trial.rule, is_kept=True, sentence="")
    elif trial.outcome == "bounded":
        sentence = f"{trial.name}: expected less than {MAX_RETRIES} retries, found {retries}"
        yield Check(trial.rule, retries < MAX_RETRIES, sentence)
    if trial.has_trap:
        rule = "url-fetched" if trial.mode == "url" else "ref-fetched"
        yield Check(rule, not is_fetched, f"{trial.name}: expected no request of its url")


def check_waiting(times: list[float]) -> Iterator[Check]:
    """Check how long a client waits between pauses that ask nothing, by the times of a call and its three retries."""
    if len(times) > 3:
        took = times[3] - times[0]
        sentence = f"busy: expected at least {_MIN_BUSY_SECONDS:g} seconds over 3 states, found {took:.2f}"
        yield Check("retry-hurried", took >= _MIN_BUSY_SECONDS, sentence)


def _check_params(
    trial: Trial, pause: dict[str, Any], params: Mapping[str, Any], sent: list[dict[str, Any]]
) -> Iterator[Check]:
    yield from _check_state(pause.get("requestState", _ABSENT), params.get("requestState", _ABSENT))
    asked, answers = pause.get("inputRequests", {}), params.get("inputResponses", {})
    if isinstance(answers, dict):
        earlier = {key for one in trial.rounds[: len(sent) - 1] for key in one.get("inputRequests", ())}
        yield from _check_keys(asked, answers, earlier)
        for key in asked.keys() & answers.keys():
            for check in _check_answer(trial, trial.answers[key], asked[key]["params"].get("mode"), answers[key]):
                yield check._replace(sentence=f"the answer of {quote_short(key)}: {check.sentence}")
    else:
        yield Check("answer-missing", is_kept=False, sentence="expected inputResponses to be an object")
    is_same = is_same_json(_select_call_params(sent[0]), _select_call_params(params))
    yield Check("params-changed", is_same, "expected the same params as at first")
    first, now = _select_protocol_meta(sent[0]), _select_protocol_meta(params)
    yield Check("meta-dropped", bool(first) and first == now, "expected the protocol's members of _meta as at first")


def _check_state(given: Any, found: Any) -> Iterator[Check]:
    if given is _ABSENT:
        yield Check("state-invented", found is _ABSENT, "expected no requestState")
    elif given == "":
        yield Check("state-empty", found == "", "expected an empty requestState")
    else:
        yield Check("state-dropped", found is not _ABSENT, "expected a requestState")
        if found is not _ABSENT:
            yield Check("state-unchanged", found == given, "expected the requestState as it was given")


def _check_keys(asked: dict[str, Any], answers: dict[str, Any], earlier: set[str]) -> Iterator[Check]:
    extra = sorted(answers.keys() - asked.keys())
    old = [key for key in extra if key in earlier]
    new = [key for key in extra if key not in earlier]
    if earlier:
        yield Check("answers-kept", not old, f"expected no answer to {_list_keys(old)} again")
    if asked:
        yield Check("answer-key", not new, f"expected no answer to {_list_keys(new)}")
    if asked and not new:
        missing = [key for key in asked if key not in answers]
        yield Check("answer-missing", not missing, f"expected an answer to {_list_keys(missing)}")


def _list_keys(keys: list[str]) -> str:
    more = [f"{len(keys) - _MAX_KEYS} more"] if len(keys) > _MAX_KEYS else []
    return ", ".join([*map(quote_short, keys[:_MAX_KEYS]), *more])


def _check_answer(trial: Trial, chosen: Any, mode: str | None, answer: Any) -> Iterator[Check]:
    is_bare = isinstance(answer, dict) and not _ENVELOPE_MEMBERS & answer.keys()
    yield Check("answer-bare", is_bare, "expected an object without members of an envelope")
    if not isinstance(answer, dict):
        return
    action = answer.get("action")
    if trial.outcome == "answered":
        yield Check("answer-action", action == chosen["action"], f"expected the action {chosen['action']}")
    else:
        yield Check("answer-action", action in _ACTIONS, f"expected one of the actions {', '.join(_ACTIONS)}")
    if trial.outcome == "not accepted":
        yield Check(trial.rule, action != "accept", "expected no accept")
    yield from _check_content(trial, chosen, mode, answer)


def _check_content(trial: Trial, chosen: Any, mode: str | None, answer: dict[str, Any]) -> Iterator[Check]:
    content = answer.get("content", _ABSENT)
    yield Check("content-null", content is not None, "expected content to be left out, found null")
    if content is None:
        return
    if answer.get("action") != "accept":
        yield Check("content-refused", content is _ABSENT, "expected no content")
    elif mode == "url":
        yield Check("content-url", content is _ABSENT, "expected no content")
    else:
        yield Check("content-missing", content is not _ABSENT, "expected content")
        if content is not _ABSENT:
            fits = isinstance(content, dict) and all(map(_is_content_value, content.values()))
            yield Check("content-values", fits, "expected strings, numbers, booleans and lists of strings")
            if fits and trial.outcome == "answered":
                is_same = is_same_json(content, chosen.get("content"))
                yield Check("content-changed", is_same, "expected what the user entered")


def _is_content_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str | int | float)


def _select_call_params(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in ("_meta", *_RETRY_MEMBERS)}


def _select_protocol_meta(params: Mapping[str, Any]) -> dict[str, Any]:
    """Select the protocol's own members of `_meta`; others, such as a progress token, may change from send to send."""
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return {}
    return {name: value for name, value in meta.items() if name.startswith("io.modelcontextprotocol/")}
