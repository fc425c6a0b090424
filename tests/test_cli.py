"""The command line: what it prints and writes, and that whatever it is given ends in sentences at the worst."""

import contextlib
import importlib.metadata
import io
import json
import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import json_objects, json_values, results, text
from vectors import ROOT

from toolnexus_mrtr import Call, inspect_url, printable
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


def refusals(*arguments, stdin=b"", status=2):
    """The sentences that refuse an input, of which everything that is promised is checked."""
    done = run(*arguments, stdin=stdin)
    assert (done.status, done.out) == (status, "")
    return sentences(done.err)


def refusal(*arguments, stdin=b"", status=2):
    (only,) = refusals(*arguments, stdin=stdin, status=status)
    return only


def sentences(err):
    assert err.endswith("\n")
    lines = err[:-1].split("\n")
    assert all(line.startswith("toolnexus-mrtr: ") and printable(line) == line for line in lines)
    return [line.removeprefix("toolnexus-mrtr: ") for line in lines]


def sentence(err):
    (only,) = sentences(err)
    return only


def form(properties=None, message="m", **schema):
    members = {"type": "object", "properties": {} if properties is None else properties} | schema
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


def test_a_default_is_never_filled_into_an_answer():
    raw = paused(who=form({"name": {"type": "string"}, "size": {"type": "string", "default": "s"}}))
    assert answered(raw, "--accept", "who.name=Ada") == {
        "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada"}}}
    }


# show


def test_the_example_is_shown():
    assert run("show", PAUSED) == Done(
        0,
        "The call is paused. Asked: 1. A state to echo: yes.\n"
        "\n"
        '"who": a form\n'
        "  | Who is the booking for?\n"
        '  "name": text, required\n'
        '    label: "Full name"\n'
        "    characters: at least 1\n"
        '  "guests": a whole number\n'
        "    value: at least 1, at most 8\n"
        "    default: 1\n"
        '  "seat": one choice\n'
        '    choice: "w", "Window"\n'
        '    choice: "a", "Aisle"\n',
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
    assert shown(paused(k=entry))[2:] == ['"k": a form', "  | m", '  "n": text']


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
        "      " + " " * 26 + 'host: bank.example": text',
    ]


def test_a_url_is_shown_whole_and_last():
    url = "https://a.example/" + "x" * 500
    assert shown(paused(k=link(url)))[-1] == "  url: " + url


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ({"type": "string"}, "text"),
        ({"type": "integer"}, "a whole number"),
        ({"type": ["null", "number"]}, "a number"),
        ({"type": "boolean"}, "yes or no"),
        ({"const": True}, "one choice"),
        ({"type": "array", "items": {"enum": ["a"]}}, "any of the choices"),
        ({"type": "object"}, "something that cannot be shown"),
        ({}, "something that cannot be shown"),
        (False, "something that cannot be shown"),
    ],
    ids=json.dumps,
)
def test_the_kind_of_a_field_is_shown_in_plain_words(field, kind):
    assert shown(paused(k=form({"n": field})))[4] == f'  "n": {kind}'


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ({"title": "n"}, []),
        ({"title": "N"}, ['label: "N"']),
        ({"description": "one\n  | two\x1b"}, ["| one", "|   | two\\x1b"]),
        (
            {"title": "Your PIN"},
            ['label: "Your PIN"', "warning: this seems to ask for a secret, which a form must not do"],
        ),
        ({"minLength": 2}, ["characters: at least 2"]),
        ({"maxLength": 0}, ["characters: at most 0"]),
        ({"format": "email"}, ['format: "email"']),
        ({"format": "a\nb"}, ['format: "a\\nb"']),
        ({"type": "number", "minimum": -0.5, "maximum": 10**30}, [f"value: at least -0.5, at most {10**30}"]),
        ({"type": "array", "minItems": 1, "maxItems": 3}, ["items: at least 1, at most 3"]),
        ({"enum": ["a", "b"], "enumNames": ["A\nB", "b"]}, ['choice: "a", "A\\nB"', 'choice: "b"']),
        ({"type": "integer", "enum": [1, 2], "enumNames": ["one"]}, ['choice: 1, "one"', "choice: 2"]),
        (
            {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "default": ["a"]},
            ['choice: "a", "A"', 'default: ["a"]'],
        ),
        ({"default": "x\ny"}, ['default: "x\\ny"']),
        ({"default": ""}, ['default: ""']),
        ({"type": "boolean", "default": False}, ["default: false"]),
        ({"type": "boolean", "default": "yes"}, []),
        ({"default": "toolong", "maxLength": 3}, ["characters: at most 3"]),
        ({"enum": ["a"], "default": "b"}, ['choice: "a"']),
    ],
    ids=json.dumps,
)
def test_what_the_schema_says_of_a_field_is_shown_below_it(field, lines):
    assert shown(paused(k=form({"n": {"type": "string"} | field})))[5:] == ["    " + line for line in lines]


