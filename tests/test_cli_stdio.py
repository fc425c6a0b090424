"""The transport of the command line over standard input and output, and what it takes for a response."""

import json
import os
import sys

import pytest

from toolnexus_mrtr.cli import _process
from toolnexus_mrtr.cli._call import _stdio
from toolnexus_mrtr.cli._call._rpc import ServerError
from toolnexus_mrtr.cli._call._stdio import StdioServer
from toolnexus_mrtr.cli._errors import BadInput, CallFailed

RESULT = {"jsonrpc": "2.0", "id": 1, "result": {"a": 1.0}}


#: Functions for the code of a server.
HEAD = """import json, os, sys, time
def answer(id, **result): print(json.dumps({"id": id, "result": result}), flush=True)
"""


def server(code, seconds=30.0):
    return StdioServer([sys.executable, "-c", HEAD + code], seconds)


def answer_with(*messages):
    """A server that answers its first request with these messages, one a line; bytes are written as they are."""
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    data = b"".join(line + b"\n" for line in lines)
    return server(f"sys.stdin.readline(); sys.stdout.buffer.write({data!r}); sys.stdout.flush(); sys.stdin.read()")


def send(transport, method="tools/call"):
    with transport:
        return transport.send(method, {})


def refusal(transport, method="tools/call"):
    with pytest.raises(CallFailed) as caught:
        send(transport, method)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_a_request_is_one_line_of_ascii_with_an_id_of_its_own():
    with server("for line in sys.stdin.buffer: answer(json.loads(line)['id'], x=repr(line))") as transport:
        found = [transport.send("tools/call", {"name": "é\ud800"})["x"] for _ in range(2)]
    message = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"\\u00e9\\ud800"}}\n'
    assert found == [repr((message % id).encode("ascii")) for id in (1, 2)]


def test_what_is_no_response_to_the_request_is_passed_over():
    before = [{"jsonrpc": "2.0", "method": "notifications/message"}, b"", {**RESULT, "id": 7}, {**RESULT, "id": True}]
    assert send(answer_with(*before, {**RESULT, "id": "1"}, RESULT)) == {"a": 1.0}


def test_an_error_is_raised_with_its_code_and_without_the_servers_text():
    with pytest.raises(ServerError) as caught:
        send(answer_with({"id": 1, "error": {"code": -32602, "message": "Ada?"}}))
    assert str(caught.value) == "the server answered tools/call with the error -32602"
    assert (caught.value.method, caught.value.message) == ("tools/call", "Ada?")


def test_an_error_without_an_id_is_that_of_the_request():
    assert refusal(answer_with({"id": None, "error": {"code": -32700, "message": ""}})).endswith("the error -32700")


@pytest.mark.parametrize("error", [5, {}, {"code": True, "message": "m"}, {"code": 1}], ids=repr)
def test_an_error_without_code_and_message_is_refused(error):
    expected = "the server answered tools/call with an error: expected a code and a message in it"
    assert refusal(answer_with({"id": 1, "error": error})) == expected


@pytest.mark.parametrize("message", [{"id": 1}, {"id": 1, "result": []}, {"id": 1, "result": None}], ids=repr)
def test_a_response_without_a_result_is_refused(message):
    assert refusal(answer_with(message)) == "the server answered tools/call without a result: expected an object"


@pytest.mark.parametrize("line", [b"hello", b"[]", b'{"id": 1, "id": 1, "result": {}}', b'{"a": "\xff"}'], ids=repr)
def test_what_is_no_message_is_refused(line):
    assert refusal(answer_with(line)) == "the server sent what is no message: expected a JSON object in UTF-8"


@pytest.mark.parametrize("code", ["", "sys.stdin.close(); time.sleep(0.2)"], ids=["at once", "after its input"])
def test_a_server_that_ends_is_not_waited_for(code):
    with server(code) as transport:
        for _ in range(2):
            with pytest.raises(CallFailed, match=r"^the server ended before it answered tools/call$"):
                transport.send("tools/call", {"x": "x" * 100_000})


def test_a_server_has_no_more_time_than_it_was_given():
    assert refusal(server("sys.stdin.read()", 0.1)) == "the server did not answer tools/call within 0.1 seconds"


@pytest.mark.parametrize("has_groups", [True, False])
def test_a_server_that_does_not_end_is_killed(monkeypatch, has_groups):
    monkeypatch.setattr(_stdio, "_END_SECONDS", 0.1)
    if not has_groups:
        monkeypatch.delattr(os, "killpg")
    pid = send(server("answer(1, pid=os.getpid()); time.sleep(60)"))
    with pytest.raises(ProcessLookupError):
        os.kill(pid["pid"], 0)


def test_a_program_that_there_is_not_is_refused_by_the_option_that_named_it():
    with pytest.raises(BadInput, match="^--stdio: expected a program that runs: "), StdioServer(["/missing/x"], 1.0):
        pass


def test_a_command_is_split_on_posix_systems_only(monkeypatch):
    assert _process.split_command("a 'b c'", "--stdio") == ["a", "b c"]
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(BadInput, match="^--stdio: expected a POSIX system"):
        _process.split_command("a", "--stdio")
