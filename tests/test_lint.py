"""`lint` finds all errors where the readers stop at the first one, on whatever a server sends."""

from pathlib import Path
from typing import Any

import pytest
from counting import calls
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import RESULTS, is_json, json_values, results
from test_wire import MORE, OURS, exchange
from wire_values import asking, form

from toolnexus_mrtr import (
    Call,
    Done,
    Finding,
    Handlers,
    LocalProtocolError,
    MrtrError,
    RemoteProtocolError,
    input_requests,
    lint,
)

#: Errors of lint that the readers tolerate.
TOLERATED = {
    "bad_content",
    "bad_message",
    "bad_meta",
    "bad_role",
    "flat_entry",
    "mixed_tool_results",
    "not_a_uri",
    "null_member",
    "schema_invalid",
    "schema_dialect",
    "schema_external_ref",
    "schema_too_large",
    "tool_role",
    "unanswered_tool_use",
    "unmatched_tool_result",
}

METHODS = st.sampled_from([None, "tools/call", "prompts/get", "resources/read", "tools/list", ""])

CAPABILITIES = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "elicitation": st.sampled_from([None, {}, {"form": {}}, {"url": {}}, {"form": {}, "url": {}}, 5]),
            "sampling": st.sampled_from([None, {}, {"tools": {}}]),
            "roots": st.sampled_from([None, {}]),
        },
    ),
)

#: The recordings in which the server breaks a rule: its folder, and the code of the finding.
WRONG = {"http-tools_call-ref_defs": ("python", "schema_invalid")}


def errors(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.code, finding.at) for finding in findings if finding.severity == "error"]


