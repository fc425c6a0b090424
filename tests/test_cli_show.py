"""The command `show`: what it prints of a result, and that no text of a server passes for a line of the command."""

import json
import re
from typing import get_args, get_type_hints

import pytest
from command_line import (
    LLM,
    OTHER,
    PAUSED,
    ROOTS,
    Done,
    answer,
    form,
    link,
    pause_of,
    paused,
    refusal,
    run,
    sentence,
    show,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import json_objects, json_values, results, text

from toolnexus_mrtr import Field, inspect_url, printable
from toolnexus_mrtr.cli._show import KINDS


def test_show_prints_the_example():
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


def test_show_prints_every_kind_of_request_in_the_servers_order():
    asked = {
        "b": OTHER,
        "": link("http://10.0.0.1:8080/x"),
        "größe": {"message": "m", "requestedSchema": {}},
        "a": LLM,
        "r": ROOTS,
    }
    assert show(pause_of(asked)) == [
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
        "  tokens: at most 5",
        "  message, role null:",
        "    content of the type null",
        "  message, role null:",
        "    content of the type null",
        "",
        '"r": the roots of the client',
    ]


def test_show_prints_what_a_model_would_be_given():
    image = {"type": "image", "data": "x" * 1000, "mimeType": "image/png"}
    text = {"type": "text", "text": 'one\n"k": a form\x1b'}
    messages = [
        {"role": "user", "content": text},
        {"role": "assistant", "content": [text, image, {"type": "a\nb"}, {"type": "text", "text": 5}, 5]},
        {"role": "sys\ntem", "content": "plain"},
        5,
    ]
    params = {"messages": messages, "maxTokens": 1.5, "systemPrompt": "Be\nbrief"}
    assert show(paused(k={"method": "sampling/createMessage", "params": params}))[2:] == [
        '"k": a message of a language model',
        "  tokens: at most 1.5",
        "  system prompt:",
        "    | Be",
        "    | brief",
        '  message, role "user":',
        "    | one",
        '    | "k": a form\\x1b',
        '  message, role "assistant":',
        "    | one",
        '    | "k": a form\\x1b',
        '    content of the type "image"',
        '    content of the type "a\\nb"',
        '    content of the type "text"',
        "    content of the type null",
        '  message, role "sys\\ntem":',
        "    | plain",
        "  message, role null:",
        "    content of the type null",
    ]


def test_show_prints_code_and_message_of_a_call_that_failed():
    assert show({"jsonrpc": "2.0", "id": 1, "error": {"code": -32042, "message": "one\ntwo\x1b[2J"}}) == [
        "The call failed, nothing is asked. The code of the error: -32042.",
        "  | one",
        "  | two\\x1b[2J",
    ]


def test_answer_says_the_code_of_a_call_that_failed():
    failed = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32042, "message": "m"}}
    assert (
        refusal("answer", "-", stdin=failed)
        == "standard input: expected a result, the call failed with the error -32042"
    )


def test_show_and_answer_read_a_saved_event_stream():
    raw = paused("s", k=form())
    body = f": hello\r\rdata: {json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': raw})}\r\r".encode()
    assert show(body) == show(raw)
    assert answer(body, "--decline", "k") == answer(raw, "--decline", "k")


def test_show_takes_a_form_with_a_url_beside_it_for_a_form():
    entry = form({"n": {"type": "string"}})
    entry["params"]["url"] = "javascript:alert(1)"
    assert show(paused(k=entry))[2:] == ['"k": a form', "  | m", '  "n": text']


@pytest.mark.parametrize("raw", [{}, {"content": []}, {"resultType": "complete"}], ids=json.dumps)
def test_show_says_that_a_finished_call_asks_nothing(raw):
    assert show(raw) == ["The call is finished: nothing is asked."]


@pytest.mark.parametrize("result_type", [None, "", "task", ["input_required"]], ids=json.dumps)
def test_show_refuses_any_other_result_type(result_type):
    assert refusal("show", "-", stdin={"resultType": result_type}).startswith("standard input: ")


def test_show_takes_a_whole_response_as_its_result():
    raw = paused(k=form())
    assert show({"jsonrpc": "2.0", "id": 1, "result": raw}) == show(raw)


def test_show_prefixes_each_line_of_a_message_with_a_bar():
    message = 'Hello\n\n  url: https://bank.example/\r\n"k": a form\x1b[2J\x85\u2028\u202e'
    assert show(paused(k=link(message=message)))[3:] == [
        "  | Hello",
        "  | ",
        "  |   url: https://bank.example/",
        '  | "k": a form\\x1b[2J\\x85\\u2028\\u202e',
        "  host: a.example",
        "  url: https://a.example/x",
    ]


