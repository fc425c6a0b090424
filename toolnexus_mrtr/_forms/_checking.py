"""Checks whether a value of an answer can be sent and satisfies its field; the only module that loads jsonschema.

Of jsonschema only the functions of single keywords are used: those of the ten in `BY_JSONSCHEMA`, and `format` with
checkers of our own. Each is called directly, and takes one pass over the value. The rest of a server's schema never
reaches jsonschema, because it is not made for schemas written by strangers: it fetches references from the
network and from files, a `pattern` or nested alternatives can take exponential time, circular references exhaust the
stack, and a malformed schema raises whatever error it runs into.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from toolnexus_mrtr._forms._constraints import Constraints
from toolnexus_mrtr._forms._formats import FORMATS
from toolnexus_mrtr._forms._keywords import equality_key
from toolnexus_mrtr._forms._schema import DRAFT_7, LATEST, MAX_ITEMS
from toolnexus_mrtr._json import to_plain
from toolnexus_mrtr._text import has_split_pair

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: How many keywords are checked for the items of one list, all together.
_MAX_CHECKS: Final = 50_000

#: How much of a number out of a schema a message shows.
_MAX_SHOWN: Final = 32

SENDABLE: Final = "text, a number, yes or no, or a list of text"


def to_wire_value(value: Any, types: frozenset[str]) -> tuple[Any, dict[str, str]]:
    """Copy a value as plain JSON for a field of these types; if it cannot be sent, say why: a message by error code.

    What can be sent is listed in schema.ts, ElicitResult.
    """
    plain = to_plain(value)
    if isinstance(value, float) and plain is UNSET:
        return plain, {"not_finite": "a finite number"}
    if type(plain) is list:
        if len(plain) > MAX_ITEMS:
            return [], {"too_many": f"at most {MAX_ITEMS} items"}
        if not all(isinstance(item, str) and not has_split_pair(item) for item in plain):
            return [], {"not_sendable": "a list that holds text only"}
        return [str.__str__(item) for item in plain], {}
    if plain is UNSET or plain is None or type(plain) is dict:
        return None, {"not_sendable": SENDABLE}
    return integral_to_int(plain, types), {}


def integral_to_int(value: Any, types: frozenset[str]) -> Any:
    """Turn 3.0 into 3 for an integer field: some servers do not take 3.0 for an integer."""
    return int(value) if isinstance(value, float) and "number" not in types and value.is_integer() else value


def find_violations(value: Any, constraints: Constraints, dialect: str) -> dict[str, str]:
    """Find what is wrong with a value that can be sent: a message that says what was expected, by error code."""
    choices = constraints.choices
    if choices is not None and (type(value) is list or equality_key(value) not in choices):
        return {"not_a_choice": "one of the choices"}
    choices = constraints.item_choices
    if choices is not None and type(value) is list and not all(equality_key(item) in choices for item in value):
        return {"not_a_choice": "only what is among the choices"}
    validator = _load_validator(dialect)
    faults: dict[str, str] = {}
    for keyword, limit in _find_violated(value, constraints.schemas, validator):
        faults.setdefault(_CODES.get(keyword, "other"), _describe(keyword, limit))
    if "wrong_type" not in faults:
        for group in constraints.alternatives:
            if all(find_violations(value, alternative, dialect) for alternative in group):
                faults.setdefault("other", _WHATEVER_IS_ALLOWED)
    checks_per_item = sum(map(len, constraints.item_schemas))
    if checks_per_item and type(value) is list:
        most = _MAX_CHECKS // checks_per_item
        if len(value) > most:
            return {"too_many": f"at most {most} items"}
        violated = (found for item in value for found in _find_violated(item, constraints.item_schemas, validator))
        for keyword, limit in islice(violated, 1):
            faults.setdefault(_CODES.get(keyword, "other"), f"each item {_describe(keyword, limit)}")
    if type(value) is int or type(value) is float:
        for divisor in constraints.multiples_of:
            # In decimals, as people write them: 19.99 is a multiple of 0.01.
            if (Fraction(str(value)) / Fraction(str(divisor))).denominator != 1:
                faults.setdefault("other", f"a multiple of {_shorten(divisor)}")
    return faults


def _find_violated(value: Any, schemas: Iterable[dict[str, Any]], validator: Validator) -> Iterator[tuple[str, Any]]:
    """Yield the keywords that a value violates; of one schema none after a violated `type`."""
    functions = validator.VALIDATORS
    for schema in schemas:
        for keyword, limit in schema.items():
            errors = functions[keyword](validator, limit, value, schema) or ()
            if next(iter(errors), None) is not None:
                yield keyword, limit
                if keyword == "type":
                    break


@cache
def _load_validator(dialect: str) -> Validator:
    """Load a validator that fetches nothing and knows no format but ours, and keep it: loading takes long."""
    # Both are slow to import, and not every host checks forms.
    from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator, FormatChecker  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415 - both as said above

    checker = FormatChecker(formats=())
    for name, is_of_format in FORMATS.items():
        checker.checks(name)(lambda value, holds=is_of_format: not isinstance(value, str) or holds(value))
    kind = {LATEST: Draft202012Validator, DRAFT_7: Draft7Validator}.get(dialect, Draft201909Validator)
    # No reference may reach the network or a file (basic/index, "$ref Resolution").
    return kind({}, registry=Registry(), format_checker=checker)


#: Error codes by keyword.
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

_LENGTHS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems"})

_MESSAGES: Final = {
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

_FORMAT_MESSAGES: Final = {
    "email": "an email address",
    "uri": "a uri with its scheme, as https://example.com/",
    "date": "a date, as 2026-07-28",
    "date-time": "a date and a time with its offset, as 2026-07-28T10:00:00Z",
}

_WHATEVER_IS_ALLOWED: Final = "what the server's form allows"

_TYPE_NAMES: Final = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}


def _describe(keyword: str, limit: Any) -> str:
    """Describe to a person what a keyword expects; never the value that was given."""
    if keyword == "type":
        names = [limit] if isinstance(limit, str) else limit
        return " or ".join(_TYPE_NAMES[name] for name in names) or _WHATEVER_IS_ALLOWED
    if keyword == "format":
        return _FORMAT_MESSAGES[limit]
    text = _MESSAGES[keyword].replace("{}", _shorten(limit))
    return text.removesuffix("s") if limit == 1 and keyword in _LENGTHS else text


def _shorten(number: Any) -> str:
    text = str(number)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."
