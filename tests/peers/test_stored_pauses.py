"""A pause outlives the process that received it, and the server that sent it where that can still read its state."""

import json
import subprocess
import sys
import time

import pytest
from low_level_client import META, Http, ServerError
from peers import HERE, PLAIN, SEALED, TASKS, connected, heard, python, started
from resume_elsewhere import answers, fill_in

from toolnexus_mrtr import Call, ElicitResult, Handlers, LocalProtocolError, Pause

SIZE = {"size": {"action": "accept", "content": {"size": 0.5}}}
SURE = {"sure": {"action": "accept", "content": {"sure": True}}}


#: What is left to send of a call with three pauses.
TOOL_CALLS = ["tools/call"] * 3


def over_http(peers):
    return [peer for peer in peers if peer.transport == "HTTP with JSON"]


def paused(send, server="the travel agency"):
    call = Call("tools/call", {"name": "rounds", "arguments": {}, "_meta": META}, server=server)
    return call.receive(send(call.method, call.params))


def finish_elsewhere(stored, url):
    """Let another interpreter go on from the stored pause as this one would; give what it sent and what was heard."""
    command = [sys.executable, str(HERE / "resume_elsewhere.py"), url]
    done = json.loads(subprocess.run(command, input=stored, capture_output=True, check=True, timeout=60).stdout)
    pause = Pause.from_json(stored, server="the travel agency")
    assert done["call"].encode() == pause.resume(answers(pause)).to_json()
    return done["methods"], heard(done["result"])


@pytest.fixture(params=over_http(PLAIN + SEALED), ids=str)
def peer(request, connections, tested):
    """A server that the test starts itself, as often as it needs to."""
    (what,) = request.node.get_closest_marker("exercises").args
    tested(request.param.server, connections(request.param).version, request.param.transport, what)
    return request.param


@pytest.mark.exercises("stored pause, resumed by another process")
def test_another_process_goes_on_from_a_stored_pause(peer):
    with started(peer.command) as url:
        with Http(url) as server:
            stored = paused(server.send).to_json()
        assert finish_elsewhere(stored, url) == (TOOL_CALLS, [SIZE, None, SURE])


def pause_until(state, send):
    """The first pause of a task in this state."""
    meta = Handlers(fill_in, tasks=True).meta()
    call = Call("tools/call", {"name": "survey", "_meta": meta}, server="the travel agency")
    while True:
        pause = call.receive(send(call.method, call.params))
        if state(call, pause):
            return pause
        time.sleep(pause.delay)
        call = pause.resume(answers(pause))


@pytest.mark.exercises("stored pause of a task, resumed by another process")
@pytest.mark.parametrize("peer", over_http(TASKS), indirect=True, ids=str)
@pytest.mark.parametrize(
    ("state", "left"),
    [
        pytest.param(lambda _, pause: pause.task_id is not None, ["tasks/update"] * 2, id="working"),
        pytest.param(lambda _, pause: pause.requests, ["tasks/update"] * 2, id="asked"),
        pytest.param(lambda call, _: call.method == "tasks/update", ["tasks/update"], id="acknowledged"),
    ],
)
def test_another_process_goes_on_from_a_stored_pause_of_a_task(peer, connections, state, left):
    server = connections(peer)
    stored = pause_until(state, server.send).to_json()
    methods, told = finish_elsewhere(stored, server.transport.url)
    assert [method for method in methods if method != "tasks/get"] == left
    assert told == [SIZE, SURE]


@pytest.mark.exercises("server restarted between rounds")
def test_a_server_that_can_read_its_state_goes_on_after_a_restart(peer):
    with connected(peer) as server:
        stored = paused(server.send).to_json()
    with started(peer.command) as url:
        assert finish_elsewhere(stored, url) == (TOOL_CALLS, [SIZE, None, SURE])


def test_a_server_that_lost_the_key_of_its_state_refuses_it_after_a_restart():
    sealed_by_a_fresh_key = python("python_server.py", "--sealed")
    with started(sealed_by_a_fresh_key) as url, Http(url) as server:
        pause = paused(server.send)
    retry = pause.resume({"size": ElicitResult(action="cancel")})
    with started(sealed_by_a_fresh_key) as url, Http(url) as server:
        with pytest.raises(ServerError) as caught:
            server.send(retry.method, retry.params)
        assert (caught.value.code, caught.value.data["reason"]) == (-32602, "invalid_request_state")
        assert paused(server.send).request_state != pause.request_state


def test_a_pause_that_another_server_sent_is_not_resumed(connections):
    stored = paused(connections(PLAIN[0]).send, server="the bank").to_json()
    with pytest.raises(LocalProtocolError) as caught:
        Pause.from_json(stored, server="the travel agency")
    assert caught.value.code == "wrong_server"
