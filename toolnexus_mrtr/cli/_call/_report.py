"""Tells on standard error what happens in a call: what is sent, what is asked, what was answered, how it ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

from toolnexus_mrtr import Call, Done, Pause
from toolnexus_mrtr.cli._call._rpc import ServerError
from toolnexus_mrtr.cli._call._spinner import spin
from toolnexus_mrtr.cli._errors import print_to_stderr
from toolnexus_mrtr.cli._show import show_pause
from toolnexus_mrtr.cli._terminal import fold_for_stderr
from toolnexus_mrtr.cli._text import fold, quote, quote_lines

#: The member of the params that names what is called; the id of a task is a secret, and is not told.
_NAMES: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Report:
    """Tells of a call on standard error; `shows_questions` says whether what is asked is shown here."""

    def __init__(self, *, shows_questions: bool = True) -> None:
        self._shows_questions = shows_questions
        self._requests = 0
        self._status: str | None = None

    def tell_step(self, step: Call | Pause | Done) -> None:
        """Tell of a call that is about to be sent, of what it came to, or of its end."""
        with fold_for_stderr():
            if isinstance(step, Call):
                self._requests += 1
                lines = list(_tell_call(step))
            elif isinstance(step, Pause):
                self._status = step.status_message
                lines = list(_tell_pause(step, shows_questions=self._shows_questions))
            else:
                lines = ["The call is done."]
        self._print(lines)

    def tell_error(self, error: ServerError) -> None:
        """Tell what a server says of its error; of that of a task nothing, since it may hold the task's id."""
        if not error.method.startswith("tasks/"):
            with fold_for_stderr():
                self._print(quote_lines(error.message))

    def show_work(self) -> AbstractContextManager[None]:
        """Show on a terminal, as long as the block lasts, that the server works: request, status message and time."""
        status = "" if self._status is None else f": {self._status}"
        return spin(f"request {self._requests}{status}")

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            print_to_stderr(line)


def _tell_call(call: Call) -> Iterator[str]:
    for key, response in call.params.get("inputResponses", {}).items() if call.retry else ():
        yield from fold(f"Answered: {quote(key)}, {_describe_response(response)}.", "", "      ")
    name = call.params.get(_NAMES.get(call.method, ""))
    called = call.method if name is None else f"{call.method} {quote(name)}"
    yield from fold(f"Sent{' again' if call.retry and name is not None else ''}: {called}.", "", "      ")


def _describe_response(response: Mapping[str, Any]) -> str:
    """Say what was answered by names, never by values."""
    if "action" not in response:
        return f"with {', '.join(map(quote, response))}"
    content = response.get("content")
    action: str = response["action"]
    return f"{action} with {', '.join(map(quote, content))}" if content else action


def _tell_pause(pause: Pause, *, shows_questions: bool) -> Iterator[str]:
    if pause.task_id is not None:
        yield "A task works on the call."
        if pause.status_message is not None:
            yield from quote_lines(pause.status_message)
    if not pause.input_requests:
        yield f"Nothing is asked; the next request follows in {pause.delay:g} s."
    elif shows_questions:
        yield from show_pause(pause)
