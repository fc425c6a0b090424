"""The options `--save` and `--resume` of the command `answer`: the file of a call, stored and read again."""

import json
import os
import stat
from pathlib import Path
from unittest import mock

import pytest
from command_line import PAUSED, answer, form, link, paused, refusal, run

from toolnexus_mrtr import Call


def test_answer_resume_continues_the_call_that_save_stored(tmp_path):
    saved = str(tmp_path / "saved.json")
    call = tmp_path / "call.json"
    call.write_text('{"method": "prompts/get", "params": {"name": "p", "_meta": {"x": 1.0}}}', "ascii")
    first = answer(paused("s1", a=form()), "--call", str(call), "--accept", "a", "--save", saved)
    assert first.keys() == {"name", "_meta", "inputResponses", "requestState"}
    kept = Call.from_json(Path(saved).read_bytes())
    assert (kept.method, kept.params, kept.retry) == ("prompts/get", first, 1)
    second = answer(paused(b=link()), "--resume", saved, "--decline", "b", "--save", saved)
    assert json.dumps(second) == json.dumps(
        {"name": "p", "_meta": {"x": 1.0}, "inputResponses": {"b": {"action": "decline"}}}
    )
    kept = Call.from_json(Path(saved).read_bytes())
    assert (kept.params, kept.retry) == (second, 2)
    assert [path.name for path in tmp_path.iterdir() if path.name != "call.json"] == ["saved.json"]


@pytest.fixture
def call(tmp_path_factory):
    """The file of a call, and the options that name it."""
    path = tmp_path_factory.mktemp("call") / "call.json"
    path.write_text('{"name": "t"}', "ascii")
    return ["--call", str(path)]


def test_answer_save_needs_the_call(tmp_path):
    found = refusal("answer", PAUSED, "--decline", "who", "--save", str(tmp_path / "saved.json"))
    assert found.startswith("--save: expected --call or --resume beside it")
    assert list(tmp_path.iterdir()) == []


def test_answer_resume_reads_standard_input():
    data = Call("tools/call", {"name": "t"}).to_json()
    done = run("answer", PAUSED, "--resume", "-", "--decline", "who", stdin=data)
    assert json.loads(done.out)["name"] == "t"
    refusal("answer", "-", "--resume", "-", "--decline", "who", stdin=data)


def test_answer_resume_refuses_more_than_max_retries(tmp_path):
    saved = tmp_path / "saved.json"
    saved.write_bytes(Call("tools/call", {}, max_retries=1).to_json())
    flags = ["--resume", str(saved), "--save", str(saved), "--decline", "who"]
    assert run("answer", PAUSED, *flags).status == 0
    before = saved.read_bytes()
    assert refusal("answer", PAUSED, *flags).startswith("FILE: ")
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        Call("tools/call", {}).to_json()[:-1],
        Call("tools/call", {}).to_json().replace(b"mrtr/2", b"mrtr/1"),
        Call("tools/call", {}, server="parcels").to_json(),
        Call("tools/call", {}).receive(paused("s")).to_json(),
    ],
    ids=lambda data: repr(data[:30]),
)
def test_answer_resume_refuses_a_file_without_a_saved_call(data, tmp_path):
    path = tmp_path / "saved.json"
    path.write_bytes(data)
    assert refusal("answer", PAUSED, "--resume", str(path), "--decline", "who").startswith("--resume: ")


def test_answer_save_makes_the_file_readable_by_its_owner_alone(tmp_path, call):
    saved = tmp_path / "saved.json"
    saved.write_text("old")
    saved.chmod(0o644)
    answer(paused(k=form()), "--decline", "k", *call, "--save", str(saved))
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600


def test_answer_save_replaces_a_symbolic_link_and_leaves_its_target(tmp_path, call):
    planted, victim = tmp_path / "link.json", tmp_path / "victim.json"
    victim.write_text("mine")
    planted.symlink_to(victim)
    answer(paused(k=form()), "--decline", "k", *call, "--save", str(planted))
    assert not planted.is_symlink()
    assert Call.from_json(planted.read_bytes()).retry == 1
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("name", ["", ".", "missing/saved.json", "nul\0", "\ud800", "x" * 5000])
def test_answer_save_names_a_file_that_cannot_be_written_and_prints_nothing(name, tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = refusal("answer", PAUSED, "--decline", "who", *call, "--save", name, status=1)
    assert found.startswith("--save: expected ")
    assert list(tmp_path.iterdir()) == []


def test_answer_save_does_not_replace_a_pipe(tmp_path, call):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal("answer", PAUSED, "--decline", "who", *call, "--save", str(pipe), status=1)
    assert pipe.is_fifo()


def test_answer_save_keeps_the_old_file_when_a_write_fails(tmp_path, call, monkeypatch):
    saved = tmp_path / "saved.json"
    saved.write_text("old")
    monkeypatch.setattr(os, "fsync", mock.Mock(side_effect=OSError(28, "No space left on device")))
    refusal("answer", PAUSED, "--decline", "who", *call, "--save", str(saved), status=1)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("saved.json", "old")]


def test_answer_save_stores_nothing_when_the_answer_is_refused(tmp_path, call):
    refusal("answer", PAUSED, "--accept", "who", *call, "--save", str(tmp_path / "saved.json"))
    refusal("answer", PAUSED, "--decline", "who", *call, "--save", "-")
    assert list(tmp_path.iterdir()) == []
