"""The tasks of the command `adversary`: a good client gets full marks, one that breaks a rule that rule alone."""

import base64
import itertools
import json

import pytest
from adversary_client import META, Client
from adversary_runs import Clock, find_verdict, judge, not_passed, serving
from adversary_tasks import CAPABILITIES, TASK_META, Driven, DrivenAsync, Resuming, TaskClient

from toolnexus_mrtr import MrtrError
from toolnexus_mrtr.cli._adversary._rules import RULES
from toolnexus_mrtr.cli._adversary._server import HostileServer


def test_adversary_gives_a_good_client_of_tasks_full_marks():
    verdicts = judge(TaskClient)
    assert {one.verdict for one in verdicts} == {"passed"}


# Bad clients: each changes its requests about tasks, or what it does, in one way.


def spoil(change, only=None, method=None):
    class Bad(TaskClient):
        def request(self, name, called, params):
            if only in (None, name) and method in (None, called):
                change(params)
            return params

    return Bad


def answering_anything(shown):
    """Make a client that answers whatever one task shows, without a check, but no key twice."""

    class Bad(TaskClient):
        def find_fresh(self, task_id, polled, answered):
            if self.name != shown:
                return super().find_fresh(task_id, polled, answered)
            return {key: request for key, request in polled.get("inputRequests", {}).items() if key not in answered}

        def follow(self, name, host, task):
            self.name = name
            accept = {"action": "accept", "content": {"sure": True}}
            chosen = {key: answer or accept for key, answer in host.items()} if name == shown else host
            super().follow(name, {"k": None} | chosen, task)

    return Bad


class Unnamed(TaskClient):
    def headers(self, _):
        return {}


class NamingInPlainText(TaskClient):
    def headers(self, task_id):
        return {"Mcp-Name": task_id.encode("utf-8").decode("latin-1")}


class NamingAnother(TaskClient):
    def headers(self, task_id):
        return {"Mcp-Name": f"=?base64?{task_id.encode().hex()}?="}


class AnsweringTwice(TaskClient):
    """Answers a question as often as it is shown."""

    def find_fresh(self, task_id, polled, answered):
        return super().find_fresh(task_id, polled, answered if "password" in str(polled) else {})


class AnsweringTheKeyAgain(TaskClient):
    def find_fresh(self, task_id, polled, answered):
        return super().find_fresh(task_id, polled, {} if "password" in str(polled) else answered)


class Silent(TaskClient):
    """Never answers what a task asks, and polls on."""

    def update(self, name, task_id, answers):
        if name != "task_two_keys":
            super().update(name, task_id, answers)


class SendingAnything(TaskClient):
    def answer(self, chosen):
        return chosen or {"action": "cancel"}


class Hot(TaskClient):
    def wait(self, seconds):
        super().wait(seconds / 3)


class UpdatingWithNothing(TaskClient):
    """Answers nothing at once where nothing is asked, and polls again."""

    def wait(self, seconds):
        pass

    def find_fresh(self, task_id, polled, answered):
        if polled.get("inputRequests") == {}:
            self.update("", task_id, {})
        return super().find_fresh(task_id, polled, answered)


class LeavingRunning(TaskClient):
    def give_up(self, name, task_id):
        pass


class CancellingByNotification(TaskClient):
    """Says by a notification that it waits for a call no more, and cancels its task then."""

    def call(self, name, host, arguments):
        self.call_id = next(self.ids)
        self.ids = itertools.chain([self.call_id], self.ids)
        super().call(name, host, arguments)

    def give_up(self, name, task_id):
        params = {"requestId": self.call_id}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        assert self.post(json.dumps(message).encode("ascii")) == 202
        super().give_up(name, task_id)


class RetryingAfterTheEnd(TaskClient):
    def finish(self, name, polled):
        if name == "task_paused_result":
            params = {"name": name, "arguments": {}, "_meta": self.meta}
            self.send("tools/call", params | {"inputResponses": {}, "requestState": polled["result"]["requestState"]})


class UpdatingAfterTheEnd(TaskClient):
    def finish(self, name, polled):
        if name == "task_paused_result":
            self.update(name, polled["taskId"], {"who": {"action": "decline"}})


def declare_nothing(params):
    params["_meta"] = META


def answer_nobody(params):
    params["inputResponses"]["nobody"] = {"action": "decline"}


