"""The command `vectors`: its verdicts on this library and on other programs, whatever those do."""

import json
import sys
from pathlib import Path

import pytest
from command_line import refusal, run
from vectors import FIXTURES, VECTORS

from toolnexus_mrtr import printable

#: A program that runs the operation `is_input_required`, and misbehaves as its input says.
PROGRAM = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    raw = asked["input"]["raw"]
    match raw.get("do"):
        case "crash": os._exit(3)
        case "hang": time.sleep(60)
        case "leave":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            os._exit(0)
        case "deafen":
            os.close(0)
            print('{"expect": true}', flush=True)
            time.sleep(60)
        case "estrange":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(5)"], start_new_session=True)
            time.sleep(60)
        case "flood": print("x" * 2_000_000, flush=True)
        case "sleep": time.sleep(60)
        case "junk": print("hello\\x1b[2J", flush=True)
        case "stutter": print('{"expect": ', end="", flush=True); os._exit(0)
        case "both": print('{"expect": 1, "error": {}}', flush=True)
        case "bytes": sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()
        case "refuse": print('{"error": {"code": "wrong_type", "at": "/x", "text": "any"}}', flush=True)
        case "sentence": print('{"error": "wrong type"}', flush=True)
        case "give": print(json.dumps({"expect": raw["it"]}), flush=True)
        case _: print(json.dumps({"expect": raw.get("resultType") == "input_required"}), flush=True)
