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
from strategies import json_objects, results, text


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
        ({"k": ["a", "a=b"]}, "k.a=c=x", "k", "a", "c=x"),
        ({"a": ["b.c"], "a.b": ["d"]}, "a.b.c=x", "a", "b.c", "x"),
        ({"a": ["b.c"], "a.b": []}, "a.b.c=x", "a", "b.c", "x"),
        ({"a": ["n"], "a.b": []}, "a.n=x", "a", "n", "x"),
        ({"größe": ["ß"]}, "größe.ß=é", "größe", "ß", "é"),
    ],
)
def test_answer_accept_finds_the_key_and_the_field_that_are_asked(asked, assignment, key, field, value):
    raw = pause_of({name: form({field: {"type": "string"} for field in fields}) for name, fields in asked.items()})
    others = [flag for name in asked if name != key for flag in ("--decline", name)]
    responses = answer(raw, "--accept", assignment, *others)["inputResponses"]
    assert responses[key] == {"action": "accept", "content": {field: value}}


@pytest.mark.parametrize(
    ("asked", "assignment", "readings"),
    [
        (
            {"terms": ["agree"], "terms.agree=no": []},
            "terms.agree=no",
            ('the field "agree" of "terms"', '"terms.agree=no"'),
        ),
        ({"k": ["a", "a=b"]}, "k.a=b=x", ('the field "a" of "k"', 'the field "a=b" of "k"')),
        ({"a": ["b.c"], "a.b": ["c"]}, "a.b.c=x", ('the field "b.c" of "a"', 'the field "c" of "a.b"')),
        ({"a": ["b=c"], "a.b=c": []}, "a.b=c", None),
    ],
)
def test_answer_accept_refuses_a_text_that_can_be_read_in_two_ways_and_names_both(asked, assignment, readings):
    raw = pause_of({name: form({field: {"type": "string"} for field in fields}) for name, fields in asked.items()})
    if readings is None:
        assert answer(raw, "--accept", assignment, "--decline", "a")["inputResponses"]["a.b=c"]["action"] == "accept"
    else:
        expected = f"expected what can be read in one way, this can be read as {' and as '.join(readings)}; try --json"
        assert refusal("answer", "-", "--accept", assignment, stdin=raw) == f"--accept: {expected}"


def test_answer_json_answers_what_accept_cannot_tell_apart():
    asked = {"terms": form({"agree": {"type": "string"}}), "terms.agree=no": form()}
    flags = ["--json", 'terms={"action": "decline"}', "--json", 'terms.agree=no={"action": "accept", "content": {}}']
    assert answer(pause_of(asked), *flags)["inputResponses"] == {
        "terms": {"action": "decline"},
        "terms.agree=no": {"action": "accept", "content": {}},
    }


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
    assert refusal("answer", "-", "--accept", "k.a=x\udcff", stdin=asked).startswith('--accept, the field "a" of "k": ')