def test_what_only_the_server_checks_is_said():
    raw = paused(k=form({"n": {"type": "string", "pattern": "^a", "not": {}}}, minProperties=1))
    assert shown(raw)[5:] == [
        '  not enforced: "/minProperties"',
        '  not enforced: "/properties/n/pattern"',
        '  not enforced: "/properties/n/not"',
    ]


@pytest.mark.parametrize(
    ("schema", "at"),
    [
        ({"properties": []}, "/properties"),
        ({"required": {}}, "/required"),
        ({"required": [5, ["n"]]}, "/required"),
        ({"properties": {"n\nx": {"$ref": "https://a.example/s"}}}, "/properties/n\\nx/$ref"),
        ({"$schema": "https://a.example/s"}, "/$schema"),
        ({"type": "array"}, "/type"),
    ],
    ids=json.dumps,
)
def test_a_form_that_cannot_be_checked_is_shown_with_the_reason(schema, at):
    raw = paused(k=form(**schema))
    key, message, *warning = shown(raw)[2:]
    assert (key, message) == ('"k": a form', "  | m")
    assert warning[0].startswith("  warning: ")
    assert at in "".join(line.removeprefix("      ") for line in warning)
    assert all(line.startswith("      ") for line in warning[1:])


def test_of_a_huge_form_the_beginning_is_shown_and_how_much_more_there_is():
    fields = {f"f{n}": {"type": "string", "pattern": "a"} for n in range(103)}
    fields["f0"] = {"enum": [str(n) for n in range(1000)]}
    lines = shown(paused(k=form(fields)))[4:]
    assert lines[:2] == ['  "f0": one choice', '    choice: "0"']
    assert lines[20:23] == ['    choice: "19"', "    and 980 more choices", '  "f1": text']
    assert lines[120:123] == ['  "f99": text', "  and 3 more fields", '  not enforced: "/properties/f1/pattern"']
    assert lines[126:] == ['  not enforced: "/properties/f5/pattern"', "  and 97 more that are not enforced"]


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


long_text = st.one_of(text, st.text(st.sampled_from('a "\n\x1b\u202e:|'), max_size=200))


@given(key=text, texts=st.lists(long_text, min_size=6, max_size=6))
@settings(max_examples=200)
def test_no_text_of_a_server_makes_a_line_of_its_own(key, texts):
    message, name, title, description, label, default = texts
    properties = {
        name: {"type": "string", "title": "t" + title, "description": "d" + description, "format": "f" + label},
        name + "2": {"type": "string", "default": default},
        name + "3": {"oneOf": [{"const": "c", "title": "t" + label}]},
    }
    lines = shown(pause_of({key: form(properties, message=message)}))[2:]
    assume("secret" not in "".join(lines))
    assert all(printable(line) == line and len(line) <= 81 for line in lines)
    ours = [line for line in lines if not re.match(r" {6}|  \| |    \| ", line)]
    starts = ['"', '  "', "    label: ", "    format: ", '  "', "    default: ", '  "', "    choice: "]
    if title == name[1:] and name.startswith("t"):
        starts.remove("    label: ")
    assert len(ours) == len(starts)
    assert all(line.startswith(start) for line, start in zip(ours, starts, strict=True))


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
    raw = pause_of({"a": form({"b": {"type": "string"}, "n": {"type": "string"}}), key: form()})
    responses = answered(raw, "--accept", key, "--decline", "a")["inputResponses"]
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
        ({}, ["5"], {"n": "5"}),
    ],
    ids=repr,
)
def test_what_was_typed_is_sent_as_its_field_wants_it(field, texts, content):
    flags = [flag for typed in texts for flag in ("--accept", f"k.n={typed}")]
    written = answered(paused(k=form({"n": field})), *flags)
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
def test_what_does_not_fit_its_field_is_refused_there(field, texts):
    flags = [flag for typed in texts for flag in ("--accept", f"k.n={typed}")]
    assert refusal("answer", "-", *flags, stdin=paused(k=form({"n": field}))).startswith("k.n: ")


def test_everything_that_is_wrong_is_said_at_once_in_the_order_of_the_forms():
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


def test_a_name_that_is_too_long_for_a_sentence_is_cut():
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
def test_answers_that_do_not_match_what_is_asked_are_refused_at_their_key(asked, flags, place):
    assert place in refusal("answer", "-", *flags, stdin=pause_of(asked))


SECRET = "correct horse battery staple"


@pytest.mark.parametrize("assignment", ["j.n=", "k.m=", "k.i=", "k.b="])
def test_no_sentence_shows_an_answer(assignment):
    raw = paused(k=form({"i": {"type": "integer"}, "b": {"type": "boolean"}}))
    assert "horse" not in refusal("answer", "-", "--accept", assignment + SECRET, stdin=raw)