BAD = [
    ("task-declared", spoil(declare_nothing)),
    ("task-declared", spoil(declare_nothing, method="tasks/cancel")),
    ("task-name", Unnamed),
    ("task-name", NamingInPlainText),
    ("task-name", NamingAnother),
    ("task-leaked", spoil(lambda params: params.update(requestState="s-1"), "task_after_pause")),
    ("task-leaked", spoil(lambda params: params.update(inputResponses={}), "task", "tasks/get")),
    ("task-key", spoil(answer_nobody, "task", "tasks/update")),
    ("task-asked-twice", AnsweringTwice),
    ("task-key-reused", AnsweringTheKeyAgain),
    ("task-unanswered", Silent),
    ("task-polled-hot", Hot),
    ("task-polled-hot", UpdatingWithNothing),
    ("task-left-running", LeavingRunning),
    ("task-cancel", CancellingByNotification),
    ("task-result", RetryingAfterTheEnd),
    ("task-result", UpdatingAfterTheEnd),
    ("task-malformed", answering_anything("task_unknown_status")),
    ("task-malformed", answering_anything("task_another_id")),
    ("task-malformed", answering_anything("task_type_of_poll")),
    ("task-malformed", answering_anything("task_null_entry")),
    ("undeclared", answering_anything("task_undeclared")),
    ("url-unsafe", answering_anything("task_url_script")),
    ("consent", answering_anything("task_nobody")),
    ("content-values", SendingAnything),
    (
        "content-changed",
        spoil(
            lambda params: params["inputResponses"].update(who={"action": "accept", "content": {"name": "Eve"}}),
            "task",
            "tasks/update",
        ),
    ),
]


def test_every_rule_on_tasks_has_a_client_that_breaks_it():
    assert {rule.id for rule in RULES.values() if rule.mode == "tasks"} <= {rule for rule, _ in BAD}


@pytest.mark.parametrize(("rule", "kind"), BAD)
def test_adversary_finds_only_the_rule_on_tasks_that_a_client_breaks(rule, kind):
    assert not_passed(judge(kind)) == {rule: "failed" if RULES[rule].level == "must" else "warned"}


# Good clients: each differs in what the specification leaves open.


class PollingAtOnce(TaskClient):
    """Polls for the first time, and after each update, without a pause."""

    at_once = True

    def follow(self, name, host, task):
        self.at_once = True
        super().follow(name, host, task)

    def wait(self, seconds):
        super().wait(0 if self.at_once else seconds)
        self.at_once = False

    def update(self, name, task_id, answers):
        super().update(name, task_id, answers)
        self.at_once = True


class PollingOnWhileAsking(TaskClient):
    """Polls on while its user thinks about each question for a long time."""

    def update(self, name, task_id, answers):
        for _ in range(100):
            self.wait(0.6)
            self.ask(name, "tasks/get", task_id)
        super().update(name, task_id, answers)


class Slow(TaskClient):
    """Takes its time."""

    def wait(self, seconds):
        super().wait(seconds + 30)


class Unsteady(TaskClient):
    """Polls too early now and then."""

    def wait(self, seconds):
        super().wait(seconds * 0.6)


class AnsweringOneByOne(TaskClient):
    """Answers each question by an update of its own, and adds one without answers."""

    def update(self, name, task_id, answers):
        for key, answer in reversed(answers.items()):
            super().update(name, task_id, {key: answer})
        super().update(name, task_id, {})


class Declining(TaskClient):
    def answer(self, _):
        return {"action": "decline"}


class PollingAfterTheEnd(TaskClient):
    def finish(self, name, polled):
        self.ask(name, "tasks/get", polled["taskId"])
        self.ask(name, "tasks/cancel", polled["taskId"])


class WaitingForTheEnd(TaskClient):
    """Answers nothing that breaks the protocol, and polls to the end instead of cancelling."""

    def find_fresh(self, task_id, polled, answered):
        try:
            return super().find_fresh(task_id, polled, answered)
        except MrtrError:
            return {}


class WithOtherMeta(TaskClient):
    def request(self, name, method, params):
        more = {"progressToken": name, "io.modelcontextprotocol/logLevel": "debug", "com.example/x": method}
        return dict(reversed((params | {"_meta": params["_meta"] | more}).items()))


class EncodingNames(TaskClient):
    """Writes every name in base64, needed or not."""

    def headers(self, task_id):
        return {"MCP-NAME": f"=?base64?{base64.b64encode(task_id.encode()).decode()}?="}


class CountingAnew(TaskClient):
    def ask(self, name, method, task_id, **more):
        self.ids = itertools.count()
        return super().ask(name, method, task_id, **more)


class DeclaringTasksOnce(TaskClient):
    """Declares the extension for one call alone."""

    def call(self, name, host, arguments):
        self.meta = META if name == "task_rounds" else TASK_META
        super().call(name, host, arguments)


class StoppingToReport(TaskClient):
    """Reports a cancelled request that has nothing to do with a task."""

    def play(self):
        super().play()
        assert self.post(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}') == 202


