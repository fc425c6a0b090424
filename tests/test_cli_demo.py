"""The command `demo`: each tool of its server, played to its end; and that server alone."""

import io
import json
import os
import runpy
import subprocess
import sys
from unittest import mock

import pytest
from command_line import run, sentence, sentences

from toolnexus_mrtr import Call, Done, lint, request_meta
from toolnexus_mrtr.cli._call import _exchange
from toolnexus_mrtr.cli._demo import _command, _server

META = request_meta(form=True, url=True, tasks=True)
ADA = ("--accept", "who.name=Ada", "--accept", "who.guests=3", "--accept", "when.day=2026-07-28")


def demo(*arguments):
    """Run `demo` and give the text of its result, and what was told on standard error, line by line."""
    done = run("demo", *arguments)
    assert done.status == 0, done.err
    (content,) = json.loads(done.out)["content"]
    return content["text"], done.err.splitlines()


def test_demo_plays_two_rounds_and_prints_the_result_alone():
    done = run("demo", *ADA)
    assert done.status == 0
    assert json.loads(done.out) == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "A table for 3 is booked for Ada, on 2026-07-28."}],
        "structuredContent": {"name": "Ada", "guests": 3, "day": "2026-07-28"},
    }


def test_demo_tells_what_was_asked_what_was_answered_and_what_it_came_to():
    _, told = demo(*ADA)
    assert [line for line in told if not line.startswith("  ")] == [
        'Sent: tools/call "booking".',
        "The call is paused. Asked: 1. A state to echo: yes.",
        "",
        '"who": a form',
        'Answered: "who", accept with "name", "guests".',
        'Sent again: tools/call "booking".',
        "The call is paused. Asked: 1. A state to echo: yes.",
        "",
        '"when": a form',
        'Answered: "when", accept with "day".',
        'Sent again: tools/call "booking".',
        "The call is done.",
    ]
    assert "  | Who is the table for?" in told
    assert '  "name": text, required' in told


def test_demo_tells_of_no_value_that_was_answered():
    asked = run("demo", "form", "--accept", "about.name=Eve Adams", "--accept", "about.seat=w")
    assert json.loads(asked.out)["structuredContent"] == {"name": "Eve Adams", "seat": "w"}
    assert "Eve" not in asked.err


def test_demo_declines_and_visits_as_it_was_told():
    assert demo("decline", "--decline", "delete")[0] == "Nothing was deleted, since you declined."
    assert demo("url", "--accept", "sign_in")[0] == "You say that you have signed in."


def test_demo_follows_a_task_and_tells_of_it_without_its_id():
    _, told = demo("task", "--accept", "delivery.day=2026-07-28")
    assert "  | Looking for the parcel." in told
    assert [line for line in told if line.startswith("Sent")] == [
        'Sent: tools/call "task".',
        "Sent: tasks/get.",
        "Sent: tasks/get.",
        "Sent: tasks/update.",
        "Sent: tasks/get.",
        "Sent: tasks/get.",
    ]


def test_demo_shows_a_form_with_every_kind_of_field():
    _, told = demo("form", "--decline", "about")
    kinds = {line.partition(": ")[2].partition(",")[0] for line in told if line.startswith('  "')}
    assert kinds == {"text", "a number", "a whole number", "yes or no", "one choice", "any of the choices"}


def test_demo_accepts_nothing_for_nobody():
    done = run("demo")
    assert (done.status, done.out) == (2, "")
    assert sentence(done.err[done.err.index("toolnexus-mrtr: ") :]) == (
        '"who" is asked, and nobody is there to answer: expected --accept, --decline, --cancel, --json or --answers'
    )


def test_demo_refuses_an_answer_that_does_not_fit_before_it_is_sent():
    done = run("demo", "--accept", "who.guests=9", "--accept", "when.day=2026-07-28")
    assert (done.status, done.out, done.err.count("Sent")) == (2, "", 1)
    told = sentences(done.err[done.err.index("toolnexus-mrtr: ") :])
    assert told == ["who.name: expected an answer", "who.guests: expected at most 8"]


