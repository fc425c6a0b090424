"""The command line: what it prints and writes, and that whatever it is given ends in one sentence at the worst."""

import contextlib
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import json_objects, json_values, results, text
from vectors import ROOT

from toolnexus_mrtr import inspect_url, printable
from toolnexus_mrtr.cli import main

PAUSED = str(ROOT / "fixtures/examples/paused.json")
PROGRAM = [sys.executable, "-c", "import sys; from toolnexus_mrtr.cli import main; sys.exit(main())"]

ROOTS = {"method": "roots/list"}
LLM = {"method": "sampling/createMessage", "params": {"messages": [{}, {}], "maxTokens": 5}}
OTHER = {"method": "com.example/approve"}


class Done(NamedTuple):
    status: int
    out: str
    err: str


def run(*arguments, stdin=b""):
    """Run one command in this process, on bytes or on what they encode."""
    data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = main(arguments)
    return Done(status, out.getvalue(), err.getvalue())


def refusal(*arguments, stdin=b""):
    """The sentence that refuses an input, of which everything that is promised is checked."""
    done = run(*arguments, stdin=stdin)
    assert (done.status, done.out) == (2, "")
    return sentence(done.err)


def sentence(err):
    assert err.startswith("toolnexus-mrtr: ")
    assert err.endswith("\n")
    line = err[:-1]
    assert printable(line) == line
    return line.removeprefix("toolnexus-mrtr: ")


def form(properties=None, message="m", **schema):
    members = {"type": "object", "properties": properties or {}} | schema
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": members}}


def link(url="https://a.example/x", message="m"):
    return {"method": "elicitation/create", "params": {"mode": "url", "message": message, "url": url}}


def paused(state=None, **asked):
    return pause_of(asked, state)


def pause_of(asked, state=None):
    return {"resultType": "input_required", "inputRequests": asked} | ({} if state is None else {"requestState": state})


def shown(raw):
    done = run("show", "-", stdin=raw)
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def answered(raw, *flags):
    done = run("answer", "-", *flags, stdin=raw)
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


# show


def test_the_example_is_shown():
    assert run("show", PAUSED) == Done(
        0,
        "The call is paused. Asked: 1. A state to echo: yes.\n"
        "\n"
        '"who": a form\n'
        "  | Who is the booking for?\n"
        '  "name": string, required\n'
        '  "guests": integer\n'
        '  "seat": string\n',
        "",
    )


def test_every_kind_is_shown_in_the_servers_order():
    asked = {
        "b": OTHER,
        "": link("http://10.0.0.1:8080/x"),
        "größe": {"message": "m", "requestedSchema": {}},
        "a": LLM,
        "r": ROOTS,
    }
    assert shown(pause_of(asked)) == [
        "The call is paused. Asked: 5. A state to echo: no.",
        "",
        '"b": something unknown, of the method "com.example/approve"',
        "",
        '"": a visit to a url',
        "  | m",
        "  host: 10.0.0.1",
        "  warning: insecure_http",
        "  warning: ip_host",
        "  warning: local_network",
        "  warning: unusual_port",
        "  url: http://10.0.0.1:8080/x",
        "",
        '"größe": a form',
        "  | m",
        "",
        '"a": a message of a language model',
        "  messages: 2",
        "  tokens: at most 5",
        "",
        '"r": the roots of the client',
    ]


def test_a_form_with_a_url_beside_it_is_shown_as_a_form():
    entry = form({"n": {"type": "string"}})
    entry["params"]["url"] = "javascript:alert(1)"
    assert shown(paused(k=entry))[2:] == ['"k": a form', "  | m", '  "n": string']


@pytest.mark.parametrize("raw", [{}, {"content": []}, {"resultType": "complete"}], ids=json.dumps)
def test_a_finished_call_asks_nothing(raw):
    assert shown(raw) == ["The call is finished: nothing is asked."]


@pytest.mark.parametrize("result_type", [None, "", "task", ["input_required"]], ids=json.dumps)
def test_another_result_type_is_neither_paused_nor_finished(result_type):
    assert refusal("show", "-", stdin={"resultType": result_type}).startswith("standard input: ")


def test_a_response_is_shown_as_its_result():
    raw = paused(k=form())
    assert shown({"jsonrpc": "2.0", "id": 1, "result": raw}) == shown(raw)


def test_each_line_of_a_message_stands_behind_a_bar():
    message = 'Hello\n\n  url: https://bank.example/\r\n"k": a form\x1b[2J\x85\u2028\u202e'
    assert shown(paused(k=link(message=message)))[3:] == [
        "  | Hello",
        "  | ",
        "  |   url: https://bank.example/",
        '  | "k": a form\\x1b[2J\\x85\\u2028\\u202e',
        "  host: a.example",
        "  url: https://a.example/x",
    ]


