"""The command `answer`: the params that it prints, and the errors that refuse an answer."""

import json

import pytest
from command_line import (
    LLM,
    OTHER,
    PAUSED,
    ROOTS,
    answer,
    form,
    link,
    pause_of,
    paused,
    refusal,
    refusals,
    run,
    sentences,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import results, text

from toolnexus_mrtr import printable


def test_answer_prints_the_params_for_the_example():
    done = run("answer", PAUSED, "--accept", "who.name=Ada", "--accept", "who.guests=2")
    assert json.loads(done.out) == {
        "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada", "guests": 2}}},
        "requestState": "booking-7f3a",
    }


def test_answer_never_fills_in_a_default():
    raw = paused(who=form({"name": {"type": "string"}, "size": {"type": "string", "default": "s"}}))
    assert answer(raw, "--accept", "who.name=Ada") == {
        "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada"}}}
    }


@pytest.mark.parametrize(
    ("asked", "flags", "responses"),
    [
        ({"k": form()}, ["--accept", "k"], {"k": {"action": "accept", "content": {}}}),
        ({"k": link()}, ["--accept", "k"], {"k": {"action": "accept"}}),
        ({"k": link()}, ["--accept", "k", "--accept", "k"], {"k": {"action": "accept"}}),
        ({"k": form()}, ["--decline", "k"], {"k": {"action": "decline"}}),
        ({"k": form()}, ["--decline", "k", "--decline", "k"], {"k": {"action": "decline"}}),
        ({"k": form()}, ["--cancel", "k"], {"k": {"action": "cancel"}}),
        ({"": form()}, ["--accept", ""], {"": {"action": "accept", "content": {}}}),
        ({"": form()}, ["--decline", ""], {"": {"action": "decline"}}),
        ({"__proto__": form()}, ["--cancel", "__proto__"], {"__proto__": {"action": "cancel"}}),
        (
            {"b": form(), "a": link(), "c": form()},
            ["--cancel", "c", "--decline", "a", "--accept", "b"],
            {"b": {"action": "accept", "content": {}}, "a": {"action": "decline"}, "c": {"action": "cancel"}},
        ),
    ],
)
def test_answer_prints_every_key_in_the_servers_order(asked, flags, responses):
    written = answer(pause_of(asked), *flags)
    assert json.dumps(written) == json.dumps({"inputResponses": responses})


@pytest.mark.parametrize(
    ("asked", "assignment", "key", "field", "value"),
    [
        ({"k": ["n"]}, "k.n=Ada", "k", "n", "Ada"),
        ({"k": ["n"]}, "k.n=a=b", "k", "n", "a=b"),
        ({"": ["n"]}, ".n=Ada", "", "n", "Ada"),
        ({"": [""]}, ".=Ada", "", "", "Ada"),
        ({"a.b": ["n"]}, "a.b.n=x", "a.b", "n", "x"),
        ({"a=b": ["n"]}, "a=b.n=x", "a=b", "n", "x"),
        ({"k": ["a.b"]}, "k.a.b=x", "k", "a.b", "x"),
        ({"k": ["a", "a=b"]}, "k.a=b=x", "k", "a=b", "x"),
        ({"a": ["b.c"], "a.b": ["c"]}, "a.b.c=x", "a.b", "c", "x"),
        ({"a": ["b.c"], "a.b": []}, "a.b.c=x", "a", "b.c", "x"),
        ({"a": ["n"], "a.b": []}, "a.n=x", "a", "n", "x"),
        ({"größe": ["ß"]}, "größe.ß=é", "größe", "ß", "é"),
    ],
)
def test_answer_accept_splits_at_the_longest_key_and_field_that_are_asked(asked, assignment, key, field, value):
    raw = pause_of({name: form({field: {"type": "string"} for field in fields}) for name, fields in asked.items()})
    others = [flag for name in asked if name != key for flag in ("--decline", name)]
    responses = answer(raw, "--accept", assignment, *others)["inputResponses"]
    assert responses[key] == {"action": "accept", "content": {field: value}}


@pytest.mark.parametrize("key", ["a.b=c", "a.n=x"])
def test_answer_accept_takes_an_exact_key_before_an_assignment(key):
    raw = pause_of({"a": form({"b": {"type": "string"}, "n": {"type": "string"}}), key: form()})
    responses = answer(raw, "--accept", key, "--decline", "a")["inputResponses"]
    assert responses[key] == {"action": "accept", "content": {}}


