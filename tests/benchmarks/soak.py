"""Drive many calls at once against a server in memory that fails in every way, and account for every one of them.

Rounds go through `run_async` in one loop, then through `run` from several threads. Everything is drawn from a seed:
what is meant to come of a call is known beforehand, and must be what came of it. Every question holds a token that its
answer must bring back to the server, so that nothing is lost or crossed. Memory is what tracemalloc counts; RSS would
count the holes of the allocator too. Nothing sleeps; only the time-outs among the faults take time. The status is 1
when anything was missed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from toolnexus_mrtr import Answer, Call, Handlers, MrtrError, Pause, run, run_async

#: Bytes by which memory may grow after the warm-up, a tenth of the rounds.
GROWTH = 1 << 20

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
    "late": "TimeoutError",
    "one pause too many": "retry_limit",
}

#: Fates that need a form, since its prompt is where they happen.
AT_A_FORM = {"asked again", "asked too often", "handler fails", "cancelled", "late"}


class HandlerError(Exception):
    """A prompt that failed."""


class Vetoed(Exception):
    """A host that will not go on."""


class Stored(Exception):
    """A host that goes on later, from these bytes."""


class Turn:
    """Lets the others go first, once."""

    def __await__(self) -> Iterator[None]:
        yield


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
        retries = self.place if self.fate == "one pause too many" else 10
        return Call("tools/call", params, server=self.token, max_retries=retries)

    @property
    def options(self) -> dict[str, Any]:
        return {"timeout": SOON if self.fate == "late" else None, "on_step": self.on_step}


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


class Tally:
    """What was meant, what came, and what of it was missed."""

    def __init__(self) -> None:
        self.meant: Counter[str] = Counter()
        self.came: Counter[str] = Counter()
        self.rounds = 0
        self.missed: list[str] = []
        self.lock = Lock()

    def settle(self, exchange: Exchange, outcome: dict[str, Any] | BaseException) -> None:
        exchange.over = True
        came = outcome_of(exchange, outcome)
        with self.lock:
            self.meant[exchange.means] += 1
            self.came[came] += 1
            self.rounds += exchange.sent
            in_full = exchange.least <= exchange.sent <= exchange.rounds
            if came != exchange.means or exchange.open or not in_full:
                said = f"{came} after {exchange.sent} rounds, {exchange.open} prompts open"
                self.missed.append(
                    f"{exchange.token}, {exchange.fate}: {said}, not {exchange.means} after {exchange.rounds}"
                )


def outcome_of(exchange: Exchange, outcome: dict[str, Any] | BaseException) -> str:
    if isinstance(outcome, MrtrError):
        return outcome.code
    if isinstance(outcome, BaseException):
        return (
            f"{type(outcome).__name__}{outcome.args}" if isinstance(outcome, AssertionError) else type(outcome).__name__
        )
    return "done" if outcome["structuredContent"] == {"token": exchange.token} else "another's result"


def exchanges(seed: int, first: int, rounds: int) -> Iterator[Exchange]:
    """Draw as many as make so many rounds."""
    while rounds > 0:
        exchange = Exchange(seed, first)
        first, rounds = first + 1, rounds - exchange.least
        yield exchange


async def at_once(coming: Iterator[Exchange], tally: Tally, concurrent: int) -> None:
    """Drive all through `run_async`, so many at any moment."""
    server = Server()

    async def send(method: str, params: dict[str, Any]) -> Any:
        await turns()
        return server.send(method, params)

    async def wait_for(request: Any) -> Any:
        exchange = current.get()
        exchange.open += 1
        try:
            await turns()
            if exchange.waits(request):
                if exchange.fate == "cancelled":
                    tasks[exchange.token].cancel()
                await asyncio.get_running_loop().create_future()
            return exchange.answered(request)
        finally:
            exchange.open -= 1

    async def create_message(request: Any) -> Any:
        await turns()
        return sampled(request)

    async def turns() -> None:
        for _ in range(current.get().draw.randrange(4)):
            await Turn()

    async def driven(exchange: Exchange) -> dict[str, Any]:
        current.set(exchange)
        step: Call | Pause = exchange.call(handlers)
        try:
            return await run_async(step, send, handlers, **exchange.options)
        except Stored as stored:
            step = exchange.stored_step(stored)
        return await run_async(step, send, handlers, **exchange.options)

    async def worker() -> None:
        for exchange in coming:
            server.exchanges[exchange.token] = exchange
            task = tasks[exchange.token] = asyncio.create_task(driven(exchange))
            (outcome,) = await asyncio.gather(task, return_exceptions=True)
            tally.settle(exchange, outcome)
            del server.exchanges[exchange.token], tasks[exchange.token]

    handlers = Handlers(wait_for, create_message, roots)
    tasks: dict[str, asyncio.Task[Any]] = {}
    # An error that nobody is told belongs to a task that was left alone.
    asyncio.get_running_loop().set_exception_handler(lambda _, context: tally.missed.append(context["message"]))
    await asyncio.gather(*(worker() for _ in range(concurrent)))


def in_threads(coming: Iterator[Exchange], tally: Tally, threads: int) -> None:
    """Drive all through `run`, from so many threads."""
    server, lock = Server(), Lock()

    def wait_for(request: Any) -> Any:
        exchange = current.get()
        if exchange.waits(request):
            if exchange.fate == "cancelled":
                raise asyncio.CancelledError
            end = time.monotonic() + SOON
            while time.monotonic() <= end:
                pass
        return exchange.answered(request)

    def driven(exchange: Exchange) -> dict[str, Any]:
        step: Call | Pause = exchange.call(handlers)
        try:
            return run(step, server.send, handlers, sleep=bool, **exchange.options)
        except Stored as stored:
            step = exchange.stored_step(stored)
        return run(step, server.send, handlers, sleep=bool, **exchange.options)

    def worker() -> None:
        while True:
            with lock:
                exchange = next(coming, None)
            if exchange is None:
                return
            server.exchanges[exchange.token] = exchange
            current.set(exchange)
            outcome: dict[str, Any] | BaseException
            try:
                outcome = driven(exchange)
            except BaseException as error:  # noqa: BLE001 - whatever came of it is what is counted
                outcome = error
            tally.settle(exchange, outcome)
            del server.exchanges[exchange.token], outcome

    handlers = Handlers(wait_for, sampled, roots)
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(worker) for _ in range(threads)]:
            done.result()


async def no_sleep(_seconds: float) -> None:
    """Let the pause of a poll pass at once."""
    await Turn()


def soak(title: str, drive: Any, options: argparse.Namespace) -> bool:
    """Warm up, go on, and compare: outcomes with what was meant, memory with what it was."""
    tally = Tally()
    warm_up = max(1, options.rounds // 10)
    began = time.perf_counter()
    drive(exchanges(options.seed, 0, warm_up), tally)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    drive(exchanges(options.seed, 1_000_000_000, options.rounds - warm_up), tally)
    gc.collect()
    growth = tracemalloc.get_traced_memory()[0] - before
    seconds = time.perf_counter() - began
    print(f"{title}: {tally.rounds:,} rounds of {tally.came.total():,} calls in {seconds:.0f} s")
    for kind in sorted(tally.meant | tally.came):
        print(f"  {kind:<24}{tally.came[kind]:>8,} of {tally.meant[kind]:,}")
    print(f"  memory grew by {growth / 1024:,.0f} KiB; at most {GROWTH >> 10:,} are allowed")
    for line in tally.missed[:10]:
        print(f"  MISSED {line}")
    print(f"  {len(tally.missed)} missed", flush=True)
    return not tally.missed and tally.meant == tally.came and tally.rounds >= options.rounds and growth < GROWTH


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200_000, help="through each of run_async and run")
    parser.add_argument("--concurrent", type=int, default=1_000, help="calls at once through run_async")
    parser.add_argument("--threads", type=int, default=8, help="threads that call run")
    parser.add_argument("--seed", type=int, default=2322)
    options = parser.parse_args()
    asyncio.sleep = no_sleep
    sys.setswitchinterval(1e-4)
    tracemalloc.start()
    sound = [
        soak("run_async", lambda coming, tally: asyncio.run(at_once(coming, tally, options.concurrent)), options),
        soak("run", lambda coming, tally: in_threads(coming, tally, options.threads), options),
    ]
    sys.exit(not all(sound))


if __name__ == "__main__":
    main()