def refused(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    """Give the errors that a reader raises too; it takes an absent `resultType` for that of an older server."""
    found = [(code, at) for code, at in errors(findings) if code not in TOLERATED]
    return [one for one in found if one != ("missing_member", "/resultType")]


def raised(call: Any, *arguments: Any) -> list[tuple[str, str]]:
    try:
        call(*arguments)
    except MrtrError as error:
        return [(error.code, error.at)]
    return []


def ask(schema: Any) -> dict[str, Any]:
    # Not `asking`, whose copies of the deep schemas below would exhaust the stack.
    return {"resultType": "input_required", "inputRequests": {"k": form(schema=schema)}}


USE = {"type": "tool_use", "id": "c1", "name": "get", "input": {}}
RESULT = {"type": "tool_result", "toolUseId": "c1", "content": []}


def sampling(messages: Any) -> dict[str, Any]:
    params = {"messages": messages, "maxTokens": 5}
    return {
        "resultType": "input_required",
        "inputRequests": {"k": {"method": "sampling/createMessage", "params": params}},
    }


@given(results, METHODS, CAPABILITIES)
@example(RESULTS[0], "tools/call", {})
@example(RESULTS[0], None, None)
@example({"resultType": "complete", "a": [[]] * 3}, None, None)
def test_receive_raises_the_first_error_of_lint(raw, method, capabilities):
    if "resultType" not in raw:
        # Without it lint still looks at the requests, while a reader takes the call for finished.
        raw = raw | {"resultType": "complete"}
    if raw["resultType"] == "task" and capabilities is None:
        # `receive` follows what was declared alone; where nothing is said of that, lint looks at the task.
        capabilities = {}
    findings = lint(raw, method=method, capabilities=capabilities)
    if raw["resultType"] not in ("complete", "input_required"):
        # `receive` refuses any other result type at once, while lint still looks at the requests.
        findings = findings[:1]
    if method is None:
        findings = tuple(finding for finding in findings if finding.code != "method_not_supported")
    call = (
        Call(method or "tools/call", {}, capabilities=capabilities)
        if method != ""
        else Call("", {}, capabilities=capabilities)
    )
    assert raised(call.receive, raw) == refused(findings)[:1]


@given(results)
@example(RESULTS[0])
def test_input_requests_raises_the_first_error_of_lint(raw):
    asked = {"resultType": "input_required", "requestState": "s"}
    if "inputRequests" in raw:
        asked["inputRequests"] = raw["inputRequests"]
    # The reader looks into no schema, where a number may be none that JSON has.
    assume(is_json(asked))
    found = [one for one in refused(lint(asked)) if one[0] != "too_large"]
    assert raised(input_requests, asked) == found[:1]


@given(json_values, METHODS, CAPABILITIES)
def test_lint_raises_for_no_json_value(raw, method, capabilities):
    findings = lint(raw, method=method, capabilities=capabilities)
    pages = ("https://modelcontextprotocol.io/", "https://github.com/modelcontextprotocol/ext-tasks/")
    assert all(finding.message and finding.spec.startswith(pages) for finding in findings)
    if not isinstance(raw, dict):
        assert errors(findings) == [("wrong_type", "")]


@given(json_values)
@example(
    {"type": "object", "properties": {"a": {"type": "string", "default": {}, "enum": [[], {}, None, True, 1, 1.0]}}}
)
@example({"type": "object", "properties": {5: {}}, "required": [5]})
@example({"type": "object", "properties": {"a": {"items": {"enum": 5}, "type": "string", "format": []}}, "required": 5})
def test_lint_raises_for_no_schema(schema):
    at = "/inputRequests/k/params/requestedSchema"
    found = {finding.at for finding in lint(ask(schema))}
    assert all(place.startswith(at) for place in found)


@given(results)
def test_lint_finds_the_same_twice_and_changes_nothing(raw):
    before = repr(raw)
    assert lint(raw) == lint(raw)
    assert repr(raw) == before


@pytest.mark.parametrize("path", [*OURS, *MORE], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_lint_finds_no_errors_in_recordings_of_correct_servers(path: Path):
    capabilities = Handlers(wait_for=print, create_message=print, list_roots=print, sampling_tools=True).capabilities()
    found = [
        finding.code
        for step in exchange(path)
        if "result" in step["response"]
        for finding in lint(step["response"]["result"], method=step["request"]["method"], capabilities=capabilities)
        if finding.severity == "error"
    ]
    folder, code = WRONG.get(path.stem, ("", ""))
    assert found == ([code] if path.parent.name == folder else [])


def test_messages_of_lint_hold_at_most_64_characters_of_the_server():
    raw = ask({"type": "object", "properties": {"password " * 90: {"type": "string"}}, "required": ["x" * 999]})
    messages = {finding.code: finding.message for finding in lint(raw)}
    assert messages.keys() == {"asks_for_secret", "required_unknown"}
    assert all(len(message) < 150 for message in messages.values())


def test_lint_does_not_point_into_a_field_whose_name_is_too_long():
    (found,) = lint(ask({"type": "object", "properties": {"x" * 1001: {"type": "object", "title": "https://a"}}}))
    assert (found.code, found.at) == ("schema_too_large", "/inputRequests/k/params/requestedSchema/properties")


@pytest.mark.parametrize("wrong", [b"tools/call", 5, ["tools/call"]])
def test_lint_takes_only_a_str_as_method(wrong):
    with pytest.raises(TypeError, match="^method "):
        lint({}, method=wrong)


@pytest.mark.parametrize("wrong", ["elicitation", 5, ["elicitation"]])
def test_lint_takes_only_a_mapping_as_capabilities(wrong):
    with pytest.raises(TypeError, match="^capabilities "):
        lint({}, capabilities=wrong)


def _fields(n: int) -> dict[str, Any]:
    return ask({"type": "object", "properties": {f"f{i}": {"type": "object", "not": {}} for i in range(n)}})


#: Results that a server could send to cost lint time; each grows with its size.
HOSTILE = {
    "entries": lambda n: {"resultType": "input_required", "inputRequests": {f"k{i}": {"a": i} for i in range(100 * n)}},
    "forms": lambda n: {
        "resultType": "input_required",
        "inputRequests": {f"k{i}": form(schema={"type": "object"}) for i in range(40 * n)},
    },
    "fields": lambda n: _fields(20 * n),
    "fields beyond the bounds": lambda n: _fields(600 * n),
    "fields of no kind": lambda n: ask({"properties": {f"f{i}": i for i in range(500 * n)}}),
    "links": lambda n: ask({"properties": {f"f{i}": {"title": "a://b " * 9} for i in range(100 * n)}}),
    "a text of schemes": lambda n: ask({"title": "a:/" * 2_000 * n, "description": "www." * 2_000 * n}),
    "choices": lambda n: ask({"type": "object", "properties": {"a": {"type": "string", "enum": ["x"] * 90 * n}}}),
    "choices beyond the bounds": lambda n: ask({"properties": {"a": {"enum": ["x"] * 1_500 * n}}}),
    "required": lambda n: ask({"type": "object", "properties": {}, "required": [f"r{i}" for i in range(300 * n)]}),
    "a long key": lambda n: asking(**{"k" * 2_000 * n: _fields(40 * n)["inputRequests"]["k"]}),
    "a long name": lambda n: ask({"properties": {"x" * 5_000 * n: {"not": {}, "if": {}, "title": "a://b"}}}),
    "a long default": lambda n: ask(
        {"type": "object", "properties": {"a": {"type": "string", "minLength": 10**6, "default": "x" * 5_000 * n}}}
    ),
    "empty entries": lambda n: {
        "resultType": "input_required",
        "inputRequests": {f"k{i}": {} for i in range(1_000 * n)},
    },
    "messages": lambda n: sampling([{"role": "x", "content": 5}] * 300 * n),
    "blocks": lambda n: sampling([{"role": "user", "content": [{"type": "image"}] * 300 * n}]),
    "blocks within": lambda n: sampling([{"role": "user", "content": {**RESULT, "content": [5] * 300 * n}}]),
    "tool uses": lambda n: sampling([{"role": "assistant", "content": [USE] * 300 * n}] * 2),
    "tool results": lambda n: sampling(
        [{"role": "assistant", "content": [USE] * 50 * n}, {"role": "user", "content": [RESULT] * 100 * n}]
    ),
    "a deep tool result": lambda n: sampling([{"role": "user", "content": _nested_results(1_000 * n)}]),
    "a deep result": lambda n: {"resultType": "input_required", "requestState": "s", "_meta": _nested(1_000 * n)},
    "a deep schema": lambda n: ask({"type": "object", "properties": {"a": {"default": _nested(1_000 * n)}}}),
}


def _nested_results(levels: int) -> Any:
    block: Any = {**RESULT}
    for _ in range(levels):
        block = {**RESULT, "content": [block]}
    return block


def _nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("name", HOSTILE)
def test_lint_costs_no_more_than_the_size_of_a_hostile_result(name):
    small, large = HOSTILE[name](1), HOSTILE[name](10)
    # The first form with a default loads jsonschema.
    lint(small)
    assert calls(lint, large) <= 12 * max(calls(lint, small), 2_000)


@pytest.mark.parametrize("name", HOSTILE)
def test_findings_of_lint_grow_no_faster_than_a_hostile_result(name):
    small, large = HOSTILE[name](1), HOSTILE[name](10)
    size = [sum(len(finding.at) + len(finding.message) for finding in lint(raw)) for raw in (small, large)]
    assert size[1] <= 12 * max(size[0], 5_000)


@pytest.mark.parametrize("entries", [{f"k{i}": {} for i in range(60_000)}, dict.fromkeys(map(str, range(60_000)))])
def test_lint_stops_after_1000_findings(entries):
    findings = lint({"resultType": "input_required", "inputRequests": entries})
    assert len(findings) == 1_000
    assert (findings[0].code, findings[0].at) == ("too_large", "/inputRequests")


def test_lint_does_not_look_behind_the_last_of_its_findings():
    few = {"resultType": "input_required", "inputRequests": {f"k{i}": {} for i in range(1_000)}}
    many = {"resultType": "input_required", "inputRequests": {f"k{i}": {} for i in range(60_000)}}
    assert calls(lint, many) < 1.1 * calls(lint, few)


#: Messages near the rules: every role, content of every shape, blocks whose ids meet and miss each other.
BLOCKS = st.one_of(
    st.sampled_from([{"type": "text", "text": "x"}, {"type": "text"}, {"type": "x"}, {}, 5, None]),
    st.builds(lambda name: USE | {"id": name}, st.sampled_from(["a", "b", 5])),
    st.builds(lambda name: RESULT | {"toolUseId": name}, st.sampled_from(["a", "b", None])),
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "assistant", "assistant", "system", 5]),
            "content": st.one_of(BLOCKS, st.lists(BLOCKS, max_size=3)),
        },
    ),
    max_size=5,
)