@pytest.mark.parametrize(
    ("field", "texts", "content"),
    [
        ({"type": "string"}, ["5"], {"n": "5"}),
        ({"type": "string"}, ["null"], {"n": "null"}),
        ({"type": "string"}, [""], {}),
        ({"type": "integer"}, ["5"], {"n": 5}),
        ({"type": "integer"}, ["-9007199254740993"], {"n": -9007199254740993}),
        ({"type": ["null", "integer"]}, ["5"], {"n": 5}),
        ({"type": "integer"}, [""], {}),
        ({"type": "number"}, ["1.5"], {"n": 1.5}),
        ({"type": "boolean"}, ["yes"], {"n": True}),
        ({"type": "boolean"}, ["false"], {"n": False}),
        ({"oneOf": [{"const": "w", "title": "Window"}]}, ["window"], {"n": "w"}),
        ({"type": "integer", "enum": [1, 2]}, ["2"], {"n": 2}),
        ({"type": "array", "items": {"type": "string"}}, ["a"], {"n": ["a"]}),
        ({"type": "array", "items": {"type": "string"}}, ["a", "b,c", "a"], {"n": ["a", "b,c", "a"]}),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["b", "a"], {"n": ["b", "a"]}),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["b,a"], {"n": ["b", "a"]}),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, [""], {"n": []}),
        ({"type": "array", "items": {"type": "string"}}, [""], {"n": []}),
        ({"type": "array", "items": {"type": "string"}}, ["", "a"], {"n": ["", "a"]}),
        ({}, ["5"], {"n": "5"}),
    ],
    ids=repr,
)
def test_answer_accept_converts_a_value_to_the_type_of_its_field(field, texts, content):
    flags = [flag for typed in texts for flag in ("--accept", f"k.n={typed}")]
    written = answer(paused(k=form({"n": field})), *flags)
    assert json.dumps(written["inputResponses"]["k"]["content"]) == json.dumps(content)


@pytest.mark.parametrize(
    ("field", "texts"),
    [
        ({"type": "integer"}, ["x"]),
        ({"type": "integer"}, ["1.5"]),
        ({"type": "integer"}, ["1" * 5000]),
        ({"type": "integer", "maximum": 8}, ["9"]),
        ({"type": "number"}, ["NaN"]),
        ({"type": "number"}, ["1e999"]),
        ({"type": "boolean"}, ["maybe"]),
        ({"type": "string"}, ["a", "b"]),
        ({"type": "string", "format": "email"}, ["a"]),
        ({"type": "object"}, ["{}"]),
        ({"enum": ["a"]}, ["b"]),
    ],
)
def test_answer_accept_refuses_a_value_that_does_not_fit_its_field(field, texts):
    flags = [flag for typed in texts for flag in ("--accept", f"k.n={typed}")]
    assert refusal("answer", "-", *flags, stdin=paused(k=form({"n": field}))).startswith("k.n: ")


def test_answer_accept_refuses_text_in_another_encoding_than_the_terminals():
    asked = paused(k=form({"a": {"type": "string"}}))
    assert refusal("answer", "-", "--accept", "k.a=x\udcff", stdin=asked).startswith('--accept "k.a": ')


def test_answer_reports_all_field_errors_at_once_in_the_order_of_the_forms():
    fields = {"a": {"type": "integer", "minimum": 18}, "b/c~d": {"type": "string"}, "x y": {"type": "boolean"}}
    raw = pause_of(
        {"who": form(fields, required=["b/c~d"]), "ok": form(), "no": form(required=["n"]), "": form({"n": True})}
    )
    typed = [
        ["--accept", f"{field}={value}"]
        for field, value in {".n": "1", ".m": "2", "who.z": "3", "who.x y": "4", "who.a": "5"}.items()
    ]
    flags = [flag for pair in typed for flag in pair]
    found = refusals("answer", "-", "--accept", "ok", "--decline", "no", *flags, stdin=raw)
    assert [line.rpartition(": ")[0] for line in found] == ["who.a", '"who.b/c~d"', '"who.x y"', "who.z", ".m"]
    assert [line for line in found if not line.rpartition(": ")[2].startswith("expected ")] == []


