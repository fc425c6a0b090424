"""The command `adversary`: a good client gets full marks, one that breaks a rule fails that rule alone."""

import contextlib
import http.client
import itertools
import json
import os
import signal
import socket
import sys
import urllib.error
import urllib.request
from unittest import mock

import pytest
from adversary_client import META, Client, post
from command_line import refusal, run
from hypothesis import given
from hypothesis import strategies as st
from strategies import json_values
from vectors import ROOT

from toolnexus_mrtr import MrtrError, printable
from toolnexus_mrtr.cli import main
from toolnexus_mrtr.cli._adversary._attacks import make_trials
from toolnexus_mrtr.cli._adversary._grading import RULES
from toolnexus_mrtr.cli._adversary._loopback import Loopback
from toolnexus_mrtr.cli._adversary._server import HostileServer


class Clock:
    """A clock that the tests set."""

    now = 0.0

    def __call__(self):
        return self.now


def judge(kind=Client):
    """Let a client of this kind play all trials, and give the verdicts."""
    loopback, clock = Loopback(0), Clock()
    server = HostileServer(loopback.base, clock)
    with loopback.serve(server):
        kind(loopback.url, clock).play()
        server.stop_clock()
    return server.judge()


def not_passed(verdicts):
    """Give the verdicts other than passed, by the id of their rule."""
    return {one.rule.id: one.verdict for one in verdicts if one.verdict != "passed"}


# Bad clients: each changes the params of its retries, or what it does, in one way.


def spoil(change, only=None):
    class Bad(Client):
        def retry(self, name, params):
            if only in (None, name):
                change(params)
            return params

    return Bad


def spoil_answers(change):
    return spoil(lambda params: [change(answer) for answer in params.get("inputResponses", {}).values()])


def strip_state(params):
    if "requestState" in params:
        params["requestState"] = params["requestState"].strip()


def rename_key(params):
    if "who" in params.get("inputResponses", {}):
        params["inputResponses"]["Who"] = params["inputResponses"].pop("who")


def keep_old_answer(params):
    params.setdefault("inputResponses", {}).setdefault("first", {"action": "decline"})


def add_content_to_refusal(answer):
    if answer["action"] != "accept":
        answer["content"] = {}


def change_answer(key, **members):
    return lambda params: params["inputResponses"][key].update(members)


def accept_anything_of(name):
    """Make a client that answers whatever one tool asks, without a check."""

    class Bad(Client):
        def call(self, called, host, arguments):
            if called != name:
                super().call(called, host, arguments)
                return
            params = {"name": name, "arguments": arguments, "_meta": self.meta}
            paused = self.send("tools/call", params)
            asked = paused.get("inputRequests", {})
            accept = {"action": "accept", "content": {"sure": True}}
            answers = {key: host.get(key) or accept for key in (asked if isinstance(asked, dict) else ())}
            state = {name: paused[name] for name in ("requestState",) if name in paused}
            self.send("tools/call", params | {"inputResponses": answers} | state)

    return Bad


def fetch_trap(trap):
    class Bad(Client):
        def play(self):
            super().play()
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(self.url.replace("/mcp", f"/trap/{trap}"))

    return Bad


class Leaking(Client):
    def first(self, name, params):
        return params | ({"requestState": "s-1"} if name == "values" else {})


class WithOneId(Client):
    def __init__(self, url, clock):
        super().__init__(url, clock)
        self.ids = itertools.repeat(1)


class WritingJunk(Client):
    def play(self):
        super().play()
        for body in (b"{", b"[]", b'{"a": NaN}', b'{"a": 1, "a": 1}', b"\xff"):
            with pytest.raises(urllib.error.HTTPError):
                post(self.url, body)


class GivingUp(Client):
    def retry(self, name, params):
        if name == "plain":
            raise MrtrError("gives_up", "expected nothing")
        return params