def test_demo_names_the_answers_that_nobody_asked_for():
    _, told = demo("state", "--decline", "a", "--decline", "b", "--json", "c={}")
    assert told[-3:] == [
        f"toolnexus-mrtr: {name}: not needed, its key was not asked"
        for name in ("--decline, number 1", "--decline, number 2", "--json")
    ]


def test_demo_cancels_the_task_that_nobody_answers():
    methods = []
    send = _command.StdioServer.send

    def note(server, method, params):
        methods.append(method)
        return send(server, method, params)

    with mock.patch.object(_command.StdioServer, "send", note):
        assert run("demo", "task").status == 2
    assert methods == ["tools/call", "tasks/get", "tasks/get", "tasks/cancel"]


def test_demo_ends_on_an_interrupt_without_an_answer(monkeypatch):
    monkeypatch.setattr(_exchange.Exchange, "_resume", mock.Mock(side_effect=KeyboardInterrupt))
    done = run("demo", "--accept", "who.name=Ada")
    assert (done.status, done.out, done.err.count("Sent")) == (130, "", 1)


def test_demo_ends_with_status_1_where_the_result_is_an_error(monkeypatch, tmp_path):
    server = tmp_path / "server.py"
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}}
    server.write_text(f"print({json.dumps(json.dumps(answer))})", "utf-8")
    monkeypatch.setattr(_command, "_COMMAND", [sys.executable, str(server)])
    done = run("demo")
    assert (done.status, json.loads(done.out)) == (1, answer["result"])


def test_demo_runs_as_a_program_with_neither_a_terminal_nor_anything_beside_it(tmp_path):
    # A module that stands where the command is run takes the place of none.
    (tmp_path / "json.py").write_text("raise SystemExit('taken')", "utf-8")
    code = "import sys; sys.path.remove(''); from toolnexus_mrtr.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "demo", *ADA],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
    )
    assert json.loads(done.stdout)["structuredContent"]["name"] == "Ada"
    assert done.stderr.endswith("The call is done.\n")


def test_demo_knows_no_other_tool():
    done = run("demo", "bogus")
    assert (done.status, done.out) == (2, "")
    sentence(done.err)


# The server alone.


