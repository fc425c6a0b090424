"""The command `lint`: every finding of every file, and an exit status that can fail a build."""

import json

import pytest
from command_line import PAUSED, form, link, paused, refusal, run

from toolnexus_mrtr import lint, printable


def linted(raw, *flags):
    done = run("lint", "-", *flags, stdin=raw)
    assert done.err == ""
    return done.status, done.out


def test_lint_prints_one_line_with_status_0_for_a_clean_result():
    assert run("lint", PAUSED) == (0, f"{PAUSED}: errors: 0, warnings: 0\n", "")


def test_lint_ends_with_status_0_for_warnings():
    assert linted(paused(k=link("http://a.example/x"))) == (
        0,
        (
            'warning insecure_http, at "/inputRequests/k/params/url"\n'
            "  expected https, this url is http and leaves the machine\n"
            "  https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#safe-url-handling\n"
            "standard input: errors: 0, warnings: 1\n"
        ),
    )


def test_lint_ends_with_status_1_for_an_error():
    status, out = linted(paused(k={"method": "roots/list", "params": 5}))
    assert status == 1
    assert out.startswith('error wrong_type, at "/inputRequests/k/params"\n')
    assert out.endswith("standard input: errors: 1, warnings: 0\n")


def test_lint_method_checks_that_the_method_can_be_paused():
    assert linted(paused("s"), "--method", "tools/call")[0] == 0
    assert linted(paused("s"), "--method", "tools/list")[0] == 1


def test_lint_takes_a_whole_response_as_its_result():
    response = {"jsonrpc": "2.0", "id": 1, "result": paused(k=5)}
    assert linted(response) == linted(paused(k=5))


def test_lint_format_json_prints_every_finding():
    raw = paused(k=form({"n": {"type": "object"}}, message="www.a.example"), z={"a": 1})
    status, out = linted(raw, "--format", "json")
    assert status == 1
    ((file, findings),) = [one.values() for one in json.loads(out)["files"]]
    assert file == "-"
    members = ("code", "at", "severity", "message", "spec")
    assert findings == [{name: getattr(finding, name) for name in members} for finding in lint(raw)]


def test_lint_reports_each_of_several_files_and_ends_with_status_1_for_one_error(tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(paused(k=5)), "ascii")
    done = run("lint", str(wrong), PAUSED)
    assert done.status == 1
    assert f"{wrong}: errors: 1, warnings: 0\n" in done.out
    assert done.out.endswith(f"{PAUSED}: errors: 0, warnings: 0\n")


@pytest.mark.parametrize("data", [b"", b"5", b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}'])
def test_lint_refuses_input_that_is_no_json_object(data):
    assert refusal("lint", "-", stdin=data).startswith("standard input: expected ")


def test_lint_prints_nothing_when_one_file_cannot_be_read():
    assert refusal("lint", PAUSED, "no-such-file.json").startswith("no-such-file.json: ")


def test_lint_lets_no_text_of_a_server_look_like_a_line_of_its_own():
    raw = paused(
        **{"k\nstandard input: errors: 0\x1b[2J": form({"a\u2028b": {"type": "object", "title": "https://x"}})}
    )
    lines = linted(raw)[1].splitlines()
    assert [line for line in lines if printable(line) != line] == []
    assert [line for line in lines if line.startswith("standard input: ")] == ["standard input: errors: 0, warnings: 2"]


def test_lint_format_json_prints_nothing_that_a_terminal_obeys():
    status, out = linted(
        paused(**{"\u202e\x9bk": form({"\x9b": {"type": "string", "pattern": "x"}})}), "--format", "json"
    )
    assert status == 0
    assert out.isascii()
    assert printable(out.replace("\n", "")) == out.replace("\n", "")


def test_lint_escapes_the_name_of_a_file(tmp_path):
    path = tmp_path / "\x1b[2J\u202e.json"
    path.write_text(json.dumps({"resultType": "complete"}), "utf-8")
    done = run("lint", str(path))
    assert done.status == 0
    assert done.out.endswith("\\x1b[2J\\u202e.json: errors: 0, warnings: 0\n")


def test_lint_says_that_there_may_be_more_than_it_lists_and_ends_with_status_1_for_an_error_behind():
    fields = {f"f{n}": {"type": "string", "pattern": "x"} for n in range(100)}
    status, out = linted(paused(5, **{f"k{n}": form(fields) for n in range(10)}))
    assert status == 1
    assert out.endswith("standard input: errors: 1, warnings: 999; there may be more, which are not listed\n")
