"""The commands `call`, `prompt`, `resource` and `resume`: one call, from its beginning or from where it was left."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator
from typing import Any, Final

from toolnexus_mrtr import Call, Pause, request_meta
from toolnexus_mrtr.cli._call._arguments import read_arguments
from toolnexus_mrtr.cli._call._asking import Asker, ScriptedAsker, choose_asker
from toolnexus_mrtr.cli._call._exchange import Exchange
from toolnexus_mrtr.cli._call._log import Log
from toolnexus_mrtr.cli._call._report import Report
from toolnexus_mrtr.cli._call._result import is_error, show_result
from toolnexus_mrtr.cli._call._target import read_target
from toolnexus_mrtr.cli._errors import BadInput, WriteError, print_error
from toolnexus_mrtr.cli._input import read_saved_step, require_decoded
from toolnexus_mrtr.cli._save import save
from toolnexus_mrtr.cli._version import find_version

#: How many sends with answers there may be after a call is resumed, as many as a new call may have.
_MAX_RETRIES: Final = 10

_Outcome = Generator[str, None, int]


def run_call(options: argparse.Namespace) -> _Outcome:
    """Call a tool and print its result; the status is 1 if that is an error."""
    return (yield from _run_new("tools/call", {"name": options.name, "arguments": read_arguments(options)}, options))


def run_prompt(options: argparse.Namespace) -> _Outcome:
    """Get a prompt and print it."""
    arguments = read_arguments(options)
    if not all(isinstance(value, str) for value in arguments.values()):
        raise BadInput("expected texts as the arguments of a prompt")
    return (yield from _run_new("prompts/get", {"name": options.name, "arguments": arguments}, options))


def run_resource(options: argparse.Namespace) -> _Outcome:
    """Read a resource and print it."""
    return (yield from _run_new("resources/read", {"uri": options.name}, options))


def run_resume(options: argparse.Namespace) -> _Outcome:
    """Go on with a call that `--save` stored, and print its result."""
    return (yield from _run(lambda server: read_saved_step(options.file, "FILE", server), options))


def _run_new(method: str, params: dict[str, Any], options: argparse.Namespace) -> _Outcome:
    require_decoded(options.name, "the name")
    meta = make_meta(options.declare)
    return (yield from _run(lambda server: Call(method, {**params, "_meta": meta}, server=server), options))


def make_meta(declared: list[str]) -> dict[str, Any]:
    """Make the `_meta` of the requests: forms, urls, tasks, and what else was declared."""
    client = {"name": "toolnexus-mrtr", "version": find_version() or "0"}
    return request_meta(
        form=True,
        url=True,
        sampling="sampling" in declared,
        roots="roots" in declared,
        tasks=True,
        client_info=client,
    )


def _run(make_step: Callable[[str], Call | Pause], options: argparse.Namespace) -> _Outcome:
    for option, path in (("--save", options.save), ("--log", options.log)):
        if path == "-":
            raise BadInput(f"{option}: expected the name of a file")
    asker, log = choose_asker(options), Log()
    target = read_target(options, log)
    step = make_step(target.name)
    try:
        with target.server as server:
            exchange = Exchange(step, server.send, asker, report=make_report(asker), max_retries=_MAX_RETRIES)
            result = run_exchange(exchange, options.save)
    finally:
        is_logged = options.log is None or _write(options.log, log.to_json(shows_secrets=options.log_secrets), "--log")
    report_unused(asker)
    yield from show_result(result)
    return int(is_error(result) or not is_logged)


def run_exchange(exchange: Exchange, path: str | None = None) -> dict[str, Any]:
    """Run a call to its end and give its result.

    Where that fails or is interrupted, the step to go on from is stored in the file of `path`, and a task is left
    running; without one a task is cancelled.
    """
    try:
        return exchange.run()
    except BaseException:
        is_stored = path is not None and exchange.can_go_on and _store(exchange.step, path)
        if not is_stored and exchange.cancel_task():
            print_error("the task of the call was cancelled")
        raise


def make_report(asker: Asker) -> Report:
    """Make the report of a call; a person is shown the questions where they are asked."""
    return Report(shows_questions=isinstance(asker, ScriptedAsker))


def report_unused(asker: Asker) -> None:
    """Name the answers on the command line that nothing was asked for."""
    for name in asker.list_unused() if isinstance(asker, ScriptedAsker) else ():
        print_error(f"{name}: not needed, its key was not asked")


def _store(step: Call | Pause, path: str) -> bool:
    """Store a step and say how to go on from it; whether that could be done."""
    if not _write(path, step.to_json(), "--save"):
        return False
    print_error(
        "stored what --save names; `toolnexus-mrtr resume` goes on from it, with TARGET and headers given again"
    )
    if isinstance(step, Call) and step.task_id is None:
        print_error("the last request may have reached the server: resume sends it again")
    return True


def _write(path: str, data: bytes, option: str) -> bool:
    """Write a file and say whether that could be done; that it could not ends nothing else."""
    try:
        save(path, data, option)
    except WriteError as error:
        print_error(str(error))
        return False
    return True
