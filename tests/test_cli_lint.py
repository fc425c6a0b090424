"""The command `lint`: every finding of every file, and an exit status that can fail a build."""

import json
import sys

import pytest
from command_line import PAUSED, form, link, paused, refusal, run, sentence
from junitparser import JUnitXml

from toolnexus_mrtr import lint, printable


def linted(raw, *flags, columns=80, environment=None):
    """Lint a result, at a terminal unless `columns` is `None`; give the status and what is printed."""
    done = run("lint", "-", *flags, stdin=raw, columns=columns, environment=environment)
    assert done.err == ""
    return done.status, done.out


def codes(raw, *flags):
    """Lint what a file may hold; give the severities and codes of the findings."""
    done = run("lint", "-", *flags, stdin=raw)
    assert done.err == ""
    return [tuple(line.split("\t")[1:3]) for line in done.out.splitlines()]


def test_lint_prints_one_line_with_status_0_for_a_clean_result_at_a_terminal_and_nothing_on_a_pipe():
    assert run("lint", PAUSED, columns=80) == (0, f"{PAUSED}: errors: 0, warnings: 0\n", "")
    assert run("lint", PAUSED) == (0, "", "")


def test_lint_prints_a_line_of_five_columns_for_each_finding_on_a_pipe(tmp_path):
    path = tmp_path / "wrong.json"
    raw = paused(5, **{"a\tb\nc" + "d" * 100: 5, "k": link("http://a.example/x")})
    path.write_text(json.dumps(raw), "ascii")
    done = run("lint", str(path))
    assert (done.status, done.err) == (1, "")
    assert [line.split("\t") for line in done.out.splitlines()] == [
        [str(path), finding.severity, finding.code, printable(finding.at), finding.message] for finding in lint(raw)
    ]


def test_lint_heeds_the_width_of_the_terminal():
    raw = paused(k=link("http://a.example/x"))
    lines = linted(raw, columns=40)[1].splitlines()
    assert max(len(line) for line in lines if "https://model" not in line) <= 40
    assert " ".join(" ".join(lines).split()) == " ".join(linted(raw)[1].split())


@pytest.mark.parametrize(
    ("columns", "environment", "is_colored"),
    [
        (80, {"NO_COLOR": "", "TERM": "xterm"}, True),
        (80, {"NO_COLOR": "1", "TERM": "xterm"}, False),
        (80, {"NO_COLOR": "", "TERM": "dumb"}, False),
        (None, {"NO_COLOR": "", "TERM": "xterm"}, False),
    ],
)
def test_lint_gives_the_severity_its_color_on_a_terminal_that_may_have_colors(columns, environment, is_colored):
    raw = paused(a=5, k=link("http://a.example/x"))
    status, out = linted(raw, columns=columns, environment=environment)
    plain = linted(raw, columns=columns)[1]
    assert ("\x1b[31merror\x1b[0m wrong_type" in out, "\x1b[33mwarning\x1b[0m insecure_http" in out) == (
        is_colored,
    ) * 2
    for color in ("\x1b[31m", "\x1b[33m", "\x1b[0m"):
        out = out.replace(color, "")
    assert (status, out) == (1, plain)


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
    done = run("lint", str(wrong), PAUSED, columns=80)
    assert done.status == 1
    assert f"{wrong}: errors: 1, warnings: 0\n" in done.out
    assert done.out.endswith(f"{PAUSED}: errors: 0, warnings: 0\n")