def ask(server, method, **params):
    """Send a request to the server of the demo, and give its result or its error."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META, **params}}
    answer = server.answer(json.dumps(message).encode())
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 1)
    return answer.get("result", answer.get("error"))


@pytest.fixture
def server():
    return _server.Server()


@pytest.mark.parametrize("tool", ["booking", "form", "url", "state", "task", "decline"])
def test_the_servers_pauses_have_nothing_that_lint_finds(server, tool):
    call = Call("tools/call", {"name": tool, "_meta": META})
    for _ in range(3):
        raw = ask(server, call.method, **call.params)
        assert lint(raw, method=call.method, capabilities=META["io.modelcontextprotocol/clientCapabilities"]) == ()
        step = call.receive(raw)
        if isinstance(step, Done) or step.input_requests:
            break
        call = step.resume()


def play(server, tool, answers):
    """Call a tool of the server, in this process, and give its result."""
    call = Call("tools/call", {"name": tool, "_meta": META})
    while not isinstance(step := call.receive(ask(server, call.method, **call.params)), Done):
        call = step.resume({key: answers[key] for key in step.input_requests})
    return step.result


def accept(**content):
    return {"action": "accept", "content": content}


DECLINE, CANCEL = {"action": "decline"}, {"action": "cancel"}


@pytest.mark.parametrize(
    ("tool", "answers", "text"),
    [
        ("booking", {"who": DECLINE}, "No table was booked."),
        ("booking", {"who": accept(name="Ada"), "when": CANCEL}, "No table was booked."),
        (
            "booking",
            {"who": accept(name="Ada"), "when": accept(day="2026-07-28")},
            "A table for 2 is booked for Ada, on 2026-07-28.",
        ),
        ("form", {"about": accept(name="Ada", seat="w")}, "Thank you."),
        ("form", {"about": DECLINE}, "Nothing was kept."),
        ("url", {"sign_in": {"action": "accept"}}, "You say that you have signed in."),
        ("url", {"sign_in": CANCEL}, "You have not signed in."),
        ("state", {}, "The work is done."),
        ("task", {"delivery": accept(day="2026-07-28")}, "The parcel comes on 2026-07-28."),
        ("task", {"delivery": DECLINE}, "The parcel stays."),
        ("decline", {"delete": accept()}, "Three drafts were deleted."),
        ("decline", {"delete": DECLINE}, "Nothing was deleted, since you declined."),
        ("decline", {"delete": CANCEL}, "Nothing was deleted, since nobody decided."),
    ],
)
def test_the_servers_tools_come_to_what_was_answered(server, tool, answers, text):
    assert play(server, tool, answers)["content"] == [{"type": "text", "text": text}]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/list", {}, -32601),
        ("tools/call", {"name": "bogus"}, -32602),
        ("tools/call", {"name": "state", "requestState": "{"}, -32602),
        ("tools/call", {"name": "state", "requestState": "[]"}, -32602),
        ("tools/call", {"name": "booking", "_meta": {}}, -32021),
        ("tools/call", {"name": "url", "_meta": request_meta(form=True)}, -32021),
        ("tools/call", {"name": "task", "_meta": request_meta(form=True)}, -32021),
        ("tasks/get", {"taskId": "t"}, -32602),
    ],
)
def test_the_server_refuses_what_it_cannot_do(server, method, params, code):
    assert ask(server, method, **params)["code"] == code


def test_the_server_takes_an_empty_declaration_of_elicitation_as_that_of_forms(server):
    meta = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    assert ask(server, "tools/call", name="booking", _meta=meta)["resultType"] == "input_required"


def test_the_server_asks_again_until_its_task_is_answered_and_takes_no_second_answer(server):
    id = ask(server, "tools/call", name="task")["taskId"]
    assert ask(server, "tasks/get", taskId=id)["status"] == "working"
    for _ in range(2):
        assert list(ask(server, "tasks/get", taskId=id)["inputRequests"]) == ["delivery"]
        ask(server, "tasks/update", taskId=id, inputResponses={})
    for action in ("decline", "cancel"):
        ask(server, "tasks/update", taskId=id, inputResponses={"delivery": {"action": action}})
    assert ask(server, "tasks/get", taskId=id)["status"] == "working"
    assert ask(server, "tasks/get", taskId=id)["result"]["content"][0]["text"] == "The parcel stays."


def test_the_server_cancels_a_task_that_has_not_ended(server):
    id = ask(server, "tools/call", name="task")["taskId"]
    ask(server, "tasks/cancel", taskId=id)
    assert ask(server, "tasks/get", taskId=id)["status"] == "cancelled"


def test_the_server_leaves_a_task_that_has_ended_as_it_is(server):
    id = ask(server, "tools/call", name="task")["taskId"]
    ask(server, "tasks/get", taskId=id)
    ask(server, "tasks/update", taskId=id, inputResponses={"delivery": {"action": "decline"}})
    ask(server, "tasks/get", taskId=id)
    ask(server, "tasks/cancel", taskId=id)
    assert ask(server, "tasks/get", taskId=id)["status"] == "completed"


def test_the_server_answers_line_by_line_until_there_are_no_more(monkeypatch):
    lines = b'{"jsonrpc": "2.0", "method": "notifications/x"}\n{\n{"jsonrpc": "2.0", "id": "a", "method": "x"}\n'
    reading, writing = io.TextIOWrapper(io.BytesIO(lines)), io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdin", reading)
    monkeypatch.setattr(sys, "stdout", writing)
    runpy.run_path(_server.__file__, run_name="__main__")
    answers = [json.loads(line) for line in writing.buffer.getvalue().splitlines()]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [(None, -32700), ("a", -32601)]