def test_a_message_is_folded_so_that_no_terminal_starts_a_line_with_it():
    message = "Sign in" + " " * 200 + "host: bank.example " + "x" * 100
    lines = shown(paused(k=link(message=message)))[3:-2]
    assert all(line.startswith("  | ") and len(line) <= 80 for line in lines)
    assert "".join(line[4:] for line in lines) == message


def test_a_long_key_and_a_long_name_are_folded_deeper_than_any_line_of_ours():
    name = "n" + " " * 100 + "host: bank.example"
    assert shown(pause_of({name: form({name: {"type": "string"}})}))[2:] == [
        '"n' + " " * 74,
        "      " + " " * 26 + 'host: bank.example": a form',
        "  | m",
        '  "n' + " " * 74,
        "      " + " " * 26 + 'host: bank.example": string',
    ]


def test_a_url_is_shown_whole_and_last():
    url = "https://a.example/" + "x" * 500
    assert shown(paused(k=link(url)))[-1] == "  url: " + url


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": ["null", "number"]}, "number"),
        ({"type": ["null"]}, "any"),
        ({"type": []}, "any"),
        ({"type": {}}, "any"),
        ({"type": "a\nb"}, "a\\nb"),
        ({}, "any"),
        (True, "any"),
        (None, "any"),
        ([], "any"),
    ],
    ids=json.dumps,
)
def test_the_type_of_a_field_is_shown_whatever_its_schema_is(field, kind):
    assert shown(paused(k=form({"n": field})))[4:] == [f'  "n": {kind}']


@pytest.mark.parametrize("schema", [{"properties": []}, {"required": {}}, {"required": [5, ["n"]]}], ids=json.dumps)
def test_a_form_whose_schema_is_malformed_is_shown_without_fields(schema):
    assert shown(paused(k=form(**schema)))[2:] == ['"k": a form', "  | m"]


@given(raw=results)
@settings(max_examples=300)
def test_showing_whatever_a_server_sends_ends_in_lines_or_one_sentence(raw):
    done = run("show", "-", stdin=raw)
    if done.status == 0:
        assert done.err == ""
        assert all(printable(line) == line for line in done.out.removesuffix("\n").split("\n"))
    else:
        assert (done.status, done.out) == (2, "")
        sentence(done.err)


@given(schema=st.one_of(json_objects, st.fixed_dictionaries({"properties": json_objects, "required": json_values})))
@settings(max_examples=200)
def test_any_schema_is_shown_and_can_be_declined(schema):
    assume(not {"Infinity", "NaN"} & set(re.findall(r"\w+", json.dumps(schema))))
    raw = paused(k={"message": "m", "requestedSchema": schema})
    assert run("show", "-", stdin=raw).status == 0
    assert answered(raw, "--decline", "k") == {"inputResponses": {"k": {"action": "decline"}}}


@given(key=text, message=text, name=text)
@settings(max_examples=200)
def test_no_text_of_a_server_makes_a_line_of_its_own(key, message, name):
    lines = shown(pause_of({key: form({name: {"type": "string"}}, message=message)}))
    ours = [line for line in lines[2:] if not line.startswith("  | ")]
    assert len(ours) == 2
    assert ours[0].endswith(": a form")
    assert ours[1].endswith(": string")


# answer


def test_the_example_is_answered():
    done = run("answer", PAUSED, "--accept", "who.name=Ada", "--accept", "who.guests=2")
    assert json.loads(done.out) == {
        "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada", "guests": 2}}},
        "requestState": "booking-7f3a",
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
def test_the_retry_answers_every_key_in_the_servers_order(asked, flags, responses):
    written = answered(pause_of(asked), *flags)
    assert json.dumps(written) == json.dumps({"inputResponses": responses})