@pytest.mark.parametrize("data", [b"", b"5", b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}'])
def test_lint_refuses_input_that_is_no_json_object(data):
    assert refusal("lint", "-", stdin=data).startswith("standard input: expected ")


@pytest.mark.parametrize("columns", [None, 80])
def test_lint_goes_on_past_a_file_that_cannot_be_read_and_ends_with_status_2(tmp_path, columns):
    first, bad, last = (tmp_path / name for name in ("a.json", "bad.txt", "c.json"))
    first.write_text(json.dumps(paused(k=5)), "ascii")
    bad.write_text("no JSON", "ascii")
    last.write_text(json.dumps(paused("s", k=link("http://a.example/x"))), "ascii")
    done = run("lint", str(first), str(bad), "missing.json", str(last), columns=columns)
    assert done.status == 2
    assert [line.partition(": expected ")[0] for line in done.err.splitlines()] == [
        f"toolnexus-mrtr: {bad}",
        "toolnexus-mrtr: missing.json",
    ]
    assert [word for word in ("wrong_type", "insecure_http") if word not in done.out] == []
    assert str(bad) not in done.out


def test_lint_format_json_says_which_file_cannot_be_read():
    done = run("lint", PAUSED, "missing.json", "--format", "json")
    assert done.status == 2
    assert json.loads(done.out)["files"] == [
        {"file": PAUSED, "findings": []},
        {"file": "missing.json", "findings": [], "error": sentence(done.err)},
    ]


def test_lint_format_junit_makes_a_suite_of_each_file_and_a_case_of_each_finding(tmp_path):
    wrong = tmp_path / "\u20ac\ufffe.json"
    raw = paused(**{"\x01\uffff\ud800<&>": 5, "k": link("http://a.example/x")})
    wrong.write_text(json.dumps(raw), "ascii")
    done = run("lint", str(wrong), PAUSED, "missing.json", "--format", "junit")
    assert done.status == 2
    assert done.out.isascii()
    report = JUnitXml.fromstring(done.out.encode())
    assert (report.tests, report.failures, report.errors) == (4, 1, 1)
    failed, warned, passed, unread = cases = [case for suite in report for case in suite]
    assert [suite.name for suite in report] == [
        str(wrong).replace("\ufffe", "\\ufffe"),
        PAUSED,
        "missing.json",
    ]
    assert [case.classname for case in cases] == [
        report_name for suite in report for report_name in [suite.name] * len(suite)
    ]
    error, warning = lint(raw)
    assert (failed.name, warned.name) == (
        'wrong_type, at "/inputRequests/\\u0001\\uffff\\ud800<&>"',
        'insecure_http, at "/inputRequests/k/params/url"',
    )
    assert [(one.message, one.type, one.text) for one in failed.result] == [
        (error.message, "wrong_type", f"{error.message}\n{error.spec}")
    ]
    assert (warned.is_passed, warned.system_out) == (True, f"warning: {warning.message}\n{warning.spec}")
    assert passed.is_passed
    assert [one.message for one in unread.result] == [sentence(done.err)]


def test_lint_format_junit_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "junitparser", None)
    monkeypatch.delitem(sys.modules, "toolnexus_mrtr.cli._junit", raising=False)
    assert "pip install 'toolnexus-mrtr[junit]'" in refusal("lint", PAUSED, "--format", "junit")


ASKED = paused(k=form())


@pytest.mark.parametrize(
    ("capabilities", "found"),
    [
        ("{}", [("error", "undeclared_capability")]),
        ('{"elicitation": {"url": {}}}', [("error", "undeclared_capability")]),
        ('{"elicitation": {}}', []),
    ],
)
def test_lint_capabilities_check_what_is_asked(capabilities, found, tmp_path):
    assert codes(ASKED, "--capabilities", capabilities) == found
    path = tmp_path / "capabilities.json"
    path.write_text(capabilities, "ascii")
    assert codes(ASKED, "--capabilities", f"@{path}") == found


@pytest.mark.parametrize("capabilities", ["", "[]", "hunter2", '{"hunter2": 1, "hunter2": 2}', "{}\udcff"])
def test_lint_capabilities_refuse_what_is_no_object_without_repeating_it(capabilities):
    found = refusal("lint", PAUSED, "--capabilities", capabilities)
    assert found.startswith("--capabilities: expected ")
    assert "hunter2" not in found


def test_lint_capabilities_refuse_a_file_that_cannot_be_read():
    assert refusal("lint", PAUSED, "--capabilities", "@hunter2").startswith(
        "--capabilities: expected it to be readable"
    )


def lines(*messages):
    """Write messages as stdio carries them."""
    return "".join(json.dumps(message) + "\n" for message in messages).encode()


def request(method="tools/call", id=1, capabilities=None):
    meta = {} if capabilities is None else {"_meta": {"io.modelcontextprotocol/clientCapabilities": capabilities}}
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": meta}


def response(result, id=1):
    return {"jsonrpc": "2.0", "id": id, "result": result}


NOT_PAUSABLE = [("error", "method_not_supported")]
UNDECLARED = [("error", "undeclared_capability")]


