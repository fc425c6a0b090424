"""The command `adversary`: a good client gets full marks, one that breaks a rule fails that rule alone."""

import contextlib
import itertools
import json
import urllib.error
import urllib.request

import pytest
from adversary_client import META, Client, post
from adversary_runs import Clock, find_verdict, judge, not_passed, serving
from hypothesis import given
from hypothesis import strategies as st
from strategies import json_values

from toolnexus_mrtr import MrtrError
from toolnexus_mrtr.cli._adversary._attacks import make_trials
from toolnexus_mrtr.cli._adversary._rules import RULES
from toolnexus_mrtr.cli._adversary._server import HostileServer

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


def add_answer(params):
    params["inputResponses"]["another"] = {"action": "decline"}


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


class WithIds(Client):
    def __init__(self, url, clock):
        super().__init__(url, clock)
        self.ids = itertools.chain([None, True], itertools.count(0.5))


class Losing(Client):
    """Makes a call anew where it should send the state alone."""

    def call(self, name, host, arguments):
        if name == "busy":
            for _ in range(2):
                self.send("tools/call", {"name": name, "arguments": arguments, "_meta": self.meta})
        else:
            super().call(name, host, arguments)


BATCH = b'[{"jsonrpc": "2.0", "id": 1, "method": "x"}]'
NO_PARAMS = b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": null}'
RESPONSE = b'{"jsonrpc": "2.0", "id": 1, "result": {}}'


class WritingJunk(Client):
    def play(self):
        super().play()
        for body in (b"{", b"[]", b"{}", b'{"a": NaN}', b"\xff", BATCH, NO_PARAMS, RESPONSE):
            with pytest.raises(urllib.error.HTTPError):
                post(self.url, body)


class WritingOddly(Client):
    def play(self):
        super().play()
        nested = [b"[" * depth + b"]" * depth for depth in (200, 99_999)]
        for value in (b'1, "params": 1', b"1" * 5_000, b"1e999", *nested):
            with pytest.raises(urllib.error.HTTPError):
                post(self.url, b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": ' + value + b"}")


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


class Insisting(Client):
    def call(self, name, host, arguments):
        if name != "pause_of_nothing":
            super().call(name, host, arguments)
            return
        params = {"name": name, "arguments": arguments, "_meta": self.meta}
        while self.send("tools/call", params)["resultType"] == "input_required":
            pass


class RetryingLists(Client):
    def play(self):
        super().play()
        self.send("prompts/list", {"_meta": META, "requestState": "s-1"})


class Slow(Client):
    def retry(self, name, params):
        self.wait(60 if name == "slow_pattern" else 0)
        return params


#: A client that breaks each rule, and the verdict where that is not "failed".
BAD = {
    "state-unchanged": spoil(strip_state),
    "state-dropped": spoil(lambda params: params.pop("requestState"), "plain"),
    "state-empty": spoil(lambda params: params.pop("requestState"), "empty_state"),
    "state-invented": spoil(lambda params: params.setdefault("requestState", "s-1")),
    "leaked": Leaking,
    "answers-kept": spoil(keep_old_answer, "several_rounds"),
    "answer-key": spoil(add_answer, "plain"),
    "answer-missing": spoil(lambda params: params["inputResponses"].popitem(), "plain"),
    "params-changed": spoil(lambda params: params["arguments"].update(weight=True), "arguments"),
    "answer-bare": spoil(lambda params: params.update(inputResponses={"who": {"result": {}}}), "plain"),
    "answer-members": spoil_answers(lambda answer: answer.update(resultType="complete")),
    "answer-action": spoil(change_answer("who", action="ok"), "plain"),
    "consent": accept_anything_of("nobody"),
    "action-changed": spoil(change_answer("no", action="cancel"), "refusals"),
    "content-refused": spoil_answers(add_content_to_refusal),
    "content-url": spoil(change_answer("visit", content={"token": "t"}), "visit"),
    "content-null": spoil(change_answer("who", content=None), "plain"),
    "content-missing": spoil(lambda params: params["inputResponses"]["ok"].pop("content"), "nothing_to_fill"),
    "content-values": accept_anything_of("nested"),
    "content-changed": spoil(lambda params: params["inputResponses"]["all"]["content"].update(count=True), "values"),
    "meta-missing": spoil(lambda params: params.pop("_meta"), "plain"),
    "id-type": WithIds,
    "id-reused": WithOneId,
    "message-json": WritingJunk,
    "message-plain": WritingOddly,
    "ref-fetched": fetch_trap("relative_ref/more"),
    "url-fetched": fetch_trap("visit_declined"),
    "url-unsafe": accept_anything_of("url_script"),
    "schema-slow": Slow,
    "result-type": accept_anything_of("unknown_result_type"),
    "complete": accept_anything_of("complete_with_requests"),
    "undeclared": accept_anything_of("undeclared"),
    "malformed": accept_anything_of("null_entry"),
    "pause-of-nothing": accept_anything_of("pause_of_nothing"),
    "paused-list": RetryingLists,
    "unanswered": GivingUp,
    "retry-bound": Endless,
}