@pytest.mark.parametrize(
    ("asked", "assignment", "key", "field", "value"),
    [
        ({"k": ["n"]}, "k.n=Ada", "k", "n", "Ada"),
        ({"k": ["n"]}, "k.n=", "k", "n", ""),
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
def test_the_longest_key_and_field_that_are_asked_win(asked, assignment, key, field, value):
    raw = pause_of({name: form({field: {"type": "string"} for field in fields}) for name, fields in asked.items()})
    others = [flag for name in asked if name != key for flag in ("--decline", name)]
    responses = answered(raw, "--accept", assignment, *others)["inputResponses"]
    assert responses[key] == {"action": "accept", "content": {field: value}}


@pytest.mark.parametrize("key", ["a.b=c", "a.n=x"])
def test_a_key_that_looks_like_an_assignment_is_a_key_first(key):
    raw = pause_of({"a": form({"b": {}, "n": {}}), key: form()})
    responses = answered(raw, "--accept", key, "--decline", "a")["inputResponses"]
    assert responses[key] == {"action": "accept", "content": {}}


@pytest.mark.parametrize(
    ("kind", "texts", "value"),
    [
        ("string", ["5"], "5"),
        ("string", ["null"], "null"),
        (None, ["5"], "5"),
        ("colour", ["red"], "red"),
        ("integer", ["5"], 5),
        ("integer", ["-9007199254740993"], -9007199254740993),
        (["null", "integer"], ["5"], 5),
        ("number", ["1.5"], 1.5),
        ("number", ["5"], 5),
        ("boolean", ["true"], True),
        ("boolean", ["false"], False),
        ("array", ["a"], ["a"]),
        ("array", ["a", "b", "a"], ["a", "b", "a"]),
    ],
    ids=repr,
)
def test_what_was_typed_is_sent_as_the_type_of_its_field(kind, texts, value):
    flags = [flag for typed in texts for flag in ("--accept", f"k.n={typed}")]
    written = answered(paused(k=form({"n": {"type": kind}})), *flags)
    assert json.dumps(written["inputResponses"]["k"]["content"]) == json.dumps({"n": value})


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("integer", ["x"]),
        ("integer", [""]),
        ("integer", ["1.5"]),
        ("integer", ["true"]),
        ("integer", ["null"]),
        ("integer", ["1" * 5000]),
        ("number", ['"5"']),
        ("number", ["NaN"]),
        ("number", ["-Infinity"]),
        ("number", ["1e999"]),
        ("number", ["[" * 100_000]),
        ("boolean", ["yes"]),
        ("boolean", ["1"]),
        ("string", ["a", "b"]),
        ("integer", ["1", "2"]),
    ],
)
def test_what_does_not_fit_its_field_is_refused_there(kind, texts):
    flags = [flag for typed in texts for flag in ("--accept", f"k.n={typed}")]
    assert '"k", field "n"' in refusal("answer", "-", *flags, stdin=paused(k=form({"n": {"type": kind}})))


