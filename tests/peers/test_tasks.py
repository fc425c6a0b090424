"""Tools that become tasks on three servers, by the README's loop, to the letter, and by both drivers."""

import asyncio
import re
from unittest.mock import patch

import httpx
import pytest
from drives import DRIVES, HEARD, handlers
from low_level_client import ServerError, complete, encode, headers, request
from peers import EXTENSION, HERE, SCRIPT, TASKS, TYPESCRIPT, heard
from resume_elsewhere import fill_in

import toolnexus_mrtr
from toolnexus_mrtr import (
    Call,
    Handlers,
    Pause,
    RemoteProtocolError,
    TaskCancelled,
    TaskFailed,
    run,
    run_async,
)

README = (HERE.parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
(LOOP,) = [block for block in BLOCKS if "def call_tool(" in block]

on_every_server = pytest.mark.parametrize("server", TASKS, indirect=True, ids=str)
on_servers_of_our_own = pytest.mark.parametrize("server", EXTENSION + TYPESCRIPT, indirect=True, ids=str)

SIZE = {"size": {"action": "accept", "content": {"size": 0.5}}}
SURE = {"sure": {"action": "accept", "content": {"sure": True}}}
CONSENT = {"consent": {"action": "accept"}}


class Watched:
    """What is sent to a server, and what a person is asked."""

    def __init__(self, server):
        self.server, self.methods, self.results, self.asked = server, [], [], []

    def send(self, method, params):
        self.methods.append(method)
        self.results.append(self.server.send(method, params))
        return self.results[-1]

    def ask(self, request):
        self.asked.append(request)
        return fill_in(request)


def call_tool(server, name, *, tasks=True):
    """Run the README's loop, or let it declare no tasks; give its result, and what was sent and asked."""
    watched, names = Watched(server), {}
    declaring = Handlers if tasks else lambda wait_for, **_: Handlers(wait_for)
    with patch.object(toolnexus_mrtr, "Handlers", declaring):
        exec(compile(LOOP, "README.md", "exec"), names)
    return names["call_tool"](watched.send, watched.ask, name, {}), watched


def task_call(name, **options):
    return Call("tools/call", {"name": name, "arguments": {}, "_meta": handlers(tasks=True).meta()}, **options)


def task_of(server, name):
    """The first pause of a call that has become a task."""
    call = task_call(name)
    pause = call.receive(server.send(call.method, call.params))
    assert pause.task_id is not None
    return pause


def state_of(server, task_id):
    call = Call("tasks/get", {"taskId": task_id, "_meta": handlers(tasks=True).meta()})
    return server.send(call.method, call.params)["status"]


@pytest.mark.exercises("the README's loop, through a plain call, through pauses and through a task")
@on_every_server
def test_the_readmes_loop_takes_a_tool_to_its_end_as_a_plain_call(server):
    result, watched = call_tool(server, "work", tasks=False)
    assert heard(result) == []
    assert watched.methods == ["tools/call"]


@pytest.mark.exercises("the README's loop, through a plain call, through pauses and through a task")
@on_every_server
def test_the_readmes_loop_takes_a_tool_to_its_end_through_pauses(server):
    result, watched = call_tool(server, "survey", tasks=False)
    assert heard(result) == [SIZE, SURE]
    assert watched.methods == ["tools/call"] * 3


@pytest.mark.exercises("the README's loop, through a plain call, through pauses and through a task")
@on_every_server
def test_the_readmes_loop_takes_a_tool_to_its_end_as_a_task_and_asks_everything_once(server):
    result, watched = call_tool(server, "survey")
    assert heard(result) == [SIZE, SURE]
    assert [request.prompt for request in watched.asked] == ["How large?", "Sure?"]
    assert watched.methods[0] == "tools/call"
    assert set(watched.methods[1:]) == {"tasks/get", "tasks/update"}
    assert watched.methods.count("tasks/update") == 2


@pytest.mark.exercises("task that works, then completes")
@on_every_server
def test_a_task_that_asks_nothing_is_polled_until_it_completes(server):
    result, watched = call_tool(server, "work")
    assert heard(result) == []
    assert watched.asked == []
    assert watched.methods[0] == "tools/call"
    assert set(watched.methods[1:]) == {"tasks/get"}
    assert (watched.results[0]["status"], watched.results[-1]["status"]) == ("working", "completed")


@pytest.mark.exercises("several requests of a task at once")
@on_every_server
def test_several_answers_to_a_task_arrive_together(server):
    result, watched = call_tool(server, "several")
    who = {"action": "accept", "content": {"who": SCRIPT["entered"]["who"]}}
    assert heard(result) == [{"a/b~c": who, "": {"action": "accept", "content": {}}, "consent": {"action": "accept"}}]
    assert watched.methods.count("tasks/update") == 1


@pytest.mark.exercises("form, sampling and roots of a task at once")
@on_every_server
@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: drive.__name__)
def test_a_form_a_sampling_and_the_roots_of_a_task_arrive_together(server, drive):
    assert heard(drive(task_call("mixed"), server.send, handlers(tasks=True))) == [HEARD]


