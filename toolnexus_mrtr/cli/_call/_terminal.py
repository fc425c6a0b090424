"""Asks a person on the terminal what a paused call asks: each question, then what of it all is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolnexus_mrtr import Answer, ElicitRequest, Form, MrtrError, Pause, Request
from toolnexus_mrtr.cli._call._asking import NobodyToAsk
from toolnexus_mrtr.cli._call._terminal_lines import (
    describe_disclosures,
    describe_form,
    describe_visit,
    introduce,
)
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._terminal import fold_for_stderr
from toolnexus_mrtr.cli._text import describe_request, fold, quote_lines, quote_short

try:
    from toolnexus_mrtr.cli._call._terminal_form import FormDialog
    from toolnexus_mrtr.cli._call._terminal_prompts import Option, choose
    from toolnexus_mrtr.cli._call._terminal_screen import PAGE, Screen
except ImportError:
    raise BadInput("the terminal: expected the package prompt_toolkit: pip install 'toolnexus-mrtr[call]'") from None

_DECLINE: Final = Option("decline", "Decline: say no")
_CANCEL: Final = Option("cancel", "Cancel: leave it undecided")
_KEYS: Final = ("send", "decline", "cancel")


class TerminalAsker:
    """Answers a pause by what a person decides on the terminal; without a decision nothing is answered."""

    def __init__(self, screen: Screen | None = None) -> None:
        self._screen = Screen() if screen is None else screen

    def answer(self, pause: Pause) -> Mapping[str, Any]:
        """Give an `Answer` for each elicitation of a pause, by its key.

        Raises `NobodyToAsk` where something else is asked, which no person can answer, or where the terminal is
        closed; `KeyboardInterrupt` for Ctrl-C.
        """
        for key, asked_for in pause.input_requests.items():
            if not isinstance(asked_for, ElicitRequest):
                asked = f"{quote_short(key)} asks for {describe_request(asked_for)}"
                raise NobodyToAsk(f"{asked}: expected what a person can answer on a terminal")
        with fold_for_stderr():
            return self._ask(pause)

    def _ask(self, pause: Pause) -> Mapping[str, Answer]:
        requests = pause.requests
        answers: dict[str, Answer] = {}
        dialogs: dict[str, FormDialog] = {}
        for place, (key, request) in enumerate(requests.items(), 1):
            self._screen.begin_question()
            self._screen.show(introduce(request, place, len(requests)))
            self._screen.show(quote_lines(request.prompt), PAGE)
            if request.url is not None:
                answers[key] = self._ask_to_visit(request, request.url)
            else:
                answers[key] = self._ask_form(key, request, dialogs)
        return self._review(pause, answers, dialogs)

    def _ask_to_visit(self, request: Request, url: str) -> Answer:
        """Ask for consent to a visit, then whether it is done: the server asks again as long as it is not."""
        self._screen.show(describe_visit(url))
        for label in ("Accept: I will open it in my browser", "I am done there"):
            answer = self._decide(request, Option("accept", label))
            if not answer.ok:
                break
        return answer

    def _ask_form(self, key: str, request: Request, dialogs: dict[str, FormDialog]) -> Answer:
        try:
            form = request.form() or Form.of({})
        except MrtrError as error:
            self._screen.show(
                fold(f"This can only be declined or cancelled, it cannot be checked: {error}", "  ", "      ")
            )
            return self._decide(request)
        self._screen.show(describe_form(form), PAGE)
        if not form.answerable:
            self._screen.show(["  This can only be declined or cancelled, a required field cannot be shown."])
            return self._decide(request)
        if not form.fields:
            return self._decide(request, Option("accept", "Accept: say yes"))
        dialogs[key] = FormDialog(self._screen, form)
        return self._fill_in(request, dialogs[key])

    def _fill_in(self, request: Request, dialog: FormDialog) -> Answer:
        ended = dialog.fill_in()
        return request.accept(dialog.content) if ended == "next" else _refuse(request, ended)

    def _decide(self, request: Request, *accept: Option) -> Answer:
        decision = self._choose([*accept, _DECLINE, _CANCEL])
        return request.accept() if decision == "accept" else _refuse(request, decision)

    def _choose(self, options: Sequence[Option]) -> str | None:
        pressed = choose(self._screen, options, keys=_KEYS)
        option = options[pressed.value[0]] if pressed.key == "next" else None
        decision = pressed.key if option is None else option.value
        self._screen.show([f"  > {decision if option is None else option.label}"])
        return decision

    def _review(
        self, pause: Pause, answers: dict[str, Answer], dialogs: Mapping[str, FormDialog]
    ) -> Mapping[str, Answer]:
        """Show what the answers give away, and ask whether to send it, as long as a person changes it.

        Where no form is accepted nothing is given away but the decisions that were just taken.
        """
        requests = pause.requests
        while filled := [key for key in dialogs if answers[key].ok]:
            secrets = {key: dialogs[key].secrets for key in filled}
            self._screen.begin_question()
            self._screen.show(describe_disclosures(pause.resume(answers), secrets), 2 * PAGE)
            decision = self._choose(
                [Option("accept", "Accept: send it"), Option("change", "Change it"), _DECLINE, _CANCEL]
            )
            if decision == "accept":
                break
            for key in filled:
                if decision == "change":
                    answers[key] = self._fill_in(requests[key], dialogs[key])
                else:
                    answers[key] = _refuse(requests[key], decision)
        return answers


def _refuse(request: Request, decision: str | None) -> Answer:
    return request.decline() if decision == "decline" else request.cancel()
