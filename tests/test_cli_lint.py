"""`toolnexus-mrtr lint`: every finding of every file, and a status that a build can stop at."""

import json

import pytest
from test_cli import PAUSED, form, link, paused, refusal, run

from toolnexus_mrtr import lint, printable


def linted(raw, *flags):
    done = run("lint", "-", *flags, stdin=raw)
    assert done.err == ""
    return done.status, done.out


def test_a_clean_result_is_one_line_and_status_0():
    assert run("lint", PAUSED) == (0, f"{PAUSED}: errors: 0, warnings: 0\n", "")


def test_warnings_leave_the_status_at_0():
    assert linted(paused(k=link("http://a.example/x"))) == (
        0,
        (
            'warning insecure_http, at "/inputRequests/k/params/url"\n'
            "  expected https, this url is http and leaves the machine\n"
            "  https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling\n"
            "standard input: errors: 0, warnings: 1\n"
        ),
    )


def test_an_error_is_status_1():
    status, out = linted(paused(k={"method": "roots/list", "params": 5}))
    assert status == 1
    assert out.startswith('error wrong_type, at "/inputRequests/k/params"\n')
    assert out.endswith("standard input: errors: 1, warnings: 0\n")


def test_the_method_of_the_call_is_held_against_the_result():
    assert linted(paused("s"), "--method", "tools/call")[0] == 0
    assert linted(paused("s"), "--method", "tools/list")[0] == 1


def test_a_whole_response_is_linted_as_its_result():
    response = {"jsonrpc": "2.0", "id": 1, "result": paused(k=5)}
    assert linted(response) == linted(paused(k=5))


def test_every_finding_is_printed_as_json():
    raw = paused(k=form({"n": {"type": "object"}}, message="www.a.example"), z={"a": 1})
    status, out = linted(raw, "--format", "json")
    assert status == 1
    ((file, findings),) = [one.values() for one in json.loads(out)["files"]]
    assert file == "-"
    members = ("code", "at", "severity", "message", "spec")
    assert findings == [{name: getattr(finding, name) for name in members} for finding in lint(raw)]


def test_several_files_are_told_apart_and_one_error_is_enough(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(paused(k=5)), "ascii")
    done = run("lint", str(wrong), PAUSED)
    assert done.status == 1
    assert f"{wrong}: errors: 1, warnings: 0\n" in done.out
    assert done.out.endswith(f"{PAUSED}: errors: 0, warnings: 0\n")


@pytest.mark.parametrize("data", [b"", b"5", b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}'])
def test_what_is_no_json_object_is_refused(data):
    assert refusal("lint", "-", stdin=data).startswith("standard input: expected ")


def test_nothing_is_printed_where_one_of_the_files_cannot_be_read():
    assert refusal("lint", PAUSED, "no-such-file.json").startswith("no-such-file.json: ")


def test_a_server_cannot_write_a_line_of_its_own():
    raw = paused(
        **{"k\nstandard input: errors: 0\x1b[2J": form({"a\u2028b": {"type": "object", "title": "https://x"}})}
    )
    lines = linted(raw)[1].splitlines()
    assert [line for line in lines if printable(line) != line] == []
    assert [line for line in lines if line.startswith("standard input: ")] == ["standard input: errors: 0, warnings: 2"]


def test_as_json_nothing_is_printed_that_a_terminal_obeys():
    status, out = linted(
        paused(**{"\u202e\x9bk": form({"\x9b": {"type": "string", "pattern": "x"}})}), "--format", "json"
    )
    assert status == 0
    assert out.isascii()
    assert printable(out.replace("\n", "")) == out.replace("\n", "")


def test_the_name_of_a_file_is_printed_so_that_no_terminal_obeys_it(tmp_path):
    path = tmp_path / "\x1b[2J\u202e.json"
    path.write_text(json.dumps({"resultType": "complete"}), "utf-8")
    done = run("lint", str(path))
    assert done.status == 0
    assert done.out.endswith("\\x1b[2J\\u202e.json: errors: 0, warnings: 0\n")
