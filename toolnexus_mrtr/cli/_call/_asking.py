"""Who answers what a call asks: an `Asker`, and the one that answers by the options of the command line."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Mapping
from typing import Any, Protocol

from toolnexus_mrtr import InputRequest, Pause
from toolnexus_mrtr.cli._assignments import build_forms
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import prefix_errors_with, read_value
from toolnexus_mrtr.cli._responses import build_answers, list_answer_arguments
from toolnexus_mrtr.cli._text import list_names, quote_short


class NobodyToAsk(BadInput):
    """Something is asked that nobody is there to answer; the text says what was expected."""


class Asker(Protocol):
    """Gets the answers to a pause, from a person or from wherever else they come."""

    def answer(self, pause: Pause) -> Mapping[str, Any]:
        """Give an answer for each key of `pause.input_requests`, as `Pause.resume` takes it.

        Raises `NobodyToAsk` where there is none: nothing is ever answered on behalf of anybody.
        """
        ...


class ScriptedAsker:
    """Answers by `--accept`, `--decline`, `--cancel`, `--json` and `--answers`; what they say nothing of it refuses.

    An argument may be about a key that is asked in a later round. It answers one question, however often the server
    asks that: another question under the same key would get a consent that was not meant for it. Where a server does
    so on purpose, an array of `--answers` has the answers of each round. `hint` is said where one is missing.
    """

    def __init__(self, options: argparse.Namespace, hint: str = "") -> None:
        self._hint = hint
        self._arguments = list_answer_arguments(options)
        self._values: dict[str, dict[str, Any]] = {}
        self._rounds: deque[dict[str, dict[str, Any]]] = deque()
        if options.answers is not None:
            answers = _read_answers(options.answers)
            if isinstance(answers, dict):
                self._values = answers
            else:
                self._rounds.extend(answers)
        #: The question that was answered under each key.
        self._answered: dict[str, InputRequest] = {}

    def answer(self, pause: Pause) -> Mapping[str, Any]:
        """Give the answers to a pause, under the rules of `Asker`; raises `BadInput` for one that does not fit."""
        requests = pause.input_requests
        of_round = self._rounds.popleft() if self._rounds else {}
        unexpected = of_round.keys() - requests.keys()
        if unexpected:
            raise BadInput(f"--answers: expected in each round the keys that are asked then, {list_names(requests)}")
        arguments = self._arguments.select(lambda option, text: any(_is_about(option, text, key) for key in requests))
        values = {key: value for key, value in self._values.items() if key in requests} | of_round
        for key, request in requests.items():
            if key not in values and not any(_is_about(option, one.text, key) for option, one in arguments.pairs()):
                expected = f"expected --accept, --decline, --cancel, --json or --answers{self._hint}"
                raise NobodyToAsk(f"{quote_short(key)} is asked, and nobody is there to answer: {expected}")
            if key not in of_round and self._answered.setdefault(key, request) != request:
                expected = "expected answers for each round, as an array of --answers"
                raise NobodyToAsk(f"{quote_short(key)} asks something else than what was answered: {expected}")
        return build_answers(requests, build_forms(requests), arguments, values)

    def list_unused(self) -> list[str]:
        """Name what answered nothing, since its key was never asked."""
        unused = [
            one.name
            for option, one in self._arguments.pairs()
            if not any(_is_about(option, one.text, key) for key in self._answered)
        ]
        if self._values.keys() - self._answered.keys() or self._rounds:
            unused.append("--answers")
        return unused


def choose_asker(options: argparse.Namespace) -> Asker:
    """Choose who answers: the options if they hold an answer, else a person at the terminal, else nobody."""
    has_answers = options.accept or options.decline or options.cancel or options.json or options.answers is not None
    if has_answers or not _is_person_there():
        return ScriptedAsker(options)
    try:
        # It loads a package that need not be installed.
        from toolnexus_mrtr.cli._call._terminal import TerminalAsker  # noqa: PLC0415 - see above
    except BadInput:
        return ScriptedAsker(options, ", or to be asked on this terminal: pip install 'toolnexus-mrtr[call]'")
    return TerminalAsker()


def _is_person_there() -> bool:
    # Python sets a stream to None where it is closed.
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _is_about(option: str, text: str, key: str) -> bool:
    """Whether an argument answers a key, or seems to: one with a wrong field is refused, not left for later."""
    if option == "accept":
        return text == key or text.startswith(f"{key}.")
    return text.startswith((f"{key}={{", f"{key}=@")) if option == "json" else text == key


def _read_answers(path: str) -> dict[str, dict[str, Any]] | list[dict[str, dict[str, Any]]]:
    """Read answers by key, or an array with those of each round."""
    with prefix_errors_with(path, "--answers"):
        value = read_value(path)
        rounds = value if isinstance(value, list) else [value]
        for one in rounds:
            if not isinstance(one, dict) or not all(isinstance(answer, dict) for answer in one.values()):
                raise BadInput("expected an object with an object for each key, or an array of such objects")
        answers: dict[str, dict[str, Any]] | list[dict[str, dict[str, Any]]] = value
    return answers
