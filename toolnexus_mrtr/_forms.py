"""Forms: what a server asks a person to fill in, and whether an answer fits. The only room that loads jsonschema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, final

from msgspec import UNSET

from toolnexus_mrtr._errors import FieldError, RemoteProtocolError, pointer
from toolnexus_mrtr._fields import Field, Outline, Rules, fields, outline
from toolnexus_mrtr._formats import FORMATS
from toolnexus_mrtr._keywords import token
from toolnexus_mrtr._parsing import Unreadable, parsed
from toolnexus_mrtr._plain import plain_twin
from toolnexus_mrtr._schemas import DRAFT_7, LATEST, admit

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: How many items one list may have, and how many errors one check reports.
ITEMS: Final = 10_000
ERRORS: Final = 100

#: How much of a number out of a schema a message shows.
_SHOWN: Final = 32

_SENDABLE: Final = "text, a number, yes or no, or a list of text"

#: What is wrong, by name of the field and code.
_Faults = dict[str, dict[str, str]]


@final
class Form:
    """A form that a server asks a person to fill in (elic, "Requested Schema").

    `Form.of` reads it; nothing that the server can write makes that or a check fetch anything, or take long. It holds
    a copy: changing the schema afterwards changes nothing.
    """

    def __init__(self, outline: Outline, dialect: str) -> None:
        self._outline = outline
        self._dialect = dialect

    @staticmethod
    def of(schema: Mapping[str, Any]) -> Form:
        """Read the schema of a form: the restricted one of the specification, and what else can be shown.

        The dialect is JSON Schema 2020-12, or by `$schema` 2019-09 or draft-07. Absent `properties` mean no fields.

        Raises `RemoteProtocolError`, its `at` pointing into the schema, for a form that cannot be checked:
        `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`. It can still be declined.
        """
        if not isinstance(schema, Mapping):
            raise TypeError(f"schema must be a mapping, not {type(schema).__name__}")
        admitted = admit(schema)
        return Form(outline(admitted), admitted.dialect)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields, in the server's order; what cannot be shown is among them, of the kind `"unsupported"`."""
        return fields(self._outline)

    @property
    def unenforced(self) -> tuple[str, ...]:
        """JSON Pointers into the schema: the constraints that `check` leaves to the server, `pattern` among them."""
        return self._outline.unenforced

    def check(self, content: Mapping[str, Any]) -> tuple[FieldError, ...]:
        """Say everything that keeps content from being accepted, in the order of the fields; at most 100 errors.

        `at` is `/<field>`. `None` for a field that is not required counts as absent, as the writers leave it out. A
        number that is `3.0` is a whole one.
        """
        return settled(self, content)[1]

    def defaults(self) -> dict[str, Any]:
        """Give the server's defaults that satisfy their fields, to fill a form in with before a person sees it.

        Never merge them into an answer that a person gave: what was left out was left out.
        """
        given = {
            field.name: list(field.default) if isinstance(field.default, tuple) else field.default
            for field in self.fields
            if field.default is not None
        }
        copy, faults = self._settle(given)
        return {name: value for name, value in copy.items() if name not in faults}

    def parse(self, strings: Mapping[str, str | Sequence[str]]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
        """Turn what a person typed into content, and say everything that is wrong with it.

        Takes the strings of a command line or an HTML form by field, a sequence of them where several were picked; a
        list may also come as one string, with commas between. Choices are known by value or by label. A blank is left
        out, unless the field is required and takes text. Without errors the content is ready to be accepted.
        """
        if not isinstance(strings, Mapping):
            raise TypeError(f"strings must be a mapping, not {type(strings).__name__}")
        content: dict[str, Any] = {}
        faults: _Faults = {}
        named = {field.name: field for field in self.fields}
        for name, typed in strings.items():
            if not isinstance(name, str):
                raise TypeError(f"a name in strings must be a str, not {type(name).__name__}")
            value: Any = Unreadable("not_allowed", "no such field")
            if name in named:
                value = parsed(named[name], self._outline.rules[name].types, _plain_strings(typed))
            if isinstance(value, Unreadable):
                faults[name] = {value.code: value.message}
            elif value is not UNSET:
                content[name] = value
        return content, self._errors(self._settle(content)[1] | faults)

    def _settle(self, content: Mapping[str, Any]) -> tuple[dict[str, Any], _Faults]:
        """Give the content as it is sent, plain and copied, and what is wrong with it."""
        if not isinstance(content, Mapping):
            raise TypeError(f"content must be a mapping, not {type(content).__name__}")
        outline, validator = self._outline, _validator(self._dialect)
        copy: dict[str, Any] = {}
        faults: _Faults = {name: {"required": "required"} for name in outline.required if name not in content}
        for name, value in content.items():
            if not isinstance(name, str):
                raise TypeError(f"a name in content must be a str, not {type(name).__name__}")
            if value is None and name not in outline.required:
                continue
            rules = outline.rules.get(name, outline.extra)
            twin, fault = _sendable(value, rules)
            copy[name if type(name) is str else str.__str__(name)] = twin
            if outline.allowed is not None and name not in outline.allowed:
                fault = {"not_allowed": "no such field"}
            if not fault and rules is not None:
                fault = _faults(twin, rules, validator)
            if fault:
                faults[name] = fault
        return copy, faults

    def _errors(self, faults: _Faults) -> tuple[FieldError, ...]:
        ordered = [name for name in self._outline.rules if name in faults]
        names = dict.fromkeys([*ordered, *faults])
        errors = (FieldError(pointer(name), code, message) for name in names for code, message in faults[name].items())
        return tuple(islice(errors, ERRORS))


def _plain_strings(typed: str | Sequence[str]) -> str | list[str]:
    if isinstance(typed, str):
        return str.__str__(typed)
    if not isinstance(typed, list | tuple) or not all(isinstance(text, str) for text in typed):
        raise TypeError(f"each of strings must be a str or a sequence of them, not {type(typed).__name__}")
    return [str.__str__(text) for text in typed]


def fitted(schema: Mapping[str, Any], content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
    """Give content as the form would have it sent, its values unchecked: no `None`, whole numbers for integers.

    The errors are those of required fields that are `None`. A form that cannot be checked changes nothing.
    """
    form = None
    with suppress(RemoteProtocolError):
        form = Form.of(schema)
    if form is None:
        return dict(content), ()
    outline = form._outline  # noqa: SLF001 - the class is the door of this room
    rules, copy, errors = outline.rules, {}, []
    for name, value in content.items():
        if value is not None:
            copy[name] = _whole(value, rules.get(name))
        elif name in outline.required:
            errors.append(FieldError(pointer(name), "not_sendable", _SENDABLE))
    return copy, tuple(errors)


def settled(form: Form, content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
    """Give content as the wire carries it, plain and copied, and what keeps it from being accepted."""
    copy, faults = form._settle(content)  # noqa: SLF001 - as above
    return copy, form._errors(faults)  # noqa: SLF001


def _sendable(value: Any, rules: Rules | None) -> tuple[Any, dict[str, str]]:
    """The plain twin of a value, and what keeps it off the wire (ts, ElicitResult)."""
    twin = plain_twin(value)
    if isinstance(value, float) and twin is UNSET:
        return twin, {"not_finite": "a finite number"}
    if type(twin) is list:
        if len(twin) > ITEMS:
            return [], {"too_many": f"at most {ITEMS} items"}
        if not all(isinstance(item, str) for item in twin):
            return [], {"not_sendable": "a list that holds text only"}
        return [str.__str__(item) for item in twin], {}
    if twin is UNSET or twin is None or type(twin) is dict:
        return None, {"not_sendable": _SENDABLE}
    return _whole(twin, rules), {}


def _whole(value: Any, rules: Rules | None) -> Any:
    """A number as an integer field is sent it: some servers do not take 3.0 for one."""
    if isinstance(value, float) and value.is_integer() and rules is not None and "number" not in rules.types:
        return int(value)
    return value


def _faults(value: Any, rules: Rules, validator: Validator) -> dict[str, str]:
    """What is wrong with a value that the wire can carry, by code."""
    if rules.chosen is not None and (type(value) is list or token(value) not in rules.chosen):
        return {"not_a_choice": "one of the choices"}
    chosen = rules.items_chosen
    if chosen is not None and type(value) is list and not all(token(item) in chosen for item in value):
        return {"not_a_choice": "only what is among the choices"}
    faults: dict[str, str] = {}
    for keyword, limit in _broken(value, rules.parts, validator):
        faults.setdefault(_CODES.get(keyword, "other"), _expected(keyword, limit))
    if rules.items and type(value) is list:
        broken = chain.from_iterable(_broken(item, rules.items, validator) for item in value)
        for keyword, limit in islice(broken, 1):
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
    from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator, FormatChecker  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415 - both are slow to import, and not every host checks forms

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
    return _EXPECTED[keyword].format(_shown(limit)) if keyword in _EXPECTED else "what the server's form allows"


def _shown(number: Any) -> str:
    text = str(number)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