def test_show_folds_a_message_so_that_the_terminal_wraps_no_line():
    message = "Sign in" + " " * 200 + "host: bank.example " + "x" * 100
    for columns in (30, 80, 200):
        lines = show(paused(k=link(message=message)), columns)[3:-2]
        assert all(line.startswith("  | ") and len(line) <= columns for line in lines)
        assert "".join(line[4:] for line in lines) == message


def test_show_folds_for_20_columns_where_the_terminal_has_fewer():
    assert show(paused(k=link(message="a" * 50)), 5) == show(paused(k=link(message="a" * 50)), 20)


def test_show_folds_nothing_where_there_is_no_terminal():
    name = "n" * 100 + "\n" + "n" * 100
    lines = show(paused(k=form({name: {"type": "string"}}, message="m " * 100 + "\nx")))
    assert lines[3:] == ["  | " + "m " * 100, "  | x", f"  {json.dumps(name)}: text"]


def test_show_indents_folded_keys_and_names_deeper_than_its_own_lines():
    name = "n" + " " * 100 + "host: bank.example"
    assert show(pause_of({name: form({name: {"type": "string"}})}), 80)[2:] == [
        '"n' + " " * 72,
        "      " + " " * 28 + 'host: bank.example": a form',
        "  | m",
        '  "n' + " " * 72,
        "      " + " " * 28 + 'host: bank.example": text',
    ]