def test_answer_reports_all_field_errors_at_once_in_the_order_of_the_forms():
    fields = {"a": {"type": "integer", "minimum": 18}, "b/c~d": {"type": "string"}, "x y": {"type": "boolean"}}
    raw = pause_of(
        {
            "who": form(fields, required=["b/c~d"]),
            "ok": form(),
            "no": form(required=["n"]),
            "": form({"n": {"type": "integer"}}),
        }
    )
    typed = [["--accept", text] for text in (".n=x", "who.x y=4", "who.a=5")]
    flags = [flag for pair in typed for flag in pair]
    found = refusals("answer", "-", "--accept", "ok", "--decline", "no", *flags, stdin=raw)
    assert [line.rpartition(": ")[0] for line in found] == ["who.a", '"who.b/c~d"', '"who.x y"', ".n"]
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
        ({"k": form(), "l": link()}, ["--accept", "j"], '"k", "l"'),
        ({"k": form(), "l": link()}, ["--accept", "j.n=x"], '"k", "l"'),
        ({"k": form({"n": {}, "i": {}})}, ["--accept", "k.m=x"], 'expected a field of "k": "n", "i"'),
        ({"k": form({"n": {}})}, ["--accept", "k.n"], '"k"'),
        ({"k": form({"n": {}})}, ["--accept", "k.=x"], 'expected a field of "k": "n"'),
        ({"k": form()}, ["--accept", "k.n=x"], 'expected a field of "k": there is none'),
        ({"a": form(), "a.b": form({"c": {}})}, ["--accept", "a.b.d=x"], 'expected a field of "a.b": "c"'),
        ({"k": link()}, ["--accept", "k.n=x"], 'expected KEY alone, or --json: "k" asks for a visit to a url'),
        ({"k": form(properties=[])}, ["--accept", "k"], '"k" can only be declined or cancelled'),
        ({"k": form(properties=[])}, ["--accept", "k.n=x"], '"k" can only be declined or cancelled'),
        ({"k": form(), "l": link()}, ["--decline", "j"], '--decline: expected a key that is asked, one of "k", "l"'),
        ({"k": form(), "l": link()}, ["--cancel", ""], '--cancel: expected a key that is asked, one of "k", "l"'),
        ({"k": form(), "l": link()}, ["--json", "j={}"], 'with a key that is asked, one of "k", "l"'),
        ({"k": form()}, ["--json", "k=5"], "expected KEY={...} or KEY=@FILE"),
        ({"k": form()}, ["--decline", "k", "--decline", "j"], "--decline, number 2: "),
        ({}, ["--decline", "j"], "expected a key that is asked, and nothing is asked"),
        ({str(n): form() for n in range(100)}, ["--decline", "j"], '"8", "9", and 90 more'),
        ({"k": form()}, ["--accept", "k", "--decline", "k"], '"k" is answered twice'),
        ({"k": form()}, ["--accept", "k", "--cancel", "k"], '"k" is answered twice'),
        ({"k": form()}, ["--decline", "k", "--cancel", "k"], '"k" is answered twice'),
        ({"k": form()}, ["--accept", "k", "--json", 'k={"action": "accept"}'], '"k" is answered twice'),
        ({"k": ROOTS}, ["--json", 'k={"roots": []}', "--json", "k={}"], '"k" is answered twice'),
        ({"k": LLM}, ["--accept", "k"], '"k" asks for a message of a language model: expected its answer after --json'),
        ({"k": LLM}, ["--accept", "k.n=x"], '"k" asks for a message of a language model'),
        ({"k": ROOTS}, ["--decline", "k"], '"k" asks for the roots of the client: expected its answer after --json'),
        ({"k": form(), "o": OTHER}, ["--accept", "k"], '"o" asks for something unknown'),
        ({"k" * 100: form()}, [], '"' + "k" * 64 + '..."'),
    ],
)
def test_answer_refuses_answers_that_do_not_match_the_requests_and_names_the_key(asked, flags, place):
    assert place in refusal("answer", "-", *flags, stdin=pause_of(asked, "s"))


NESTED = json.loads("[" * 90 + "]" * 90)
MESSAGE = {"role": "assistant", "content": {"type": "text", "text": "hello"}, "model": "m"}


@pytest.mark.parametrize(
    ("entry", "value", "written"),
    [
        (form({"n": {"type": "integer"}}), {"action": "accept", "content": {"n": 5}}, ...),
        (form({"n": {"type": "integer"}}), {"action": "accept", "content": {"n": 5.0}, "_meta": {"x": 1}}, ...),
        (form({"n": {"type": "integer"}}), {"action": "accept"}, {"action": "accept", "content": {}}),
        (form(), {"action": "decline"}, ...),
        (link(), {"action": "cancel"}, ...),
        (LLM, MESSAGE, ...),
        (ROOTS, {"roots": [{"uri": "file:///a"}]}, ...),
        (OTHER, {"approved": True}, ...),
        (OTHER, {}, ...),
    ],
    ids=repr,
)
def test_answer_json_answers_every_kind_of_request_in_the_shape_of_the_wire(entry, value, written, tmp_path):
    path = tmp_path / "value.json"
    path.write_text(json.dumps(value), "ascii")
    expected = {"inputResponses": {"a=b": value if written is ... else written, "z": {"action": "decline"}}}
    for argument in (json.dumps(value), f"@{path}"):
        assert answer(pause_of({"a=b": entry, "z": form()}), "--decline", "z", "--json", f"a=b={argument}") == expected


def test_answer_json_reads_standard_input():
    done = run("answer", PAUSED, "--json", "who=@-", stdin={"action": "decline"})
    assert json.loads(done.out)["inputResponses"] == {"who": {"action": "decline"}}
    assert "found several" in refusal("answer", "-", "--json", "who=@-", stdin={"action": "decline"})


