"""The command line as a whole: its input, arguments, output and exit status, in this process and as a program."""

import importlib.metadata
import io
import json
import os
import runpy
import subprocess
import sys
import tomllib
from unittest import mock

import pytest
from command_line import PAUSED, Done, form, pause_of, refusal, run, sentence
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vectors import ROOT

from toolnexus_mrtr import printable
from toolnexus_mrtr.cli import main

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
        b'{"jsonrpc": "2.0", "error": {"code": -32000}}',
        b'{"jsonrpc": "2.0", "error": {"code": true, "message": "m"}}',
        b'{"jsonrpc": "2.0", "error": "m"}',
        b"data: {",
        b'{"method": "a"}\n{"method": "b"}',
        b'{"resultType": "input_required", "inputRequests": []}',
        b'{"resultType": "input_required", "requestState": 5}',
    ],
    ids=lambda data: repr(data[:30]),
)
@pytest.mark.parametrize("command", ["show", "answer"])
def test_show_and_answer_refuse_bad_input_in_one_sentence_that_names_it(command, data):
    assert refusal(command, "-", stdin=data).startswith("standard input: ")


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf{}", NESTED, b'{"a": ' + b"1" * 4300 + b"}", b'{"a": "\\ud800"}', b'\r\n\t{"a": 1e308}\n']
)
def test_show_reads_unusual_but_legal_json(data):
    assert run("show", "-", stdin=data).status == 0


@pytest.mark.parametrize("name", ["", "missing.json", "a\nb\x1b[2J", "nul\0", "\udcff", "x" * 5000])
def test_show_names_a_file_that_cannot_be_read(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal("show", name).startswith(printable(name) + ": ")


def test_show_refuses_a_directory(tmp_path):
    assert refusal("show", str(tmp_path)).startswith(printable(str(tmp_path)) + ": ")


def test_show_refuses_a_closed_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["show", "-"]) == 2
    assert sentence(capsys.readouterr().err).startswith("standard input: ")


@given(data=st.binary(max_size=40))
@example(data=b'{"resultType":"input_required","requestState":"\xed\xa0\x80"}')
@settings(max_examples=100)
def test_show_and_answer_read_any_bytes_or_refuse_them_in_one_sentence(data):
    others = [("answer", PAUSED, option, "-", "--decline", "who") for option in ("--call", "--resume")]
    for arguments in (("show", "-"), ("answer", "-"), *others):
        done = run(*arguments, stdin=data)
        if done.status:
            assert (done.status, done.out) == (2, "")
            sentence(done.err)
        else:
            assert done.out.endswith("\n")


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
def test_main_refuses_wrong_arguments_in_one_sentence(arguments):
    refusal(*arguments)


@pytest.mark.parametrize("command", [[], ["show"], ["answer"]], ids=repr)
def test_help_is_printed_in_ascii(command):
    done = run(*command, "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("usage: toolnexus-mrtr")
    assert done.out.isascii()


def test_version_is_the_installed_one(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", {"toolnexus-mrtr": "1.2.3"}.__getitem__)
    assert run("--version") == Done(0, "toolnexus-mrtr 1.2.3\n", "")


def test_version_says_when_the_package_is_not_installed(monkeypatch):
    missing = mock.Mock(side_effect=importlib.metadata.PackageNotFoundError)
    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert run("--version") == Done(0, "toolnexus-mrtr (not installed)\n", "")


AWKWARD = pause_of({"größe": form({"n\ud800": {"type": "string"}}, message="é\ud800\U0001f600")}, "s")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16"])
def test_show_writes_output_in_every_encoding(encoding, monkeypatch, tmp_path):
    path = tmp_path / "paused.json"
    path.write_text(json.dumps(AWKWARD), "ascii")
    out = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["show", str(path)]) == 0
    lines = out.buffer.getvalue().decode(encoding).splitlines()
    key = "gr\\xf6\\xdfe" if encoding == "ascii" else "größe"
    said = {"ascii": "\\xe9\\ud800\\U0001f600", "utf-8": "é\\ud800\U0001f600", "utf-16": "é\\ud800\U0001f600"}
    assert lines[2:] == [f'"{key}": a form', "  | " + said.get(encoding, "é\\ud800\\U0001f600"), '  "n\\ud800": text']


def test_main_ends_with_status_0_when_the_reader_closes_the_pipe(monkeypatch, capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["show", PAUSED]) == 0
    assert capsys.readouterr().err == ""


def test_main_ends_with_status_1_when_output_cannot_be_written(monkeypatch, capsys):
    with os.fdopen(os.open(os.devnull, os.O_RDONLY), "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["show", PAUSED]) == 1
    assert sentence(capsys.readouterr().err).startswith("standard output: ")


@pytest.mark.parametrize("arguments", [["--help"], ["show", "--help"], ["--version"]], ids=repr)
def test_main_ends_with_status_1_when_the_help_or_the_version_cannot_be_written(arguments, monkeypatch, capsys):
    with os.fdopen(os.open(os.devnull, os.O_RDONLY), "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(arguments) == 1
    assert sentence(capsys.readouterr().err).startswith("standard output: ")


def test_main_blames_no_error_of_a_command_on_standard_output(monkeypatch):
    monkeypatch.setattr("toolnexus_mrtr.cli._options.show", mock.Mock(side_effect=PermissionError))
    with pytest.raises(PermissionError):
        main(["show", PAUSED])


def test_main_keeps_its_status_when_standard_error_cannot_be_written(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", mock.Mock(**{"write.side_effect": BrokenPipeError}))
    assert main(["show", "missing.json"]) == 2
    assert capsys.readouterr().out == ""


def test_main_prints_no_error_to_standard_output_when_standard_error_is_closed(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["show", "missing.json"]) == 2
    assert capsys.readouterr().out == ""


def test_main_ends_with_status_130_on_an_interrupt(monkeypatch, capsys):
    stdin = mock.Mock()
    stdin.buffer.read.side_effect = KeyboardInterrupt
    monkeypatch.setattr(sys, "stdin", stdin)
    assert main(["show", "-"]) == 130
    assert capsys.readouterr() == ("", "")


def test_main_prints_nothing_where_standard_output_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["show", PAUSED]) == 0


def test_program_is_run_by_python_m(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["-", "show", PAUSED])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("toolnexus_mrtr", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == run("show", PAUSED).out


def test_program_entry_point_is_main():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"toolnexus-mrtr": f"{main.__module__}:{main.__name__}"}


PROGRAM = [sys.executable, "-c", "import sys; from toolnexus_mrtr.cli import main; sys.exit(main())"]


def test_program_show_escapes_for_an_ascii_terminal():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    data = json.dumps(AWKWARD).encode()
    done = subprocess.run([*PROGRAM, "show", "-"], input=data, capture_output=True, check=True, env=environment)
    assert done.stderr == b""
    assert done.stdout.isascii()
    assert b'"gr\\xf6\\xdfe": a form' in done.stdout


def test_program_answer_refuses_bad_input_with_status_2():
    done = subprocess.run([*PROGRAM, "answer", "-"], input=b"\xff", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    sentence(done.stderr.decode().replace("\r\n", "\n"))


def test_program_show_prints_no_error_to_standard_output_when_standard_error_is_closed():
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *PROGRAM, "show", "missing.json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def test_program_show_ends_quietly_when_the_reader_is_gone():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*PROGRAM, "show", PAUSED], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
