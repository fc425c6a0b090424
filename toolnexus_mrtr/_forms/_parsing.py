"""Parses the text that a person typed into the value that a field asks for."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from math import isfinite
from typing import Any, Final

from msgspec import UNSET, Struct

from toolnexus_mrtr._forms._fields import Field
from toolnexus_mrtr._forms._keywords import Choice

_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)

#: How many digits a whole number may have, written out.
_DIGITS: Final = 4_300

_BOOLEANS: Final = {
    **dict.fromkeys(("true", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "no", "n", "off", "0"), False),
}

_ChoicesByName: Final = partial(defaultdict[str, list[Choice]], list)


class Unreadable(Struct, frozen=True):
    """Text that is not a value of the field: the code and the message of the field error."""

    code: str
    message: str


def parse_field(field: Field, types: frozenset[str], typed: str | Sequence[str]) -> Any:
    """Parse the text typed for one field; `UNSET` where it was left blank, `Unreadable` where it is no such value.

    `types` are those that the schema allows: not every kind of field has a single one.
    """
    if field.kind in ("choices", "strings") or (
        field.kind == "unsupported" and "string" not in types and "array" in types
    ):
        return _parse_list(field, typed)
    texts = [typed] if isinstance(typed, str) else typed
    if len(texts) != 1:
        return Unreadable("wrong_type", "one value") if texts else UNSET
    text = texts[0]
    if field.kind == "choice":
        value = _find_choices(field.choices or (), [text])[0]
        return UNSET if isinstance(value, Unreadable) and not field.required and text.strip() == "" else value
    if "string" in types:
        return UNSET if text == "" and not field.required else text
    text = text.strip()
    if text == "":
        return UNSET
    if "number" in types or "integer" in types:
        number = _parse_number(text, whole="number" not in types)
        return _parse_boolean(text) if isinstance(number, Unreadable) and "boolean" in types else number
    return _parse_boolean(text) if "boolean" in types else Unreadable("not_sendable", "nothing, a form cannot send it")


def _parse_number(text: str, *, whole: bool) -> int | float | Unreadable:
    text = text.replace("\N{MINUS SIGN}", "-")
    expected = Unreadable("wrong_type", "a whole number" if whole else "a number")
    if _NUMBER.fullmatch(text) is None:
        return expected
    try:
        exact = Decimal(text)
    except InvalidOperation:
        # The exponent is too large for a decimal.
        exact = None
    if exact is None or exact.adjusted() >= _DIGITS or len(text) > _DIGITS:
        return Unreadable("not_sendable", f"a number of at most {_DIGITS} digits")
    if whole:
        return int(exact) if exact == exact.to_integral_value() else expected
    if text.lstrip("+-").isdecimal():
        return int(text)
    number = float(text)
    return number if isfinite(number) else Unreadable("not_finite", "a number that a computer can hold")


def _parse_boolean(text: str) -> bool | Unreadable:
    return _BOOLEANS.get(text.lower(), Unreadable("wrong_type", "yes or no"))


def _find_choices(choices: Iterable[Choice], texts: Iterable[str]) -> list[Any]:
    """Find the value of the choice that each text names, by value or label, or else by either in another case.

    A name that matches two choices matches none.
    """
    exactly, loosely = _ChoicesByName(), _ChoicesByName()
    for choice in choices:
        value = choice.value if isinstance(choice.value, str) else json.dumps(choice.value)
        for name in {value, choice.label}:
            exactly[name].append(choice)
        for name in {value.strip().casefold(), choice.label.strip().casefold()}:
            loosely[name].append(choice)
    values = []
    for text in texts:
        found = exactly.get(text) or loosely.get(text.strip().casefold()) or []
        values.append(found[0].value if len(found) == 1 else Unreadable("not_a_choice", "one of the choices"))
    return values


def _parse_list(field: Field, typed: str | Sequence[str]) -> Any:
    """Parse several choices or texts; one text may hold several, with commas between. Blank ones are dropped."""
    choices = field.choices
    if isinstance(typed, str):
        whole = Unreadable("", "") if choices is None else _find_choices(choices, [typed])[0]
        if not isinstance(whole, Unreadable):
            return [whole]
        typed = [text.strip() for text in typed.split(",")]
    picked = [text for text in typed if text.strip()]
    values = picked if choices is None else _find_choices(choices, picked)
    unreadable = next((value for value in values if isinstance(value, Unreadable)), None)
    return unreadable or values or UNSET
