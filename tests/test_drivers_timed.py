"""`run` and `run_async` in time: waits, deadlines, and prompts that are open at the same time."""

import asyncio
import math
from typing import Any

import pytest
from driving import DONE, EVERYTHING, NO, WAIT, Person, Server, Veto, at_once, both, call, later, yes
from vectors import json_text
from wire_values import FORM, LINK, LLM, MESSAGE, ROOTS, asking, form, raised

from toolnexus_mrtr import Answer, Call, CallTimeout, Handlers, LocalProtocolError, Pause, Request, run_async

pytestmark = pytest.mark.usefixtures("clock")


@both
def test_run_sleeps_for_the_delay_of_pauses_that_ask_nothing(drive, clock):
    server = Server(WAIT, WAIT, asking(a=FORM), WAIT, DONE)
    drive(call(), server, Handlers(Person(NO)))
    assert clock.slept == [0.05, 0.1, 0.05]
    assert "inputResponses" not in server.sent[-1]


@both
@pytest.mark.parametrize("timeout", [0, -1, -math.inf, -(10**400)], ids=["none", "past", "long ago", "longer ago"])
def test_run_sends_nothing_after_the_timeout(drive, timeout):
    server = Server(DONE)
    raised(CallTimeout, drive, call(), server, Handlers(), timeout=timeout)
    assert server.sent == []


@both
@pytest.mark.parametrize("timeout", [None, math.inf, 10**400], ids=["none", "infinite", "huge"])
def test_run_without_a_finite_timeout_waits_as_long_as_it_takes(drive, timeout, clock):
    def wait_for(_: Request) -> Answer:
        clock.now += 1e6
        return NO

    assert drive(call(), Server(asking(a=FORM), WAIT, DONE), Handlers(wait_for), timeout=timeout) == DONE


@both
@pytest.mark.parametrize("answer_timeout", [0, -1])
def test_run_with_an_answer_timeout_of_0_runs_until_somebody_is_needed(drive, answer_timeout):
    server, person = Server(WAIT, asking(a=FORM), DONE), Person(NO)
    error = raised(CallTimeout, drive, call(), server, Handlers(person), answer_timeout=answer_timeout)
    assert (error.code, error.at, person.asked, len(server.sent)) == ("timeout", "/answer_timeout", [], 2)
    assert isinstance(error.step, Pause)
    assert drive(error.step, server, Handlers(person), answer_timeout=60) == DONE


@both
def test_run_checks_the_answer_timeout_between_handlers(drive, clock):
    server, asked = Server(asking(a=FORM, b=FORM), DONE), []

    def wait_for(request: Request) -> Answer:
        asked.append(request.id)
        clock.now += 5
        return NO

    raised(CallTimeout, drive, call(), server, Handlers(wait_for), answer_timeout=5)
    assert (len(asked), len(server.sent)) == (1, 1)


@both
def test_run_takes_neither_the_answers_time_from_the_timeout_nor_that_of_on_step(drive, clock):
    def be_slow(_: object) -> Answer:
        clock.now += 50
        return NO

    server = Server(asking(a=FORM), WAIT, asking(a=LINK), DONE)
    options = {"timeout": 1, "answer_timeout": 60, "on_step": be_slow}
    assert drive(call(), server, Handlers(be_slow), **options) == DONE


@both
def test_run_starts_the_answer_timeout_anew_with_each_pause(drive, clock):
    def be_slow(_: object) -> Answer:
        clock.now += 4
        return NO

    server = Server(asking(a=FORM), asking(a=LINK), DONE)
    assert drive(call(), server, Handlers(be_slow), answer_timeout=5) == DONE


@both
def test_run_takes_every_send_and_delay_from_its_timeout(drive, clock):
    server = Server(WAIT, WAIT, DONE)

    def send(method: str, params: Any) -> Any:
        clock.now += 1
        return server(method, params)

    error = raised(CallTimeout, drive, call(), send, Handlers(), timeout=2.1)
    assert (error.at, len(server.sent), clock.slept) == ("/timeout", 2, pytest.approx([0.05, 0.05]))
    assert error.step.params == {**call().params, "requestState": "p"}
    assert drive(error.step, send, Handlers(), timeout=2.1) == DONE