class Endless(Client):
    def call(self, name, host, arguments):
        if name != "endless":
            super().call(name, host, arguments)
            return
        params = {"name": name, "arguments": arguments, "_meta": self.meta}
        paused = self.send("tools/call", params)
        while paused["resultType"] == "input_required":
            paused = self.send("tools/call", params | {"inputResponses": host, "requestState": "s-1"})


class Hurried(Client):
    def wait(self, seconds):
        pass


class RetryingLists(Client):
    def play(self):
        super().play()
        self.send("prompts/list", {"_meta": META, "requestState": "s-1"})


class Slow(Client):
    def retry(self, name, params):
        self.wait(6 if name == "slow_pattern" else 0)
        return params


BAD = {
    "state-unchanged": spoil(strip_state),
    "state-dropped": spoil(lambda params: params.pop("requestState"), "plain"),
    "state-empty": spoil(lambda params: params.pop("requestState"), "empty_state"),
    "state-invented": spoil(lambda params: params.setdefault("requestState", "s-1")),
    "leaked": Leaking,
    "answers-kept": spoil(keep_old_answer, "several_rounds"),
    "answer-key": spoil(rename_key),
    "answer-missing": spoil(lambda params: params["inputResponses"].popitem(), "plain"),
    "answer-bare": spoil_answers(lambda answer: answer.update(resultType="complete")),
    "answer-action": spoil(change_answer("no", action="cancel"), "refusals"),
    "content-refused": spoil_answers(add_content_to_refusal),
    "content-url": spoil(change_answer("visit", content={"token": "t"}), "visit"),
    "content-null": spoil(change_answer("who", content=None), "plain"),
    "content-missing": spoil(lambda params: params["inputResponses"]["ok"].pop("content"), "nothing_to_fill"),
    "content-values": accept_anything_of("nested"),
    "content-changed": spoil(lambda params: params["inputResponses"]["all"]["content"].update(count=2.0), "values"),
    "params-changed": spoil(lambda params: params["arguments"].update(weight=1), "arguments"),
    "meta-dropped": spoil(lambda params: params.pop("_meta")),
    "id-reused": WithOneId,
    "message-json": WritingJunk,
    "unanswered": GivingUp,
    "nobody": accept_anything_of("nobody"),
    "ref-fetched": fetch_trap("relative_ref/more"),
    "url-fetched": fetch_trap("url_control/%0D%0AX-Injected:%201"),
    "url-unsafe": accept_anything_of("url_script"),
    "retry-bound": Endless,
    "retry-hurried": Hurried,
    "pause-of-nothing": accept_anything_of("pause_of_nothing"),
    "result-type": accept_anything_of("unknown_result_type"),
    "complete": accept_anything_of("complete_with_requests"),
    "paused-list": RetryingLists,
    "undeclared": accept_anything_of("undeclared"),
    "malformed": accept_anything_of("null_entry"),
    "schema-slow": Slow,
}


def test_adversary_gives_a_good_client_full_marks():
    verdicts = judge()
    assert not_passed(verdicts) == {}
    (bound,) = [one.sentences for one in verdicts if one.rule.id == "retry-bound"]
    assert bound == ("endless: expected less than 100 retries, found 10",)


def test_every_rule_of_the_adversary_has_a_client_that_breaks_it():
    assert list(BAD) == list(RULES)


@pytest.mark.parametrize("rule", BAD)
def test_adversary_fails_only_the_rule_that_a_client_breaks(rule):
    assert not_passed(judge(BAD[rule])) == {rule: "warned" if rule == "retry-hurried" else "failed"}


# The server, message by message.


@contextlib.contextmanager
def serving(clock=None):
    """Serve on loopback; gives a client, and the server with its verdicts."""
    loopback = Loopback(0)
    server = HostileServer(loopback.base, clock or Clock())
    with loopback.serve(server):
        yield Client(loopback.url), server


def find_verdict(server, rule):
    """Give the verdict on a rule, and the sentences about it."""
    ((verdict, lines),) = [(one.verdict, one.sentences) for one in server.judge() if one.rule.id == rule]
    return verdict, lines