def test_answer_truncates_a_long_name_in_an_error():
    raw = paused(k=form({"n" * 100: {"type": "integer"}}))
    found = refusal("answer", "-", "--accept", f"k.{'n' * 100}=x", stdin=raw)
    assert found.startswith('"k.' + "n" * 62 + '...": ')


@pytest.mark.parametrize(
    ("asked", "flags", "place"),
    [
        ({"k": form()}, [], '"k"'),
        ({"k": form(), "l": link()}, ["--accept", "k"], '"l"'),
        ({"k": form()}, ["--accept", "j"], '"j"'),
        ({"k": form()}, ["--accept", "j.n=x"], '"j.n"'),
        ({"k": form({"n": {}})}, ["--accept", "k.m=x"], "k.m: "),
        ({"k": form({"n": {}})}, ["--accept", "k.n"], '"k.n"'),
        ({"k": form({"n": {}})}, ["--accept", "k.=x"], "k.: "),
        ({"a": form(), "a.b": form()}, ["--decline", "a", "--accept", "a.b.c=x"], "a.b.c: "),
        ({"k": link()}, ["--accept", "k.n=x"], '"k.n"'),
        ({"k": form(properties=[])}, ["--accept", "k"], '"k"'),
        ({"k": form(properties=[])}, ["--accept", "k.n=x"], '"k"'),
        ({"k": form()}, ["--decline", "j"], '"j"'),
        ({"k": form()}, ["--cancel", ""], '""'),
        ({"k": form()}, ["--accept", "k", "--decline", "k"], '"k"'),
        ({"k": form()}, ["--accept", "k", "--cancel", "k"], '"k"'),
        ({"k": form()}, ["--decline", "k", "--cancel", "k"], '"k"'),
        ({"k": LLM}, ["--accept", "k"], '"k"'),
        ({"k": ROOTS}, ["--decline", "k"], '"k"'),
        ({"k": form(), "o": OTHER}, ["--accept", "k"], '"o"'),
        ({"k" * 100: form()}, [], '"' + "k" * 64 + '..."'),
    ],
)
def test_answer_refuses_answers_that_do_not_match_the_requests_and_names_the_key(asked, flags, place):
    assert place in refusal("answer", "-", *flags, stdin=pause_of(asked))


SECRET = "correct horse battery staple"


@pytest.mark.parametrize("assignment", ["j.n=", "k.m=", "k.i=", "k.b="])
def test_answer_shows_no_value_in_an_error(assignment):
    raw = paused(k=form({"i": {"type": "integer"}, "b": {"type": "boolean"}}))
    assert "horse" not in refusal("answer", "-", "--accept", assignment + SECRET, stdin=raw)


def test_answer_declines_and_cancels_a_form_that_cannot_be_checked():
    raw = paused(k=form(properties=[]), l=form(required=True))
    responses = answer(raw, "--decline", "k", "--cancel", "l")["inputResponses"]
    assert responses == {"k": {"action": "decline"}, "l": {"action": "cancel"}}


def test_show_and_answer_refuse_an_unsafe_url():
    raw = {"resultType": "input_required", "inputRequests": {"k": link("javascript:alert(1)")}}
    for command in ("show", "answer"):
        assert "/inputRequests/k/params/url" in refusal(command, "-", stdin=raw)


def test_answer_says_that_a_form_with_an_unsupported_required_field_can_only_be_declined_or_cancelled():
    raw = paused(k=form({"f": {"type": "object"}}, required=["f"]))
    assert "can only be declined or cancelled" in refusal("answer", "-", "--accept", "k.f=x", stdin=raw)
    assert answer(raw, "--decline", "k")["inputResponses"] == {"k": {"action": "decline"}}


@pytest.mark.parametrize("state", ["", "p50", "a\ud800b", ' \u0000\u2028é\U0001f600\\/+="%20\n'])
def test_answer_echoes_a_request_state_unchanged(state):
    assert answer({"resultType": "input_required", "requestState": state}) == {"requestState": state}
    assert answer(pause_of({}, state)) == {"requestState": state}


@pytest.fixture
def call_file(tmp_path):
    """Write the call to a file."""

    def write(text):
        path = tmp_path / "call.json"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_answer_repeats_the_call_for_a_pause_that_asks_nothing(call_file):
    assert answer(pause_of({}), "--call", call_file('{"name": "t", "requestState": "old"}')) == {"name": "t"}
    assert answer(pause_of({})) == {}