@both
def test_run_waits_before_it_asks_again_for_what_the_last_pause_asked(drive, clock):
    seen = []

    def wait_for(request: Request) -> Answer:
        seen.append((request.prompt, len(clock.slept)))
        return yes()

    moved = asking("2", other=LINK)
    server = Server(asking("1", a=LINK), moved, WAIT, moved, asking(a=LINK, b=form("b", schema={})), DONE)
    drive(call(), server, Handlers(wait_for))
    assert seen == [("m", 0), ("m", 1), ("m", 3), ("m", 3), ("b", 3)]
    assert clock.slept == [0.05, 0.1, 0.2]


@both
def test_run_returns_a_final_result_that_comes_after_the_timeout(drive, clock):
    def send(_method: str, _params: Any) -> Any:
        clock.now += 60
        return DONE

    assert drive(call(), send, Handlers(), timeout=1) == DONE


@both
def test_run_never_sleeps_past_its_timeout(drive, clock):
    server = Server(WAIT, WAIT, DONE)
    raised(CallTimeout, drive, call(), server, Handlers(), timeout=0.125)
    assert clock.slept == pytest.approx([0.05, 0.075])
    assert len(server.sent) == 2


# run_async


class Prompts:
    """Prompts that wait until they are answered or cancelled."""

    def __init__(self, *, fail_when_cancelled: bool = False) -> None:
        self.open: dict[str, asyncio.Future[Any]] = {}
        self.cancelled: list[str] = []
        self.all_open = asyncio.Event()
        self.expected = 2
        self.fail_when_cancelled = fail_when_cancelled

    async def wait_for(self, request: Request) -> Any:
        answer = self.open[request.prompt] = asyncio.get_running_loop().create_future()
        if len(self.open) == self.expected:
            self.all_open.set()
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancelled.append(request.prompt)
            if self.fail_when_cancelled:
                raise Veto from None
            raise


def test_run_async_asks_everything_at_once_and_takes_answers_in_any_order():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=60))
        await prompts.all_open.wait()
        prompts.open["b"].set_result(yes(n="b"))
        prompts.open["a"].set_result(NO)
        assert await task == DONE
        assert json_text(server.responses, ordered=True) == json_text(
            {"a": {"action": "decline"}, "b": {"action": "accept", "content": {"n": "b"}}}, ordered=True
        )

    asyncio.run(main())


def test_run_async_asks_again_for_an_invalid_answer_while_others_wait():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for)))
        await prompts.all_open.wait()
        prompts.all_open.clear()
        prompts.open["b"].set_result(yes(n=7))
        await prompts.all_open.wait()
        for prompt in prompts.open.values():
            prompt.set_result(yes(n="x"))
        assert await task == DONE
        assert len(server.sent) == 2

    asyncio.run(main())


@pytest.mark.parametrize("fail_when_cancelled", [False, True])
def test_run_async_cancels_the_other_prompts_on_the_first_failure_and_raises_it_alone(fail_when_cancelled):
    failure = ValueError("first")

    async def main() -> None:
        server = Server(asking(a=form("a"), b=form("b")), DONE)
        prompts = Prompts(fail_when_cancelled=fail_when_cancelled)
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=60))
        await prompts.all_open.wait()
        prompts.open["b"].set_exception(failure)
        await asyncio.wait([task])
        assert task.exception() is failure
        assert (prompts.cancelled, len(server.sent)) == (["a"], 1)
        await task

    assert raised(ValueError, asyncio.run, main()) is failure


def test_run_async_cancels_the_other_prompts_when_an_answer_stays_invalid():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), reask=0))
        await prompts.all_open.wait()
        prompts.open["b"].set_result(yes())
        await asyncio.wait([task])
        assert (task.exception().at, prompts.cancelled, len(server.sent)) == ("/b/n", ["a"], 1)

    asyncio.run(main())


