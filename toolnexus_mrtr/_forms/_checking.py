"""Whether a value can be sent and keeps the rules of its field; if not, what was expected. Alone loads jsonschema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from toolnexus_mrtr._forms._constraints import Constraints
from toolnexus_mrtr._forms._fields import ITEMS
from toolnexus_mrtr._forms._formats import FORMATS
from toolnexus_mrtr._forms._keywords import equality_key
from toolnexus_mrtr._forms._schema import DRAFT_7, LATEST
from toolnexus_mrtr._json import to_plain

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: How many keywords the items of one list may be checked against, all together.
_STEPS: Final = 50_000

#: How much of a number out of a schema a message shows.
_SHOWN: Final = 32

SENDABLE: Final = "text, a number, yes or no, or a list of text"


def wire_value(value: Any, rules: Constraints | None) -> tuple[Any, dict[str, str]]:
    """Give the plain twin of a value, and what keeps it off the wire (ts, ElicitResult)."""
    twin = to_plain(value)
    if isinstance(value, float) and twin is UNSET:
        return twin, {"not_finite": "a finite number"}
    if type(twin) is list:
        if len(twin) > ITEMS:
            return [], {"too_many": f"at most {ITEMS} items"}
        if not all(isinstance(item, str) for item in twin):
            return [], {"not_sendable": "a list that holds text only"}
        return [str.__str__(item) for item in twin], {}
    if twin is UNSET or twin is None or type(twin) is dict:
        return None, {"not_sendable": SENDABLE}
    return integral_to_int(twin, rules), {}


def integral_to_int(value: Any, rules: Constraints | None) -> Any:
    """Give a number as an integer field is sent it: some servers do not take 3.0 for one."""
    if isinstance(value, float) and value.is_integer() and rules is not None and "number" not in rules.types:
        return int(value)
    return value


def violations(value: Any, rules: Constraints, dialect: str) -> dict[str, str]:
    """What is wrong with a value that the wire can carry: what was expected, by code."""
    if rules.chosen is not None and (type(value) is list or equality_key(value) not in rules.chosen):
        return {"not_a_choice": "one of the choices"}
    chosen = rules.items_chosen
    if chosen is not None and type(value) is list and not all(equality_key(item) in chosen for item in value):
        return {"not_a_choice": "only what is among the choices"}
    validator = _validator(dialect)
    faults: dict[str, str] = {}
    for keyword, limit in _broken(value, rules.parts, validator):
        faults.setdefault(_CODES.get(keyword, "other"), _expected(keyword, limit))
    # Items of which nothing is said break nothing.
    steps = sum(map(len, rules.items))
    if steps and type(value) is list:
        most = _STEPS // steps
        if len(value) > most:
            return {"too_many": f"at most {most} items"}
        of_items = chain.from_iterable(_broken(item, rules.items, validator) for item in value)
        for keyword, limit in islice(of_items, 1):
            faults.setdefault(_CODES.get(keyword, "other"), f"each item {_expected(keyword, limit)}")
    if type(value) is int or type(value) is float:
        for step in rules.steps:
            # In decimals, as people write them: 19.99 is a multiple of 0.01.
            if (Fraction(str(value)) / Fraction(str(step))).denominator != 1:
                faults.setdefault("other", f"a multiple of {_shown(step)}")
    return faults


def _broken(value: Any, parts: Iterable[dict[str, Any]], validator: Validator) -> Iterator[tuple[str, Any]]:
    """The keywords that a value breaks; what each means is jsonschema's to say."""
    for part in parts:
        for keyword, limit in part.items():
            if any(True for _ in validator.VALIDATORS[keyword](validator, limit, value, part) or ()):
                yield keyword, limit
                if keyword == "type":
                    break


@cache
def _validator(dialect: str) -> Validator:
    """A validator that fetches nothing and knows no format but ours; loading it takes longer than most checks."""
    # Both are slow to import, and not every host checks forms.
    from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator, FormatChecker  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415 - as said above

    checker = FormatChecker(formats=())
    for name, is_of_format in FORMATS.items():
        checker.checks(name)(lambda value, holds=is_of_format: not isinstance(value, str) or holds(value))
    kind = {LATEST: Draft202012Validator, DRAFT_7: Draft7Validator}.get(dialect, Draft201909Validator)
    # No reference may reach the network or a file (base, "$ref Resolution").
    return kind({}, registry=Registry(), format_checker=checker)


_CODES: Final = {
    "type": "wrong_type",
    "minLength": "too_short",
    "maxLength": "too_long",
    "minimum": "too_small",
    "exclusiveMinimum": "too_small",
    "maximum": "too_large",
    "exclusiveMaximum": "too_large",
    "minItems": "too_few",
    "maxItems": "too_many",
    "format": "wrong_format",
}

_COUNTED: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems"})

_EXPECTED: Final = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "uniqueItems": "no item twice",
}

_FORMATS: Final = {
    "email": "an email address",
    "uri": "a uri with its scheme, as https://example.com/",
    "date": "a date, as 2026-07-28",
    "date-time": "a date and a time with its offset, as 2026-07-28T10:00:00Z",
}

_TYPES: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}


def _expected(keyword: str, limit: Any) -> str:
    """Say what a keyword asks for, to a person; never what was given."""
    if keyword == "type":
        return " or ".join(_TYPES[name] for name in ([limit] if isinstance(limit, str) else limit))
    if keyword == "format":
        return _FORMATS[limit]
    text = _EXPECTED.get(keyword, "what the server's form allows").replace("{}", _shown(limit))
    return text.removesuffix("s") if limit == 1 and keyword in _COUNTED else text


def _shown(number: Any) -> str:
    text = str(number)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
