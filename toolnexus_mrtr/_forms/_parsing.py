"""Turns what a person entered for a field into its value, and a value into the strings that a form shows for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo
from math import isfinite
from typing import Any, Final
from unicodedata import normalize

from msgspec import UNSET, Struct

from toolnexus_mrtr._forms._constraints import Constraints
from toolnexus_mrtr._forms._fields import Field
from toolnexus_mrtr._forms._keywords import NUMBERS, Choice

_NUMBER: Final = re.compile(
    r"(?P<sign>[+-]?)(?=\.?\d)(?P<whole>\d*)(?:\.(?P<fraction>\d*))?(?:e(?P<exponent>[+-]?\d+))?",
    re.ASCII | re.IGNORECASE,
)

#: How many digits a number may have, written out.
_MAX_DIGITS: Final = 4_300

#: How long an exponent may be: longer ones are beyond every bound.
_MAX_EXPONENT: Final = 20

#: How long a text may be that is compared without regard to case, width and blanks.
_MAX_FOLDED: Final = 1_000

_BOOLEANS: Final = {
    **dict.fromkeys(("true", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "no", "n", "off", "0"), False),
}

#: A date-time without an offset, with or without seconds, as a browser posts that of a `datetime-local`.
_LOCAL_DATE_TIME: Final = re.compile(
    r"(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9](?P<seconds>:[0-5][0-9])?)(?:\.[0-9]+)?",
    re.IGNORECASE,
)


class Unreadable(Struct, frozen=True):
    """Stands in place of a value where what was entered is none: the code and the message of the field error."""

    code: str
    message: str


def to_text(value: str | float) -> str:
    """Return the text that a form shows for one value; `parse_field` reads it."""
    return value if isinstance(value, str) else json.dumps(value)


def is_as_shown(entered: str | list[str], shown: str | list[str]) -> bool:
    """Whether what came back is what was shown. A browser posts every line end of a text as CR LF."""
    if isinstance(entered, str) and isinstance(shown, list):
        return False
    return _list_folded(entered) == _list_folded(shown)


def _list_folded(texts: str | list[str]) -> list[str]:
    each = [texts] if isinstance(texts, str) else texts
    return [text.replace("\r\n", "\n").replace("\r", "\n") for text in each]


def parse_field(
    field: Field, constraints: Constraints, entered: str | list[str], *, was_filled: bool, timezone: tzinfo | None
) -> Any:
    """Parse what was entered for one field; `UNSET` where that is no answer, `Unreadable` where it is no value.

    `was_filled` says that the field held a value before the person began: a text or a list that is blank was cleared.
    """
    types = constraints.types
    is_list = field.kind in ("choices", "strings")
    is_list |= field.kind == "unsupported" and "array" in types and "string" not in types
    if is_list or ("array" in types and isinstance(entered, list) and len(entered) > 1):
        items = _parse_list(field, constraints, entered, timezone)
        return [] if items is UNSET and was_filled else items
    texts = [entered] if isinstance(entered, str) else entered
    if len(texts) != 1:
        return Unreadable("wrong_type", "one value") if texts else UNSET
    text = texts[0]
    is_blank = not text.strip()
    if field.kind == "choice":
        value = _ChoiceIndex(field.choices or ()).find(text)
        return UNSET if isinstance(value, Unreadable) and is_blank and not field.required else value
    if field.kind == "string" or (field.kind == "unsupported" and "string" in types):
        if is_blank and was_filled:
            return ""
        value = text if _is_suggested(text, field) else _parse_text(text, _find_formats(constraints), timezone)
        return UNSET if value == "" and not field.required else value
    value = _parse_scalar(text.strip(), constraints.open_types)
    if isinstance(value, Unreadable) and constraints.suggestions:
        suggestion = _ChoiceIndex(tuple(constraints.suggestions.values())).find(text)
        value = value if isinstance(suggestion, Unreadable) else suggestion
    return UNSET if isinstance(value, Unreadable) and is_blank else value


def _parse_list(field: Field, constraints: Constraints, entered: str | list[str], timezone: tzinfo | None) -> Any:
    """Parse several choices or texts; a single string is a whole choice, or holds several with commas between them."""
    choices = _ChoiceIndex(field.choices or ()) if field.kind == "choices" else None
    if isinstance(entered, str):
        if choices is not None and not isinstance(choice := choices.find(entered), Unreadable):
            return [choice]
        entered = [text for text in map(str.strip, entered.split(",")) if text]
        if not entered:
            return UNSET
    if choices is None:
        formats = _formats_of(constraints.item_schemas)
        items: list[Any] = [_parse_text(text, formats, timezone) for text in entered]
    else:
        items = [choices.find(text) for text in entered]
    return next((item for item in items if isinstance(item, Unreadable)), items)


def _parse_scalar(text: str, types: frozenset[str]) -> Any:
    """Parse a number, or else a yes or no."""
    if not NUMBERS.isdisjoint(types):
        number = _parse_number(text, whole="number" not in types)
        if "boolean" not in types or not isinstance(number, Unreadable):
            return number
    if "boolean" in types:
        return _BOOLEANS.get(text.lower(), Unreadable("wrong_type", "yes or no"))
    return Unreadable("not_sendable", "no answer: a form cannot send a value of this kind")


def _parse_text(text: str, formats: frozenset[str], timezone: tzinfo | None) -> str | Unreadable:
    if not formats:
        return text
    text = text.strip()
    return _add_offset(text, timezone) if "date-time" in formats else text


def _is_suggested(text: str, field: Field) -> bool:
    return any(choice.value == text for choice in field.choices or ())


def _find_formats(constraints: Constraints) -> frozenset[str]:
    """Find the formats of a text; where there are alternatives, each of those for text must have one."""
    formats = _formats_of(constraints.schemas)
    for group in constraints.alternatives:
        found = [_formats_of(one.schemas) for one in group if one.choices is None and "string" in one.types]
        if all(found):
            formats = formats.union(*found)
    return formats


def _formats_of(schemas: Iterable[dict[str, Any]]) -> frozenset[str]:
    return frozenset(schema["format"] for schema in schemas if "format" in schema)


def _add_offset(text: str, timezone: tzinfo | None) -> str | Unreadable:
    """Add the offset from UTC to a local date-time; any other text stays as it is."""
    parts = _LOCAL_DATE_TIME.fullmatch(text)
    if parts is None:
        return text
    try:
        local = datetime.fromisoformat(parts["time"])
    except ValueError:
        # No day of the calendar.
        return text
    offset = None if timezone is None else local.replace(tzinfo=timezone).utcoffset()
    if offset is None:
        expected = "a date and a time with its offset from UTC, such as 2026-07-28T10:00:00+02:00"
        return Unreadable("wrong_format", expected)
    # `fold` tells apart the two readings of a time that the clocks show twice, or not at all.
    if offset != local.replace(tzinfo=timezone, fold=1).utcoffset():
        return Unreadable("wrong_format", "a time that the clocks of its time zone show exactly once")
    minutes, rest = divmod(offset, timedelta(minutes=1))
    if rest:
        return Unreadable("wrong_format", "a time whose offset from UTC is in whole minutes")
    sign = "-" if minutes < 0 else "+"
    seconds = "" if parts["seconds"] else ":00"
    return f"{text}{seconds}{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _parse_number(text: str, *, whole: bool) -> int | float | Unreadable:
    """Parse a number exactly as it is written; a whole one is an `int`, another one the double of the same digits."""
    expected = Unreadable("wrong_type", "a whole number, digits only" if whole else "a number such as 1234.5")
    parts = _NUMBER.fullmatch(text.replace("\N{MINUS SIGN}", "-"))
    if parts is None or (whole and not _is_written_whole(parts)):
        return expected
    number = float(parts[0])
    if not whole and not isfinite(number):
        return Unreadable("not_finite", "a number that a computer can hold")
    too_long = Unreadable("not_sendable", f"a number of at most {_MAX_DIGITS} digits")
    if len(parts["whole"] + (parts["fraction"] or "")) > _MAX_DIGITS or len(parts["exponent"] or "") > _MAX_EXPONENT:
        return too_long
    digits, power = _digits_of(parts)
    if power < 0:
        if whole:
            return expected
        exact = _NUMBER.fullmatch(repr(number))
        if exact is None or _digits_of(exact) != (digits, power):
            return Unreadable("not_sendable", "a number of at most 15 digits")
        return number
    if len(digits) + power > _MAX_DIGITS:
        return too_long
    value: int = int(digits) * 10**power
    return -value if parts["sign"] == "-" else value


def _is_written_whole(parts: re.Match[str]) -> bool:
    """Whether a number is written as a whole one: digits, with an exponent or with a fraction of zeros.

    Not three zeros: in some countries 1.000 is a thousand.
    """
    fraction = parts["fraction"]
    if fraction is None:
        return True
    return parts["whole"] != "" and parts["exponent"] is None and fraction.strip("0") == "" and len(fraction) != 3


def _digits_of(parts: re.Match[str]) -> tuple[str, int]:
    """Return the digits of a number without zeros at the ends, and the power of ten that they are multiplied by."""
    fraction = parts["fraction"] or ""
    written = str(int(parts["whole"] + fraction))
    digits = written.rstrip("0")
    return (digits, int(parts["exponent"] or 0) - len(fraction) + len(written) - len(digits)) if digits else ("0", 0)


class _ChoiceIndex:
    """Finds the choice that a text stands for: by its value, by its label, or by either loosely.

    A label, or a name without regard to case and blanks, that several choices have is kept with `None`: it finds none.
    """

    def __init__(self, choices: Sequence[Choice]) -> None:
        others = [choice for choice in choices if not isinstance(choice.value, str)]
        # Where all numbers are whole, what is entered is read as a whole one: 1.000 may be a thousand.
        self._whole = all(choice.value == int(choice.value) for choice in others)
        self._texts = {choice.value: choice for choice in choices if isinstance(choice.value, str)}
        self._written = {text: choice for choice in others for text in _to_strings(choice.value)}
        self._others: dict[str, Choice] = {}
        for to_name in (_to_exact_name, _to_decimal_name):
            for choice in others:
                self._others.setdefault(to_name(choice.value), choice)
        self._labels: dict[str, Choice | None] = {}
        self._folded: dict[str, Choice | None] = {}
        for choice in choices:
            _add_name(self._labels, choice.label, choice)
            for name in (to_text(choice.value), choice.label):
                if len(name) <= _MAX_FOLDED:
                    _add_name(self._folded, _fold(name), choice)
        if all(isinstance(choice.value, bool) for choice in choices):
            # The words of a boolean come after its labels.
            by_value = {choice.value: choice for choice in choices}
            for word, value in _BOOLEANS.items():
                if value in by_value:
                    self._folded.setdefault(word, by_value[value])

    def find(self, text: str) -> str | float | Unreadable:
        """Find the value of the choice that a text stands for; a blank one stands for an equal value alone."""
        choice = self._texts.get(text) or self._find_number(text)
        if choice is None and text.strip():
            choice = self._labels.get(text) or self._find_loosely(text)
        return Unreadable("not_a_choice", "one of the choices") if choice is None else choice.value

    def _find_number(self, text: str) -> Choice | None:
        """Find the choice that is shown as this text, or else is this number, or else the double nearest to it."""
        return self._written.get(text) or self._others.get(_to_number_name(text, whole=self._whole))

    def _find_loosely(self, text: str) -> Choice | None:
        if len(text) > _MAX_FOLDED:
            return None
        number = self._find_number(text.strip())
        named = self._folded.get(_fold(text), number)
        return named if number is None or number is named else None


def _to_strings(value: str | float) -> set[str]:
    """Return the texts that show a number or a boolean; a field of whole numbers shows a double by all its digits."""
    is_whole_double = isinstance(value, float) and value.is_integer()
    return {to_text(value), to_text(int(value))} if is_whole_double else {to_text(value)}


def _to_exact_name(value: str | float) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else _to_decimal_name(value)


def _to_decimal_name(value: str | float) -> str:
    return _to_number_name(to_text(value), whole=False)


def _to_number_name(text: str, *, whole: bool) -> str:
    """Return the name under which a number is found however it is written; any other text is its own."""
    number = _parse_number(text, whole=whole)
    return text if isinstance(number, Unreadable) else str(number)


def _add_name(names: dict[str, Choice | None], name: str, choice: Choice) -> None:
    names[name] = choice if names.setdefault(name, choice) is choice else None


def _fold(text: str) -> str:
    """Fold the case, the width and the blanks of a text."""
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())
