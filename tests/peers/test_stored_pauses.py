"""A pause outlives the process that received it, and the server that sent it where that can still read its state."""

import json
import subprocess
import sys

import pytest
from low_level_client import META, Http, ServerError
from peers import HERE, PLAIN, SEALED, connected, python, started

from toolnexus_mrtr import Call, ElicitResult, LocalProtocolError, Pause

HEARD = [
    {"size": {"action": "accept", "content": {"size": 0.5}}},
    None,
    {"sure": {"action": "accept", "content": {"sure": True}}},
]


def over_http(peers):
    return [peer for peer in peers if peer.transport == "HTTP with JSON"]


def paused(send, server="the travel agency"):
    call = Call("tools/call", {"name": "rounds", "arguments": {}, "_meta": META}, server=server)
    return call.receive(send(call.method, call.params))


def resumed_elsewhere(stored, url):
    """What the server heard in the end, when another interpreter goes on from the stored pause."""
    command = [sys.executable, str(HERE / "resume_elsewhere.py"), url]
    done = subprocess.run(command, input=stored, capture_output=True, check=True, timeout=60)
    (content,) = json.loads(done.stdout)["content"]
    return json.loads(content["text"])


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
        assert resumed_elsewhere(stored, url) == HEARD


@pytest.mark.exercises("server restarted between rounds")
def test_a_server_that_can_read_its_state_goes_on_after_a_restart(peer):
    with connected(peer) as server:
        stored = paused(server.send).to_json()
    with started(peer.command) as url:
        assert resumed_elsewhere(stored, url) == HEARD


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
