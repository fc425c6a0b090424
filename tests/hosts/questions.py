"""The questions of a pause on a page: what their boxes hold at first, and what is posted becomes answers."""

from __future__ import annotations

import re
import zoneinfo

from toolnexus_mrtr import Answer, Field, FieldError, Form, MrtrError, Pause, Request, inspect_url

ZONES = sorted(name for name in zoneinfo.available_timezones() if "/" in name or name == "UTC")

#: What a box of a page cannot hold.
_UNPOSTABLE = re.compile("[\0-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def postable(text: str) -> str:
    """Give the text that comes back from a box that shows this one."""
    return _UNPOSTABLE.sub("\ufffd", text.replace("\r\n", "\n"))


class Question:
    """One question to a person. `boxes` is what a browser posts for each of its `fields`; `answer` is their decision.

    `form` is empty for a visit, and for a form that cannot be shown, which is not `acceptable`.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.visit = None if request.url is None else inspect_url(request.url)
        self.form, self.acceptable = Form.of({}), True
        try:
            self.form = request.form() or self.form
            self.acceptable = self.form.answerable
        except MrtrError:
            self.acceptable = False
        self.fields = self.form.fields
        self.zone = self.decision = ""
        self.answer: Answer | None = None
        self.errors: tuple[FieldError, ...] = ()
        secrets = [field.name for field in self.fields if field.sensitive]
        self.prefilled = {name: value for name, value in self.form.defaults().items() if name not in secrets}
        self._shown = self.form.to_strings(self.prefilled)
        self.boxes = [self._first_box(field) for field in self.fields]

    def _first_box(self, field: Field) -> list[str]:
        shown = self._shown.get(field.name, [])
        texts = [shown] if isinstance(shown, str) else shown
        if field.kind == "boolean":
            return [text for text in texts if text == "true"]
        if field.kind in ("choice", "choices"):
            return [place for place, text in self._choices(field).items() if text in texts]
        return [postable("\n".join(texts))] if field.name in self._shown else []

    def _choices(self, field: Field) -> dict[str, str]:
        """Give the text of each choice, as `Form.parse` takes it, by its place: any text can stand in a choice."""
        values = [choice.value for choice in field.choices or ()]
        contents = [{field.name: [value] if field.kind == "choices" else value} for value in values]
        texts = [self.form.to_strings(content)[field.name] for content in contents]
        return {str(place): text if isinstance(text, str) else text[0] for place, text in enumerate(texts)}

    def _read_box(self, field: Field, box: list[str]) -> str | list[str] | None:
        """Give what a box holds, as `Form.parse` takes it; `None` where a person did not answer."""
        if field.name in self._shown and box == self._first_box(field):
            return self._shown[field.name]
        if field.kind == "boolean":
            return "true" if box else "false"
        if field.kind in ("choice", "choices"):
            choices = self._choices(field)
            picked = [choices[place] for place in box if place in choices]
            if field.kind == "choices":
                return picked if picked or not field.min_items else None
            return picked[0] if picked else None
        if field.kind == "unsupported" or not box:
            return None
        if field.kind == "strings":
            return [line for line in box[0].split("\n") if line.strip()] or ""
        return box[0]

    def decide(self, decision: str) -> None:
        """Take a person's decision: to accept a form that has errors is none yet."""
        self.answer, self.errors = None, ()
        if decision == "accept" and self.acceptable:
            read = {field.name: self._read_box(field, box) for field, box in zip(self.fields, self.boxes, strict=True)}
            strings = {name: text for name, text in read.items() if text is not None}
            zone = zoneinfo.ZoneInfo(self.zone) if self.zone in ZONES else None
            content, self.errors = self.form.parse(strings, prefilled=self.prefilled, timezone=zone)
            self.answer = None if self.errors else self.request.accept(None if self.visit else content)
        elif decision in ("decline", "cancel"):
            self.answer = self.request.decline() if decision == "decline" else self.request.cancel()
        self.decision = decision if self.answer else ""


def list_questions(pause: Pause) -> dict[str, Question]:
    return {key: Question(request) for key, request in pause.requests.items()}


def read_answers(questions: dict[str, Question], posted: dict[str, list[str]]) -> dict[str, Answer] | None:
    """Read a posted page into its questions, and give the answers once there is one to each."""
    pressed, _, decision = posted.get("decide", [""])[0].partition(" ")
    for place, question in enumerate(questions.values()):
        boxes = [posted.get(f"{place}.{number}", []) for number in range(len(question.fields))]
        question.boxes = [[text.replace("\r\n", "\n") for text in box] for box in boxes]
        question.zone = posted.get(f"{place}.zone", [""])[0]
        question.decide(decision if pressed == str(place) else posted.get(f"{place}.decided", [""])[0])
    answers = {key: question.answer for key, question in questions.items() if question.answer is not None}
    return answers if len(answers) == len(questions) else None