def plain(**members):
    return {"name": "plain", "_meta": META} | members


def test_adversary_reports_not_exercised_for_a_client_that_does_nothing():
    with serving() as (_, server):
        assert set(not_passed(server.judge()).values()) == {"not exercised"}


def test_adversary_reports_not_declared_for_a_mode_that_is_not_declared():
    class Modest(Client):
        meta = META | {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}

    urls = ("content-url", "url-fetched", "url-unsafe")
    assert not_passed(judge(Modest)) == dict.fromkeys(urls, "not declared")


@pytest.mark.parametrize("declared", [{}, {"elicitation": None}, None])
def test_adversary_asks_no_form_of_a_client_that_declares_nothing(declared):
    with serving() as (client, server):
        meta = {"io.modelcontextprotocol/clientCapabilities": declared}
        assert client.send("tools/call", plain(_meta=meta))["resultType"] == "complete"
        assert client.send("tools/call", plain(_meta=None))["resultType"] == "complete"
    assert find_verdict(server, "state-dropped") == ("not exercised", ())


@pytest.mark.parametrize(
    ("capabilities", "method"),
    [
        ({"elicitation": {}}, "sampling/createMessage"),
        ({"elicitation": {}, "sampling": {}}, "roots/list"),
        ({"elicitation": {}, "sampling": {}, "roots": {}}, "com.example/approve"),
    ],
)
def test_adversary_asks_for_a_kind_that_the_client_did_not_declare(capabilities, method):
    with serving() as (client, _):
        meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
        paused = client.send("tools/call", plain(name="undeclared", _meta=meta))
    assert paused["inputRequests"]["who"]["method"] == method


@pytest.mark.parametrize(
    ("answers", "rule"),
    [
        ([], "answer-missing"),
        ("who", "answer-missing"),
        (None, "answer-missing"),
        ({"who": None}, "answer-bare"),
        ({"who": "accept"}, "answer-bare"),
        ({"who": {"action": ["accept"]}}, "answer-action"),
        ({"who": {"action": "accept", "content": "Ada"}}, "content-values"),
        ({"who": {"action": "accept", "content": {"name": None}}}, "content-values"),
        ({"who": {"action": "accept", "content": {"name": [1]}}}, "content-values"),
        ({"who": {"action": "accept", "content": {"name": ["Ada"]}}}, "content-changed"),
    ],
)
def test_adversary_checks_answers_of_any_type(answers, rule):
    with serving() as (client, server):
        client.send("tools/call", plain())
        client.send("tools/call", plain(requestState="s-1", inputResponses=answers))
    failed = [name for name, word in not_passed(server.judge()).items() if word == "failed"]
    assert failed == [rule]


def test_adversary_says_what_it_expected_of_a_message_that_cannot_be_read():
    with serving() as (client, server), pytest.raises(urllib.error.HTTPError):
        post(client.url, b'{"a": 1, "a": 1}')
    expected = "expected a message that is a JSON object, with no NaN and no name twice"
    assert find_verdict(server, "message-json") == ("failed", (expected,))


def test_adversary_names_a_few_keys_and_counts_the_rest():
    with serving() as (client, server):
        client.send("tools/call", plain())
        answers = {f"k{n}\n": {"action": "decline"} for n in range(9)}
        client.send("tools/call", plain(requestState="s-1", inputResponses=answers))
    expected = 'plain, retry 1: expected no answer to "k0\\n", "k1\\n", "k2\\n", 6 more'
    assert find_verdict(server, "answer-key") == ("failed", (expected,))


def test_adversary_lets_a_completed_call_be_made_again():
    answered = plain(requestState="s-1", inputResponses={"who": {"action": "accept", "content": {"name": "Ada"}}})
    with serving() as (client, server):
        types = [client.send("tools/call", params)["resultType"] for params in (plain(), answered) * 2]
    assert types == ["input_required", "complete"] * 2
    assert "failed" not in not_passed(server.judge()).values()


