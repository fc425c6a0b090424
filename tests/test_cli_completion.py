"""The option `--print-completion`: the scripts with which shells complete the command line."""

import subprocess
import sys

import pytest
from command_line import refusal, run


def script(shell):
    done = run("--print-completion", shell)
    assert (done.status, done.err) == (0, "")
    return done.out


def complete(*words):
    """Let bash complete the last of some words."""
    line = " ".join(f"'{word}'" for word in ("toolnexus-mrtr", *words))
    ask = f'\nCOMP_WORDS=({line}); COMP_CWORD={len(words)}; _shtab_toolnexus_mrtr; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", script("bash") + ask], capture_output=True, check=True, text=True)
    return done.stdout.split()


def test_bash_completes_commands_and_options():
    assert complete("l") == ["lint"]
    assert complete("vectors", "--expo") == ["--export"]
    assert complete("lint", "--format", "j") == ["json", "junit"]


def test_bash_completes_files_and_folders(tmp_path):
    (tmp_path / "call.json").touch()
    (tmp_path / "calls").mkdir()
    both = [str(tmp_path / name) for name in ("call.json", "calls")]
    assert sorted(complete("show", f"{tmp_path}/ca")) == both
    assert sorted(complete("answer", "--call", f"{tmp_path}/ca")) == both
    assert complete("vectors", "--export", f"{tmp_path}/ca") == both[1:]


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh"])
def test_there_is_a_script_for_other_shells(shell):
    assert "toolnexus-mrtr" in script(shell)
    assert "adversary" in script(shell)


def test_completion_refuses_an_unknown_shell_and_lists_those_that_there_are():
    assert refusal("--print-completion", "cmd").startswith("--print-completion: expected one of bash, zsh, ")


def test_completion_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    monkeypatch.delitem(sys.modules, "toolnexus_mrtr.cli._completion", raising=False)
    assert "pip install 'toolnexus-mrtr[complete]'" in refusal("--print-completion", "bash")