@pytest.mark.parametrize(
    ("entry", "value", "sentences"),
    [
        (
            form({"n": {"type": "integer"}}),
            {"action": "accept", "content": {"n": "horse"}},
            ["k.n: expected a whole number"],
        ),
        (
            form({"n": {"type": "integer"}, "a b": {"minLength": 9}}, additionalProperties=False),
            {"action": "accept", "content": {"n": "horse", "a b": "horse", "horse": 1}},
            [
                "k.n: expected a whole number",
                '"k.a b": expected at least 9 characters',
                '"k": expected only fields of this form',
            ],
        ),
        (
            form(),
            {"action": "accept", "content": {"horse": ["horse", 5]}},
            ['"k": expected a list that holds text only'],
        ),
        (form(), {"action": "accept", "content": {"horse": {"horse": 1}}}, ['"k": expected ']),
        (form(), {"action": "accept", "content": "horse"}, ['"k", at /content: expected ']),
        (form(), {"action": "horse"}, ['"k", at /action: expected ']),
        (form(), {"horse": 1}, ['"k", at /action: expected ']),
        (form(), MESSAGE, ['"k": expected an answer to ']),
        (LLM, MESSAGE | {"role": "horse"}, ['"k", at /role: expected ']),
        (LLM, MESSAGE | {"horse": float("nan")}, ['--json, "k": expected a JSON object']),
        (ROOTS, {"roots": [{"uri": "file:///a"}, {"uri": "horse"}]}, ['"k", at /roots/1/uri: expected ']),
        (OTHER, {"ok": True, "horse": 1}, ['"k": expected ']),
        (OTHER, {"horse\ud800": {"horse": NESTED}}, ['"k": expected ']),
    ],
    ids=repr,
)
def test_answer_json_refuses_what_does_not_answer_and_repeats_none_of_it(entry, value, sentences):
    found = refusals("answer", "-", "--json", f"k={json.dumps(value)}", stdin=paused(k=entry))
    assert [line for line, start in zip(found, sentences, strict=True) if not line.startswith(start)] == []
    assert "horse" not in "".join(found)


@pytest.mark.parametrize("text", ["{horse", '{"horse": 1, "horse": 2}', '{"horse": 1} horse', "@horse", "@nul\0horse"])
def test_answer_json_refuses_what_is_no_object_and_repeats_none_of_it(text):
    found = refusal("answer", PAUSED, "--json", f"who={text}")
    assert found.startswith('--json, "who": expected ')
    assert "horse" not in found


def test_answer_json_refuses_text_in_another_encoding_than_the_terminals():
    found = refusal("answer", PAUSED, "--json", 'who={"action": "\udcff"}')
    assert found == '--json, "who": expected text in the encoding of the terminal'


def test_answer_json_cannot_accept_a_form_that_cannot_be_checked():
    raw = paused(k=form(properties=[]))
    assert "/requestedSchema/properties" in refusal("answer", "-", "--json", 'k={"action": "accept"}', stdin=raw)
    assert answer(raw, "--json", 'k={"action": "cancel"}')["inputResponses"] == {"k": {"action": "cancel"}}


@pytest.mark.parametrize(
    ("asked", "text", "readings"),
    [
        ({"a": ROOTS, "a={b": ROOTS}, "a={b={}", ("a", "a={b")),
        ({"a": ROOTS, "a=@b": ROOTS}, "a=@b=@c", ("a", "a=@b")),
    ],
)
def test_answer_json_refuses_a_text_that_can_be_read_in_two_ways_and_names_both(asked, text, readings):
    found = refusal("answer", "-", "--json", text, stdin=pause_of(asked))
    assert " and as ".join(map(json.dumps, readings)) in found


SECRET = "correct horse battery staple"


@pytest.mark.parametrize("assignment", ["j.n=", "k.m=", "k.i=", "k.b=", "k.i ", "k ", ""])
@pytest.mark.parametrize("option", ["--accept", "--decline", "--cancel", "--json"])
def test_answer_shows_no_value_in_an_error(option, assignment):
    raw = paused(k=form({"i": {"type": "integer"}, "b": {"type": "boolean"}}))
    assert "horse" not in refusal("answer", "-", option, assignment + SECRET, stdin=raw)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-", "--acme", "who.password", SECRET],
        ["-", "--accept", "who.password", SECRET],
        ["--accept", "who.password", SECRET],
        ["-", "--decline", "who", f"--version={SECRET}"],
        ["-", "--decline", "who", "--save", f"/missing/{SECRET}", "--call", "/dev/null"],
        ["-", "--decline", "who", "--call", SECRET],
        ["-", "--decline", "who", "--resume", f"/missing/{SECRET}"],
        [f"/missing/{SECRET}", "--decline", "who"],
        ["-", "--accept", f"who.name={SECRET}", "--request", SECRET],
    ],
    ids=repr,
)
def test_answer_shows_no_argument_in_an_error(arguments):
    assert "horse" not in refusal("answer", *arguments, stdin=paused(who=form({"name": {"type": "string"}})))
    assert "horse" not in refusal(SECRET, *arguments)


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
    assert refusal("answer", PAUSED, "--call", call_file(call), "--decline", "who").startswith("--call: ")