#: Other ways to break a rule.
ALSO_BAD = [
    ("state-dropped", Losing),
    ("answer-missing", Renaming := spoil(rename_key, "plain")),
    ("params-changed", spoil(lambda params: params["arguments"].pop("note"), "arguments")),
    ("meta-missing", spoil(lambda params: params["_meta"].pop("io.modelcontextprotocol/protocolVersion"))),
    ("consent", spoil(change_answer("away", action="accept", content={}), "refusals")),
    ("content-changed", spoil(lambda params: params["inputResponses"]["who"].pop("content"), "plain")),
    ("url-fetched", fetch_trap("url_control/%0D%0AX-Injected:%201")),
    ("malformed", accept_anything_of("unknown_kind")),
    ("pause-of-nothing", Insisting),
]

#: What follows where a client breaks one rule so that it breaks another.
FOLLOWING = {Losing: {"unanswered": "warned"}, Renaming: {"answer-key": "warned"}}


def test_adversary_gives_a_good_client_full_marks():
    verdicts = judge()
    assert not_passed(verdicts) == {}
    (bound,) = [one.sentences for one in verdicts if one.rule.id == "retry-bound"]
    assert bound == ("endless: expected less than 100 retries, found 10",)


def test_every_rule_of_the_adversary_has_a_client_that_breaks_it():
    # Tests of their own provoke those that are missing: the one takes two requests at once, the others take tasks.
    assert set(BAD) == {rule.id for rule in RULES.values() if rule.mode != "tasks"} - {"id-in-flight"}


@pytest.mark.parametrize(("rule", "kind"), [*BAD.items(), *ALSO_BAD])
def test_adversary_finds_only_the_rule_that_a_client_breaks(rule, kind):
    must = RULES[rule].level == "must"
    assert not_passed(judge(kind)) == {rule: "failed" if must else "warned"} | FOLLOWING.get(kind, {})


def test_adversary_says_of_each_rule_where_the_specification_says_so():
    for rule in RULES.values():
        assert rule.says.endswith(".")
        assert bool(rule.page) == bool(rule.heading) == bool(rule.link) == (rule.level != "advice")


# The server, message by message.


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
        ({"elicitation": {}, "sampling": {}, "roots": {}}, "elicitation/create"),
        ({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}, "sampling/createMessage"),
    ],
)
def test_adversary_asks_for_a_kind_that_the_client_did_not_declare(capabilities, method):
    with serving() as (client, _):
        meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
        paused = client.send("tools/call", plain(name="undeclared", _meta=meta))
    assert paused["inputRequests"]["who"]["method"] == method


def test_adversary_asks_nothing_undeclared_of_a_client_that_declares_everything():
    everything = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
    with serving() as (client, server):
        meta = META | {"io.modelcontextprotocol/clientCapabilities": everything}
        assert client.send("tools/call", plain(name="undeclared", _meta=meta))["resultType"] == "complete"
    assert find_verdict(server, "undeclared") == ("passed", ())


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
    expected = 'expected each name once in an object, found "a" twice'
    assert find_verdict(server, "message-plain") == ("warned", (expected,))


def test_adversary_names_a_few_keys_and_counts_the_rest():
    with serving() as (client, server):
        client.send("tools/call", plain())
        answers = {f"k{n}\n": {"action": "decline"} for n in range(9)}
        client.send("tools/call", plain(requestState="s-1", inputResponses=answers))
    expected = 'plain, retry 1: expected no answer to "k0\\n", "k1\\n", "k2\\n", 6 more'
    assert find_verdict(server, "answer-key") == ("warned", (expected,))


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
    assert lines[0] == "plain, first send: expected no state, no answers"
    assert lines[5:] == ("and 2 more",)


@pytest.mark.parametrize(
    ("method", "params", "status", "code"),
    [
        ("initialize", {"protocolVersion": "2025-06-18"}, 404, -32601),
        ("tools/call", {"name": "no-such-tool"}, 200, -32602),
        ("tools/call", {"name": []}, 200, -32602),
        ("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}}, 400, -32022),
    ],
)
def test_adversary_answers_an_unknown_method_tool_or_version_with_an_error(method, params, status, code):
    with serving() as (client, server):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            answered, response = 200, post(client.url, json.dumps(message).encode())
        except urllib.error.HTTPError as error:
            answered, response = error.code, json.load(error)
    assert (answered, response["error"]["code"]) == (status, code)
    if code == -32022:
        assert response["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2027-01-01"}
        assert find_verdict(server, "meta-missing") == ("not exercised", ())


def test_adversary_answers_server_discover_and_takes_notifications():
    with serving() as (client, _):
        assert client.send("server/discover", {"_meta": META})["supportedVersions"] == ["2026-07-28"]
        assert post(client.url, b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}') == 202


NAMES = [trial.name for trial in make_trials("http://127.0.0.1:1")]
MEMBERS = st.fixed_dictionaries(
    {"name": st.sampled_from(NAMES)},
    optional={
        "_meta": st.just(META) | json_values,
        "inputResponses": st.dictionaries(st.sampled_from(["who", "", "first"]), json_values) | json_values,
        "requestState": st.sampled_from(["", "s-1"]) | json_values,
    },
)


@given(st.lists(st.tuples(MEMBERS, json_values), max_size=6))
def test_adversary_answers_any_message(messages):
    server = HostileServer("http://127.0.0.1:1", Clock())
    for params, id in messages:
        message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
        assert server.answer(message).keys() & {"result", "error"}
    assert [one.rule.id for one in server.judge()] == list(RULES)
