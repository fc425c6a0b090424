"""Forms: what a server asks a person to fill in, and whether an answer fits. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any, Final, final

from msgspec import UNSET

from toolnexus_mrtr._errors import FieldError, RemoteProtocolError, pointer, require_type
from toolnexus_mrtr._forms._checking import SENDABLE, integral_to_int, violations, wire_value
from toolnexus_mrtr._forms._constraints import FormConstraints, outline
from toolnexus_mrtr._forms._fields import Field, fields
from toolnexus_mrtr._forms._parsing import Unreadable, parsed
from toolnexus_mrtr._forms._schema import load

#: How many errors one check reports.
ERRORS: Final = 100

#: What is wrong, by name of the field and code.
_Faults = dict[str, dict[str, str]]


@final
class Form:
    """A form that a server asks a person to fill in (elic, "Requested Schema").

    `Form.of` reads it; nothing that the server can write makes that or a check fetch anything, or take long. It holds
    a copy: changing the schema afterwards changes nothing.
    """

    def __init__(self, outline: FormConstraints, dialect: str) -> None:
        self._outline = outline
        self._dialect = dialect

    def __repr__(self) -> str:
        return f"Form(fields={len(self._outline.rules)})"

    @staticmethod
    def of(schema: Mapping[str, Any]) -> Form:
        """Read the schema of a form: the restricted one of the specification, and what else can be shown.

        The dialect is JSON Schema 2020-12, or by `$schema` 2019-09 or draft-07. Absent `properties` mean no fields.

        Raises `RemoteProtocolError`, its `at` pointing into the schema, for a form that cannot be checked:
        `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`. It can still be declined. Raises
        `TypeError` for what is no map, as `check` and `parse` do.
        """
        require_type("schema", schema, Mapping, "a mapping")
        admitted = load(schema)
        return Form(outline(admitted), admitted.dialect)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields, in the server's order; what cannot be shown is among them, of the kind `"unsupported"`.

        Last come names that are required and nowhere described. Where a required field cannot be shown, decline.
        """
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
        return normalize(self, content)[1]

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
        list may also come as one string, with commas between. Choices are known by value or by label; yes and no are
        `true`, `yes`, `y`, `on` or `1`, and `false`, `no`, `n`, `off` or `0`. A blank is left out, unless the field is
        required and takes text. What is no field is an error: pass none of a web page's own. For an unchecked box
        browsers send nothing: say `false` for the boolean fields that you showed. Without errors the content is ready
        to be accepted.
        """
        require_type("strings", strings, Mapping, "a mapping")
        content: dict[str, Any] = {}
        faults: _Faults = {}
        named = {field.name: field for field in self.fields}
        for name, typed in strings.items():
            require_type("a name in strings", name, str, "a str")
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
        require_type("content", content, Mapping, "a mapping")
        outline = self._outline
        copy: dict[str, Any] = {}
        faults: _Faults = {name: {"required": "an answer"} for name in outline.required if name not in content}
        for name, value in content.items():
            require_type("a name in content", name, str, "a str")
            if value is None and name not in outline.required:
                continue
            rules = outline.rules.get(name, outline.extra)
            twin, fault = wire_value(value, rules)
            copy[name if type(name) is str else str.__str__(name)] = twin
            if outline.allowed is not None and name not in outline.allowed:
                fault = {"not_allowed": "no such field"}
            if not fault and rules is not None:
                fault = violations(twin, rules, self._dialect)
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


def coerce(schema: Mapping[str, Any], content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
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
            copy[name] = integral_to_int(value, rules.get(name))
        elif name in outline.required:
            errors.append(FieldError(pointer(name), "not_sendable", SENDABLE))
    return copy, tuple(errors)


def normalize(form: Form, content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
    """Give content as the wire carries it, plain and copied, and what keeps it from being accepted."""
    copy, faults = form._settle(content)  # noqa: SLF001 - the class is the door of this room
    return copy, form._errors(faults)  # noqa: SLF001 - as above