@pytest.mark.parametrize(
    "call",
    [
        '{"method": "tools/list"}',
        '{"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}}',
        '{"_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}}}}',
    ],
)
def test_answer_call_refuses_a_pause_that_the_call_does_not_allow(call_file, call):
    assert refusal("answer", PAUSED, "--call", call_file(call), "--decline", "who").startswith("FILE: ")


@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
def test_answer_call_takes_every_method_that_can_be_paused(call_file, method):
    path = call_file(json.dumps({"method": method, "params": {"uri": "file:///a"}}))
    written = answer(pause_of({}, "s"), "--call", path)
    assert written == {"uri": "file:///a", "requestState": "s"}


def test_answer_prints_json_in_ascii():
    done = run("answer", "-", "--accept", "é.n=größe", stdin=pause_of({"é": form({"n": {"type": "string"}})}, "\ud800"))
    assert done.out.isascii()
    assert json.loads(done.out)["inputResponses"] == {"é": {"action": "accept", "content": {"n": "größe"}}}


@pytest.mark.parametrize(
    ("id", "number"),
    [
        ("2", 2),
        ("-7", -7),
        ("0", 0),
        ("abc", None),
        ("", None),
        ("007", None),
        ("1e3", None),
        ("1" * 15, int("1" * 15)),
        ("1" * 16, None),
        ("\u0665", None),
    ],
)
def test_answer_request_prints_a_whole_request_with_this_id(call_file, id, number):
    path = call_file('{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "p"}}')
    assert answer(paused("s"), "--call", path, "--request", id) == {
        "jsonrpc": "2.0",
        "id": id if number is None else number,
        "method": "prompts/get",
        "params": {"name": "p", "requestState": "s"},
    }


def test_answer_request_needs_the_call():
    assert refusal("answer", PAUSED, "--decline", "who", "--request", "2").startswith(
        "--request: expected --call or --resume"
    )


@pytest.mark.parametrize(
    ("paused_id", "id", "is_new"),
    [("1", "1", False), ('"1"', "1", True), ('"a"', "a", False), ("1.0", "1", True), ("true", "1", True)],
)
def test_answer_request_refuses_the_id_of_the_request_that_was_paused(call_file, paused_id, id, is_new):
    path = call_file(f'{{"jsonrpc": "2.0", "id": {paused_id}, "method": "tools/call", "params": {{"name": "t"}}}}')
    done = run("answer", "-", "--call", path, "--request", id, stdin=paused("s"))
    assert (done.status == 0) == is_new
    assert is_new or "expected another id" in done.err


def test_answer_request_takes_params_alone_for_those_of_a_tool(call_file):
    written = answer(paused("s"), "--call", call_file('{"name": "t"}'), "--request", "2")
    assert (written["method"], written["id"]) == ("tools/call", 2)


@given(
    raw=results,
    flags=st.lists(st.tuples(st.sampled_from(["--accept", "--decline", "--cancel", "--json"]), text), max_size=3),
)
@settings(max_examples=200)
def test_answer_prints_json_or_sentences_for_any_flags_and_result(raw, flags):
    done = run("answer", "-", *(f"{flag}={value}" for flag, value in flags), stdin=raw)
    if done.status:
        assert (done.status, done.out) == (2, "")
        sentences(done.err)
    else:
        assert json.loads(done.out).keys() <= {"inputResponses", "requestState"}


@given(text=text, value=json_objects)
@settings(max_examples=100)
def test_answer_json_takes_any_text(text, value):
    for argument in (f"who={text}", f"who={json.dumps(value)}", text):
        done = run("answer", PAUSED, "--json", argument)
        assert done.status in (0, 2)
        assert done.status == 0 or sentences(done.err)