@pytest.mark.exercises("pause before the task")
@on_servers_of_our_own
def test_a_pause_before_the_task_is_resumed_first(server):
    result, watched = call_tool(server, "ask_first")
    assert heard(result) == [CONSENT, SURE]
    assert watched.methods[:2] == ["tools/call"] * 2
    assert set(watched.methods[2:]) == {"tasks/get", "tasks/update"}


@pytest.mark.exercises("task that fails")
@on_every_server
def test_a_task_that_fails_raises_what_the_server_says_of_it(server):
    with pytest.raises(TaskFailed) as caught:
        call_tool(server, "fail")
    assert caught.value.error == SCRIPT["tasks"]["fail"]["error"]
    assert caught.value.status_message == "the printer is on fire"


@pytest.mark.exercises("task of a tool with `isError`")
@on_every_server
def test_a_tool_that_refuses_as_a_task_completes_with_its_error(server):
    result, _ = call_tool(server, "refuse")
    assert result["isError"] is True
    assert heard(result) == []


@pytest.mark.exercises("task that is finished when it is first heard of")
@on_servers_of_our_own
def test_a_task_that_is_born_finished_gives_its_result(server):
    result, watched = call_tool(server, "born_finished")
    assert heard(result) == []
    assert watched.methods == ["tools/call", "tasks/get"]


@pytest.mark.exercises("`ttlMs: null`")
@on_servers_of_our_own
def test_a_task_without_a_time_to_live_gives_its_result(server):
    result, watched = call_tool(server, "unlimited")
    assert heard(result) == []
    assert watched.results[0]["ttlMs"] is None


@pytest.mark.exercises("task cancelled by hand, and after a veto, an interruption and a cancellation")
@on_every_server
def test_a_task_is_cancelled_by_hand_and_says_so(server):
    call = task_of(server, "last").cancel_task()
    with pytest.raises(TaskCancelled):
        complete(server.send, call, lambda _: {})


def interrupt(step):
    if isinstance(step, Pause):
        raise KeyboardInterrupt


def veto(step):
    if isinstance(step, Pause):
        raise PermissionError


@pytest.mark.exercises("task cancelled by hand, and after a veto, an interruption and a cancellation")
@on_every_server
@pytest.mark.parametrize(("stop", "raised"), [(veto, PermissionError), (interrupt, KeyboardInterrupt)])
def test_run_cancels_the_task_on_its_server_when_it_is_stopped(server, stop, raised):
    watched = Watched(server)
    with pytest.raises(raised):
        run(task_call("last"), watched.send, handlers(tasks=True), on_step=stop)
    assert watched.methods == ["tools/call", "tasks/cancel"]
    assert state_of(server, watched.results[0]["taskId"]) == "cancelled"


@pytest.mark.exercises("task cancelled by hand, and after a veto, an interruption and a cancellation")
@on_every_server
def test_run_async_cancels_the_task_on_its_server_when_it_is_cancelled(server):
    watched = Watched(server)

    async def send(method, params):
        return await asyncio.to_thread(watched.send, method, params)

    async def stopped():
        def stop(step):
            if isinstance(step, Pause):
                asyncio.current_task().cancel()

        await run_async(task_call("last"), send, handlers(tasks=True), on_step=stop)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(stopped())
    assert watched.methods == ["tools/call", "tasks/cancel"]
    assert state_of(server, watched.results[0]["taskId"]) == "cancelled"


@pytest.mark.exercises("task for a client that did not declare it")
@on_every_server
def test_a_tool_that_is_a_task_or_nothing_is_refused_to_a_client_without_tasks(server):
    with pytest.raises(ServerError) as caught:
        call_tool(server, "task_alone", tasks=False)
    assert caught.value.code == -32021
    assert caught.value.data["requiredCapabilities"]["extensions"] == {"io.modelcontextprotocol/tasks": {}}


@pytest.mark.exercises("task for a client that did not declare it")
@on_servers_of_our_own
def test_a_task_that_was_not_declared_is_refused_and_not_followed(server):
    watched = Watched(server)
    call = Call("tools/call", {"name": "task_undeclared", "_meta": handlers().meta()})
    with pytest.raises(RemoteProtocolError) as caught:
        call.receive(watched.send(call.method, call.params))
    assert (caught.value.code, caught.value.at) == ("unknown_result_type", "/resultType")


@pytest.mark.exercises("kinds of requests that were not declared, within a task")
@on_every_server
def test_a_task_that_asks_for_what_was_not_declared_is_refused(server):
    with pytest.raises(RemoteProtocolError) as caught:
        call_tool(server, "mixed")
    assert caught.value.code == "undeclared_capability"


@pytest.mark.exercises("`Mcp-Name` of a task, without which it is refused")
@pytest.mark.parametrize("server", TYPESCRIPT[:1], indirect=True, ids=str)
def test_a_poll_without_its_header_is_refused(server):
    call = task_of(server, "work").resume()
    message = request(call.method, call.params)
    sent = headers(message)
    assert sent.pop("Mcp-Name") == call.params["taskId"]
    answer = httpx.post(server.transport.url, content=encode(message), headers=sent, trust_env=False).json()
    assert answer["error"]["code"] == -32020