@pytest.mark.parametrize(
    ("asked", "flags", "place"),
    [
        ({"k": form()}, [], '"k"'),
        ({"k": form(), "l": link()}, ["--accept", "k"], '"l"'),
        ({"k": form()}, ["--accept", "j"], '"j"'),
        ({"k": form()}, ["--accept", "j.n=x"], '"j.n"'),
        ({"k": form({"n": {}})}, ["--accept", "k.m=x"], '"k"'),
        ({"k": form({"n": {}})}, ["--accept", "k.n"], '"k"'),
        ({"k": form({"n": {}})}, ["--accept", "k.=x"], '"k"'),
        ({"k": link()}, ["--accept", "k.n=x"], '"k"'),
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
def test_answers_that_do_not_match_what_is_asked_are_refused_at_their_key(asked, flags, place):
    assert place in refusal("answer", "-", *flags, stdin=pause_of(asked))


SECRET = "correct horse battery staple"


@pytest.mark.parametrize("assignment", ["j.n=", "k.m=", "k.i=", "k.b="])
def test_no_sentence_shows_an_answer(assignment):
    raw = paused(k=form({"i": {"type": "integer"}, "b": {"type": "boolean"}}))
    assert "horse" not in refusal("answer", "-", "--accept", assignment + SECRET, stdin=raw)


def test_what_the_wire_cannot_carry_is_refused_by_the_library():
    raw = {"resultType": "input_required", "inputRequests": {"k": link("javascript:alert(1)")}}
    for command in ("show", "answer"):
        assert "/inputRequests/k/params/url" in refusal(command, "-", stdin=raw)


@pytest.mark.parametrize("state", ["", "p50", "a\ud800b", ' \u0000\u2028é\U0001f600\\/+="%20\n'])
def test_a_state_alone_is_echoed_as_it_is(state):
    assert answered({"resultType": "input_required", "requestState": state}) == {"requestState": state}
    assert answered(pause_of({}, state)) == {"requestState": state}


def test_a_pause_without_anything_to_send_is_refused():
    refusal("answer", "-", stdin=pause_of({}))
    refusal("answer", "-", stdin={"resultType": "complete"})


@pytest.fixture
def call_file(tmp_path):
    """Write the call to a file."""

    def write(text):
        path = tmp_path / "call.json"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_the_params_of_the_call_stay_and_old_answers_go(call_file):
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
        written = answered(paused(k=form()), "--call", call_file(call), "--accept", "k")
        assert json.dumps(written) == json.dumps(expected)
    state_only = {"resultType": "input_required", "requestState": "s2"}
    assert answered(state_only, "--call", call_file(params)) == {
        "name": "t",
        "arguments": kept,
        "_meta": {},
        "requestState": "s2",
    }


def test_a_request_without_params_has_none(call_file):
    raw = {"resultType": "input_required", "requestState": "s"}
    assert answered(raw, "--call", call_file('{"method": "tools/call"}')) == {"requestState": "s"}


def test_the_call_can_come_from_standard_input():
    done = run("answer", PAUSED, "--call", "-", "--decline", "who", stdin={"name": "t"})
    assert json.loads(done.out)["name"] == "t"
    refusal("answer", "-", "--call", "-", "--decline", "who", stdin={"name": "t"})


@pytest.mark.parametrize("call", ['{"method": "tools/call", "params": null}', '{"jsonrpc": "2.0", "params": []}', "[]"])
def test_a_call_whose_params_are_no_object_is_refused_with_its_file(call_file, call):
    path = call_file(call)
    assert refusal("answer", PAUSED, "--call", path, "--decline", "who").startswith(printable(path) + ": ")


def test_what_is_written_is_ascii_and_can_be_read_back():
    done = run("answer", "-", "--accept", "é.n=\udcff", stdin=pause_of({"é": form({"n": {}})}, "\ud800"))
    assert done.out.isascii()
    assert json.loads(done.out)["inputResponses"] == {"é": {"action": "accept", "content": {"n": "\udcff"}}}


# input

NESTED = b'{"x": ' + b"[" * 99 + b"]" * 99 + b"}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"{} {}",
        b"[]",
        b"5",
        b"null",
        b'"input_required"',
        b"{'a': 1}",
        b'{"a": "\xff"}',
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b'{"a": "\n"}',
        b'{"a": NaN}',
        b'{"a": [-Infinity]}',
        b'{"a": 1e999}',
        b'{"a": ' + b"1" * 4301 + b"}",
        b'{"a": 1, "a": 1}',
        b'{"resultType": "complete", "x": [{"a": 1, "b": 2, "a": 1}]}',
        b'{"x": ' + NESTED + b"}",
        b"[" * 100_000,
        b'{"x":' * 100_000,
        b'{"jsonrpc": "2.0"}',
        b'{"jsonrpc": "2.0", "result": []}',
        b'{"jsonrpc": "2.0", "result": {"jsonrpc": "2.0", "result": {}}}',
        b'{"jsonrpc": "2.0", "error": {"code": -32000, "message": "m"}}',
        b'{"resultType": "input_required", "inputRequests": []}',
        b'{"resultType": "input_required", "requestState": 5}',
    ],
    ids=lambda data: repr(data[:30]),
)
@pytest.mark.parametrize("command", ["show", "answer"])
def test_bad_input_is_refused_in_one_sentence_that_says_where(command, data):
    assert refusal(command, "-", stdin=data).startswith("standard input: ")


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf{}", NESTED, b'{"a": ' + b"1" * 4300 + b"}", b'{"a": "\\ud800"}', b'\r\n\t{"a": 1e308}\n']
)
def test_unusual_but_legal_json_is_read(data):
    assert run("show", "-", stdin=data).status == 0


@pytest.mark.parametrize("name", ["", "missing.json", "a\nb\x1b[2J", "nul\0", "\udcff", "x" * 5000])
def test_a_file_that_cannot_be_read_is_refused_with_its_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal("show", name).startswith(printable(name) + ": ")


def test_a_directory_is_refused_with_its_name(tmp_path):
    assert refusal("show", str(tmp_path)).startswith(printable(str(tmp_path)) + ": ")


def test_a_closed_standard_input_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["show", "-"]) == 2
    assert sentence(capsys.readouterr().err).startswith("standard input: ")


@given(data=st.binary(max_size=40))
@example(data=b'{"resultType":"input_required","requestState":"\xed\xa0\x80"}')
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused_in_one_sentence(data):
    for arguments in (("show", "-"), ("answer", "-"), ("answer", PAUSED, "--call", "-", "--decline", "who")):
        done = run(*arguments, stdin=data)
        if done.status:
            assert (done.status, done.out) == (2, "")
            sentence(done.err)
        else:
            assert done.out.endswith("\n")