def test_a_form_that_cannot_be_checked_can_be_declined_and_cancelled():
    raw = paused(k=form(properties=[]), l=form(required=True))
    responses = answered(raw, "--decline", "k", "--cancel", "l")["inputResponses"]
    assert responses == {"k": {"action": "decline"}, "l": {"action": "cancel"}}


def test_what_the_wire_cannot_carry_is_refused_by_the_library():
    raw = {"resultType": "input_required", "inputRequests": {"k": link("javascript:alert(1)")}}
    for command in ("show", "answer"):
        assert "/inputRequests/k/params/url" in refusal(command, "-", stdin=raw)


@pytest.mark.parametrize("state", ["", "p50", "a\ud800b", ' \u0000\u2028é\U0001f600\\/+="%20\n'])
def test_a_state_alone_is_echoed_as_it_is(state):
    assert answered({"resultType": "input_required", "requestState": state}) == {"requestState": state}
    assert answered(pause_of({}, state)) == {"requestState": state}


def test_a_pause_that_asks_nothing_is_answered_by_the_call_as_it_was(call_file):
    assert answered(pause_of({}), "--call", call_file('{"name": "t", "requestState": "old"}')) == {"name": "t"}
    assert answered(pause_of({})) == {}


@pytest.mark.parametrize("command", ["show", "answer"])
def test_a_pause_that_the_protocol_forbids_is_refused(command):
    assert refusal(command, "-", stdin={"resultType": "input_required"}).startswith("standard input: ")
    assert "/requestState" in refusal(command, "-", stdin=pause_of({}, "s" * 1_048_577))
    assert "/inputRequests" in refusal(command, "-", stdin=pause_of({str(n): form() for n in range(101)}))


def test_a_finished_call_has_nothing_to_answer():
    assert refusal("answer", "-", stdin={"resultType": "complete"}).startswith("standard input: ")


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
def test_what_is_no_call_is_refused_with_its_file(call_file, call):
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
def test_a_pause_that_the_call_does_not_allow_is_refused(call_file, call):
    assert refusal("answer", PAUSED, "--call", call_file(call), "--decline", "who").startswith(printable(PAUSED) + ": ")


@pytest.mark.parametrize("method", ["tools/call", "prompts/get", "resources/read"])
def test_every_call_that_can_be_paused_can_be_answered(call_file, method):
    path = call_file(json.dumps({"method": method, "params": {"uri": "file:///a"}}))
    written = answered(pause_of({}, "s"), "--call", path)
    assert written == {"uri": "file:///a", "requestState": "s"}


# saved calls


def test_a_call_goes_on_from_what_was_saved(call_file, tmp_path):
    saved = str(tmp_path / "saved.json")
    call = call_file('{"method": "prompts/get", "params": {"name": "p", "_meta": {"x": 1.0}}}')
    first = answered(paused("s1", a=form()), "--call", call, "--accept", "a", "--save", saved)
    assert first.keys() == {"name", "_meta", "inputResponses", "requestState"}
    kept = Call.from_json(Path(saved).read_bytes())
    assert (kept.method, kept.params, kept.retry) == ("prompts/get", first, 1)
    second = answered(paused(b=link()), "--resume", saved, "--decline", "b", "--save", saved)
    assert json.dumps(second) == json.dumps(
        {"name": "p", "_meta": {"x": 1.0}, "inputResponses": {"b": {"action": "decline"}}}
    )
    kept = Call.from_json(Path(saved).read_bytes())
    assert (kept.params, kept.retry) == (second, 2)
    assert [path.name for path in tmp_path.iterdir() if path.name != "call.json"] == ["saved.json"]


def test_what_is_saved_is_for_its_owner_alone(tmp_path):
    saved = tmp_path / "saved.json"
    saved.write_text("old")
    saved.chmod(0o644)
    answered(paused(k=form()), "--decline", "k", "--save", str(saved))
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_a_saved_call_can_come_from_standard_input():
    data = Call("tools/call", {"name": "t"}).to_json()
    done = run("answer", PAUSED, "--resume", "-", "--decline", "who", stdin=data)
    assert json.loads(done.out)["name"] == "t"
    refusal("answer", "-", "--resume", "-", "--decline", "who", stdin=data)


def test_a_link_gives_way_and_what_it_leads_to_stays(tmp_path):
    planted, victim = tmp_path / "link.json", tmp_path / "victim.json"
    victim.write_text("mine")
    planted.symlink_to(victim)
    answered(paused(k=form()), "--decline", "k", "--save", str(planted))
    assert not planted.is_symlink()
    assert Call.from_json(planted.read_bytes()).retry == 1
    assert victim.read_text() == "mine"