@pytest.mark.parametrize(
    ("messages", "flags", "found"),
    [
        ([request("tools/list"), response(ASKED)], (), NOT_PAUSABLE),
        ([request("tools/call"), response(ASKED)], (), []),
        ([request("tools/list"), response(ASKED)], ("--method", "tools/call"), []),
        ([request("tools/list", id=2), response(ASKED)], (), []),
        ([request("tools/list", id="1"), response(ASKED)], (), []),
        ([request("tools/list", id=2), request("prompts/get", id=1), response(ASKED)], (), []),
        ([request("prompts/get"), response({}), request("tools/list"), response(ASKED)], (), NOT_PAUSABLE),
        ([request("tools/list"), response(ASKED), {"jsonrpc": "2.0", "method": "x"}], (), NOT_PAUSABLE),
        ([request(capabilities={}), response(ASKED)], (), UNDECLARED),
        ([request(capabilities={"elicitation": {}}), response(ASKED)], (), []),
        ([request(capabilities={}), response(ASKED)], ("--capabilities", '{"elicitation": {}}'), []),
        ([request(capabilities=[]), response(ASKED)], (), []),
        ([request() | {"params": 5}, response(ASKED)], (), []),
        ([request() | {"method": 5}, response(ASKED)], (), []),
        ([request() | {"id": None}, {"jsonrpc": "2.0", "result": ASKED}], (), []),
    ],
)
def test_lint_takes_method_and_capabilities_from_the_request_that_stands_with_its_response(messages, flags, found):
    assert codes(lines(*messages), *flags) == found


def stream(*events, end="\n"):
    return end.join(line for event in events for line in [*event.split("\n"), ""]).encode()


def data(message):
    return "data: " + json.dumps(message)


GOOD, WRONG = data(response(paused("s"))), data(response(paused("s", k=5)))


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize(
    "events",
    [
        [WRONG],
        [GOOD, WRONG],
        [": a comment\nid: 1\nretry: 10\nnonsense\nevent: message\n" + WRONG],
        ["event: ping\n" + GOOD, WRONG, "event: ping\n" + GOOD],
        [WRONG, "data:", "id: 5", data({"jsonrpc": "2.0", "method": "notifications/progress"})],
        [WRONG.replace("data: ", "data:")],
        [WRONG.replace(", ", ",\ndata:")],
        ["\ufeff" + WRONG],
        ["", WRONG],
        [data(request("tools/call")), WRONG],
    ],
)
def test_lint_reads_the_last_response_of_a_saved_event_stream(events, end):
    for body in (stream(*events, end=end), stream(*events, end=end).strip(), stream(*events, end=end) + end.encode()):
        assert codes(body) == [("error", "wrong_type")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data:\n\n", "expected an event with a message in the event stream"),
        (b"data", "expected an event with a message in the event stream"),
        (
            b'event: ping\ndata: {"jsonrpc": "2.0", "result": {}}\n\n',
            "expected an event with a message in the event stream",
        ),
        (b'data: {"method": "a"}\n\ndata: {"method": "b"}\n\n', "expected a response among the messages"),
        (b"data: x\n\n", "expected JSON, line 1 column 1: Expecting value"),
        (b"data: {}\n\ndata: []\n\n", "message 2: expected a JSON object"),
        (b'{"a": 1}\n{"b": }\n', "message 2: expected JSON, line 1 column 7: Expecting value"),
        (b'{"a": 1}\n{"b": 2}\n', "expected a response among the messages"),
        (b'{"a": 1}\n5\n', "expected JSON, line 2 column 1: Extra data"),
    ],
)
def test_lint_refuses_messages_without_a_response(body, expected):
    assert refusal("lint", "-", stdin=body) == f"standard input: {expected}"


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
    done = run("lint", str(path), columns=80)
    assert done.status == 0
    assert done.out.endswith("\\x1b[2J\\u202e.json: errors: 0, warnings: 0\n")


def test_lint_says_that_there_may_be_more_than_it_lists_and_ends_with_status_1_for_an_error_behind():
    fields = {f"f{n}": {"type": "string", "pattern": "x"} for n in range(100)}
    done = run("lint", "-", stdin=paused(5, **{f"k{n}": form(fields) for n in range(10)}), columns=80)
    assert done.status == 1
    assert done.out.endswith("standard input: errors: 1, warnings: 999\n")
    assert sentence(done.err) == "standard input: there may be more findings, which are not listed"
