"""The public class `Form`, and how the content of an answer is fitted to it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property
from itertools import islice
from typing import Any, Final, TypeAlias, final

from msgspec import UNSET

from toolnexus_mrtr._errors import FieldError, RemoteProtocolError, pointer, require_type
from toolnexus_mrtr._forms._checking import SENDABLE, find_violations, integral_to_int, to_wire_value
from toolnexus_mrtr._forms._constraints import FormConstraints, read_constraints
from toolnexus_mrtr._forms._fields import Field, list_fields
from toolnexus_mrtr._forms._keywords import ANY_TYPE, types_of
from toolnexus_mrtr._forms._parsing import Unreadable, parse_field, to_text
from toolnexus_mrtr._forms._schema import load

#: How many errors one check reports.
MAX_ERRORS: Final = 100

FIELDS_OF_THE_FORM: Final = "only fields of this form"

#: Messages by name of the field and error code.
_Faults: TypeAlias = dict[str, dict[str, str]]


@final
class Form:
    """A form that a server asks a person to fill in (client/elicitation, "Requested Schema").

    `Form.of` reads it; nothing that the server can write makes that or a check fetch anything, or take long. It holds
    a copy: changing the schema afterwards changes nothing.
    """

    def __init__(self, constraints: FormConstraints, dialect: str, message: str | None) -> None:
        self._constraints = constraints
        self._dialect = dialect
        self._message = message

    def __repr__(self) -> str:
        return f"Form(fields={len(self._constraints.fields)})"

    @staticmethod
    def of(schema: Mapping[str, Any], *, message: str | None = None) -> Form:
        """Read the schema of a form: the specification's restricted one, and beyond it whatever can be shown.

        The dialect is JSON Schema 2020-12, or by `$schema` 2019-09 or draft-07. Absent `properties` mean no fields.
        `message` is what the server sent with the form: it helps to tell whether a secret is asked (`Field.sensitive`).

        Raises `RemoteProtocolError`, its `at` pointing into the schema, for a form that cannot be checked:
        `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`. It can still be declined. Raises
        `TypeError` for what is no map, as `check` and `parse` do, and for a message that is no `str`.
        """
        require_type("schema", schema, Mapping, "a mapping")
        require_type("message", message, str | None, "a str")
        try:
            loaded = load(schema)
            return Form(read_constraints(loaded), loaded.dialect, message)
        except RecursionError:
            pass
        raise RemoteProtocolError("schema_too_large", "expected a less deeply nested schema")

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields, in the server's order; one that cannot be shown is of the kind `"unsupported"`.

        Behind the properties come names that are required and nowhere described, and fields that the form has only
        under a condition (below an `anyOf` of the whole form, say), which cannot be shown.
        """
        return list_fields(self._constraints, self._message)

    @property
    def title(self) -> str | None:
        """The title of the form; `None` where it has none, or a blank one."""
        title = self._constraints.title
        return title if title and title.strip() else None

    @property
    def description(self) -> str | None:
        """The description of the form."""
        return self._constraints.description

    @property
    def answerable(self) -> bool:
        """Whether a person can accept the form: none of its required fields is of the kind `"unsupported"`."""
        return not any(field.required and field.kind == "unsupported" for field in self.fields)

    @property
    def unenforced(self) -> tuple[str, ...]:
        """JSON Pointers into the schema: the constraints that `check` leaves to the server, `pattern` among them.

        A `format` other than the four is no constraint and not listed, nor is what says nothing alone: `then` and
        `else` go with their `if`, `minContains` and `maxContains` with their `contains`.
        """
        return self._constraints.unenforced

    def check(self, content: Mapping[str, Any]) -> tuple[FieldError, ...]:
        """List every reason not to accept content, in the order of the fields; at most 100.

        `at` is `/<field>`. `None` for a field that is not required counts as absent, as the writers leave it out. A
        number that is `3.0` is a whole one.
        """
        return normalize(self, content)[1]

    def defaults(self) -> dict[str, Any]:
        """Return the server's defaults that satisfy their fields, to fill a form in with before a person sees it.

        Never merge them into an answer that a person gave: what was left out was left out.
        """
        defaults = {
            field.name: list(field.default) if isinstance(field.default, tuple) else field.default
            for field in self.fields
            if field.default is not None
        }
        copy, faults = self._fit(defaults)
        return {name: value for name, value in copy.items() if name not in faults}

    def parse(
        self,
        strings: Mapping[str, str | Sequence[str]],
        *,
        prefilled: Mapping[str, Any] | None = None,
        timezone: tzinfo | None = None,
    ) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
        """Turn what a person entered into content, and list everything that is wrong with it.

        `strings` are those of a web page or a command line, by the name of the field: a string, or for a list a
        sequence of those picked. Without errors the content satisfies `check` and is ready to be accepted. With errors,
        shown as `check` shows them, it holds what could be read.

        A name that is absent was not answered. Browsers post nothing for a box that is not checked and a list in which
        nothing is picked, so a page adds `false` and `[]` for those that it showed. A name that is no field is
        `not_allowed`: leave out what belongs to the page alone.

        - Text stays as it was entered; `""` for an optional field is left out. Blanks at the ends of an email address,
          a uri, a date and a date-time go. `timezone`, for example `zoneinfo.ZoneInfo("Europe/Paris")`, gives its
          offset to a date-time without one, as `<input type="datetime-local">` posts it. Without `timezone`, and where
          the clocks show that time twice or not at all, such a one is `wrong_format`; whatever a `tzinfo` of yours
          raises is raised. (Those of `pytz` do not keep to the protocol of `datetime`; use `zoneinfo`.)
        - A number has a point before its decimals and nothing between its thousands. So a comma is `wrong_type`, and
          where a whole number is asked for `1.000` is, too: it may be a thousand. One that cannot be sent exactly as
          entered is `not_sendable`; one beyond all doubles is `not_finite`.
        - Yes and no are `true`, `yes`, `y`, `on` or `1`, and `false`, `no`, `n`, `off` or `0`.
        - A choice is found by its value, by its label, or by either in another case or with other blanks, where only
          one choice has it; otherwise the text is `not_a_choice`.
        - A sequence for a list is taken whole; an empty one is an answer. A string for a list is one choice, or several
          with commas between them; a blank one is no answer.

        What is blank was left unanswered: `required` or another error where an answer is required.

        `prefilled` is the content that the form was filled in with before the person began, shown by `to_strings`:
        `defaults()`, or what was entered before. What comes back as it was shown has the same value still, where that
        satisfies its field, even under a name that is no field. A text that is blank now was cleared, and is sent as
        `""`; a blank list is sent as `[]`; the wire has no such value for other fields, which are left out. So nothing
        that a person removed comes back by a default of the server.

        Raises `TypeError` for what is no mapping, no string, no sequence of strings or no `tzinfo`.
        """
        require_type("strings", strings, Mapping, "a mapping")
        require_type("timezone", timezone, tzinfo | None, "a tzinfo")
        filled = {} if prefilled is None else prefilled
        shown = self._to_strings("prefilled", filled)
        kept, refused = self._fit(filled)
        content: dict[str, Any] = {}
        faults: _Faults = {}
        fields = {field.name: field for field in self.fields}
        for given_name, given in strings.items():
            name, entered = _to_plain_name("strings", given_name), _to_plain_strings(given)
            if name in shown and name not in refused and entered in (shown[name], [shown[name]]):
                content[name] = kept[name]
                continue
            if name not in fields:
                faults[name] = {"not_allowed": FIELDS_OF_THE_FORM}
                continue
            constraints, was_filled = self._constraints.fields[name], name in shown
            value = parse_field(fields[name], constraints, entered, was_filled=was_filled, timezone=timezone)
            if isinstance(value, Unreadable):
                faults[name] = {value.code: value.message}
            elif value is not UNSET:
                content[name] = value
        return content, self._to_errors(self._fit(content)[1] | faults)

    def to_strings(self, content: Mapping[str, Any]) -> dict[str, str | list[str]]:
        """Return the strings that show content to a person, by name: the inverse of `parse`.

        Fill a form in with `to_strings(defaults())`, or with the content that has errors. A list is a list of strings,
        a yes or no is `true` or `false`, a choice its value. What no form can send, `None` included, is left out.

        `parse(to_strings(content), prefilled=content)` is the same content, if `check` finds no errors in it.
        """
        return self._to_strings("content", content)

    def _to_strings(self, argument: str, content: Mapping[str, Any]) -> dict[str, str | list[str]]:
        require_type(argument, content, Mapping, "a mapping")
        strings = {}
        for given_name, value in content.items():
            name = _to_plain_name(argument, given_name)
            plain, fault = to_wire_value(value, self._types_of(name))
            if not fault:
                strings[name] = plain if isinstance(plain, list) else to_text(plain)
        return strings

    def _types_of(self, name: str) -> frozenset[str]:
        constraints = self._constraints.fields.get(name, self._constraints.additional)
        return ANY_TYPE if constraints is None else constraints.types

    def _fit(self, content: Mapping[str, Any]) -> tuple[dict[str, Any], _Faults]:
        """Copy content as it is sent, and say what is wrong with each field."""
        require_type("content", content, Mapping, "a mapping")
        form = self._constraints
        copy: dict[str, Any] = {}
        faults: _Faults = {name: {"required": "an answer"} for name in form.required if name not in content}
        for name, value in content.items():
            plain_name = name if type(name) is str else _to_plain_name("content", name)
            if value is None and name not in form.required:
                continue
            constraints = form.fields.get(name, form.additional)
            plain, fault = to_wire_value(value, ANY_TYPE if constraints is None else constraints.types)
            copy[plain_name] = plain
            if form.allowed is not None and name not in form.allowed:
                fault = {"not_allowed": FIELDS_OF_THE_FORM}
            if not fault and constraints is not None:
                fault = find_violations(plain, constraints, self._dialect)
            if fault:
                faults[name] = fault
        return copy, faults

    def _to_errors(self, faults: _Faults) -> tuple[FieldError, ...]:
        if not faults:
            return ()
        in_order = [name for name in self._constraints.fields if name in faults]
        names = dict.fromkeys([*in_order, *faults])
        errors = (FieldError(pointer(name), code, message) for name in names for code, message in faults[name].items())
        return tuple(islice(errors, MAX_ERRORS))


