"""A yes to one question reaches no other question, and nothing but the yes goes with it.

A random walk over calls, hosts and stores keeps its own record of what each id was shown for, and never asks the
library. It is run against copies of the library with a deliberate fault too, each of which it has to find.
"""

import copy
import json
import pickle
from collections import Counter
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import json_objects, json_values
from wire_values import HostAnswer, asking, paused, raised

from toolnexus_mrtr import (
    Answer,
    Call,
    ElicitResult,
    LocalProtocolError,
    Pause,
    RemoteProtocolError,
    elicitation_to_request,
)
from toolnexus_mrtr._pause_state import PauseState
from toolnexus_mrtr._stored import load

TRACES = 800
STEPS = 24

# What the oracle reports.
SHOWN_TWICE = "one id was shown for two questions"
CROSSED = "an answer was sent to a question that it was not given to"
MADE_UP = "an id that was made by hand was taken for one that was shown"
WRONG_SERVER = "a stored value was read for a server that it was not stored for"
REFUSED = "the right answer was refused"
CHANGED = "a question, an answer or a retry is not what the record says"


def elicitation(message: str, **members: Any) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": {"message": message, **members}}


def question_about(subject: str, default: Any) -> dict[str, Any]:
    """Make a form whose content fits every other one, so that only its id can tell the answers apart."""
    properties = {"n": {"type": "string", "minLength": 1}, "sure": {"type": ["string", "number"], "default": default}}
    return elicitation(f"Delete {subject}?", requestedSchema={"type": "object", "properties": properties})


ENTRIES = [
    question_about("the draft", 1),
    question_about("the draft", True),
    question_about("the bucket", 1),
    elicitation("Delete the draft?", mode="url", url="https://a.example/draft"),
    elicitation("Delete the draft?", mode="url", url="https://a.example/bucket"),
]
KEYS = ["confirm", "confirm.2", "", "\ud83d"]
STATES = ["s", "S", "s\ud800", None]
SERVERS = ["files", "mail", None]
METHODS = ["tools/call", "prompts/get"]
ARGUMENTS = [{"path": "draft"}, {"path": "bucket"}, {"n": 1.0, "z": None}, {"n": True, "z": None}, {"n": [], "m": {}}]
CALL_IDS = ["c", "c", "c", "d", "c-0-0123456789abcdef", "c.2", "\ud800"]

#: What a host puts behind the id of a request that it asks again, and what nobody but an attacker puts there.
AGAIN = ["", "", ".2", ".3", ".10"]
ODD = [".1", ".0", ".02", ".x", ".2.2", ".", "x", " ", "\n", ".2\n", ".\u0662", "0"]
SILENT = [None, 7, "", "host-1", "elc-c-0-1", "c-0-0123456789abcdef"]

#: The members of the params that do not say which call it is.
ASIDE = ("_meta", "inputResponses", "requestState")


class Question(NamedTuple):
    """All that tells one question from another; params and result as text that no store changes."""

    call: str
    server: str | None
    method: str
    retry: int
    params: str
    raw: str
    key: str


@dataclass(frozen=True)
class Sent:
    """A call, and what the host knows of it."""

    call: Call
    id: str
    server: str | None
    method: str
    params: str
    retry: int = 0


@dataclass(frozen=True)
class Held:
    """A pause, the call that it paused, and the result that the server gave."""

    pause: Pause
    sent: Sent
    raw: dict[str, Any]

    def question(self, key: str) -> Question:
        sent = self.sent
        return Question(sent.id, sent.server, sent.method, sent.retry, sent.params, as_text(self.raw), key)

    @property
    def entries(self) -> dict[str, Any]:
        return self.raw.get("inputRequests", {})


@dataclass(frozen=True)
class Said:
    """What a person answered, to which question, under which id.

    Without a question the id was made up; one that is silent does not look like ours and says nothing.
    """

    id: Any
    question: Question | None
    yes: bool
    text: str
    is_silent: bool = False

    def answers(self, question: Question) -> bool:
        return self.is_silent or self.question == question