@given(raw=results, flags=st.lists(st.tuples(st.sampled_from(["--accept", "--decline", "--cancel"]), text), max_size=3))
@settings(max_examples=200)
def test_any_answer_to_anything_is_written_or_refused_in_one_sentence(raw, flags):
    done = run("answer", "-", *(f"{flag}={value}" for flag, value in flags), stdin=raw)
    if done.status:
        assert (done.status, done.out) == (2, "")
        sentence(done.err)
    else:
        assert json.loads(done.out).keys() <= {"inputResponses", "requestState"}


# arguments


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bogus"],
        ["show"],
        ["show", PAUSED, "--acc", "k"],
        ["answer", PAUSED, "--acc", "who"],
        ["answer", PAUSED, "--accept"],
        ["show", PAUSED, "a\nb\x1b[2J\udcff"],
    ],
    ids=repr,
)
def test_wrong_arguments_are_refused_in_one_sentence(arguments):
    refusal(*arguments)


@pytest.mark.parametrize("command", [[], ["show"], ["answer"]], ids=repr)
def test_the_help_is_printed_in_ascii(command):
    done = run(*command, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("usage: toolnexus-mrtr")
    assert done.out.isascii()


def test_the_version_is_the_installed_one(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", {"toolnexus-mrtr": "1.2.3"}.__getitem__)
    assert run("--version") == Done(0, "toolnexus-mrtr 1.2.3\n", "")


def test_without_an_installation_there_is_no_version(monkeypatch):
    missing = mock.Mock(side_effect=importlib.metadata.PackageNotFoundError)
    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert run("--version") == Done(0, "toolnexus-mrtr (not installed)\n", "")


# output

AWKWARD = pause_of({"größe": form({"n\ud800": {}}, message="é\ud800\U0001f600")}, "s")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16"])
def test_output_of_every_encoding_is_written(encoding, monkeypatch, tmp_path):
    path = tmp_path / "paused.json"
    path.write_text(json.dumps(AWKWARD), "ascii")
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["show", str(path)]) == 0
    lines = out.buffer.getvalue().decode(encoding).splitlines()
    key = "gr\\xf6\\xdfe" if encoding == "ascii" else "größe"
    said = {"ascii": "\\xe9\\ud800\\U0001f600", "utf-8": "é\\ud800\U0001f600", "utf-16": "é\\ud800\U0001f600"}
    assert lines[2:] == [f'"{key}": a form', "  | " + said.get(encoding, "é\\ud800\\U0001f600"), '  "n\\ud800": any']


def test_a_reader_that_has_seen_enough_ends_the_program_quietly(monkeypatch, capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["show", PAUSED]) == 0
    assert capsys.readouterr().err == ""


def test_output_that_cannot_be_written_is_said_in_one_sentence(monkeypatch, capsys):
    with os.fdopen(os.open(os.devnull, os.O_RDONLY), "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["show", PAUSED]) == 1
    assert sentence(capsys.readouterr().err).startswith("standard output: ")


def test_a_sentence_that_cannot_be_written_leaves_the_status(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", mock.Mock(**{"write.side_effect": BrokenPipeError}))
    assert main(["show", "missing.json"]) == 2
    assert capsys.readouterr().out == ""


def test_an_interrupt_ends_the_program_quietly(monkeypatch, capsys):
    stdin = mock.Mock()
    stdin.buffer.read.side_effect = KeyboardInterrupt
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["show", "-"]) == 130
    assert capsys.readouterr() == ("", "")


# the program


def test_the_program_is_what_the_package_installs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"toolnexus-mrtr": f"{main.__module__}:{main.__name__}"}


def test_the_program_shows_on_an_ascii_terminal():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    data = json.dumps(AWKWARD).encode()
    done = subprocess.run([*PROGRAM, "show", "-"], input=data, capture_output=True, check=True, env=environment)
    assert done.stderr == b""
    assert done.stdout.isascii()
    assert b'"gr\\xf6\\xdfe": a form' in done.stdout


def test_the_program_refuses_with_status_2():
    done = subprocess.run([*PROGRAM, "answer", "-"], input=b"\xff", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    sentence(done.stderr.decode().replace("\r\n", "\n"))


def test_the_program_ends_quietly_when_nobody_reads():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*PROGRAM, "show", PAUSED], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@given(host=st.sampled_from(["a.example", "127.0.0.1", "xn--80ak6aa92e.test"]), path=st.text("abc/?&=%", max_size=20))
def test_the_host_and_every_warning_are_shown(host, path):
    url = f"https://{host}/{path}"
    lines = shown(paused(k=link(url)))
    report = inspect_url(url)
    assert lines[4:] == [f"  host: {report.host}", *(f"  warning: {one}" for one in report.warnings), f"  url: {url}"]
