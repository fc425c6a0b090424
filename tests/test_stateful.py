"""Several calls to several servers at once, with hosts, crashes and stored pauses, compared with a simple model."""

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, multiple, rule
from wire_values import LINK, LLM, MESSAGE, ROOTS, SCHEMA_WITH_INTEGER, UNKNOWN, form

from toolnexus_mrtr import (
    Answer,
    Call,
    Done,
    InvalidAnswer,
    LocalProtocolError,
    MrtrError,
    Pause,
    RemoteProtocolError,
    RetryLimitExceeded,
)

SERVERS = ["files", "mail", None]
RETRIES = 2
POLLS = 3

#: A form in each of its two shapes, and the roots of a host.
FORM = form(schema=SCHEMA_WITH_INTEGER)
FLAT = {"message": "m", "requestedSchema": SCHEMA_WITH_INTEGER}
LISTED = {"roots": [{"uri": "file:///w"}]}

keys = st.sampled_from(["confirm", "", "a/b", "__proto__", "elc-1"])
entries = st.dictionaries(keys, st.sampled_from([FORM, FLAT, LINK, LLM, ROOTS, UNKNOWN]), max_size=3)
states = st.none() | st.sampled_from(["", "s", " \ud800", "{}"])
broken = st.sampled_from([None, 5, {}, {"method": 5}, {**LINK, "params": {**LINK["params"], "url": "file:///x"}}])