def _blocks(message: Any) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else [content]


def _ids(message: Any, kind: str, name: str) -> list[str]:
    blocks = [block for block in _blocks(message) if isinstance(block, dict) and block.get("type") == kind]
    return sorted(block[name] for block in blocks if isinstance(block[name], str))


@given(MESSAGES)
@example([{"role": "assistant", "content": [USE, USE]}, {"role": "user", "content": [RESULT, RESULT]}])
def test_lint_finds_messages_out_of_balance_exactly_where_uses_and_results_differ(messages):
    codes = {finding.code for finding in lint(sampling(messages))}
    uses = [_ids(message, "tool_use", "id") for message in messages]
    results = [_ids(message, "tool_result", "toolUseId") for message in messages]
    is_balanced = [*uses, []] == [*results[1:], [], []][: len(uses) + 1] and results[:1] in ([], [[]])
    assert is_balanced == codes.isdisjoint({"unanswered_tool_use", "unmatched_tool_result"})


@given(MESSAGES)
def test_lint_finds_wrong_roles_and_mixed_results_exactly_where_they_are(messages):
    findings = lint(sampling(messages))
    for place, message in enumerate(messages):
        at = f"/inputRequests/k/params/messages/{place}"
        has_role = ("bad_role", at + "/role") not in {(finding.code, finding.at) for finding in findings}
        assert has_role == (message.get("role") in ("user", "assistant"))
        kinds = {isinstance(block, dict) and block.get("type") == "tool_result" for block in _blocks(message)}
        is_mixed = ("mixed_tool_results", at + "/content") in {(finding.code, finding.at) for finding in findings}
        assert is_mixed == (kinds == {True, False})


