"""The commands that call a server: over HTTP and stdio, scripted, interrupted and gone on with elsewhere."""

import json
import shlex
import signal
import stat
import subprocess
import sys
from types import SimpleNamespace

import pytest
from command_line import refusal, run, sentence, sentences
from http_server import Reply, reply_with, serve

from toolnexus_mrtr.cli._call import _http
from toolnexus_mrtr.cli._demo import _server

DEMO = shlex.join([sys.executable, "-I", _server.__file__])
ADA = ("--accept", "who.name=Ada", "--accept", "when.day=2026-07-28")
BOOKED = {"name": "Ada", "guests": 2, "day": "2026-07-28"}
DONE = {"resultType": "complete", "content": [{"type": "text", "text": "done"}]}


@pytest.fixture
def demo():
    """The server of the demo over HTTP: its url, and the requests that it got."""
    server = _server.Server()
    with serve(lambda message: Reply(json.dumps(server.answer(json.dumps(message).encode())).encode())) as served:
        yield served


def play(*results):
    """Serve these results, or errors, one after the other."""
    coming = iter(results)
    return serve(lambda message: reply_with(message, next(coming)))


def result_of(*arguments, columns=None):
    done = run(*arguments, columns=columns)
    assert done.status == 0, done.err
    return json.loads(done.out)


def last_sentence(err):
    return sentence(err[err.rindex("toolnexus-mrtr: ") :])


def fail(reply, *arguments):
    """Call a server that replies so, and give the only sentence of the error."""
    with serve(lambda _: reply) as (url, posts):
        done = run("call", url, "t", *arguments)
    assert (done.status, done.out, len(posts)) == (1, "", 1)
    return last_sentence(done.err)


NO_MESSAGE = "the server sent what is no message: expected a JSON object in UTF-8"

# What is sent, and what is printed.


def test_call_answers_every_round_over_http_and_prints_the_result(demo):
    url, posts = demo
    assert result_of("call", url, "booking", *ADA, "--arg", "a=1", "--arg", "b:=1.0")["structuredContent"] == BOOKED
    assert [post.message["id"] for post in posts] == [1, 2, 3]
    first, second, third = (post.message["params"] for post in posts)
    assert json.dumps(first["arguments"]) == '{"a": "1", "b": 1.0}'
    assert first["_meta"]["io.modelcontextprotocol/clientCapabilities"] == {
        "elicitation": {"form": {}, "url": {}},
        "extensions": {"io.modelcontextprotocol/tasks": {}},
    }
    assert second["inputResponses"] == {"who": {"action": "accept", "content": {"name": "Ada"}}}
    assert third["inputResponses"] == {"when": {"action": "accept", "content": {"day": "2026-07-28"}}}
    assert {"arguments", "_meta", "name", "requestState"} < second.keys()


def test_call_sends_the_headers_of_the_protocol_and_those_that_were_given(demo, tmp_path):
    url, posts = demo
    (tmp_path / "headers").write_text("Authorization: Bearer a b\n\nX-Empty:\n", "ascii")
    result_of("call", url, "state", "--header", f"@{tmp_path}/headers", "--header", "X-Team:  blue ")
    given = {name: posts[0].headers.get(name) for name in ("authorization", "x-empty", "x-team")}
    assert given == {"authorization": "Bearer a b", "x-empty": "", "x-team": "blue"}
    assert {name: value for name, value in posts[0].headers.items() if name.startswith(("mcp-", "content-type"))} == {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "state",
        "content-type": "application/json",
    }


def test_call_follows_a_task_over_http(demo):
    url, posts = demo
    result = result_of("call", url, "task", "--accept", "delivery.day=2026-07-28")
    assert result["content"][0]["text"] == "The parcel comes on 2026-07-28."
    assert {post.headers["mcp-method"] for post in posts} == {"tools/call", "tasks/get", "tasks/update"}


def test_call_speaks_to_the_server_of_a_command():
    assert result_of("call", "--stdio", DEMO, "booking", *ADA)["structuredContent"] == BOOKED