GOOD = [
    Driven,
    DrivenAsync,
    Resuming,
    PollingAtOnce,
    PollingOnWhileAsking,
    Slow,
    Unsteady,
    AnsweringOneByOne,
    Declining,
    PollingAfterTheEnd,
    WaitingForTheEnd,
    WithOtherMeta,
    EncodingNames,
    CountingAnew,
    DeclaringTasksOnce,
    StoppingToReport,
]


@pytest.mark.parametrize("kind", GOOD)
def test_adversary_gives_a_legal_client_of_tasks_full_marks(kind):
    assert {one.rule.id: one.sentences for one in judge(kind) if one.verdict != "passed"} == {}


def test_adversary_gives_a_client_that_does_not_declare_tasks_full_marks_and_no_task():
    types = set()

    class WithoutTasks(Client):
        def send(self, method, params):
            result = super().send(method, params)
            types.add(result.get("resultType"))
            return result

    verdicts = judge(WithoutTasks)
    assert "task" not in types
    assert {one.verdict for one in verdicts if one.rule.mode != "tasks"} == {"passed"}
    assert {one.verdict for one in verdicts if one.rule.mode == "tasks"} == {"not declared"}


# Message by message.


def test_adversary_makes_no_task_of_a_call_that_does_not_declare_the_extension():
    with serving() as (client, server):
        done = client.send("tools/call", {"name": "task", "_meta": META})
        assert done["resultType"] == "complete"
        assert find_verdict(server, "task-declared") == ("not declared", ())
        made = client.send("tools/call", {"name": "task", "_meta": TASK_META})
        assert (made["resultType"], made["status"]) == ("task", "working")
        assert client.send("server/discover", {"_meta": META})["capabilities"]["extensions"]


@pytest.mark.parametrize("declared", [{}, {"extensions": None}, {"extensions": {"com.example/x": {}}}])
def test_adversary_asks_that_each_request_of_a_task_declares_the_extension(declared):
    with serving() as (client, server):
        made = client.send("tools/call", {"name": "task", "_meta": TASK_META})
        client.send("tasks/get", {"taskId": made["taskId"], "_meta": META | {CAPABILITIES: declared}})
    expected = ("failed", ("task, tasks/get: expected the extension among the capabilities",))
    assert find_verdict(server, "task-declared") == expected


@pytest.mark.parametrize("task_id", ["task-0", "", None, 1, ["task-0"]])
def test_adversary_answers_an_unknown_task_with_an_error(task_id):
    server = HostileServer("http://127.0.0.1:1", Clock())
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"taskId": task_id, "_meta": TASK_META}}
        assert server.answer(message)["error"]["code"] == -32602


@pytest.mark.parametrize("answers", [None, [], "who"])
def test_adversary_takes_answers_of_any_type(answers):
    with serving() as (client, server):
        made = client.send("tools/call", {"name": "task_acknowledged", "_meta": TASK_META})
        asked = {"taskId": made["taskId"], "_meta": TASK_META}
        client.send("tasks/get", asked)
        assert client.send("tasks/update", asked | {"inputResponses": answers}) == {"resultType": "complete"}
    expected = "task_acknowledged, tasks/update: expected inputResponses to be an object"
    assert find_verdict(server, "task-key") == ("failed", (expected,))


def test_adversary_shows_that_a_task_was_cancelled_and_takes_any_notification():
    with serving() as (client, server):
        asked = {
            "taskId": client.send("tools/call", {"name": "task", "_meta": TASK_META})["taskId"],
            "_meta": TASK_META,
        }
        assert client.send("tasks/cancel", asked) == {"resultType": "complete"}
        assert client.send("tasks/get", asked)["status"] == "cancelled"
        assert client.post(b'{"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}') == 202
    assert find_verdict(server, "task-cancel") == ("passed", ())
    assert find_verdict(server, "task-left-running") == ("passed", ())


def test_adversary_shows_a_task_without_limits_and_one_that_was_born_completed():
    with serving() as (client, _):
        unlimited = client.send("tools/call", {"name": "task_unlimited", "_meta": TASK_META})
        born = client.send("tools/call", {"name": "task_born_completed", "_meta": TASK_META})
    assert unlimited["ttlMs"] is None
    assert "pollIntervalMs" not in unlimited
    assert born["status"] == "completed"
    assert "result" not in born


def test_adversary_ends_a_task_that_is_polled_without_end_and_forgets_the_oldest_of_many():
    server = HostileServer("http://127.0.0.1:1", Clock())

    def send(method, **params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": TASK_META}}
        return server.answer(message)

    first = send("tools/call", name="task_unlimited")["result"]["taskId"]
    polls = [send("tasks/get", taskId=first)["result"]["status"] for _ in range(401)]
    assert polls[-2:] == ["input_required", "completed"]
    for _ in range(1_000):
        send("tools/call", name="task_unlimited")
    assert "error" in send("tasks/get", taskId=first)
