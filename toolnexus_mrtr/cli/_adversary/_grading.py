"""The rules that a client is held to, and what one retry says about them. Reads what arrived; does nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolnexus_mrtr.cli._adversary._attacks import Trial
from toolnexus_mrtr.cli._text import cited
from toolnexus_mrtr.cli._vectors._difference import same

SPEC: Final = "https://modelcontextprotocol.io/specification/2026-07-28/"
_MRTR: Final = SPEC + "basic/patterns/mrtr"
_CLIENTS: Final = _MRTR + "#client-requirements-basic-workflow"
_ELICITATION: Final = SPEC + "client/elicitation"
_SAFE_URLS: Final = _ELICITATION + "#safe-url-handling"
_BASE: Final = SPEC + "basic/index"

#: The basis of a rule where the specification binds the server alone, or nobody.
LIBRARY: Final = "library"


class Rule(NamedTuple):
    """What a client must do, and where that is written; `mode` is what it has to declare to be asked for it."""

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
    Rule("answers-kept", "Answers of an earlier pause are not sent again.", _MRTR),
    Rule("answer-key", "An answer stands under the very key of its request, and under no other.", _MRTR),
    Rule("answer-missing", "All that was asked is answered before the retry.", _CLIENTS),
    Rule("answer-bare", "An answer is the bare result: no envelope, no result type.", _MRTR),
    Rule("answer-action", "The action is accept, decline or cancel, as the user chose.", _ELICITATION),
    Rule("content-refused", "A decline and a cancel carry no content.", LIBRARY),
    Rule("content-url", "The accept of a url carries no content.", _ELICITATION, "url"),
    Rule("content-null", "Content is left out, never null.", _ELICITATION),
    Rule(
        "content-missing", "The accept of a form carries content, an empty object where nothing is filled in.", LIBRARY
    ),
    Rule("content-values", "Content holds strings, numbers, booleans and lists of strings alone.", _ELICITATION),
    Rule("content-changed", "Content is what the user entered, in value and type.", LIBRARY),
    Rule("params-changed", "A retry has the params of its request, JSON-identical.", _MRTR),
    Rule("meta-dropped", "A retry carries its request's _meta.", _MRTR),
    Rule("id-reused", "Each send has a JSON-RPC id of its own.", _CLIENTS),
    Rule("message-json", "What is sent is a JSON object, with no NaN and no name twice.", LIBRARY),
    Rule("unanswered", "A pause that the user can answer is answered by a retry.", LIBRARY),
    Rule("nobody", "Nothing is accepted where there is nobody to accept it.", _ELICITATION + "#user-interaction-model"),
    Rule("ref-fetched", "A reference of a schema is never fetched.", _BASE),
    Rule("url-fetched", "A url is never fetched by the client itself.", _SAFE_URLS, "url"),
    Rule("url-unsafe", "A url that deceives is not accepted.", _SAFE_URLS, "url"),
    Rule("retry-bound", "A server that always pauses is given up.", LIBRARY),
    Rule("retry-hurried", "Between states without questions the client waits.", LIBRARY),
    Rule("pause-of-nothing", "A pause that neither asks nor has a state is not retried.", LIBRARY),
    Rule("result-type", "A result of an unknown type is not taken for a pause.", _BASE + "#resulttype"),
    Rule("complete", "A result that is complete is not retried, whatever stands beside.", _BASE + "#resulttype"),
    Rule("paused-list", "A pause of a method that cannot be paused is not retried.", LIBRARY),
    Rule("undeclared", "What was not declared is not answered.", LIBRARY),
    Rule("malformed", "A pause with a malformed request is not retried.", LIBRARY),
    Rule("schema-slow", "A hostile schema is answered or given up within 5 seconds.", LIBRARY),
)

RULES: Final = {rule.id: rule for rule in _RULES}

#: A breach of these is unwise and no more.
WARNINGS: Final = ("retry-hurried",)

#: Numbers that are worth telling even where the rule holds.
TELLING: Final = ("retry-bound", "retry-hurried", "schema-slow")

#: Retries after which a server that always pauses lets a client go.
BOUND: Final = 100

#: Seconds that a client may take over a hostile schema, and the fewest that it waits over three states.
SLOW: Final = 5.0
HURRIED: Final = 0.05

_ACTIONS: Final = ("accept", "decline", "cancel")
_ENVELOPE: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "resultType", "error"})
_OWN: Final = ("inputResponses", "requestState")
_ABSENT: Final = object()

#: How many keys one sentence names.
_SHOWN: Final = 3


class Mark(NamedTuple):
    """One rule held, or broken, and what was seen of it."""

    rule: str
    holds: bool
    seen: str


def retry_marks(trial: Trial, number: int, params: Mapping[str, Any], sent: list[dict[str, Any]]) -> Iterator[Mark]:
    """Grade retry `number` of a trial, which comes after what was `sent` before it."""
    pause = trial.rounds[min(number, len(trial.rounds)) - 1]
    for mark in _marks(trial, pause, params, sent):
        yield mark._replace(seen=f"{trial.name}, retry {number}: {mark.seen}")


def first_marks(trial: Trial, params: Mapping[str, Any]) -> Iterator[Mark]:
    """Grade the first send of a call."""
    found = [name for name in _OWN if name in params]
    yield Mark("leaked", not found, f"{trial.name}, first send: expected no {', no '.join(found)}")


def last_marks(trial: Trial, retries: int, *, is_trapped: bool) -> Iterator[Mark]:
    """Grade a trial when all is over, by its number of retries and whether its url was requested."""
    if trial.outcome == "answered":
        wanted = len(trial.rounds)
        seen = f"{trial.name}: expected retries: {wanted}, found: {retries}"
        yield Mark("unanswered", retries >= wanted, seen)
    elif trial.outcome == "given up":
        yield Mark(trial.rule, retries == 0, f"{trial.name}: expected no retry, found {retries}")
    elif trial.outcome == "not accepted" and retries == 0:
        yield Mark(trial.rule, holds=True, seen="")
    elif trial.outcome == "bounded":
        yield Mark(trial.rule, retries < BOUND, f"{trial.name}: expected less than {BOUND} retries, found {retries}")
    if trial.has_trap:
        rule = "url-fetched" if trial.mode == "url" else "ref-fetched"
        yield Mark(rule, not is_trapped, f"{trial.name}: expected no request of its url")


def hurry_marks(times: list[float]) -> Iterator[Mark]:
    """Grade how long a client waits, by the times of a call and of its retries over three states."""
    if len(times) > 3:
        took = times[3] - times[0]
        seen = f"busy: expected at least {HURRIED:g} seconds over 3 states, found {took:.2f}"
        yield Mark("retry-hurried", took >= HURRIED, seen)


def _marks(
    trial: Trial, pause: dict[str, Any], params: Mapping[str, Any], sent: list[dict[str, Any]]
) -> Iterator[Mark]:
    yield from _state_marks(pause.get("requestState", _ABSENT), params.get("requestState", _ABSENT))
    asked, answers = pause.get("inputRequests", {}), params.get("inputResponses", {})
    if isinstance(answers, dict):
        earlier = {key for one in trial.rounds[: len(sent) - 1] for key in one.get("inputRequests", ())}
        yield from _key_marks(asked, answers, earlier)
        for key in asked.keys() & answers.keys():
            for mark in _answer_marks(trial, trial.host[key], asked[key]["params"].get("mode"), answers[key]):
                yield mark._replace(seen=f"the answer of {cited(key)}: {mark.seen}")
    else:
        yield Mark("answer-missing", holds=False, seen="expected inputResponses to be an object")
    yield Mark("params-changed", same(_rest(sent[0]), _rest(params)), "expected the same params as at first")
    first, now = _meta(sent[0]), _meta(params)
    yield Mark("meta-dropped", bool(first) and first == now, "expected the protocol's members of _meta as at first")


def _state_marks(given: Any, found: Any) -> Iterator[Mark]:
    if given is _ABSENT:
        yield Mark("state-invented", found is _ABSENT, "expected no requestState")
    elif given == "":
        yield Mark("state-empty", found == "", "expected an empty requestState")
    else:
        yield Mark("state-dropped", found is not _ABSENT, "expected a requestState")
        if found is not _ABSENT:
            yield Mark("state-unchanged", found == given, "expected the requestState as it was given")


def _key_marks(asked: dict[str, Any], answers: dict[str, Any], earlier: set[str]) -> Iterator[Mark]:
    strange = sorted(answers.keys() - asked.keys())
    old = [key for key in strange if key in earlier]
    new = [key for key in strange if key not in earlier]
    if earlier:
        yield Mark("answers-kept", not old, f"expected no answer of {_named(old)} again")
    if asked:
        yield Mark("answer-key", not new, f"expected no answer of {_named(new)}")
    if asked and not new:
        missing = [key for key in asked if key not in answers]
        yield Mark("answer-missing", not missing, f"expected an answer of {_named(missing)}")


def _named(keys: list[str]) -> str:
    more = [f"{len(keys) - _SHOWN} more"] if len(keys) > _SHOWN else []
    return ", ".join([*map(cited, keys[:_SHOWN]), *more])


def _answer_marks(trial: Trial, chosen: Any, mode: str | None, answer: Any) -> Iterator[Mark]:
    is_bare = isinstance(answer, dict) and not _ENVELOPE & answer.keys()
    yield Mark("answer-bare", is_bare, "expected an object without members of an envelope")
    if not isinstance(answer, dict):
        return
    action = answer.get("action")
    if trial.outcome == "answered":
        yield Mark("answer-action", action == chosen["action"], f"expected the action {chosen['action']}")
    else:
        yield Mark("answer-action", action in _ACTIONS, f"expected one of the actions {', '.join(_ACTIONS)}")
    if trial.outcome == "not accepted":
        yield Mark(trial.rule, action != "accept", "expected no accept")
    yield from _content_marks(trial, chosen, mode, answer)


def _content_marks(trial: Trial, chosen: Any, mode: str | None, answer: dict[str, Any]) -> Iterator[Mark]:
    content = answer.get("content", _ABSENT)
    yield Mark("content-null", content is not None, "expected content to be left out, found null")
    if content is None:
        return
    if answer.get("action") != "accept":
        yield Mark("content-refused", content is _ABSENT, "expected no content")
    elif mode == "url":
        yield Mark("content-url", content is _ABSENT, "expected no content")
    else:
        yield Mark("content-missing", content is not _ABSENT, "expected content")
        if content is not _ABSENT:
            fits = isinstance(content, dict) and all(map(_is_value, content.values()))
            yield Mark("content-values", fits, "expected strings, numbers, booleans and lists of strings")
            if fits and trial.outcome == "answered":
                kept = same(content, chosen.get("content"))
                yield Mark("content-changed", kept, "expected what the user entered")


def _is_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str | int | float)


def _rest(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in ("_meta", *_OWN)}


def _meta(params: Mapping[str, Any]) -> dict[str, Any]:
    """What the protocol has every request say of itself; a progress token may be another."""
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        return {}
    return {name: value for name, value in meta.items() if name.startswith("io.modelcontextprotocol/")}
