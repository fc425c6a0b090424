"""A call as its server and its host mean it: drawn from a seed, so that what must come of it is known beforehand.

Every question holds a token that its answer must bring back to the server, so that nothing is lost or crossed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from toolnexus_mrtr import Answer, Call, Handlers, Pause

#: Seconds that a call has which is meant to be late; the others have no limit.
SOON = 0.01

SCHEMA = {
    "type": "object",
    "properties": {"token": {"type": "string"}, "n": {"type": "integer", "minimum": 1}},
    "required": ["token", "n"],
}

#: What is wrong with a result, and the error that must come of it.
MALFORMED: list[tuple[Any, str]] = [
    ({"resultType": "odd"}, "unknown_result_type"),
    ({"resultType": "input_required"}, "nothing_requested"),
    ({"resultType": "input_required", "inputRequests": []}, "wrong_type"),
    ({"resultType": "input_required", "requestState": 5}, "wrong_type"),
    ({"jsonrpc": "2.0", "id": 1, "result": {}}, "not_a_result"),
    ([], "wrong_type"),
]
MALFORMED += [
    ({"resultType": "input_required", "inputRequests": {"a": entry}}, code)
    for entry, code in [
        ({"method": "elicitation/create", "params": {"mode": "psychic", "message": "m"}}, "unknown_mode"),
        ({"method": "elicitation/create", "params": {"mode": "form", "message": "m"}}, "missing_member"),
        (
            {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "javascript:alert(1)"}},
            "unsafe_url",
        ),
        (
            {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1, "tools": []}},
            "undeclared_capability",
        ),
        ({"method": "com.example/approve"}, "unsupported_request"),
    ]
]

#: What a server and a host mean to do with a call, and how often; `MALFORMED` says what comes of that one.
FATES = {
    "done": 8,
    "stored pause": 3,
    "stored call": 2,
    "asked again": 3,
    "malformed": 3,
    "asked too often": 1,
    "handler fails": 1,
    "send fails": 1,
    "vetoed": 1,
    "cancelled": 1,
    "late": 1,
    "one pause too many": 1,
}
COMES_TO = {
    "asked too often": "invalid_answer",
    "handler fails": "HandlerError",
    "send fails": "ConnectionError",
    "vetoed": "Vetoed",
    "cancelled": "CancelledError",
    "late": "timeout",
    "one pause too many": "retry_limit",
}

#: Fates that need a form, since its prompt, or that something is asked, is where they happen.
AT_A_FORM = {"asked again", "asked too often", "handler fails", "cancelled", "late", "one pause too many"}


class HandlerError(Exception):
    """A prompt that failed."""


class Vetoed(Exception):
    """A host that will not go on."""


class Stored(Exception):
    """A host that goes on later, from these bytes."""


class Exchange:
    """One call as its server and its host mean it: drawn from a seed, checked in every round."""

    def __init__(self, seed: int, number: int) -> None:
        draw = self.draw = random.Random(f"{seed}/{number}")
        self.token = f"t{number}"
        self.fate = draw.choices(list(FATES), list(FATES.values()))[0]
        pauses = draw.randint(self.fate != "done", 5)
        #: Where the fate happens.
        self.place = draw.randrange(pauses) if pauses else 0
        self.asked = [
            draw.sample(["form", "other form", "url", "llm", "roots"], draw.randint(0, 4)) for _ in range(pauses)
        ]
        if self.fate in AT_A_FORM and "form" not in self.asked[self.place]:
            self.asked[self.place].append("form")
        if self.fate == "late":
            # `run` looks at the time before each question.
            self.asked[self.place] = ["form", "other form"]
        self.raw, fault = draw.choice(MALFORMED)
        self.means = fault if self.fate == "malformed" else COMES_TO.get(self.fate, "done")
        self.rounds = pauses + 1 if self.means == "done" else self.place + 1
        #: The machine may be so slow that a call is late before it was meant to be.
        self.least = 0 if self.fate == "late" else self.rounds
        #: How often it was sent, how many prompts are open, whether it was stored, whether it is over.
        self.sent = self.open = 0
        self.stored = self.over = False

    def name(self, place: int, key: str) -> str:
        return f"{self.token}/{place}/{key}"

    # The server

    def served(self, params: dict[str, Any]) -> Any:
        """Take what the client sends, which must be what was asked for, and give the next result."""
        place, self.sent = self.sent, self.sent + 1
        assert not self.over, "sent after the end"
        assert params["arguments"] == {"token": self.token}
        if place:
            self.check(place - 1, params)
        if place == self.place and self.fate == "send fails":
            raise ConnectionError
        if place == self.place and self.fate == "malformed":
            return self.raw
        if place == len(self.asked):
            return {"resultType": "complete", "content": [], "structuredContent": {"token": self.token}}
        entries = {key: self.entry(place, key) for key in self.asked[place]}
        asked = {"inputRequests": entries} if entries else {}
        return {"resultType": "input_required", **asked, "requestState": self.name(place, "state")}

    def entry(self, place: int, key: str) -> dict[str, Any]:
        name = self.name(place, key)
        if key == "roots":
            return {"method": "roots/list"}
        if key == "llm":
            text = {"role": "user", "content": {"type": "text", "text": name}}
            return {"method": "sampling/createMessage", "params": {"messages": [text], "maxTokens": 5}}
        asked = {"mode": "url", "url": f"https://a.example/{name}"} if key == "url" else {"requestedSchema": SCHEMA}
        return {"method": "elicitation/create", "params": {"message": name, **asked}}

    def check(self, place: int, params: dict[str, Any]) -> None:
        """Every answer is there, in order, and is the one to its own question."""
        assert params["requestState"] == self.name(place, "state"), "another state"
        answers = params.get("inputResponses", {})
        assert list(answers) == self.asked[place], "other answers"
        for key, answer in answers.items():
            assert answer == self.expected(self.name(place, key), key), "another answer"

    @staticmethod
    def expected(name: str, key: str) -> dict[str, Any]:
        if key == "roots":
            return {"roots": [{"uri": f"file:///{name}"}]}
        if key == "llm":
            return {"role": "assistant", "content": {"type": "text", "text": name}, "model": "m"}
        return {"action": "accept"} if key == "url" else {"action": "accept", "content": {"token": name, "n": 3}}

    # The host

    def answered(self, request: Any) -> Any:
        """Answer an elicitation by what its prompt says; what is meant to go wrong goes wrong here."""
        name = request.prompt
        token, place, key = name.split("/")
        assert token == self.token, "another's question"
        if request.kind == "authorization":
            return Answer(request.id, ok=True, data={"secret": name})
        n: Any = 3
        if key == "form" and int(place) == self.place:
            if self.fate == "handler fails":
                raise HandlerError
            errors = request.data.get("errors")
            if self.fate == "asked too often" or (self.fate == "asked again" and not errors):
                n = "three"
            elif errors:
                assert [error["at"] for error in errors] == ["/n"]
        return Answer(request.id, ok=True, data={"token": name, "n": n})

    def waits(self, request: Any) -> bool:
        """Whether nobody answers this: the call is late, or cancelled meanwhile."""
        return self.fate in ("late", "cancelled") and request.prompt == self.name(self.place, "form")

    def on_step(self, step: Call | Pause) -> None:
        here = self.sent == self.place + 1 and isinstance(step, Pause)
        if here and self.fate == "vetoed":
            raise Vetoed
        again = self.sent == self.place + 1 and isinstance(step, Call)
        if not self.stored and ((here and self.fate == "stored pause") or (again and self.fate == "stored call")):
            self.stored = True
            raise Stored(step.to_json())

    def stored_step(self, stored: Stored) -> Call | Pause:
        kind = Pause if self.fate == "stored pause" else Call
        return kind.from_json(stored.args[0], server=self.token)

    def call(self, handlers: Handlers) -> Call:
        params = {"name": "t", "arguments": {"token": self.token}, "_meta": handlers.meta()}
        retries = sum(map(bool, self.asked[: self.place])) if self.fate == "one pause too many" else 10
        return Call("tools/call", params, server=self.token, max_retries=retries)

    @property
    def options(self) -> dict[str, Any]:
        return {"answer_timeout": SOON if self.fate == "late" else None, "on_step": self.on_step}


def drawn(seed: int, first: int, rounds: int) -> Iterator[Exchange]:
    """Draw as many as make so many rounds."""
    while rounds > 0:
        exchange = Exchange(seed, first)
        first, rounds = first + 1, rounds - exchange.least
        yield exchange


#: The exchange whose task or thread this is: roots are listed without being told for whom.
current: ContextVar[Exchange] = ContextVar("current")


class Server:
    """Everything that every call is sent to; knows the exchanges by their tokens."""

    def __init__(self) -> None:
        self.exchanges: dict[str, Exchange] = {}

    def send(self, method: str, params: dict[str, Any]) -> Any:
        assert method == "tools/call"
        return self.exchanges[params["arguments"]["token"]].served(params)


def sampled(request: Any) -> dict[str, Any]:
    return Exchange.expected(request.params["messages"][0]["content"]["text"], "llm")


def roots() -> list[dict[str, Any]]:
    exchange = current.get()
    return Exchange.expected(exchange.name(exchange.sent - 1, "roots"), "roots")["roots"]