def test_prompt_and_resource_send_their_own_methods():
    with play({"result": {"messages": []}}, {"result": {"contents": []}}) as (url, posts):
        assert result_of("prompt", url, "p", "--arg", "a=1") == {"messages": []}
        assert result_of("resource", url, "file:///a") == {"contents": []}
    prompt, resource = (post.message for post in posts)
    assert (prompt["method"], prompt["params"]["name"], prompt["params"]["arguments"]) == (
        "prompts/get",
        "p",
        {"a": "1"},
    )
    assert (resource["method"], resource["params"]["uri"]) == ("resources/read", "file:///a")


def test_call_declares_what_it_was_told_to_and_answers_that_by_json():
    asked = {"resultType": "input_required", "inputRequests": {"r": {"method": "roots/list"}}}
    with play({"result": asked}, {"result": DONE}) as (url, posts):
        assert result_of("call", url, "t", "--declare", "roots", "--json", 'r={"roots": []}') == DONE
    declared = posts[0].message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    assert declared["roots"] == {}
    assert posts[1].message["params"]["inputResponses"] == {"r": {"roots": []}}


def test_call_prints_texts_on_a_terminal_and_anything_else_as_json():
    texts = [{"type": "text", "text": "one\x1b[2J"}, {"type": "text", "text": "two\nthree"}]
    with play({"result": {"content": texts}}, {"result": {"content": [*texts, {"type": "image"}]}}) as (url, _):
        assert run("call", url, "t", columns=80).out.splitlines() == ["one\\x1b[2J", "two", "three"]
        assert len(result_of("call", url, "t", columns=80)["content"]) == 3


def test_call_ends_with_status_1_where_the_result_is_an_error():
    with play({"result": {"content": [], "isError": True}}) as (url, _):
        done = run("call", url, "t")
    assert (done.status, json.loads(done.out)) == (1, {"content": [], "isError": True})


# How a server may answer, and what is refused.


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=repr)
def test_call_reads_a_stream_of_events(monkeypatch, newline, size):
    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "x": "a\u2028b"}}
    first, second = json.dumps(message, ensure_ascii=False).split(", ", 1)
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message"})
    events = [["\ufeff: hello"], [f"data: {note}"], ["event: other", "data: {"], [f"data: {first},", f"data: {second}"]]
    lines = [line for event in events for line in [*event, ""]]
    body = "".join(line + newline for line in lines).encode()
    monkeypatch.setattr(_http.httpx.Response, "iter_bytes", cut(_http.httpx.Response.iter_bytes, size))
    with serve(lambda _: Reply(body, "text/event-stream; charset=utf-8")) as (url, _):
        assert result_of("call", url, "t") == message["result"]


def cut(iter_bytes, size):
    return lambda response: iter_bytes(response, size)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(b"data: \xff\n\n", "text/event-stream"), "the server sent a stream of events that is no UTF-8"),
        (Reply(b"data: {}\n\n", "text/event-stream"), "the server ended before it answered tools/call"),
        (Reply(b"data: [\n\n", "text/event-stream"), NO_MESSAGE),
        (Reply(b'{"a": 1, "a": 1}'), NO_MESSAGE),
        (
            Reply(b"<html>", "text/html", 500),
            "the server answered tools/call with the status 500: expected JSON or a stream of events",
        ),
        (
            Reply(b"{}", status=401),
            "the server answered tools/call with the status 401: expected --header to authorize it",
        ),
        (
            Reply(b"{}", status=307, headers=(("location", 'http://127.0.0.1:1/"'),)),
            'the server redirects tools/call to "http://127.0.0.1:1/\\"": expected an answer, no redirect is followed',
        ),
        (
            Reply(b"x", headers=(("content-length", "5"),)),
            "expected an answer to tools/call: the connection broke",
        ),
        (
            Reply(b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "m"}}', status=400),
            "the server answered tools/call with the error -32600",
        ),
    ],
    ids=str,
)
def test_call_refuses_what_is_no_answer(reply, expected):
    assert fail(reply) == expected