def test_text_in_another_encoding_than_the_terminals_is_refused():
    asked = paused(k=form({"a": {"type": "string"}}))
    assert refusal("answer", "-", "--accept", "k.a=x\udcff", stdin=asked).startswith('--accept "k.a": ')


def test_a_message_of_wide_characters_is_folded_by_its_width():
    message = "\u3000" * 38 + "host: good.example"
    lines = shown(paused(k=link(message=message)))
    assert all(len(line) <= 42 for line in lines if line.startswith("  | "))
    assert not any("host: good" in line and not line.startswith("  | ") for line in lines)


def test_a_call_is_not_retried_for_ever(tmp_path):
    saved = tmp_path / "saved.json"
    saved.write_bytes(Call("tools/call", {}, max_retries=1).to_json())
    flags = ["--resume", str(saved), "--save", str(saved), "--decline", "who"]
    assert run("answer", PAUSED, *flags).status == 0
    before = saved.read_bytes()
    assert refusal("answer", PAUSED, *flags).startswith(printable(PAUSED) + ": ")
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        Call("tools/call", {}).to_json()[:-1],
        Call("tools/call", {}).to_json().replace(b"mrtr/1", b"mrtr/2"),
        Call("tools/call", {}, server="parcels").to_json(),
        Call("tools/call", {}).receive(paused("s")).to_json(),
    ],
    ids=lambda data: repr(data[:30]),
)
def test_what_is_no_saved_call_is_refused_with_its_file(data, tmp_path):
    path = tmp_path / "saved.json"
    path.write_bytes(data)
    place = printable(str(path)) + ": "
    assert refusal("answer", PAUSED, "--resume", str(path), "--decline", "who").startswith(place)


@pytest.mark.parametrize("name", ["", ".", "missing/saved.json", "nul\0", "\ud800", "x" * 5000])
def test_a_file_that_cannot_be_written_is_named_and_nothing_is_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = refusal("answer", PAUSED, "--decline", "who", "--save", name, status=1)
    assert found.startswith(printable(name) + ": ")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_put_in_the_place_of_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal("answer", PAUSED, "--decline", "who", "--save", str(pipe), status=1)
    assert pipe.is_fifo()


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    saved = tmp_path / "saved.json"
    saved.write_text("old")
    monkeypatch.setattr(os, "fsync", mock.Mock(side_effect=OSError(28, "No space left on device")))
    refusal("answer", PAUSED, "--decline", "who", "--save", str(saved), status=1)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("saved.json", "old")]


def test_an_answer_that_is_refused_is_not_saved(tmp_path):
    refusal("answer", PAUSED, "--accept", "who", "--save", str(tmp_path / "saved.json"))
    refusal("answer", PAUSED, "--decline", "who", "--save", "-")
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_is_ascii_and_can_be_read_back():
    done = run("answer", "-", "--accept", "é.n=größe", stdin=pause_of({"é": form({"n": {"type": "string"}})}, "\ud800"))
    assert done.out.isascii()
    assert json.loads(done.out)["inputResponses"] == {"é": {"action": "accept", "content": {"n": "größe"}}}


# input

NESTED = b'{"x": ' + b"[" * 63 + b"]" * 63 + b"}"


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
        b'{"resultType": "input_required", "requestState": "s", "x": ' + NESTED + b"}",
        b'{"x": ' + b"[" * 100 + b"]" * 100 + b"}",
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
    others = [("answer", PAUSED, option, "-", "--decline", "who") for option in ("--call", "--resume")]
    for arguments in (("show", "-"), ("answer", "-"), *others):
        done = run(*arguments, stdin=data)
        if done.status:
            assert (done.status, done.out) == (2, "")
            sentence(done.err)
        else:
            assert done.out.endswith("\n")


@given(raw=results, flags=st.lists(st.tuples(st.sampled_from(["--accept", "--decline", "--cancel"]), text), max_size=3))
@settings(max_examples=200)
def test_any_answer_to_anything_is_written_or_refused_in_sentences(raw, flags):
    done = run("answer", "-", *(f"{flag}={value}" for flag, value in flags), stdin=raw)
    if done.status:
        assert (done.status, done.out) == (2, "")
        sentences(done.err)
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
        ["answer", PAUSED, "--call", PAUSED, "--resume", PAUSED],
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

AWKWARD = pause_of({"größe": form({"n\ud800": {"type": "string"}}, message="é\ud800\U0001f600")}, "s")


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
    assert lines[2:] == [f'"{key}": a form', "  | " + said.get(encoding, "é\\ud800\\U0001f600"), '  "n\\ud800": text']


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


def test_a_sentence_is_not_said_on_standard_output_where_standard_error_is_closed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
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


def test_the_program_writes_no_sentence_into_its_output_where_standard_error_is_closed():
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *PROGRAM, "show", "missing.json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


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