@dataclass
class Model:
    """The state that a hand-written client would keep of one call."""

    server: str | None
    params: dict[str, Any]
    call: Call
    sent: dict[str, Any] = field(default_factory=dict)
    retry: int = 0
    answered: int = 0
    polls: int = 0
    old: int = 0
    asked: dict[str, Any] = field(default_factory=dict)
    asked_before: list[Any] = field(default_factory=list)
    state: str | None = None

    @property
    def delay(self) -> float:
        is_new = any(entry not in self.asked_before for entry in self.asked.values())
        return 0 if is_new else [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5][min(self.old, 7)]

    @property
    def is_past_limit(self) -> bool:
        return self.answered >= RETRIES if self.asked else self.polls >= POLLS

    def retried(self, responses: dict[str, Any]) -> None:
        self.old = self.old + 1 if self.delay else 0
        self.asked_before = list(self.asked.values()) or self.asked_before
        self.retry += 1
        self.answered += bool(responses)
        self.polls = 0 if responses else self.polls + 1
        self.sent = copy.deepcopy(self.params)
        if responses:
            self.sent["inputResponses"] = responses
        if self.state is not None:
            self.sent["requestState"] = self.state


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class Exchanges(RuleBasedStateMachine):
    sending = Bundle("sending")
    waiting = Bundle("waiting")

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    @rule(target=sending, server=st.sampled_from(SERVERS), old=st.booleans())
    def a_call_is_made(self, server, old):
        self.calls += 1
        params = {"name": f"t{self.calls}", "arguments": {"w": 1.0, "z": None, "k": [], "of": self.calls}}
        left = {"requestState": "old", "inputResponses": {"old": {"action": "decline"}}} if old else {}
        call = Call("tools/call", params | left, server=server, max_retries=RETRIES, max_polls=POLLS)
        return Model(server, params, call, sent=params | left), call

    @rule(pair=consumes(sending))
    def the_server_is_done(self, pair):
        model, call = pair
        assert same(call.params, model.sent)
        assert call.server == model.server
        assert call.receive({"content": [self.calls]}) == Done({"content": [self.calls]}, "complete")

    @rule(target=waiting, pair=consumes(sending), asked=entries, state=states)
    def the_server_pauses(self, pair, asked, state):
        model, call = pair
        assert same(call.params, model.sent)
        raw: dict[str, Any] = {"resultType": "input_required", "inputRequests": copy.deepcopy(asked)}
        raw |= {} if state is None else {"requestState": state}
        model.asked, model.state = asked, state
        try:
            pause = call.receive(raw)
        except RetryLimitExceeded as error:
            assert model.is_past_limit
            pause = error.pause
        else:
            assert not model.is_past_limit
        raw["inputRequests"]["changed"] = None
        assert pause.input_requests.keys() == asked.keys()
        assert (pause.request_state, pause.delay) == (state, model.delay)
        return model, pause

    @rule(target=sending, pair=consumes(sending), key=keys, entry=broken)
    def the_server_breaks_a_rule(self, pair, key, entry):
        try:
            pair[1].receive({"resultType": "input_required", "inputRequests": {key: entry}, "requestState": "s"})
        except RemoteProtocolError as error:
            assert error.at.startswith("/inputRequests/")
            return pair
        raise AssertionError("a broken pause was let in")

    @rule(target=waiting, pair=consumes(waiting), server=st.sampled_from(SERVERS))
    def the_client_crashes_and_another_goes_on(self, pair, server):
        model, pause = pair
        try:
            again = Pause.from_json(pause.to_json(), server=server)
        except LocalProtocolError as error:
            assert (error.code, server != model.server) == ("wrong_server", True)
            return pair
        assert server == model.server
        assert again == pause
        return model, again

    @rule(target=sending, pair=consumes(waiting), said=st.data())
    def the_host_answers(self, pair, said):
        model, pause = pair
        answers, responses = {}, {}
        for key, entry in model.asked.items():
            answers[key], responses[key] = said.draw(self.said_to(entry, pause.requests.get(key)))
        call = pause.resume(answers)
        model.retried(responses)
        assert same(call.params, model.sent)
        return model, call

    def said_to(self, entry, request):
        if entry in (LLM, ROOTS, UNKNOWN):
            value = {"sampling/createMessage": MESSAGE, "roots/list": LISTED}.get(entry["method"], {"approved": True})
            return st.just((value, value))
        is_form = entry is not LINK
        data = {"n": f"of {self.calls}", "i": 3.0}
        accepted = {"action": "accept", "content": {"n": data["n"], "i": 3}} if is_form else {"action": "accept"}
        no, dismissed = {"action": "decline"}, {"action": "cancel"}
        ids = [request.id, request.id + ".2", "host-1"]
        pairs = [(Answer(id, True, data), accepted) for id in ids]
        pairs += [(Answer(ids[0], False, data, "declined"), no), (Answer(ids[0], False, None, "expired"), dismissed)]
        pairs += [({"action": "accept", "content": data}, accepted), (no, no), ({**no, "content": data}, no)]
        return st.sampled_from(pairs)

    @rule(target=waiting, pair=consumes(waiting), drop=st.booleans())
    def the_host_answers_badly(self, pair, drop):
        model, pause = pair
        before = pause.to_json()
        answers: dict[str, Any] = {key: {"action": "accept", "content": {"n": 5}} for key in model.asked}
        expected = {"missing_answer"} if drop and answers else {"unexpected_answer"}
        if drop and answers:
            answers.popitem()
        else:
            answers["nobody asked"] = {"action": "cancel"}
        try:
            pause.resume(answers)
        except MrtrError as error:
            assert error.code in expected
        else:
            raise AssertionError("a bad answer was sent")
        assert pause.to_json() == before
        return pair

    @rule(target=waiting, pair=consumes(waiting))
    def the_host_fills_a_form_in_wrongly(self, pair):
        model, pause = pair
        wrong = [key for key, entry in model.asked.items() if entry in (FORM, FLAT)]
        answers = {key: {"ok": True, "data": {"i": "x"}} if key in wrong else None for key in model.asked}
        if not wrong or len(wrong) < len(model.asked):
            return pair
        try:
            pause.resume(answers)
        except InvalidAnswer as error:
            assert len(error.errors) == 2 * len(wrong)
        else:
            raise AssertionError("a wrong form was sent")
        return pair

    @rule(target=waiting, one=consumes(waiting), other=consumes(waiting))
    def the_host_mixes_two_calls_up(self, one, other):
        asks, gives = one[1].requests, other[1].requests
        if asks and gives:
            foreign = Answer(next(iter(gives.values())).id, False)
            key = next(iter(asks))
            answers: dict[str, Any] = {name: {"action": "cancel"} for name in one[0].asked}
            for given in ({**answers, key: foreign}, [foreign]):
                try:
                    one[1].resume(given)
                except LocalProtocolError as error:
                    assert error.code in ("answer_id_mismatch", "answer_kind_mismatch", "wrong_value")
                else:
                    raise AssertionError("an answer went to another call")
        return multiple(one, other)


TestExchanges = Exchanges.TestCase
TestExchanges.settings = settings(max_examples=100, stateful_step_count=40)