def test_show_prints_a_url_whole_and_last():
    url = "https://a.example/" + "x" * 500
    assert show(paused(k=link(url)))[-1] == "  url: " + url


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
        ({"type": "array", "items": {"type": "string"}}, "a list of text"),
        ({}, "text"),
        (False, "something that cannot be shown"),
    ],
    ids=json.dumps,
)
def test_show_prints_the_kind_of_a_field_in_plain_words(field, kind):
    assert show(paused(k=form({"n": field})))[4] == f'  "n": {kind}'


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
        ({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5}, ["value: more than 0, a multiple of 0.5"]),
        ({"type": "number", "exclusiveMaximum": 5}, ["value: less than 5"]),
        ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5}, ["value: at least 1, at most 9"]),
        (
            {"type": "integer", "minimum": 2, "exclusiveMinimum": 0, "maximum": 8, "exclusiveMaximum": 9},
            ["value: at least 2, at most 8"],
        ),
        ({"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**53 - 1}, []),
        ({"type": "integer", "minimum": 0, "maximum": 2**53 - 1}, ["value: at least 0"]),
        ({"anyOf": [{"const": "a", "title": "A"}, {"type": "string"}]}, ['suggestion: "a", "A"']),
        ({"oneOf": [{"const": "a", "description": "b\nc"}]}, ['choice: "a"', "  | b", "  | c"]),
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
def test_show_prints_the_constraints_of_a_field_below_it(field, lines):
    assert show(paused(k=form({"n": {"type": "string"} | field})))[5:] == ["    " + line for line in lines]


def test_show_prints_a_pattern_as_a_hint():
    lines = show(paused(k=form({"n": {"type": "string", "pattern": "^a\nb"}})))[5:]
    assert lines == ['    pattern, not checked: "^a\\nb"', '  not enforced: "/properties/n/pattern"']


@pytest.mark.parametrize(
    ("keyword", "bound", "words"),
    [("exclusiveMinimum", 10**4300 - 1, "more than"), ("exclusiveMaximum", 1 - 10**4300, "less than")],
)
def test_show_prints_a_bound_of_4300_digits(keyword, bound, words):
    raw = paused(k=form({"n": {"type": "integer", keyword: bound}}))
    assert show(raw)[5:] == [f"    value: {words} {bound}"]
    assert "".join(line.strip() for line in show(raw, 80)[5:]) == f"value: {words}{bound}"


def test_show_lists_the_keywords_that_are_not_enforced():
    raw = paused(k=form({"n": {"type": "string", "pattern": "^a", "not": {}}}, minProperties=1))
    assert show(raw)[5:] == [
        '    pattern, not checked: "^a"',
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
def test_show_prints_why_a_form_cannot_be_checked(schema, at):
    raw = paused(k=form(**schema))
    key, message, *warning = show(raw)[2:]
    assert (key, message) == ('"k": a form', "  | m")
    assert warning[0].startswith("  warning: ")
    assert at in "".join(line.removeprefix("      ") for line in warning)
    assert all(line.startswith("      ") for line in warning[1:])


def test_show_prints_every_field_and_choice_of_a_huge_form_and_counts_what_is_not_enforced():
    fields = {f"f{n}": {"type": "string", "not": {}} for n in range(103)}
    fields["f0"] = {"enum": [str(n) for n in range(1000)]}
    lines = show(paused(k=form(fields)))[4:]
    assert lines[:2] == ['  "f0": one choice', '    choice: "0"']
    assert lines[1000:1002] == ['    choice: "999"', '  "f1": text']
    assert lines[1102:1104] == ['  "f102": text', '  not enforced: "/properties/f1/not"']
    assert lines[1107:] == ['  not enforced: "/properties/f5/not"', "  and 97 more constraints not enforced"]


def test_show_prints_title_and_description_of_a_form():
    raw = paused(k=form({"n": {"type": "string"}}, title="A\nB", description="one\ntwo"))
    assert show(raw)[3:] == ["  | m", '  title: "A\\nB"', "  | one", "  | two", '  "n": text']


def test_show_says_where_a_form_can_only_be_declined():
    lines = show(paused(k=form({"n": {"type": "object"}}, required=["n"])))[4:]
    assert lines[0] == "  warning: decline or cancel this, a required field cannot be shown"


def test_show_has_words_for_every_kind_of_field():
    assert KINDS.keys() == set(get_args(get_type_hints(Field)["kind"]))


@given(raw=results)
@settings(max_examples=100)
def test_show_prints_lines_or_one_sentence_for_any_result(raw):
    done = run("show", "-", stdin=raw)
    if done.status == 0:
        assert done.err == ""
        assert all(printable(line) == line for line in done.out.removesuffix("\n").split("\n"))
    else:
        assert (done.status, done.out) == (2, "")
        sentence(done.err)


@given(schema=st.one_of(json_objects, st.fixed_dictionaries({"properties": json_objects, "required": json_values})))
@settings(max_examples=60)
def test_show_and_answer_decline_take_any_schema(schema):
    assume(not {"Infinity", "NaN"} & set(re.findall(r"\w+", json.dumps(schema))))
    raw = paused(k={"message": "m", "requestedSchema": schema})
    assert run("show", "-", stdin=raw).status == 0
    assert answer(raw, "--decline", "k") == {"inputResponses": {"k": {"action": "decline"}}}


long_text = st.one_of(text, st.text(st.sampled_from('a "\n\x1b\u202e:|'), max_size=200))


@given(key=text, texts=st.lists(long_text, min_size=6, max_size=6))
@settings(max_examples=60)
def test_show_lets_no_text_of_a_server_look_like_a_line_of_its_own(key, texts):
    message, name, title, description, label, default = texts
    properties = {
        name: {"type": "string", "title": "t" + title, "description": "d" + description, "format": "f" + label},
        name + "2": {"type": "string", "default": default},
        name + "3": {"oneOf": [{"const": "c", "title": "t" + label}]},
    }
    lines = show(pause_of({key: form(properties, message=message)}), 80)[2:]
    assume("secret" not in "".join(lines))
    assert all(printable(line) == line and len(line) <= 80 for line in lines)
    ours = [line for line in lines if not re.match(r" {6}|  \| |    \| ", line)]
    starts = ['"', '  "', "    label: ", "    format: ", '  "', "    default: ", '  "', "    choice: "]
    if title == name[1:] and name.startswith("t"):
        starts.remove("    label: ")
    assert len(ours) == len(starts)
    assert all(line.startswith(start) for line, start in zip(ours, starts, strict=True))


def test_show_folds_wide_characters_by_their_width():
    message = "\u3000" * 38 + "host: good.example"
    lines = show(paused(k=link(message=message)), 80)
    assert all(len(line) <= 42 for line in lines if line.startswith("  | "))
    assert not any("host: good" in line and not line.startswith("  | ") for line in lines)


@given(host=st.sampled_from(["a.example", "127.0.0.1", "xn--80ak6aa92e.test"]), path=st.text("abc/?&=%", max_size=20))
def test_show_prints_the_host_and_every_warning_of_a_url(host, path):
    url = f"https://{host}/{path}"
    lines = show(paused(k=link(url)))
    report = inspect_url(url)
    assert lines[4:] == [f"  host: {report.host}", *(f"  warning: {one}" for one in report.warnings), f"  url: {url}"]
