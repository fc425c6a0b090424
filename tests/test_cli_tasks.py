"""The commands `show` and `answer` on results of a task that were saved."""

import json

import pytest
from command_line import form, run

from toolnexus_mrtr import request_meta

TASK = {"taskId": "7f3a", "createdAt": "x", "lastUpdatedAt": "x", "ttlMs": None}
BORN = TASK | {"resultType": "task", "status": "working"}
ASKING = TASK | {
    "resultType": "complete",
    "status": "input_required",
    "inputRequests": {"7f3a:1": form({"name": {"type": "string"}})},
    "statusMessage": "waits",
}
META = request_meta(form=True, tasks=True)
UPDATE = {
    "taskId": "7f3a",
    "inputResponses": {"7f3a:1": {"action": "accept", "content": {"name": "Ada"}}},
}


def answer(tmp_path, result, *arguments, call=None):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    if call is not None:
        (tmp_path / "call.json").write_text(json.dumps(call))
        arguments += ("--call", str(tmp_path / "call.json"), "--request", "2")
    return run("answer", str(path), *arguments)


def request(method, params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_show_prints_what_a_task_asks_and_not_its_id():
    head, message, *rest = run("show", "-", stdin={**ASKING, "inputRequests": {"a": form()}}).out.splitlines()
    assert head == "The call has become a task, which is input_required. Asked: 1."
    assert message == "  | waits"
    assert '"a": a form' in rest
    assert "7f3a" not in "".join(rest)


@pytest.mark.parametrize("result", [BORN, {**BORN, "resultType": "complete"}])
def test_show_says_that_a_task_works(result):
    assert run("show", "-", stdin=result).out == "The call has become a task, which is working. Asked: 0.\n"


def test_show_says_that_a_task_is_finished():
    result = {**BORN, "resultType": "complete", "status": "completed", "result": {"content": []}}
    assert run("show", "-", stdin=result).out == "The call is finished: nothing is asked.\n"


def test_show_takes_the_structured_result_of_a_tool_for_no_task():
    result = {**ASKING, "content": []}
    assert run("show", "-", stdin=result).out == "The call is finished: nothing is asked.\n"


def test_answer_prints_what_an_update_adds(tmp_path):
    assert json.loads(answer(tmp_path, ASKING, "--accept", "7f3a:1.name=Ada").out) == UPDATE


@pytest.mark.parametrize(
    "call",
    [request("tasks/get", {"taskId": "7f3a", "_meta": META}), request("tools/call", {"name": "t", "_meta": META})],
    ids=["tasks/get", "tools/call"],
)
def test_answer_prints_the_request_that_updates_a_task(tmp_path, call):
    printed = json.loads(answer(tmp_path, ASKING, "--accept", "7f3a:1.name=Ada", call=call).out)
    assert printed == request("tasks/update", UPDATE | {"_meta": META}) | {"id": 2}


def test_answer_prints_the_first_poll_of_a_task(tmp_path):
    printed = json.loads(answer(tmp_path, BORN, call=request("tools/call", {"name": "t", "_meta": META})).out)
    assert printed == request("tasks/get", {"taskId": "7f3a", "_meta": META}) | {"id": 2}


def test_answer_refuses_the_result_of_another_task(tmp_path):
    done = answer(tmp_path, ASKING, call=request("tasks/get", {"taskId": "other", "_meta": META}))
    assert done.status == 2
    assert "expected the task that was asked for, found another, at '/taskId'" in done.err


def test_answer_refuses_a_task_on_a_method_that_cannot_become_one(tmp_path):
    done = answer(tmp_path, BORN, call=request("prompts/get", {"name": "t", "_meta": META}))
    assert done.status == 2
    assert "expected a method that can become a task" in done.err