def test_call_bounds_what_it_reads(monkeypatch):
    monkeypatch.setattr(_http, "_MAX_RESPONSE", 1 << 20)
    assert fail(Reply(b" " * ((1 << 20) + 1))) == "the server answered tools/call with more than 1 MiB"


def test_call_waits_no_longer_than_it_was_told_to(monkeypatch):
    late = "the server did not answer tools/call in time; --seconds says how long it may take"
    monkeypatch.setattr(_http.httpx.Client, "stream", raise_late)
    assert fail_to_send() == late
    monkeypatch.undo()
    monkeypatch.setattr(_http, "time", SimpleNamespace(monotonic=iter([0.0, 5.0]).__next__))
    assert fail(Reply(b"{}"), "--seconds", "1") == late


def raise_late(*_, **__):
    raise _http.httpx.ReadTimeout("late")


def fail_to_send():
    done = run("call", "http://127.0.0.1:1/mcp", "t")
    assert (done.status, done.out) == (1, "")
    return last_sentence(done.err)


def test_call_says_where_there_is_no_connection():
    assert fail_to_send() == "expected an answer to tools/call: no connection to the server could be made"


def test_call_reports_a_result_that_the_protocol_forbids():
    with play({"result": {"resultType": "bogus"}}) as (url, _):
        done = run("call", url, "t")
    assert (done.status, done.out) == (1, "")
    assert "/resultType" in last_sentence(done.err)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["http://a.example/mcp", "t"], "TARGET: expected an https url, or one of this machine"),
        (["python server.py", "t"], "TARGET: expected a url, or a command after --stdio; as a url it is refused: "),
        (
            ["https://u:p@a.example/", "t"],
            "TARGET: expected a url, or a command after --stdio; as a url it is refused: ",
        ),
        (["--stdio", "'", "t"], "TARGET: expected a command"),
        (["--stdio", "/missing/x", "t"], "--stdio: expected a program that runs: "),
        (["--stdio", "x", "t", "--header", "A: b"], "--header: expected a url as TARGET"),
        (["https://a.example/", "t", "--header", "A"], "--header: expected NAME: VALUE in ASCII, or @FILE"),
        (["https://a.example/", "t", "--header", "A: b\r\nC: d"], "--header: expected NAME: VALUE in ASCII"),
        (
            ["https://a.example/", "t", "--header", "mcp-name: b"],
            "--header: expected a header that the protocol leaves",
        ),
        (
            ["https://a.example/", "t", "--header", "A: b", "--header", "@/missing"],
            "--header, number 2: expected a file",
        ),
        (["https://a.example/", "t", "--arg", "x"], "--arg: expected NAME=VALUE for a text, or NAME:=JSON"),
        (["https://a.example/", "t", "--arg", "x=", "--arg", "x:=1"], '--arg, number 2: expected each name once, "x"'),
        (["https://a.example/", "t", "--arg", "x:=secret"], "--arg: expected JSON after :="),
        (["https://a.example/", "t", "--args", "[]"], "--args: expected a JSON object, or @FILE"),
        (["https://a.example/", "t", "--save", "-"], "--save: expected the name of a file"),
        (["https://a.example/", "t", "--log", "-"], "--log: expected the name of a file"),
        (["https://a.example/", "t\udcff"], "the name: expected text in the encoding of the terminal"),
    ],
)
def test_call_refuses_wrong_arguments_in_one_sentence_that_repeats_none(arguments, expected):
    told = refusal("call", *arguments)
    assert told.startswith(expected)
    assert "secret" not in told


def test_prompt_takes_texts_alone():
    assert (
        refusal("prompt", "https://a.example/", "p", "--arg", "x:=1") == "expected texts as the arguments of a prompt"
    )


def test_call_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.delitem(sys.modules, "toolnexus_mrtr.cli._call._http")
    told = refusal("call", "https://a.example/", "t")
    assert told == "TARGET: expected the package httpx: pip install 'toolnexus-mrtr[call]'"


def test_call_over_stdio_needs_no_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert result_of("call", "--stdio", DEMO, "state")["resultType"] == "complete"


