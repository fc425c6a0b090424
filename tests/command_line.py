"""Runs the command line in this process, and makes the results that its tests hand to it."""

import contextlib
import io
import json
import os
import sys
from typing import NamedTuple
from unittest import mock

from vectors import ROOT

from toolnexus_mrtr import printable
from toolnexus_mrtr.cli import main

#: The file of a JSON-RPC response whose result asks for a form.
PAUSED = str(ROOT / "fixtures/examples/paused.json")

#: Entries of `inputRequests` that the command line shows and cannot answer.
ROOTS = {"method": "roots/list"}
LLM = {"method": "sampling/createMessage", "params": {"messages": [{}, {}], "maxTokens": 5}}
OTHER = {"method": "com.example/approve"}


def form(properties=None, message="m", **schema):
    """Make an entry of `inputRequests` that asks for a form with these fields; `schema` has further keywords."""
    members = {"type": "object", "properties": {} if properties is None else properties} | schema
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": members}}


def link(url="https://a.example/x", message="m"):
    """Make an entry of `inputRequests` that asks to visit a url."""
    return {"method": "elicitation/create", "params": {"mode": "url", "message": message, "url": url}}


def paused(state=None, **asked):
    """Make a paused result of entries by key."""
    return pause_of(asked, state)


def pause_of(asked, state=None):
    """Make a paused result of entries whose keys are no names in Python."""
    return {"resultType": "input_required", "inputRequests": asked} | ({} if state is None else {"requestState": state})


class Done(NamedTuple):
    """What one run of the command line ended with and printed."""

    status: int
    out: str
    err: str


class Terminal(io.StringIO):
    """A terminal that keeps what is printed."""

    def isatty(self):
        return True


def run(*arguments, stdin=b"", columns=None, environment=None):
    """Run one command; standard input is bytes, or a value that is encoded as JSON.

    Standard output is a terminal of so many columns where they are given, else none.
    """
    data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    out, err = io.StringIO() if columns is None else Terminal(), io.StringIO()
    variables = {"COLUMNS": str(columns), "NO_COLOR": "1"} if columns is not None else {}
    with (
        mock.patch.dict(os.environ, variables | (environment or {})),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = main(arguments)
    return Done(status, out.getvalue(), err.getvalue())


def show(raw, columns=None):
    """Run `show` on a result and give the lines that it prints."""
    done = run("show", "-", stdin=raw, columns=columns)
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def answer(raw, *flags):
    """Run `answer` on a result and give the params that it prints."""
    done = run("answer", "-", *flags, stdin=raw)
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def refusals(*arguments, stdin=b"", status=2):
    """Run a command that must fail and give the sentences on standard error; nothing else may be printed."""
    done = run(*arguments, stdin=stdin)
    assert (done.status, done.out) == (status, "")
    return sentences(done.err)


def refusal(*arguments, stdin=b"", status=2):
    """Run a command that must fail with a single sentence, and give it."""
    (only,) = refusals(*arguments, stdin=stdin, status=status)
    return only


def sentences(err):
    """Give the sentences of what was printed to standard error: one a line, each safe to print."""
    assert err.endswith("\n")
    lines = err[:-1].split("\n")
    assert all(line.startswith("toolnexus-mrtr: ") and printable(line) == line for line in lines)
    return [line.removeprefix("toolnexus-mrtr: ") for line in lines]


def sentence(err):
    """Give the only sentence of what was printed to standard error."""
    (only,) = sentences(err)
    return only
