"""How the command line drives a call: what it tells on standard error, and what it leaves behind where a call fails."""

import pytest
from command_line import form, link, pause_of

from toolnexus_mrtr import Call, ElicitResult, Pause, request_meta
from toolnexus_mrtr.cli._call._exchange import Exchange
from toolnexus_mrtr.cli._call._report import Report
from toolnexus_mrtr.cli._call._rpc import ServerError
from toolnexus_mrtr.cli._errors import BadInput, CallFailed

PARAMS = {"name": "t", "_meta": request_meta(form=True, url=True, roots=True, tasks=True)}
TASK = {"taskId": "secret", "ttlMs": None, "createdAt": "", "lastUpdatedAt": "", "pollIntervalMs": 50}
BORN = {**TASK, "resultType": "task", "status": "working"}


class Server:
    """A server that answers each request with the next of these; an error is raised."""

    def __init__(self, *results):
        self.results = list(results)
        self.methods = []

    def __call__(self, method, _):
        self.methods.append(method)
        result = self.results.pop(0) if self.results else {"resultType": "complete"}
        if isinstance(result, Exception):
            raise result
        return result


class Asker:
    """Gives the same answers to every pause; unless there are some, it declines what is asked."""

    def __init__(self, answers=None):
        self.answers = answers

    def answer(self, pause):
        return self.answers or {key: ElicitResult(action="decline") for key in pause.input_requests}


def exchange(server, call=None, report=None, answers=None):
    call = call or Call("tools/call", PARAMS)
    return Exchange(call, server, Asker(answers), report=report or Report(), sleep=lambda _: None)


def fail(driven):
    with pytest.raises(CallFailed) as caught:
        driven.run()
    return caught.value


def status(status, **more):
    return {**TASK, "resultType": "complete", "status": status, **more}


def test_a_result_that_the_protocol_forbids_fails_the_call():
    server = Server({"resultType": "bogus"})
    assert str(fail(exchange(server))).startswith("expected ")
    assert server.methods == ["tools/call"]


def test_an_endless_call_fails_and_can_be_gone_on_with():
    driven = exchange(Server(*[pause_of({"a": form(message=str(place))}) for place in range(3)]))
    driven.step = Call("tools/call", PARAMS, max_retries=1)
    assert "after 1 retries" in str(fail(driven))
    assert isinstance(driven.step, Pause)


def test_an_error_of_the_server_is_told_of_in_its_own_lines(capsys):
    error = ServerError("tools/call", -32602, "no such tool\x1b[2J\ntoolnexus-mrtr: all is well")
    assert fail(exchange(Server(error))) is error
    told = ['Sent: tools/call "t".', "  | no such tool\\x1b[2J", "  | toolnexus-mrtr: all is well"]
    assert capsys.readouterr().err.splitlines() == told


def test_what_a_server_says_of_the_error_of_a_task_is_not_told(capsys):
    fail(exchange(Server(BORN, ServerError("tasks/get", -32602, "no task secret"))))
    assert "secret" not in capsys.readouterr().err


def test_an_answer_that_does_not_fit_is_not_sent():
    server = Server(pause_of({"a": form({"n": {"type": "integer"}})}))
    with pytest.raises(BadInput, match="^a.n: expected a whole number$"):
        exchange(server, answers={"a": ElicitResult(action="accept", content={"n": "x"})}).run()
    assert server.methods == ["tools/call"]


def test_questions_that_a_person_sees_elsewhere_are_not_told(capsys):
    server = Server(pause_of({"a": link(), "b": {"method": "roots/list"}}))
    answers = {"a": ElicitResult(action="decline"), "b": {"roots": []}}
    exchange(server, report=Report(shows_questions=False), answers=answers).run()
    assert capsys.readouterr().err.splitlines() == [
        'Sent: tools/call "t".',
        'Answered: "a", decline.',
        'Answered: "b", with "roots".',
        'Sent again: tools/call "t".',
        "The call is done.",
    ]


def test_lines_are_folded_for_the_terminal_that_standard_error_is(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    exchange(Server(), Call("tools/call", {"name": "n" * 100})).run()
    assert max(map(len, capsys.readouterr().err.splitlines())) <= 40


@pytest.mark.parametrize(
    ("results", "cancels"),
    [
        ([BORN, {"resultType": "bogus"}], 1),
        ([BORN, ServerError("tasks/get", -32603, "")], 1),
        ([BORN, ServerError("tasks/get", -32603, ""), ServerError("tasks/cancel", -32603, "")], 1),
        ([BORN, status("failed", error={"code": 1, "message": ""})], 0),
        ([BORN, status("cancelled")], 0),
        ([{"resultType": "bogus"}], 0),
    ],
    ids=["fault", "error", "error of the cancel", "failed", "cancelled", "no task"],
)
def test_a_task_that_an_error_leaves_behind_is_cancelled_once(results, cancels):
    server = Server(*results)
    driven = exchange(server)
    fail(driven)
    assert driven.cancel_task() == bool(cancels)
    assert server.methods.count("tasks/cancel") == cancels
