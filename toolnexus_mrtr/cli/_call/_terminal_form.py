"""Asks a person on a terminal for the fields of a form, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, Final

from toolnexus_mrtr import Field, Form
from toolnexus_mrtr.cli._call._terminal_lines import describe_field, describe_value
from toolnexus_mrtr.cli._call._terminal_prompts import Option, Verdict, choose, type_text
from toolnexus_mrtr.cli._call._terminal_screen import PAGE, Key, Pressed, Screen
from toolnexus_mrtr.cli._call._terminal_times import LocalZone, read_date_time
from toolnexus_mrtr.cli._text import fold, quote

_Strings = str | list[str]

_LEFT_OUT: Final = Option(None, "(no answer)")

#: How many lines an entered value takes.
_VALUE_LINES: Final = 3


class FormDialog:
    """Fills in one form; what was entered stays, so that it can be gone through again.

    A default of the server stands in a prompt before a person answers it, and counts only where they left that prompt.
    That of a secret is not shown at all.
    """

    def __init__(self, screen: Screen, form: Form) -> None:
        self._screen = screen
        self._form = form
        self._fields = [field for field in form.fields if field.kind != "unsupported"]
        self._hidden = len(form.fields) - len(self._fields)
        self._defaults = form.defaults()
        self._prefilled = {
            field.name: self._defaults[field.name]
            for field in self._fields
            if field.name in self._defaults and not field.sensitive
        }
        self._shown = form.to_strings(self._prefilled)
        #: What was entered, by name of the field, as it is shown again; absent where that was no answer.
        self._entered: dict[str, _Strings] = {}
        self._seen: set[str] = set()
        self.content: dict[str, Any] = {}

    @property
    def secrets(self) -> frozenset[str]:
        """The names of the fields whose values are not shown."""
        return frozenset(field.name for field in self._fields if field.sensitive)

    def fill_in(self) -> Key:
        """Ask for each field; give `"next"` once `content` satisfies the form, or how a person ended it."""
        if self._hidden:
            self._screen.show([f"  Fields that cannot be shown here, and are left out: {self._hidden}"])
        place = 0
        while True:
            while place < len(self._fields):
                pressed = self._ask(place)
                if pressed.key in ("decline", "cancel"):
                    return pressed.key
                if pressed.key == "review":
                    break
                place = max(0, place - 1) if pressed.key == "back" else place + 1
            self.content, errors = self._form.parse(self._entered, prefilled=self._prefilled, timezone=LocalZone())
            if not errors:
                left_out = len(self._fields) - len(self.content)
                if left_out:
                    self._screen.show(["", f"Fields without an answer: {left_out}"])
                return "next"
            names = [field.name for field in self._fields]
            place = names.index(errors[0].field)
            self._screen.show(fold(f"{quote(errors[0].field)}: expected {errors[0].message}", "  ", "      "))

    def _ask(self, place: int) -> Pressed:
        field = self._fields[place]
        default = None if field.sensitive else self._defaults.get(field.name)
        self._screen.show(describe_field(field, place + 1, len(self._fields), default), PAGE)
        keys = ["next", *(["back"] if place else []), "review", "decline", "cancel"]
        if field.kind in ("choice", "choices", "boolean"):
            return self._choose(field, keys)
        return self._type(field, keys)

    def _show_entered(self, field: Field, pressed: Pressed, labels: Sequence[str] = ()) -> Pressed:
        """Leave in place of a prompt what was entered in it, where a person went on from there."""
        if pressed.key in ("next", "review"):
            value = self._read(field, self._entered.get(field.name))[0]
            self._screen.show(describe_value(value, hidden=field.sensitive, labels=labels), _VALUE_LINES)
        return pressed

    def _type(self, field: Field, keys: Sequence[str]) -> Pressed:
        at_first = self._first_strings(field)
        text = "\n".join(at_first) if isinstance(at_first, list) else at_first or ""

        def to_strings(typed: str) -> _Strings:
            # A list that is blank is an answer only where it was cleared, which `Form.parse` knows.
            return ([line for line in typed.split("\n") if line.strip()] or "") if field.kind == "strings" else typed

        def check(typed: str) -> Verdict:
            value, error = self._read(field, to_strings(typed))
            is_time = field.format == "date-time" and isinstance(value, str) and value != typed
            return Verdict(error, value if is_time else None)

        pressed = type_text(
            self._screen,
            text,
            check,
            keys=keys,
            hidden=field.sensitive,
            lines=field.kind == "strings",
            suggestions=_to_options(self._form, field) if field.choices else (),
        )
        if pressed.value is not None:
            self._keep(field, to_strings(pressed.value))
        return self._show_entered(field, pressed)

    def _choose(self, field: Field, keys: Sequence[str]) -> Pressed:
        options = _to_options(self._form, field)
        is_list = field.kind == "choices"
        if not field.required and not is_list:
            options.insert(0, _LEFT_OUT)
        at_first = self._first_strings(field)
        texts = [at_first] if isinstance(at_first, str) else at_first or []
        places = [place for place, option in enumerate(options) if option.value in texts]
        if not places and not field.required and not is_list:
            places = [0]

        def to_strings(rows: list[int]) -> _Strings | None:
            values = [value for row in rows if (value := options[row].value) is not None]
            if is_list:
                return values if values or field.required or at_first else None
            return values[0] if values else None

        pressed = choose(
            self._screen,
            options,
            keys=keys,
            first=0 if is_list else places[0] if places else None,
            picked=places if is_list else None,
            check=lambda rows: Verdict(self._read(field, to_strings(rows))[1]),
        )
        if pressed.value is not None:
            self._keep(field, to_strings(pressed.value))
        return self._show_entered(field, pressed, [options[row].label for row in pressed.value or ()])

    def _first_strings(self, field: Field) -> _Strings | None:
        """Give what a prompt shows at first: what was entered, or before anything was, the default."""
        return (self._entered if field.name in self._seen else self._shown).get(field.name)

    def _keep(self, field: Field, strings: _Strings | None) -> None:
        self._seen.add(field.name)
        self._entered.pop(field.name, None)
        if strings is not None:
            value, error = self._read(field, strings)
            # A time is kept with its offset: the zone that was typed is not kept.
            is_time = field.format == "date-time" and value is not None and error is None
            self._entered[field.name] = self._form.to_strings({field.name: value})[field.name] if is_time else strings

    def _read(self, field: Field, strings: _Strings | None) -> tuple[Any, str | None]:
        """Read what is entered for one field: its value, `None` without one, and what was expected where it is wrong.

        What was entered for the others is read with it: `Form.parse` lists only so many fields without an answer.
        """
        entered = {name: kept for name, kept in self._entered.items() if name != field.name}
        zone: tzinfo | None = LocalZone()
        if strings is not None:
            if field.format == "date-time":
                strings, zone = _read_times(strings)
                if zone is None:
                    return None, "a time zone such as Europe/Paris"
            entered[field.name] = strings
        content, errors = self._form.parse(entered, prefilled=self._prefilled, timezone=zone)
        return content.get(field.name), next((error.message for error in errors if error.field == field.name), None)


def _read_times(strings: _Strings) -> tuple[_Strings, tzinfo | None]:
    """Read the times in a text or a list; all of a list are in the zone of the last."""
    if isinstance(strings, str):
        return read_date_time(strings)
    read = [read_date_time(text) for text in strings]
    return [text for text, _ in read], read[-1][1] if read else LocalZone()


def _to_options(form: Form, field: Field) -> list[Option]:
    """Make a row of each choice: its text as `Form.parse` takes it, its label, and its value where that differs."""
    if field.kind == "boolean":
        return [Option("true", "Yes"), Option("false", "No")]
    options = []
    for choice in field.choices or ():
        content = {field.name: [choice.value] if field.kind == "choices" else choice.value}
        strings = form.to_strings(content)[field.name]
        text = strings if isinstance(strings, str) else strings[0]
        label = text if choice.label == text else f"{choice.label} ({quote(text)})"
        options.append(Option(text, label, choice.description or ""))
    return options
