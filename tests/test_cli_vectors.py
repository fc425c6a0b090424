"""`toolnexus-mrtr vectors`: this library and any other program held to the fixtures, whatever that program does."""

import json
import sys
from pathlib import Path

import pytest
from test_cli import refusal, run
from vectors import FIXTURES, VECTORS

from toolnexus_mrtr import printable

#: A program that carries out `is_input_required`, and misbehaves as its input asks.
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
        case "babble": print("hello", flush=True)
        case "stutter": print('{"expect": ', end="", flush=True); os._exit(0)
        case "both": print('{"expect": 1, "error": {}}', flush=True)
        case "bytes": sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()
        case "refuse": print('{"error": {"code": "wrong_type", "at": "/x", "text": "any"}}', flush=True)
        case "give": print(json.dumps({"expect": raw["it"]}), flush=True)
        case _: print(json.dumps({"expect": raw.get("resultType") == "input_required"}), flush=True)
"""


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


def test_this_library_passes_every_vector():
    done = run("vectors", str(FIXTURES))
    assert done.status == 0
    assert done.out.splitlines()[-1].split() == ["all", str(len(VECTORS)), "0", "0", "0"]
    assert run("vectors") == done


def test_a_program_that_is_right_passes(folder):
    assert folder.reasons(GOOD, vector("done", {}, expect=False)) == {}


@pytest.mark.parametrize(
    ("do", "reason"),
    [
        ("crash", "the program ended"),
        ("leave", "the program ended"),
        ("stutter", "no line of JSON with expect or error"),
        ("babble", "no line of JSON with expect or error"),
        ("both", "no line of JSON with expect or error"),
        ("bytes", "no line of JSON with expect or error"),
        ("hang", "no answer within 3 seconds"),
        ("refuse", "another outcome"),
    ],
)
def test_a_program_that_misbehaves_fails_that_vector_alone(folder, do, reason):
    again = GOOD | {"id": "again"}
    seconds = "3" if do in ("hang", "leave") else "10"
    if do == "leave":
        # What it started keeps the line open.
        reason = "no answer within 3 seconds"
    wrong = vector("wrong", {"do": do}, expect=True)
    assert folder.reasons(GOOD, wrong, again, flags=("--seconds", seconds)) == {"wrong": reason}


def test_a_program_that_stops_listening_is_started_anew(folder):
    deaf = vector("deaf", {"do": "deafen"}, expect=True)
    assert folder.reasons(deaf, GOOD, GOOD | {"id": "again"}) == {"good": "the program ended"}


def test_an_error_is_compared_by_code_and_place_alone(folder):
    error = {"code": "wrong_type", "at": "/x"}
    assert folder.reasons(vector("a", {"do": "refuse"}, error=error)) == {}
    assert folder.reasons(vector("a", {"do": "refuse"}, error=error | {"at": "/y"})) == {"a": "another outcome"}
    assert folder.reasons(vector("a", {"do": "refuse"}, error=error | {"code": "too_large"})) == {
        "a": "another outcome"
    }


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
def test_every_place_that_differs_is_told(folder, expected, found, places):
    done = folder.run(vector("a", {"do": "give", "it": found}, expect=expected))
    (failure,) = json.loads(done.out)["failures"]
    told = [(one["at"], one.get("expected", ...), one.get("found", ...)) for one in failure["differences"]]
    assert repr(told) == repr(places)


def test_the_order_of_members_counts_where_the_vector_says_so(folder):
    raw = {"do": "give", "it": {"b": 1, "a": 2}}
    assert folder.reasons(vector("a", raw, expect={"a": 2, "b": 1})) == {}
    ordered = vector("a", raw, expect={"a": 2, "b": 1}, flags=["Order"])
    assert folder.reasons(ordered) == {"a": "another outcome"}
    text = folder.run(ordered, flags=("--format", "text")).out
    assert '    at "/expect": expected the members in another order\n' in text


def test_a_failure_is_told_to_a_person(folder):
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


def test_a_listed_vector_must_fail(folder):
    wrong = vector("wrong", {"do": "crash"})
    assert folder.reasons(GOOD, wrong, listed={"vectors": {"wrong": "it crashes"}}) == {}
    listed = {"vectors": {"good": "it was wrong once"}}
    assert folder.reasons(GOOD, listed=listed) == {"good": "passes, and is listed to fail"}


def test_a_listed_operation_is_not_run(folder):
    done = folder.run(vector("a", {"do": "hang"}), listed={"operations": {"is_input_required": "not done"}})
    assert done.status == 0
    assert json.loads(done.out)["operations"]["all"]["left out"] == 1


def test_vectors_of_a_listed_flag_are_not_run(folder):
    flagged = vector("a", {"do": "hang"}, flags=["Order"])
    done = folder.run(flagged, GOOD, listed={"flags": {"Order": "maps have none"}})
    assert done.status == 0
    assert (
        json.loads(done.out)["operations"]["all"] | {"passed": 1, "left out": 1}
        == json.loads(done.out)["operations"]["all"]
    )


def test_only_the_operations_that_are_asked_for_are_run():
    done = run("vectors", str(FIXTURES), "--only", "printable", "--only", "request_state", "--format", "json")
    assert json.loads(done.out)["operations"].keys() == {"printable", "request_state", "all"}
    assert refusal("vectors", str(FIXTURES), "--only", "no_such").startswith('--only "no_such": ')


def test_a_long_input_is_cut(folder):
    done = folder.run(vector("a", {"do": "crash", "x": "y" * 1000}), flags=("--format", "text"))
    assert len(done.out) < 1000


def test_what_a_program_leaves_behind_does_not_hold_the_run(folder):
    stray = vector("stray", {"do": "estrange"}, expect=True)
    assert folder.reasons(stray, GOOD, flags=("--seconds", "3")) == {"stray": "no answer within 3 seconds"}


def test_a_long_line_goes_through_and_a_longer_answer_is_cut(folder):
    long = vector("long", {"do": "give", "it": "x" * 500_000}, expect="y")
    (failure,) = json.loads(folder.run(long).out)["failures"]
    assert len(json.dumps(failure)) < 5_000
    flood = vector("flood", {"do": "flood"}, expect=True)
    assert folder.reasons(flood, GOOD) == {"flood": "no line of JSON with expect or error"}


def test_a_program_that_does_not_read_hangs(folder):
    deaf = vector("deaf", {"do": "sleep"}, expect=True)
    long = vector("long", {"x": "x" * 1_000_000}, expect=False)
    assert folder.reasons(deaf, long, GOOD, flags=("--seconds", "3")) == {"deaf": "no answer within 3 seconds"}


def test_a_program_that_answers_before_it_has_read_is_heard(folder):
    early = vector("early", {"do": "deafen"}, expect=True)
    assert folder.reasons(early, GOOD | {"input": {"raw": {"x": "x" * 1_000_000}}}) == {"good": "the program ended"}


def test_a_program_that_only_hangs_is_given_up(folder):
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
def test_a_list_that_names_nothing_or_no_reason_is_refused(folder, listed):
    assert folder.run(GOOD, listed=listed).status == 2


def test_an_operation_that_this_library_does_not_know_fails(folder):
    file = {"format": 1, "operation": "guess", "vectors": [vector("a", {})]}
    (folder.path / "2026-07-28" / "guess.json").write_text(json.dumps(file), "ascii")
    assert folder.reasons(GOOD, own=True) == {"a": "an operation that is not known"}


def test_an_exchange_that_does_not_end_fails(folder):
    call = {"id": "c", "method": "tools/call", "params": {}}
    steps = [{"receive": {"resultType": "input_required", "requestState": "s"}}]
    one = vector("open", {}) | {"input": {"call": call, "steps": steps}}
    file = {"format": 1, "operation": "exchange", "vectors": [one]}
    (folder.path / "2026-07-28" / "exchange.json").write_text(json.dumps(file), "ascii")
    assert folder.reasons(GOOD, own=True) == {"open": "raised ValueError"}


def test_this_library_is_held_to_raise_its_own_errors_and_to_change_nothing(folder, monkeypatch):
    def changing(raw):
        raw.clear()
        return True

    operations = sys.modules["toolnexus_mrtr.cli._vectors._operations"].OPERATIONS
    monkeypatch.setitem(operations, "is_input_required", changing)
    assert folder.reasons(GOOD, own=True) == {"good": "changed its input"}
    monkeypatch.setitem(operations, "is_input_required", lambda raw: raw["missing"])
    assert folder.reasons(GOOD, own=True) == {"good": "raised KeyError"}


@pytest.mark.parametrize("command", ["", "'", "./no-such-program", "a\0b", "\ud800"])
def test_a_command_that_does_not_run_is_refused(command):
    assert refusal("vectors", "--cmd", command).startswith("--cmd: expected ")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x"])
def test_a_time_that_is_none_is_refused(seconds):
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
def test_a_file_that_holds_no_vectors_is_refused(folder, text):
    (folder.path / "2026-07-28" / "x.json").write_text(text, "utf-8")
    assert refusal("vectors", str(folder.path)).startswith("x.json: expected ")


def test_a_folder_without_vectors_is_refused(tmp_path):
    assert refusal("vectors", str(tmp_path)).startswith(f"expected vectors in {tmp_path}")
    (tmp_path / "2026-07-28").mkdir()
    (tmp_path / "2026-07-28" / "folder.json").mkdir()
    (tmp_path / "2026-07-28" / "x.json").write_text('{"format": 1, "operation": "x", "vectors": []}')
    assert refusal("vectors", str(tmp_path)).startswith(f"expected vectors in {tmp_path}")


@pytest.mark.parametrize("name", ["missing", "a\0b", "\ud800", "x" * 5_000])
def test_a_folder_that_cannot_be_read_has_no_vectors(name):
    assert refusal("vectors", name) == f"expected vectors in {printable(name)}, in a folder 2026-07-28"


def test_the_vectors_of_the_package_are_those_that_were_built_in(tmp_path, monkeypatch):
    (tmp_path / "fixtures").mkdir()
    Folder(tmp_path / "fixtures").run(GOOD, own=True)
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    assert run("vectors").out.splitlines()[-1].split() == ["all", "1", "0", "0", "0"]