@pytest.mark.parametrize("concurrency", [1, 2, 3, 5])
def test_run_async_opens_as_many_questions_at_a_time_as_concurrency_says(concurrency):
    keys = "abcde"
    open_now, most, order = set(), 0, []

    async def wait_for(request: Request) -> Any:
        nonlocal most
        order.append(request.prompt)
        open_now.add(request.prompt)
        most = max(most, len(open_now))
        for _ in range(3):
            await asyncio.get_running_loop().run_in_executor(None, int)
        open_now.remove(request.prompt)
        return yes(n=request.prompt)

    server = Server(asking(**{key: form(key) for key in keys}), DONE)
    assert at_once(call(), server, Handlers(wait_for), concurrency=concurrency) == DONE
    assert (most, "".join(order)) == (concurrency, keys)
    assert list(server.responses) == list(keys)
    assert all(response["content"] == {"n": key} for key, response in server.responses.items())


def test_run_async_with_a_concurrency_of_1_asks_again_before_it_asks_the_next_question():
    order = []

    async def wait_for(request: Request) -> Any:
        order.append(request.prompt)
        return yes(n=7 if order == ["a"] else "x")

    server = Server(asking(a=form("a"), b=form("b")), DONE)
    at_once(call(), server, Handlers(wait_for), concurrency=1)
    assert order == ["a", "a", "b"]


@pytest.mark.parametrize("concurrency", [None, 1, 2])
@pytest.mark.parametrize("wait", [False, True], ids=["at once", "later"])
def test_run_async_asks_nothing_more_once_a_question_has_failed(concurrency, wait):
    asked = []

    async def wait_for(request: Request) -> Any:
        asked.append(request.prompt)
        if wait:
            await later(None)
        if request.prompt == "a":
            raise Veto
        return yes(n="x")

    def fail_at_once(request: Request) -> Any:
        asked.append(request.prompt)
        raise Veto

    server = Server(asking(**{key: form(key) for key in "abcd"}))
    handlers = Handlers(wait_for if wait else fail_at_once)
    raised(Veto, at_once, call(), server, handlers, concurrency=concurrency)
    assert asked == ["a"]


@pytest.mark.parametrize(("concurrency", "kind"), [(0, LocalProtocolError), (-1, LocalProtocolError), (1.0, TypeError)])
def test_run_async_refuses_a_concurrency_that_is_no_number_from_1(concurrency, kind):
    server = Server(DONE)
    with pytest.raises(kind, match="concurrency"):
        at_once(call(), server, Handlers(), concurrency=concurrency)
    assert server.sent == []


def test_run_async_ends_cancelled_when_a_prompt_cancels_itself():
    async def main() -> None:
        server, prompts = Server(asking(a=form("a"), b=form("b")), DONE), Prompts()
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=60))
        await prompts.all_open.wait()
        prompts.open["b"].cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert (prompts.cancelled, len(server.sent)) == (["b", "a"], 1)

    asyncio.run(main())


@pytest.mark.parametrize("fail_when_cancelled", [False, True])
@pytest.mark.parametrize("timeout", [None, 60])
def test_cancelling_run_async_cancels_its_prompts_and_sends_nothing(fail_when_cancelled, timeout):
    async def main() -> None:
        server = Server(asking(a=form("a"), b=form("b")), DONE)
        prompts = Prompts(fail_when_cancelled=fail_when_cancelled)
        task = asyncio.create_task(run_async(call(), server, Handlers(prompts.wait_for), timeout=timeout))
        await prompts.all_open.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert (sorted(prompts.cancelled), len(server.sent)) == (["a", "b"], 1)

    asyncio.run(main())