def _to_plain_name(argument: str, name: Any) -> str:
    require_type(f"a name in {argument}", name, str, "a str")
    return str.__str__(name)


def _to_plain_strings(typed: str | Sequence[str]) -> str | list[str]:
    if isinstance(typed, str):
        return str.__str__(typed)
    if not isinstance(typed, list | tuple) or not all(isinstance(text, str) for text in typed):
        raise TypeError(f"each of strings must be a str or a sequence of them, not {type(typed).__name__}")
    return [str.__str__(text) for text in typed]


def normalize(form: Form, content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
    """Copy content as it is sent, and list every reason not to accept it: `Form.check` with the copy."""
    copy, faults = form._fit(content)  # noqa: SLF001 - not a method, since it is not public
    return copy, form._to_errors(faults)  # noqa: SLF001 - as above


def coerce(schema: Mapping[str, Any], content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
    """Copy content without `None`, and with whole numbers for integer fields; its values are not checked.

    The errors are those of required fields that are `None`. A form that cannot be checked changes nothing.
    """
    require_type("schema", schema, Mapping, "a mapping")
    if not any(map(_depends_on_form, content.values())):
        return dict(content), ()
    try:
        types, required = _read_types_and_required(schema)
    except RemoteProtocolError:
        return dict(content), ()
    copy, errors = {}, []
    for name, value in content.items():
        if value is not None:
            copy[name] = integral_to_int(value, types.get(name, ANY_TYPE))
        elif name in required:
            errors.append(FieldError(pointer(name), "not_sendable", SENDABLE))
    return copy, tuple(errors)


def _depends_on_form(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value.is_integer())


def _read_types_and_required(schema: Mapping[str, Any]) -> tuple[dict[str, frozenset[str]], Container[str]]:
    """Read the types of each field, and the names that are required; of a restricted schema nothing else is read."""
    loaded = load(schema)
    if loaded.is_plain:
        fields = loaded.root["properties"]
        return {name: types_of(field) for name, field in fields.items()}, loaded.root.get("required", ())
    form = read_constraints(loaded)
    return {name: constraints.types for name, constraints in form.fields.items()}, form.required
