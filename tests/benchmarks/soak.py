"""Drive many calls at once against a server in memory that fails in every way, and account for every one of them.

Rounds go through `run_async` in one loop, then through `run` from several threads. `exchanges.py` knows beforehand what
is meant to come of a call, and that must be what came of it. Memory is what tracemalloc counts; RSS would count the
holes of the allocator too. Nothing sleeps; only the time-outs among the faults take time. The status is 1 when anything
was missed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from exchanges import SOON, Exchange, Server, Stored, current, drawn, roots, sampled
from harness import aligned
from readme import add_write, where, write

from toolnexus_mrtr import Call, Handlers, MrtrError, Pause, run, run_async

#: Bytes by which memory may grow after the warm-up, a tenth of the rounds.
GROWTH = 1 << 20

HEAD = ["Through", "At once", "Rounds", "Calls", "Outcomes", "Missed", "Memory grew by", "Seconds"]


class Turn:
    """Lets the others go first, once."""

    def __await__(self) -> Iterator[None]:
        yield


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


def soak(title: str, concurrent: str, drive: Any, options: argparse.Namespace) -> tuple[bool, list[str]]:
    """Warm up, go on, and compare outcomes with what was meant, memory with what it was: whether all holds, a line."""
    tally = Tally()
    warm_up = max(1, options.rounds // 10)
    began = time.perf_counter()
    drive(drawn(options.seed, 0, warm_up), tally)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    drive(drawn(options.seed, 1_000_000_000, options.rounds - warm_up), tally)
    gc.collect()
    growth = tracemalloc.get_traced_memory()[0] - before
    rounds, calls, seconds = f"{tally.rounds:,}", f"{tally.came.total():,}", f"{time.perf_counter() - began:.0f}"
    grew, allowed = f"{round(growth / 1024):,}", f"{GROWTH >> 10:,}"
    print(f"{title}: {rounds} rounds of {calls} calls in {seconds} s")
    for kind in sorted(tally.meant | tally.came):
        print(f"  {kind:<24}{tally.came[kind]:>8,} of {tally.meant[kind]:,}")
    print(f"  memory grew by {grew} KiB; at most {allowed} are allowed")
    for line in tally.missed[:10]:
        print(f"  MISSED {line}")
    print(f"  {len(tally.missed)} missed", flush=True)
    done, errors = tally.came["done"], tally.came.total() - tally.came["done"]
    outcomes = f"{done:,} done; {errors:,} errors of {len(tally.came.keys() - {'done'})} kinds"
    figures = [f"{len(tally.missed):,}", f"{grew} KiB, {allowed} allowed", seconds]
    sound = not tally.missed and tally.meant == tally.came and tally.rounds >= options.rounds and growth < GROWTH
    return sound, [f"`{title}`", concurrent, rounds, calls, outcomes, *figures]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200_000, help="through each of run_async and run")
    parser.add_argument("--concurrent", type=int, default=1_000, help="calls at once through run_async")
    parser.add_argument("--threads", type=int, default=8, help="threads that call run")
    parser.add_argument("--seed", type=int, default=2322)
    add_write(parser)
    options = parser.parse_args()
    concurrent, threads = options.concurrent, options.threads
    asyncio.sleep = no_sleep
    sys.setswitchinterval(1e-4)
    tracemalloc.start()
    through = [
        ("run_async", f"{concurrent:,} calls", lambda coming, tally: asyncio.run(at_once(coming, tally, concurrent))),
        ("run", f"{threads:,} threads", lambda coming, tally: in_threads(coming, tally, threads)),
    ]
    sound, lines = zip(*(soak(*each, options) for each in through), strict=True)
    if options.write:
        write("load", f"{aligned([HEAD, *lines])}\n\n{where()}; seed {options.seed}.")
    sys.exit(not all(sound))


if __name__ == "__main__":
    main()