@given(json_values)
def test_lint_raises_for_no_messages(messages):
    at = "/inputRequests/k/params/messages"
    assert all(finding.at.startswith(at) for finding in lint(sampling(messages)))


@given(json_values)
def test_lint_raises_for_no_content_of_a_message(content):
    at = "/inputRequests/k/params/messages/0/content"
    assert all(finding.at.startswith(at) for finding in lint(sampling([{"role": "user", "content": content}])))


@pytest.mark.parametrize("context", ["thisServer", "allServers", "", 5, []])
def test_lint_warns_of_a_context_only_where_it_was_not_declared(context):
    raw = sampling([])
    raw["inputRequests"]["k"]["params"]["includeContext"] = context
    found = ("undeclared_context", "warning", "/inputRequests/k/params/includeContext")
    for capabilities in ({"sampling": {}}, {"sampling": {"context": None}}):
        (finding,) = lint(raw, capabilities=capabilities)
        assert (finding.code, finding.severity, finding.at) == found
    assert [finding.code for finding in lint(raw, capabilities={})] == ["undeclared_capability", "undeclared_context"]
    assert lint(raw) == lint(raw, capabilities={"sampling": {"context": {}}}) == ()


def test_lint_says_of_a_message_what_was_found():
    messages = [{}, {"role": "system", "content": "x"}, {"role": None, "content": {}}]
    assert [finding.message for finding in lint(sampling(messages))] == [
        "expected the role 'user' or 'assistant', found nothing",
        "expected a content block or an array of them, found nothing",
        "expected the role 'user' or 'assistant', found another string",
        "expected a content block or an array of them, found a string",
        "expected the role 'user' or 'assistant', found null",
        "expected a member 'type'",
    ]


def test_lint_does_not_point_into_the_messages_of_an_entry_whose_key_is_too_long():
    raw = sampling([5] * 10)
    raw["inputRequests"] = {"k" * 257: raw["inputRequests"]["k"]}
    (found,) = lint(raw)
    assert found.code == "too_large"


def test_finding_compares_by_value_and_is_frozen():
    (one,) = lint({})
    assert one == lint({})[0]
    assert hash(one) == hash(lint({})[0])
    with pytest.raises(AttributeError):
        one.code = "x"


def test_lint_and_input_requests_tell_a_whole_response_from_a_result():
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    with pytest.raises(LocalProtocolError) as caught:
        input_requests(response)
    assert errors(lint(response)) == [(caught.value.code, caught.value.at)]
    assert not isinstance(caught.value, RemoteProtocolError)