@pytest.mark.parametrize("command", ["show", "answer"])
def test_show_and_answer_refuse_a_pause_that_the_protocol_or_a_limit_forbids(command):
    assert refusal(command, "-", stdin={"resultType": "input_required"}).startswith("standard input: ")
    assert "/requestState" in refusal(command, "-", stdin=pause_of({}, "s" * 1_048_577))
    assert "/inputRequests" in refusal(command, "-", stdin=pause_of({str(n): form() for n in range(101)}))


def test_answer_refuses_a_finished_call():
    assert refusal("answer", "-", stdin={"resultType": "complete"}).startswith("standard input: ")


def test_answer_call_keeps_the_params_and_drops_old_answers(call_file):
    params = (
        '{"name": "t", "arguments": {"w": 1.0, "z": null, "k": [], "big": 9007199254740993, "s": "\\ud800"}, '
        '"inputResponses": {"old": {"action": "decline"}}, "requestState": "s0", "_meta": {}}'
    )
    kept = {"w": 1.0, "z": None, "k": [], "big": 9007199254740993, "s": "\ud800"}
    expected = {
        "name": "t",
        "arguments": kept,
        "_meta": {},
        "inputResponses": {"k": {"action": "accept", "content": {}}},
    }
    for call in (params, f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'):
        written = answer(paused(k=form()), "--call", call_file(call), "--accept", "k")
        assert json.dumps(written) == json.dumps(expected)
    state_only = {"resultType": "input_required", "requestState": "s2"}
    assert answer(state_only, "--call", call_file(params)) == {
        "name": "t",
        "arguments": kept,
        "_meta": {},
        "requestState": "s2",
    }


def test_answer_call_takes_a_request_without_params(call_file):
    raw = {"resultType": "input_required", "requestState": "s"}
    assert answer(raw, "--call", call_file('{"method": "tools/call"}')) == {"requestState": "s"}


def test_answer_call_reads_standard_input():
    done = run("answer", PAUSED, "--call", "-", "--decline", "who", stdin={"name": "t"})
    assert json.loads(done.out)["name"] == "t"
    refusal("answer", "-", "--call", "-", "--decline", "who", stdin={"name": "t"})


@pytest.mark.parametrize(
    "call",
    [
        '{"method": "tools/call", "params": null}',
        '{"jsonrpc": "2.0", "method": "tools/call", "params": []}',
        '{"jsonrpc": "2.0", "params": {}}',
        '{"method": 5}',
        '{"_meta": {"io.modelcontextprotocol/clientCapabilities": []}}',
        '{"a": ' + "[" * 64 + "]" * 64 + "}",
        "[]",
    ],
)
def test_answer_call_refuses_a_file_without_a_call(call_file, call):
    path = call_file(call)
    assert refusal("answer", PAUSED, "--call", path, "--decline", "who").startswith(printable(path) + ": ")


@pytest.mark.parametrize(
    "call",
    [
        '{"method": "tools/list"}',
        '{"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}}',
        '{"_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}}}}',
    ],
)
def test_answer_call_refuses_a_pause_that_the_call_does_not_allow(call_file, call):
    assert refusal("answer", PAUSED, "--call", call_file(call), "--decline", "who").startswith(printable(PAUSED) + ": ")


@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
def test_answer_call_takes_every_method_that_can_be_paused(call_file, method):
    path = call_file(json.dumps({"method": method, "params": {"uri": "file:///a"}}))
    written = answer(pause_of({}, "s"), "--call", path)
    assert written == {"uri": "file:///a", "requestState": "s"}


def test_answer_prints_json_in_ascii():
    done = run("answer", "-", "--accept", "é.n=größe", stdin=pause_of({"é": form({"n": {"type": "string"}})}, "\ud800"))
    assert done.out.isascii()
    assert json.loads(done.out)["inputResponses"] == {"é": {"action": "accept", "content": {"n": "größe"}}}


@given(raw=results, flags=st.lists(st.tuples(st.sampled_from(["--accept", "--decline", "--cancel"]), text), max_size=3))
@settings(max_examples=200)
def test_answer_prints_json_or_sentences_for_any_flags_and_result(raw, flags):
    done = run("answer", "-", *(f"{flag}={value}" for flag, value in flags), stdin=raw)
    if done.status:
        assert (done.status, done.out) == (2, "")
        sentences(done.err)
    else:
        assert json.loads(done.out).keys() <= {"inputResponses", "requestState"}