def test_adversary_shows_the_first_breaches_and_no_value_of_the_client():
    with serving() as (client, server):
        for name in [tool["name"] for tool in client.send("tools/list", {})["tools"][:7]]:
            client.send("tools/call", plain(name=name, requestState="\x1bsecret"))
    verdict, lines = find_verdict(server, "leaked")
    assert verdict == "failed"
    assert lines[0] == "plain, first send: expected no requestState"
    assert lines[5:] == ("and 2 more",)


@pytest.mark.parametrize(
    ("method", "params"),
    [("initialize", {}), ("tools/call", {"name": "no-such-tool"}), ("tools/call", {"name": []}), ("tools/call", None)],
)
def test_adversary_answers_an_unknown_method_or_tool_with_an_error(method, params):
    with serving() as (client, _):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        assert post(client.url, json.dumps(message).encode())["error"]["code"] == -32601


def test_adversary_answers_server_discover_and_takes_notifications():
    with serving() as (client, _):
        assert client.send("server/discover", {})["supportedVersions"] == ["2026-07-28"]
        assert post(client.url, b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}') == 202


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/mcp", {}, 405),
        ("DELETE", "/mcp", {}, 405),
        ("POST", "/", {"Content-Length": "0"}, 404),
        ("HEAD", "/.well-known/x", {}, 404),
        ("POST", "/mcp", {"Content-Length": "x"}, 411),
        ("POST", "/mcp", {"Content-Length": "99999999999"}, 413),
    ],
)
def test_adversary_takes_nothing_but_post_to_mcp(method, path, headers, status):
    with serving() as (client, server):
        connection = http.client.HTTPConnection(client.url.split("/")[2])
        connection.putrequest(method, path)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        with contextlib.closing(connection):
            assert connection.getresponse().status == status
    assert "failed" not in not_passed(server.judge()).values()


def test_adversary_ignores_a_client_that_hangs_up(capfd):
    with serving() as (client, server):
        host, port = client.url.split("/")[2].split(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(b"POST /mcp HTTP/1.0\r\nContent-Length: 9\r\n\r\n{")
            line.shutdown(socket.SHUT_WR)
            assert line.recv(1) == b""
        client.send("server/discover", {})
    assert "failed" not in not_passed(server.judge()).values()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("fault", "is_told"), [(BrokenPipeError(), False), (ValueError(), True)])
def test_adversary_prints_the_traceback_of_a_fault_of_its_own(fault, is_told, capsys):
    class Faulty:
        def answer(self, _):
            raise fault

    loopback = Loopback(0)
    with loopback.serve(Faulty()), pytest.raises(http.client.RemoteDisconnected):
        post(loopback.url, b"{}")
    assert ("ValueError" in capsys.readouterr().err) == is_told


NAMES = [trial.name for trial in make_trials("http://127.0.0.1:1")]
MEMBERS = st.fixed_dictionaries(
    {"name": st.sampled_from(NAMES)},
    optional={
        "_meta": st.just(META) | json_values,
        "inputResponses": st.dictionaries(st.sampled_from(["who", "", "first"]), json_values) | json_values,
        "requestState": st.sampled_from(["", "s-1"]) | json_values,
    },
)


@given(st.lists(st.tuples(MEMBERS | json_values, json_values), max_size=6))
def test_adversary_answers_any_message(messages):
    server = HostileServer("http://127.0.0.1:1", Clock())
    for params, id in messages:
        message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
        assert server.answer(message).keys() & {"result", "error"}
    assert [one.rule.id for one in server.judge()] == list(RULES)


# The command.

CLIENT = f"{sys.executable} {ROOT / 'tests' / 'adversary_client.py'}"


def report(*flags):
    done = run("adversary", *flags, "--format", "json")
    return done.status, json.loads(done.out)