"""

NO_LINE = "expected one line of JSON, at most 1 MiB, with either expect or error, found "


def vector(id, raw, expect=None, **members):
    outcome = {} if "error" in members else {"expect": expect}
    return {"id": id, "description": "d", "basis": "library", "input": {"raw": raw}} | outcome | members


class Folder:
    """A folder with vectors of `is_input_required`, and the program beside it."""

    def __init__(self, path: Path):
        self.path = path
        self.listed = path / "listed.json"
        (path / "program.py").write_text(PROGRAM, "ascii")
        (path / "2026-07-28").mkdir()

    def run(self, *vectors, flags=(), listed=None, own=False):
        file = {"format": 1, "operation": "is_input_required", "vectors": vectors}
        (self.path / "2026-07-28" / "is_input_required.json").write_text(json.dumps(file), "ascii")
        command = [] if own else ["--cmd", f"{sys.executable} {self.path / 'program.py'}"]
        if listed is not None:
            self.listed.write_text(json.dumps(listed), "ascii")
            command += ["--expected-failures", str(self.listed)]
        return run("vectors", str(self.path), *command, "--format", "json", *flags)

    def reasons(self, *vectors, **more):
        done = self.run(*vectors, **more)
        failures = json.loads(done.out)["failures"]
        assert done.status == bool(failures)
        return {failure["id"]: failure["reason"] for failure in failures}


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


GOOD = vector("good", {"resultType": "input_required"}, expect=True)


def test_vectors_pass_for_this_library():
    done = run("vectors", str(FIXTURES))
    assert done.status == 0
    assert done.out.splitlines()[-1].split() == ["all", str(len(VECTORS)), "0", "0", "0"]
    assert run("vectors") == done


def test_vectors_cmd_passes_a_correct_program(folder):
    assert folder.reasons(GOOD, vector("done", {}, expect=False)) == {}


@pytest.mark.parametrize(
    ("do", "reason"),
    [
        ("crash", "the program ended"),
        ("leave", "the program ended"),
        ("stutter", NO_LINE + '"{\\"expect\\":"'),
        ("junk", NO_LINE + '"hello\\u001b[2J"'),
        ("both", NO_LINE + '"{\\"expect\\": 1, \\"error\\": {}}"'),
        ("bytes", NO_LINE + '"\\\\xff"'),
        ("hang", "no answer within 3 seconds"),
        ("refuse", "wrong outcome"),
        ("sentence", "wrong outcome"),
    ],
)
def test_vectors_cmd_fails_only_the_vector_at_which_the_program_misbehaves(folder, do, reason):
    again = GOOD | {"id": "again"}
    seconds = "3" if do in ("hang", "leave") else "10"
    if do == "leave":
        # The process that it started keeps its standard output open.
        reason = "no answer within 3 seconds"
    wrong = vector("wrong", {"do": do}, expect=True)
    assert folder.reasons(GOOD, wrong, again, flags=("--seconds", seconds)) == {"wrong": reason}


def test_vectors_cmd_restarts_a_program_that_closed_its_input(folder):
    deaf = vector("deaf", {"do": "deafen"}, expect=True)
    assert folder.reasons(deaf, GOOD, GOOD | {"id": "again"}) == {"good": "the program ended"}


def test_vectors_compare_an_error_by_code_and_at_alone(folder):
    error = {"code": "wrong_type", "at": "/x"}
    assert folder.reasons(vector("a", {"do": "refuse"}, error=error)) == {}
    assert folder.reasons(vector("a", {"do": "refuse"}, error=error | {"at": "/y"})) == {"a": "wrong outcome"}
    assert folder.reasons(vector("a", {"do": "refuse"}, error=error | {"code": "too_large"})) == {"a": "wrong outcome"}


@pytest.mark.parametrize(
    ("expected", "found", "places"),
    [
        ({"a": [1, {"b~/": 2}]}, {"a": [1, {"b~/": 3}]}, [("/expect/a/1/b~0~1", 2, 3)]),
        ([1, 2], [1], [("/expect/1", 2, ...)]),
        ({}, {"n": None}, [("/expect/n", ..., None)]),
        (1, True, [("/expect", 1, True)]),
        (1, 1.0, [("/expect", 1, 1.0)]),
        ({"a": 1, "b": 2}, {"a": 0, "b": 0}, [("/expect/a", 1, 0), ("/expect/b", 2, 0)]),
        (list(range(90)), [-1] * 90, [(f"/expect/{place}", place, -1) for place in range(20)]),
        ([], {}, [("/expect", [], {})]),
    ],
)
def test_vectors_report_every_place_that_differs(folder, expected, found, places):
    done = folder.run(vector("a", {"do": "give", "it": found}, expect=expected))
    (failure,) = json.loads(done.out)["failures"]
    told = [(one["at"], one.get("expected", ...), one.get("found", ...)) for one in failure["differences"]]
    assert repr(told) == repr(places)


def test_vectors_compare_the_order_of_members_where_the_flag_says_so(folder):
    raw = {"do": "give", "it": {"b": 1, "a": 2}}
    assert folder.reasons(vector("a", raw, expect={"a": 2, "b": 1})) == {}
    ordered = vector("a", raw, expect={"a": 2, "b": 1}, flags=["Order"])
    assert folder.reasons(ordered) == {"a": "wrong outcome"}
    text = folder.run(ordered, flags=("--format", "text")).out
    assert '    at "/expect": expected the members in another order\n' in text


def test_vectors_compare_headers_and_disclosures_only_where_a_vector_expects_them(folder):
    given = {"do": "give", "it": {"sends": [], "headers": [{}], "disclosures": [[]]}}
    vectors = [
        vector("neither", given, expect={"sends": []}),
        vector("headers", given, expect={"sends": [], "headers": [{}]}),
        vector("wrong-headers", given, expect={"sends": [], "headers": []}),
        vector("wrong-disclosures", given, expect={"sends": [], "disclosures": [[{}]]}),
        vector("headers-missing", {"do": "give", "it": {"sends": []}}, expect={"sends": [], "headers": [{}]}),
        vector("no-object", {"do": "give", "it": []}, expect={"sends": []}),
        vector("refused", given, error={"code": "wrong_type", "at": ""}),
        vector("sends-unexpected", given, expect={"headers": [{}]}),
    ]
    file = {"format": 1, "operation": "exchange", "vectors": vectors}
    (folder.path / "2026-07-28" / "exchange.json").write_text(json.dumps(file), "ascii")
    assert list(folder.reasons(GOOD)) == [one["id"] for one in vectors[2:]]


def test_vectors_format_text_prints_each_failure_and_a_table(folder):
    wrong = vector("wrong", {"do": "give", "it": {"n": "\x1b[2J"}}, expect={"m": 1})
    hangs = vector("hangs", {"do": "crash"})
    done = folder.run(GOOD, wrong, hangs, flags=("--format", "text"))
    assert (done.status, done.out) == (
        1,
        (
            "is_input_required wrong: d\n"
            '    input {"raw": {"do": "give", "it": {"n": "\\u001b[2J"}}}\n'
            '    at "/expect/m": expected 1, found nothing\n'
            '    at "/expect/n": expected nothing, found "\\u001b[2J"\n'
            "\n"
            "is_input_required hangs: d\n"
            '    input {"raw": {"do": "crash"}}\n'
            "    the program ended\n"
            "\n"
            "                   passed  failed  expected to fail  left out\n"
            "is_input_required       1       2                 0         0\n"
            "all                     1       2                 0         0\n"
        ),
    )


def test_vectors_expected_failures_must_fail(folder):
    wrong = vector("wrong", {"do": "crash"})
    assert folder.reasons(GOOD, wrong, listed={"vectors": {"wrong": "it crashes"}}) == {}
    listed = {"vectors": {"good": "it was wrong once"}}
    assert folder.reasons(GOOD, listed=listed) == {"good": "listed in --expected-failures, but passes"}


def test_vectors_expected_failures_leave_out_a_listed_operation(folder):
    done = folder.run(vector("a", {"do": "hang"}), listed={"operations": {"is_input_required": "not done"}})
    assert done.status == 0
    assert json.loads(done.out)["operations"]["all"]["left out"] == 1


def test_vectors_expected_failures_leave_out_a_listed_flag(folder):
    flagged = vector("a", {"do": "hang"}, flags=["Order"])
    done = folder.run(flagged, GOOD, listed={"flags": {"Order": "maps have none"}})
    assert done.status == 0
    assert (
        json.loads(done.out)["operations"]["all"] | {"passed": 1, "left out": 1}
        == json.loads(done.out)["operations"]["all"]
    )


def test_vectors_only_runs_the_given_operations_and_ids():
    done = run("vectors", str(FIXTURES), "--only", "printable", "--only", "request_state", "--format", "json")
    assert json.loads(done.out)["operations"].keys() == {"printable", "request_state", "all"}
    done = run("vectors", str(FIXTURES), "--only", "printable", "--only", "paused-state-only", "--format", "json")
    operations = json.loads(done.out)["operations"]
    assert operations.keys() == {"printable", "is_input_required", "all"}
    assert operations["is_input_required"]["passed"] == 1


def test_vectors_only_refuses_an_unknown_name_and_lists_the_operations():
    found = refusal("vectors", str(FIXTURES), "--only", "printable", "--only", "no_such")
    assert found.startswith("--only, number 2: expected the id of a vector, or an operation: answer_to_elicit_result, ")


def test_vectors_export_writes_fixtures_that_can_be_run(tmp_path):
    target = tmp_path / "exported"
    files = [path for path in FIXTURES.rglob("*") if path.is_file()]
    assert run("vectors", "--export", str(target)) == (0, f"{len(files)} files written to {target}\n", "")
    written = {path.relative_to(target): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert written == {path.relative_to(FIXTURES): path.read_bytes() for path in files}
    assert run("vectors", str(target)) == run("vectors")


@pytest.mark.parametrize("name", ["", "nul\0", "missing/folder", "."])
def test_vectors_export_refuses_a_folder_that_cannot_be_made(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal("vectors", "--export", name, status=1).startswith("--export: expected ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "more", [[str(FIXTURES)], ["--cmd", "x"], ["--only", "printable"], ["--expected-failures", "x"]], ids=repr
)
def test_vectors_export_runs_nothing_beside(more, tmp_path):
    assert refusal("vectors", *more, "--export", str(tmp_path / "new")).startswith("--export: ")
    assert list(tmp_path.iterdir()) == []


def test_vectors_format_text_truncates_a_long_input(folder):
    done = folder.run(vector("a", {"do": "crash", "x": "y" * 1000}), flags=("--format", "text"))
    assert len(done.out) < 1000


def test_vectors_cmd_does_not_wait_for_processes_that_a_program_left_behind(folder):
    stray = vector("stray", {"do": "estrange"}, expect=True)
    assert folder.reasons(stray, GOOD, flags=("--seconds", "3")) == {"stray": "no answer within 3 seconds"}


def test_vectors_cmd_reads_a_long_answer_and_refuses_a_longer_one(folder):
    long = vector("long", {"do": "give", "it": "x" * 500_000}, expect="y")
    (failure,) = json.loads(folder.run(long).out)["failures"]
    assert failure.pop("input") == long["input"]
    assert len(json.dumps(failure)) < 5_000
    flood = vector("flood", {"do": "flood"}, expect=True)
    assert folder.reasons(flood, GOOD) == {"flood": f'{NO_LINE}"{"x" * 64}..."'}


def test_vectors_cmd_times_out_a_program_that_does_not_read(folder):
    deaf = vector("deaf", {"do": "sleep"}, expect=True)
    long = vector("long", {"x": "x" * 1_000_000}, expect=False)
    assert folder.reasons(deaf, long, GOOD, flags=("--seconds", "3")) == {"deaf": "no answer within 3 seconds"}


def test_vectors_cmd_takes_an_answer_written_before_the_question_is_read(folder):
    early = vector("early", {"do": "deafen"}, expect=True)
    assert folder.reasons(early, GOOD | {"input": {"raw": {"x": "x" * 1_000_000}}}) == {"good": "the program ended"}


def test_vectors_cmd_gives_up_a_program_that_hangs_three_times_in_a_row(folder):
    hangs = [vector(f"hang-{place}", {"do": "hang"}) for place in range(5)]
    reasons = folder.reasons(*hangs, flags=("--seconds", "0.05"))
    assert [reason.partition(" ")[0] for reason in reasons.values()] == ["no", "no", "no", "not", "not"]


@pytest.mark.parametrize(
    "listed",
    [
        {"vectors": {"no-such-id": "why"}},
        {"flags": {"NoSuchFlag": "why"}},
        {"operations": {"no_such_operation": "why"}},
        {"vectors": {"good": ""}},
        {"vectors": {"good": None}},
        {"vectors": ["good"]},
    ],
)
def test_vectors_expected_failures_refuse_an_unknown_name_or_a_missing_reason(folder, listed):
    assert folder.run(GOOD, listed=listed).status == 2


@pytest.mark.parametrize(
    ("kind", "listed"),
    [
        ("id", {"vectors": {"x": "why"}}),
        ("operation", {"operations": {"x": "why"}}),
        ("flag", {"flags": {"x": "why"}}),
    ],
)
def test_vectors_expected_failures_say_what_an_unknown_name_should_be(folder, kind, listed):
    folder.run(GOOD)
    arguments = ("vectors", str(folder.path), "--expected-failures", "-")
    assert refusal(*arguments, stdin=listed) == f'standard input: "x" is not the {kind} of any vector'


def test_vectors_fail_for_an_operation_that_this_library_does_not_know(folder):
    file = {"format": 1, "operation": "guess", "vectors": [vector("a", {})]}
    (folder.path / "2026-07-28" / "guess.json").write_text(json.dumps(file), "ascii")
    assert folder.reasons(GOOD, own=True) == {"a": "an operation that is not known"}


def test_vectors_fail_for_an_exchange_that_does_not_end(folder):
    call = {"id": "c", "method": "tools/call", "params": {}}
    steps = [{"receive": {"resultType": "input_required", "requestState": "s"}}]
    one = vector("open", {}) | {"input": {"call": call, "steps": steps}}
    file = {"format": 1, "operation": "exchange", "vectors": [one]}
    (folder.path / "2026-07-28" / "exchange.json").write_text(json.dumps(file), "ascii")
    assert folder.reasons(GOOD, own=True) == {"open": "raised ValueError"}


def test_vectors_fail_when_this_library_raises_another_error_or_changes_its_input(folder, monkeypatch):
    def changing(raw):
        raw.clear()
        return True

    operations = sys.modules["toolnexus_mrtr.cli._vectors._operations"].OPERATIONS
    monkeypatch.setitem(operations, "is_input_required", changing)
    assert folder.reasons(GOOD, own=True) == {"good": "changed its input"}
    monkeypatch.setitem(operations, "is_input_required", lambda raw: raw["missing"])
    assert folder.reasons(GOOD, own=True) == {"good": "raised KeyError"}


@pytest.mark.parametrize("command", ["", "'", "./no-such-program", "a\0b", "\ud800"])
def test_vectors_cmd_refuses_a_command_that_does_not_run(command):
    assert refusal("vectors", "--cmd", command).startswith("--cmd: expected ")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x"])
def test_vectors_seconds_refuse_an_invalid_number(seconds):
    assert "--seconds" in refusal("vectors", "--seconds", seconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2}',
        '{"format": 1, "operation": "x", "vectors": [{}]}',
        '"\u00e9"',
        '{"a": 1, "a": 1}',
        *(
            json.dumps({"format": 1, "operation": "x", "vectors": [vector("a", {}) | broken]})
            for broken in ({"id": {"a": 1}}, {"id": "\x1b[31m"}, {"description": 5}, {"input": 5}, {"error": 5})
        ),
        json.dumps({"format": 1, "operation": ["x"], "vectors": [vector("a", {})]}),
        json.dumps({"format": 1, "operation": "x\x1b[31m", "vectors": [vector("a", {})]}),
    ],
)
def test_vectors_refuse_a_file_without_vectors(folder, text):
    (folder.path / "2026-07-28" / "x.json").write_text(text, "utf-8")
    assert refusal("vectors", str(folder.path)).startswith("x.json: expected ")


def test_vectors_refuse_a_folder_without_vectors(tmp_path):
    assert refusal("vectors", str(tmp_path)).startswith(f"expected vectors in {tmp_path}")
    (tmp_path / "2026-07-28").mkdir()
    (tmp_path / "2026-07-28" / "folder.json").mkdir()
    (tmp_path / "2026-07-28" / "x.json").write_text('{"format": 1, "operation": "x", "vectors": []}')
    assert refusal("vectors", str(tmp_path)).startswith(f"expected vectors in {tmp_path}")


@pytest.mark.parametrize("name", ["missing", "a\0b", "\ud800", "x" * 5_000])
def test_vectors_refuse_a_folder_that_cannot_be_read(name):
    assert refusal("vectors", name) == f"expected vectors in {printable(name)}, in a folder 2026-07-28"


def test_vectors_without_a_folder_are_those_built_into_the_package(tmp_path, monkeypatch):
    (tmp_path / "fixtures").mkdir()
    Folder(tmp_path / "fixtures").run(GOOD, own=True)
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    assert run("vectors").out.splitlines()[-1].split() == ["all", "1", "0", "0", "0"]