# Going on later.


def test_resume_goes_on_in_another_process_from_what_save_stored(demo, tmp_path):
    url, posts = demo
    saved = tmp_path / "saved.json"
    done = run("call", url, "booking", "--accept", "who.name=Ada", "--save", str(saved))
    assert (done.status, done.out) == (2, "")
    stored, unanswered = sentences(done.err[done.err.index("toolnexus-mrtr: ") :])
    assert stored.startswith("stored what --save names; `toolnexus-mrtr resume` goes on from it")
    assert unanswered.startswith('"when" is asked, and nobody is there to answer')
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    command = [sys.executable, "-m", "toolnexus_mrtr", "resume", url, str(saved), "--accept", "when.day=2026-07-28"]
    resumed = subprocess.run(command, capture_output=True, check=True)
    assert json.loads(resumed.stdout)["structuredContent"] == BOOKED
    assert len(posts) == 3


def test_resume_refuses_another_target_and_what_save_did_not_store(demo, tmp_path):
    url, _ = demo
    saved = str(tmp_path / "saved.json")
    run("call", f"{url}?token=secret", "booking", "--save", saved)
    for other in (url, f"{url}?token=other", f"{url}/x?token=secret", "https://a.example/mcp"):
        assert (
            refusal("resume", other, saved) == "FILE: expected the TARGET that the call was stored for, found another"
        )
    (tmp_path / "other.json").write_text("{}", "ascii")
    assert refusal("resume", url, str(tmp_path / "other.json")).startswith("FILE: expected ")


def test_what_save_stores_holds_neither_headers_nor_the_query_of_the_target(demo, tmp_path):
    url, _ = demo
    saved = tmp_path / "saved.json"
    run("call", f"{url}?token=secret", "booking", "--header", "A: secret", "--save", str(saved))
    assert "secret" not in saved.read_text("ascii")


def test_resume_sends_again_what_was_lost_and_says_that_it_may_have_arrived(tmp_path):
    saved = str(tmp_path / "saved.json")
    paused = {"resultType": "input_required", "requestState": "s"}
    replies = iter([{"result": paused}, None, {"result": DONE}])

    def answer(message):
        response = next(replies)
        return Reply(b"", "text/plain", 502) if response is None else reply_with(message, response)

    with serve(answer) as (url, posts):
        done = run("call", url, "t", "--save", saved)
        assert done.status == 1
        assert "the last request may have reached the server: resume sends it again" in done.err
        assert result_of("resume", url, saved) == DONE
    assert posts[1].message["params"] == posts[2].message["params"]


def test_resume_gives_a_call_of_too_many_rounds_as_many_more(tmp_path):
    saved, answers = str(tmp_path / "saved.json"), tmp_path / "answers.json"
    params = {"requestedSchema": {"type": "object"}}
    asks = [{"method": "elicitation/create", "params": {"message": f"m{n}", **params}} for n in range(12)]
    paused = [{"result": {"resultType": "input_required", "inputRequests": {"k": ask}}} for ask in asks]
    answers.write_text(json.dumps([{"k": {"action": "decline"}}] * 10), "ascii")
    with play(*paused, {"result": DONE}) as (url, posts):
        done = run("call", url, "t", "--answers", str(answers), "--save", saved)
        assert (done.status, len(posts)) == (1, 11)
        assert result_of("resume", url, saved, "--answers", str(answers)) == DONE


def test_a_task_is_left_running_where_the_call_is_stored_and_cancelled_where_it_is_not(demo, tmp_path):
    url, posts = demo
    saved = str(tmp_path / "saved.json")
    assert run("call", url, "task", "--save", saved).status == 2
    assert "tasks/cancel" not in [post.message["method"] for post in posts]
    result = result_of("resume", url, saved, "--decline", "delivery")
    assert result["content"][0]["text"] == "The parcel stays."
    for arguments in ([], ["--save", str(tmp_path / "missing" / "saved.json")]):
        done = run("call", url, "task", *arguments)
        assert done.status == 2
        assert "toolnexus-mrtr: the task of the call was cancelled\n" in done.err
        assert posts[-1].message["method"] == "tasks/cancel"