def test_adversary_cmd_runs_a_client_with_the_url_and_judges_it():
    status, made = report("--cmd", CLIENT)
    assert status == 0
    assert made["counts"] == {"passed": 34, "failed": 0, "warned": 1, "not exercised": 0, "not declared": 0}
    assert made["rules"][-1]["seen"] == ["exit status 0"]


#: A client that starts a second process; each writes a byte to a pipe and then waits for ever.
FORKING = """
import os, sys
line = os.open(sys.argv[1], os.O_WRONLY)
os.fork()
os.write(line, b"x")
os.read(os.pipe()[0], 1)
"""


def test_adversary_cmd_kills_a_client_that_does_not_end_and_its_process_group(tmp_path):
    program = tmp_path / "client.py"
    line = tmp_path / "line"
    os.mkfifo(line)
    reader = os.open(line, os.O_RDONLY | os.O_NONBLOCK)
    program.write_text(FORKING, "ascii")
    status, made = report("--seconds", "1", "--cmd", f"{sys.executable} -S {program} {line}")
    assert status == 1
    os.set_blocking(reader, True)
    with os.fdopen(reader, "rb") as held:
        # Reading ends when no process has the other end open any more.
        assert held.read() == b"xx"
    assert made["rules"][-1] | {"says": ""} == {
        "id": "client-ends",
        "verdict": "failed",
        "says": "",
        "basis": "library",
        "seen": ["expected an end within 1 s"],
    }


def run_until_interrupted(monkeypatch, kind):
    """Run the command without --cmd, let a client of this kind play, and press Ctrl-C."""

    def pause():
        url = sys.stderr.getvalue().split()[2].rstrip(";")
        kind(url).play()
        raise KeyboardInterrupt

    monkeypatch.setattr(signal, "pause", pause)
    return run("adversary")


def test_adversary_without_cmd_prints_the_report_on_ctrl_c(monkeypatch):
    done = run_until_interrupted(monkeypatch, BAD["url-unsafe"])
    lines = done.out.splitlines()
    place = lines.index("failed         url-unsafe")
    assert lines[place - 1 : place + 4] == [
        "passed         url-fetched",
        "failed         url-unsafe",
        "    A url that deceives is not accepted.",
        '    url_script, retry 1: the answer of "visit": expected no accept',
        "    https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling",
    ]
    assert lines[-1] == "passed: 32, failed: 1, warned: 1, not exercised: 0, not declared: 0"
    assert done.status == 1
    assert printable(done.out.replace("\n", "")) == done.out.replace("\n", "")


@pytest.mark.parametrize(
    "closed", [None, mock.Mock(**{"write.side_effect": BrokenPipeError})], ids=["closed", "broken"]
)
def test_adversary_prints_only_the_report_when_standard_error_is_closed(closed, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", closed)
    monkeypatch.setattr(signal, "pause", mock.Mock(side_effect=KeyboardInterrupt))
    assert main(["adversary", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"]["not exercised"] == len(RULES)


def test_adversary_ends_with_status_0_for_full_marks(monkeypatch):
    assert run_until_interrupted(monkeypatch, Client).status == 0


@pytest.mark.parametrize("command", ["", "'", "./no-such-program", "a\0b", "\ud800"])
def test_adversary_cmd_refuses_a_command_that_does_not_run(command):
    assert refusal("adversary", "--cmd", command).startswith("--cmd: expected ")


@pytest.mark.parametrize("port", ["-1", "65536", "x", "1.5", "9" * 5_000])
def test_adversary_port_refuses_an_invalid_port(port):
    expected = "argument --port: expected a port from 0 to 65535; --help says more"
    assert refusal("adversary", "--port", port) == expected


@pytest.mark.parametrize("seconds", ["0", "-1", "3600", "nan", "inf", "x"])
def test_adversary_seconds_refuse_an_invalid_number(seconds):
    expected = "argument --seconds: expected seconds, more than 0 and less than 3600; --help says more"
    assert refusal("adversary", "--seconds", seconds) == expected


def test_adversary_port_refuses_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refusal("adversary", "--port", port).startswith("--port: expected a port that is free")