def rewritten(value: Any) -> Any:
    """Give the value as a store in JavaScript does: a whole number has no fraction."""
    if isinstance(value, dict):
        return {name: rewritten(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rewritten(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def as_text(value: Any) -> str:
    """Give the one text of a JSON value, in whatever order its members stand and however its numbers are written."""
    return json.dumps(rewritten(value), sort_keys=True)


class Walk:
    """One trace, and all that its oracle found; `seen` counts what happened."""

    def __init__(self, seed: int, seen: Counter[str]) -> None:
        self.random = Random(seed)
        self.seen = seen
        self.found: set[str] = set()
        self.sent: list[Sent] = []
        self.held: list[Held] = []
        self.said: list[Said] = []
        self.shown: dict[str, Question] = {}
        self.made = [self.random.choice(pool) for pool in (CALL_IDS, SERVERS, METHODS, ARGUMENTS)]
        self.raws = [self.result() for _ in range(3)]

    def run(self) -> set[str]:
        self.call()
        self.send()
        steps = [self.call, self.send, self.send, self.store, self.copy, self.show, self.show, self.show, self.answer]
        for step in self.random.choices([*steps, self.answer, self.answer, self.answer], k=STEPS):
            step()
        return self.found

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    def expect(self, holds: Any, violation: str) -> None:
        if not holds:
            self.found.add(violation)

    def shuffled(self, value: Any) -> Any:
        """Give the value with the members of its objects in another order."""
        if isinstance(value, dict):
            names = self.random.sample(list(value), len(value))
            return {name: self.shuffled(value[name]) for name in names}
        return [self.shuffled(item) for item in value] if isinstance(value, list) else value

    # What happens

    def call(self) -> None:
        """Make a call that differs from the last one in one thing: some hosts give one id to several."""
        part = self.random.randrange(4)
        self.made[part] = self.random.choice((CALL_IDS, SERVERS, METHODS, ARGUMENTS)[part])
        id, server, method, arguments = self.made
        params = {"name": "delete", "arguments": arguments}
        aside = {"_meta": {"progressToken": self.random.random()}} if self.chance(30) else {}
        call = Call(method, self.shuffled(params | aside), server=server, id=id, max_retries=100)
        self.sent.append(Sent(call, id, server, method, as_text(params)))

    def result(self) -> dict[str, Any]:
        """Make a result of a server, which has few of them."""
        raw: dict[str, Any] = {"resultType": "input_required"}
        if self.chance(90):
            keys = self.random.sample(KEYS, self.random.choice((1, 1, 2, 3)))
            raw["inputRequests"] = {key: self.random.choice(ENTRIES) for key in keys}
        state = self.random.choice(STATES)
        if state is not None or len(raw) == 1:
            raw["requestState"] = state or ""
        return raw

    def send(self) -> None:
        """Send one of the calls, not seldom once more: the server pauses it anew."""
        sent, raw = self.random.choice(self.sent), self.random.choice(self.raws)
        pause = sent.call.receive(self.shuffled(raw))
        assert isinstance(pause, Pause)
        self.held.append(Held(pause, sent, raw))

    def store(self) -> None:
        """Store a pause or a call where members are reordered and numbers rewritten; read it for some server."""
        is_pause = self.chance(80)
        held = self.random.choice(self.held)
        sent = held.sent if is_pause else self.random.choice(self.sent)
        data: Any = held.pause.to_json() if is_pause else sent.call.to_json()
        if self.chance(60):
            stored = self.shuffled(json.loads(data))
            data = json.dumps(rewritten(stored) if self.chance(50) else stored, sort_keys=self.chance(50)).encode()
        data = self.random.choice([bytes, bytearray, bytes.decode])(data)
        server = self.random.choice(SERVERS) if self.chance(30) else sent.server
        try:
            again: Any = (Pause if is_pause else Call).from_json(data, server=server)
        except LocalProtocolError as error:
            self.seen["read for another server"] += 1
            self.expect(error.code == "wrong_server" and server != sent.server, REFUSED)
            return
        self.seen["read"] += 1
        self.expect(server == sent.server, WRONG_SERVER)
        self.keep(again, held if is_pause else None, sent)

    def copy(self) -> None:
        """Copy a pause or a call, deeply or by a pickle."""
        held, sent = self.random.choice(self.held), self.random.choice(self.sent)
        is_pause = self.chance(50)
        value: Any = held.pause if is_pause else sent.call
        again = copy.deepcopy(value) if self.chance(50) else pickle.loads(pickle.dumps(value))
        self.keep(again, held if is_pause else None, sent)

    def keep(self, again: Any, held: Held | None, sent: Sent) -> None:
        if held is None:
            self.sent.append(replace(sent, call=again))
        else:
            self.held.append(replace(held, pause=again))

    def show(self) -> None:
        """Show what a pause asks, and hear what a person says to each of it, now or later."""
        held = self.random.choice(self.held)
        for key, request in held.pause.requests.items():
            question, params = held.question(key), held.entries[key]["params"]
            shown = (request.prompt, request.url, (request.data or {}).get("schema"))
            self.expect(
                as_text(shown) == as_text([params.get(n) for n in ("message", "url", "requestedSchema")]), CHANGED
            )
            self.expect(self.shown.setdefault(request.id, question) == question, SHOWN_TWICE)
            text = f"answer {len(self.said)}"
            for suffix in {"", self.random.choice(AGAIN)}:
                self.said.append(Said(request.id + suffix, question, self.chance(60), text))

    def answer(self) -> None:
        """Answer a pause by key or by id: rightly, or with something that belongs elsewhere."""
        held = self.random.choice(self.held)
        given = [(key, self.choose(held.question(key))) for key in held.entries]
        by_key = self.chance(60)
        if by_key:
            expected = all(said.answers(held.question(key)) for key, said in given)
            answers: Any = {key: self.written(said, by_key=True) for key, said in given}
        else:
            if self.chance(50):
                self.random.shuffle(given)
            if given and self.chance(5):
                given.append(self.random.choice(given))
            questions = [held.question(key) for key in held.entries]
            met = [said.question for _, said in given]
            expected = sorted(map(repr, met)) == sorted(map(repr, questions))
            answers = [self.written(said, by_key=False) for _, said in given]
        meta = {"meta": {"progressToken": 1}} if self.chance(20) else {}
        try:
            call = held.pause.resume(answers, **meta)
        except LocalProtocolError as error:
            self.seen[f"refused {'by key' if by_key else 'by id'}"] += 1
            codes = ["answer_id_mismatch"] if by_key else ["answer_id_mismatch", "unexpected_answer"]
            self.expect(not expected and error.code in codes, REFUSED)
            return
        self.seen[f"accepted {'by key' if by_key else 'by id'}"] += len(given)
        self.check(held, given, call, by_key=by_key)
        self.sent.append(replace(held.sent, call=call, retry=held.sent.retry + 1))

    def choose(self, question: Question) -> Said:
        """Find what was said to a question, or take something else: said to another one, made up, or without an id."""
        fitting = [said for said in self.said if said.question == question]
        if fitting and self.chance(70):
            return self.random.choice(fitting)
        text = f"made up {self.random.random()}"
        made = Said(f"elc-{question.call}-{question.retry}-{self.random.getrandbits(64):016x}", None, True, text)
        if self.said and self.chance(75):
            said = self.random.choice(fitting if fitting and self.chance(50) else self.said)
            odd = replace(made, id=self.random.choice([*self.shown]) + self.random.choice(ODD))
            return self.random.choice([said, said, odd])
        own = elicitation_to_request(ENTRIES[0]).id
        silent = replace(made, id=self.random.choice([*SILENT, own]), is_silent=True)
        return self.random.choice([made, silent, silent])

    def written(self, said: Said, *, by_key: bool) -> Any:
        """Write an answer in one of the shapes that a host may give it."""
        data = {"n": said.text} if said.yes else None
        reason = None if said.yes else "declined"
        shapes: list[Any] = [
            Answer(said.id, said.yes, data, reason),
            HostAnswer(said.id, said.yes, data, reason),
            {"id": said.id, "ok": said.yes, "data": data, "reason": reason},
        ]
        if by_key:
            content = {"content": data} if said.yes else {}
            shapes.append({"id": said.id, "action": "accept" if said.yes else "decline", **content})
            if said.is_silent:
                shapes.append(ElicitResult(action="accept" if said.yes else "decline", content=data))
        return self.random.choice(shapes)

    # What must hold

    def check(self, held: Held, given: list[tuple[str, Said]], call: Call, *, by_key: bool) -> None:
        """Compare a retry with what each of its answers was given to."""
        params = call.params
        responses = params.get("inputResponses", {})
        self.expect((call.server, call.method, call.id) == (held.sent.server, held.sent.method, held.sent.id), CHANGED)
        self.expect(as_text({name: params[name] for name in params if name not in ASIDE}) == held.sent.params, CHANGED)
        self.expect(params.get("requestState") == held.raw.get("requestState"), CHANGED)
        self.expect(responses.keys() == held.entries.keys(), CHANGED)
        for key, said in given:
            if said.question is None:
                self.expect(said.is_silent and by_key, MADE_UP)
                self.expect(responses.get(key) == self.response(said, held.entries[key]), CHANGED)
            else:
                # By id an answer finds its key, which has to be the one of the question that it was given to.
                place = key if by_key else said.question.key
                self.expect(place in held.entries and held.question(place) == said.question, CROSSED)
                self.expect(responses.get(place) == self.response(said, held.entries.get(place)), CHANGED)

    def response(self, said: Said, entry: Any) -> dict[str, Any]:
        """Say what the wire has to carry for an answer."""
        if not said.yes:
            return {"action": "decline"}
        is_form = entry is not None and "url" not in entry["params"]
        return {"action": "accept", "content": {"n": said.text}} if is_form else {"action": "accept"}


def test_resume_sends_an_answer_only_to_the_question_that_its_id_was_shown_for():
    seen: Counter[str] = Counter()
    found = {seed: violations for seed in range(TRACES) if (violations := Walk(seed, seen).run())}
    assert found == {}
    # The walk has been everywhere, or it would have shown nothing.
    assert (
        min(seen[name] for name in ("accepted by key", "accepted by id", "refused by key", "refused by id"))
        > TRACES / 2
    )
    assert min(seen["read"], seen["read for another server"]) > TRACES / 4


def without(place: int, length: int) -> tuple[str, Any]:
    """Leave out of the digest one of the values that it is made of."""
    digest_of = vars(PauseState)["digest_of"]

    def digest(state: Any, value: Any) -> str:
        is_meant = isinstance(value, list) and len(value) == length
        return digest_of(state, [*value[:place], *value[place + 1 :]] if is_meant else value)

    return "_pause_state.PauseState.digest_of", digest


#: Faults: what is replaced, and by what; and what the walk has to report.
FAULTS = {
    "server left out of the digest": (without(0, 4), {SHOWN_TWICE, CROSSED}),
    "method left out of the digest": (without(1, 4), {SHOWN_TWICE, CROSSED}),
    "params left out of the digest": (without(2, 4), {SHOWN_TWICE, CROSSED}),
    "raw left out of the digest": (without(3, 4), {SHOWN_TWICE, CROSSED}),
    "key left out of the digest": (without(1, 2), {SHOWN_TWICE, CROSSED}),
    "ids not looked at by key": (("_pause_state.require_matching_id", lambda *_: None), {CROSSED, MADE_UP}),
    "any suffix taken": (("_answers._first_id", lambda text: text.rpartition(".")[0] or text), {MADE_UP}),
    "stored for any server": (
        ("_exchange.load", lambda data, _: load(data, json.loads(data)["call"]["server"])),
        {WRONG_SERVER},
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_walk_finds_a_deliberate_fault(fault, monkeypatch):
    (name, value), expected = FAULTS[fault]
    monkeypatch.setattr(f"toolnexus_mrtr.{name}", value)
    missing = set(expected)
    for seed in range(TRACES):
        missing -= Walk(seed, Counter()).run()
        if not missing:
            return
    assert missing == set()


#: The halves of a surrogate pair, and the character that a store makes of them where they stand side by side.
torn = st.text(st.sampled_from(["\ud83d", "\ude00", "\U0001f600", "a"]), max_size=4)


@given(argument=torn, name=torn, state=torn, keys=st.lists(torn, min_size=2, max_size=3, unique=True))
@settings(max_examples=400)
def test_receive_takes_no_text_that_a_store_would_make_another(argument, name, state, keys):
    def is_torn(text: str) -> bool:
        return "\ud83d\ude00" in text

    params = {"name": argument, "arguments": {name: 1}}
    if is_torn(argument) or is_torn(name):
        assert raised(LocalProtocolError, Call, "tools/call", params).code == "wrong_value"
        return
    call = Call("tools/call", params, id="c")
    raw = asking(state, **dict.fromkeys(keys, ENTRIES[0]))
    if any(map(is_torn, [state, *keys])):
        assert raised(RemoteProtocolError, call.receive, raw).code == "wrong_type"
        return
    pause = call.receive(raw)
    again = Pause.from_json(json.dumps(json.loads(pause.to_json())))
    assert again.requests == pause.requests
    assert list(again.requests) == keys
    retry = again.resume([Answer(pause.requests[key].id, ok=False) for key in keys])
    responses = {key: {"action": "cancel"} for key in keys}
    assert retry.params == params | {"inputResponses": responses, "requestState": state}


members = st.dictionaries(
    st.sampled_from(["access_token", "data", "content", "reason", "ok", "url", "id"]), json_values
)


@given(more=members, action=st.sampled_from(["accept", "decline", "cancel"]), meta=st.none() | json_objects)
@settings(max_examples=300)
def test_resume_sends_meta_alone_beside_the_action_of_a_visit_and_of_a_refusal(more, action, meta):
    kept = {"action": action} | ({} if meta is None else {"_meta": meta})
    pauses = [paused(a=ENTRIES[3]), *([paused(a=ENTRIES[0])] if action != "accept" else [])]
    for pause in pauses:
        try:
            retry = pause.resume({"a": more | kept})
        except LocalProtocolError as error:
            assert error.code in ("wrong_value", "answer_id_mismatch")
        else:
            assert more.keys().isdisjoint({"ok", "data", "reason"})
            assert as_text(retry.params["inputResponses"]) == as_text({"a": kept})


@given(data=st.none() | json_objects, reason=st.none() | json_values, ok=st.booleans())
def test_resume_sends_nothing_of_what_a_visit_brought_or_a_refusal_was_given_for(data, reason, ok):
    pauses = [paused(a=ENTRIES[3]), *([] if ok else [paused(a=ENTRIES[0])])]
    action = "accept" if ok else "decline" if reason == "declined" else "cancel"
    for pause in pauses:
        shapes = [{"ok": ok, "data": data, "reason": reason}, Answer("x", ok, data, reason)]
        for answer in [*shapes, HostAnswer("x", ok, data, reason)]:
            assert pause.resume({"a": answer}).params["inputResponses"] == {"a": {"action": action}}