@pytest.fixture
def _signals_that_end_a_program():
    """Signals as a shell leaves them; who runs the tests may have them ignored, as `nohup` does."""
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_signals_that_end_a_program")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_is_no_answer_and_stores_the_call(tmp_path, number):
    saved = tmp_path / "saved.json"
    (tmp_path / "server.py").write_text(
        "import sys; sys.stdin.readline(); print('x', file=sys.stderr, flush=True); sys.stdin.read()"
    )
    server = shlex.join([sys.executable, str(tmp_path / "server.py")])
    arguments = [sys.executable, "-m", "toolnexus_mrtr", "call", "--stdio", server, "t", "--save", str(saved)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ours:
        assert ours.stderr.readline() == b'Sent: tools/call "t".\n'
        assert ours.stderr.readline() == b"x\n"
        ours.send_signal(number)
        out, err = ours.communicate(timeout=30)
    assert (ours.returncode, out) == (128 + number, b"")
    assert sentences(err.decode())[0].startswith("stored what --save names")
    assert json.loads(saved.read_bytes())


# The log.


def test_log_has_every_message_without_what_is_secret(demo, tmp_path):
    url, _ = demo
    path = tmp_path / "log.json"
    result_of("call", url, "booking", *ADA, "--header", "A: secret", "--log", str(path))
    steps = json.loads(path.read_bytes())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [sorted(step) for step in steps] == [["headers", "request", "response"]] * 3
    assert set(steps[0]["headers"].values()) == {"(value)"}
    assert steps[0]["request"]["params"]["name"] == "booking"
    assert steps[0]["response"]["result"]["requestState"] == steps[1]["request"]["params"]["requestState"] == "(state)"
    who = {"who": {"action": "accept", "content": {"name": "(answer)"}}}
    assert steps[1]["request"]["params"]["inputResponses"] == who


def test_log_hides_the_id_of_a_task_wherever_a_server_writes_it(tmp_path):
    about = {
        "taskId": "t-1",
        "status": "working",
        "createdAt": "",
        "lastUpdatedAt": "",
        "ttlMs": None,
        "pollIntervalMs": 50,
    }
    asked = {"t-1:k": {"method": "roots/list"}}
    results = [
        {**about, "resultType": "task", "statusMessage": "t-1 works"},
        {**about, "resultType": "complete", "status": "input_required", "inputRequests": asked},
        {"resultType": "complete"},
        {**about, "resultType": "complete", "status": "completed", "result": {"content": []}},
    ]
    path = tmp_path / "log.json"
    with play(*[{"result": result} for result in results]) as (url, _):
        arguments = ["--declare", "roots", "--json", 't-1:k={"roots": [{"uri": "file:///a"}]}']
        result_of("call", url, "t", *arguments, "--log", str(path))
    assert "t-1" not in path.read_text("ascii")
    update = json.loads(path.read_bytes())[2]["request"]["params"]
    assert update["inputResponses"] == {"(task id):k": {"roots": "(answer)"}}


def test_log_secrets_shows_it_all(demo, tmp_path):
    url, posts = demo
    path = tmp_path / "log.json"
    result_of("call", url, "booking", *ADA, "--log", str(path), "--log-secrets")
    steps = json.loads(path.read_bytes())
    assert [step["request"] for step in steps] == [post.message for post in posts]


def test_log_is_written_where_a_call_fails(tmp_path):
    path = tmp_path / "log.json"
    assert run("call", "http://127.0.0.1:1/", "t", "--log", str(path)).status == 1
    (step,) = json.loads(path.read_bytes())
    assert step.keys() == {"request", "headers"}


def test_a_log_that_cannot_be_written_loses_no_result(demo, tmp_path):
    url, _ = demo
    done = run("call", url, "state", "--log", str(tmp_path / "missing" / "log.json"))
    assert (done.status, json.loads(done.out)["resultType"]) == (1, "complete")
    assert last_sentence(done.err).startswith("--log: expected it to be writable: ")