@pytest.mark.parametrize("fail_when_cancelled", [False, True])
def test_run_async_cancels_open_prompts_at_its_answer_timeout(fail_when_cancelled):
    server = Server(asking(a=form("a"), b=form("b")), DONE)

    async def main() -> None:
        prompts = Prompts(fail_when_cancelled=fail_when_cancelled)
        try:
            await run_async(call(), server, Handlers(prompts.wait_for), answer_timeout=0.005)
        finally:
            assert sorted(prompts.cancelled) == ["a", "b"]

    raised(CallTimeout, asyncio.run, main())
    assert len(server.sent) == 1


def test_run_async_cancels_send_at_its_timeout():
    async def main() -> None:
        await run_async(call(), lambda *_: asyncio.get_running_loop().create_future(), Handlers(), timeout=0.005)

    raised(CallTimeout, asyncio.run, main())


async def come_late(value: Any) -> Any:
    """Give a value only when one is cancelled, as a prompt does that makes an answer of that."""
    try:
        await asyncio.get_running_loop().create_future()
    except asyncio.CancelledError:
        return value


def test_run_async_sends_no_answer_that_a_prompt_gives_after_the_answer_timeout():
    server = Server(asking(a=FORM), DONE)

    async def check() -> None:
        await run_async(call(), server, Handlers(lambda _: come_late(NO)), answer_timeout=0.005)

    assert raised(CallTimeout, asyncio.run, check()).at == "/answer_timeout"
    assert len(server.sent) == 1


def test_run_async_takes_a_result_that_comes_after_the_timeout():
    async def check() -> Any:
        return await run_async(call(), lambda *_: come_late(DONE), Handlers(), timeout=0.005)

    assert asyncio.run(check()) == DONE


def test_run_async_awaits_send_handlers_and_on_step():
    server, seen = Server(asking(a=FORM, b=LLM, c=ROOTS), DONE), []

    async def on_step(step: Call | Pause) -> None:
        seen.append(type(step))

    handlers = Handlers(lambda _: later(NO), lambda _: later(MESSAGE), lambda: later([]))
    result = at_once(call(), lambda *arguments: later(server(*arguments)), handlers, on_step=on_step)
    assert (result, seen) == (DONE, [Call, Pause, Call])
    assert server.responses == {"a": {"action": "decline"}, "b": MESSAGE, "c": {"roots": []}}


def test_run_async_takes_the_answer_of_a_prompt_in_a_thread():
    async def wait_for(request: Request) -> Any:
        return await asyncio.to_thread(Person(yes(n="x")), request)

    server = Server(asking(a=FORM), DONE)
    assert at_once(call(), server, Handlers(wait_for)) == DONE
    assert server.responses == {"a": {"action": "accept", "content": {"n": "x"}}}


def test_run_async_keeps_two_calls_with_the_same_keys_apart():
    async def main() -> None:
        open_prompts: dict[str, asyncio.Future[Any]] = {}
        both_open = asyncio.Event()

        async def wait_for(request: Request) -> Any:
            open_prompts[request.id] = asyncio.get_running_loop().create_future()
            if len(open_prompts) == 2:
                both_open.set()
            return await open_prompts[request.id]

        servers = [Server(asking(state, confirm=FORM), DONE) for state in "AB"]
        calls = [Call("tools/call", {"name": name}, capabilities=EVERYTHING) for name in "ab"]
        tasks = [
            asyncio.create_task(run_async(one, server, Handlers(wait_for)))
            for one, server in zip(calls, servers, strict=True)
        ]
        await both_open.wait()
        for name, one in reversed([*zip("ab", calls, strict=True)]):
            (id,) = [id for id in open_prompts if id.startswith(f"elc-{one.id}-0-")]
            open_prompts[id].set_result(Answer(id, ok=True, data={"n": name}))
        assert await asyncio.gather(*tasks) == [DONE, DONE]
        for name, state, server in zip("ab", "AB", servers, strict=True):
            content = {"confirm": {"action": "accept", "content": {"n": name}}}
            assert server.sent[1] == {"name": name, "inputResponses": content, "requestState": state}

    asyncio.run(main())