def test_lint_of_a_form_passes_over_members_of_a_composition_that_are_no_schemas():
    schema = {"type": "object", "properties": {"a": {"type": "string", "oneOf": [5, {"const": "x"}, {"const": "x"}]}}}
    found = [(finding.code, finding.at.rpartition("/a/")[2]) for finding in lint(asking(a=form(schema=schema)))]
    assert ("repeated_choice", "oneOf/2") in found
    assert found[0][0] == "schema_invalid"


#: Entries with a hundred warnings each, and with thousands of errors that no reader raises.
WARNED = form(
    schema={"type": "object", "properties": {f"f{n}": {"type": "string", "pattern": "x"} for n in range(100)}}
)
TOLERATED_ERRORS = sampling([{"role": 5, "content": []}] * 1_100)["inputRequests"]["k"]
BAD_META = {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "https://a.example/x"}}
BAD_META["params"] |= {"_meta": 5}  # type: ignore[operator]  # the value of a member is an object to mypy
ENTRIES = st.sampled_from([WARNED, WARNED, WARNED, TOLERATED_ERRORS, BAD_META, {}, 5, {"method": "x"}])
ENDS = st.sampled_from([{}, {"requestState": "s"}, {"requestState": 5}, {"_meta": _nested(100)}])


@settings(deadline=None, max_examples=40)
@given(st.integers(min_value=0, max_value=12), st.lists(ENTRIES, max_size=3), ENDS, CAPABILITIES)
@example(10, [], {"requestState": 5}, None)
@example(12, [5], {}, None)
@example(0, [TOLERATED_ERRORS], {"requestState": 5}, None)
def test_lint_has_what_receive_raises_among_any_number_of_findings(warned, others, end, capabilities):
    entries = dict(enumerate([WARNED] * warned + others))
    raw = {"resultType": "input_required", "inputRequests": {f"k{n}": entries[n] for n in entries}} | end
    findings = lint(raw, capabilities=capabilities)
    assert len(findings) <= 1_000
    refusal = raised(Call("tools/call", {}, capabilities=capabilities).receive, raw)
    assert set(refusal) <= set(errors(findings))


@pytest.mark.parametrize(
    ("others", "end", "refusal"),
    [
        ({"b": {"method": 5}}, {}, [("wrong_type", "/inputRequests/b/method")]),
        ({}, {"note": float("nan")}, [("wrong_type", "/note")]),
        ({}, {}, []),
    ],
    ids=["an entry", "the whole", "nothing"],
)
def test_lint_has_what_receive_raises_of_a_task_among_more_errors_than_it_lists(others, end, refusal):
    capabilities = {"sampling": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    call = Call("tools/call", {}, capabilities=capabilities)
    poll = call.receive({"resultType": "task", "taskId": "t", "status": "working"}).resume()
    entries = {"a": TOLERATED_ERRORS, **others}
    raw = {"resultType": "complete", "taskId": "t", "status": "input_required", "inputRequests": entries, **end}
    findings = lint(raw, method="tasks/get", capabilities=capabilities)
    assert len(errors(findings)) == 1_000
    assert raised(poll.receive, raw) == refusal
    assert set(refusal) <= set(errors(findings)[-1:])


def test_lint_leaves_out_warnings_before_errors_and_keeps_the_order():
    entries = {f"k{n}": WARNED for n in range(11)} | {"z": BAD_META}
    findings = lint({"resultType": "input_required", "inputRequests": entries, "requestState": 5})
    assert len(findings) == 1_000
    assert [finding.at for finding in findings[-2:]] == ["/inputRequests/z/params/_meta", "/requestState"]
    assert findings[:998] == lint({"resultType": "input_required", "inputRequests": entries})[:998]


def test_lint_lists_a_thousand_errors_of_a_result_that_receive_takes_for_complete():
    raw = {"inputRequests": {str(number): 5 for number in range(1_001)}}
    findings = lint(raw)
    assert [finding.code for finding in findings] == ["missing_member", "too_large"] + ["wrong_type"] * 998
    assert isinstance(Call("tools/call", {}).receive(raw), Done)
