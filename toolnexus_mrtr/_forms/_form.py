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
from toolnexus_mrtr._forms._constraints import FormConstraints
from toolnexus_mrtr._forms._fields import Field, list_fields
from toolnexus_mrtr._forms._keywords import ANY_TYPE, types_of
from toolnexus_mrtr._forms._outline import read_constraints
from toolnexus_mrtr._forms._parsing import Unreadable, is_as_shown, parse_field, to_text
from toolnexus_mrtr._forms._schema import load_schema
from toolnexus_mrtr._text import has_split_pair

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

        `schema` is the `requestedSchema` as it was received. Its dialect is JSON Schema 2020-12, or by `$schema`
        2019-09 or draft-07. Absent `properties` mean no fields. `message` is what the server sent with the form: it
        helps to tell whether a secret is asked (`Field.sensitive`).

        Raises `RemoteProtocolError`, its `at` pointing into the schema, for a form that cannot be checked:
        `schema_invalid`, `schema_dialect`, `schema_external_ref`, `schema_too_large`. It can still be declined. Raises
        `TypeError` for what is no map, as `check` and `parse` do, and for a message that is no `str`.
        """
        require_type("schema", schema, Mapping, "a mapping")
        require_type("message", message, str | None, "a str")
        try:
            loaded = load_schema(schema)
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

        Not listed are formats other than the four, which are no constraints, and keywords without effect of their own:
        for `then` and `else` see their `if`, for `minContains` and `maxContains` their `contains`.
        """
        return self._constraints.unenforced

    def check(self, content: Mapping[str, Any]) -> tuple[FieldError, ...]:
        """List the reasons not to accept `content`, in the order of the fields; at most 100.

        A field that is not one of its choices has that error alone, and of the items of a list the first that is wrong
        is reported. `at` is `/<field>`. `None` for a field that is not required counts as absent, as the writers leave
        it out. A number that is `3.0` is a whole one.

        Raises `RemoteProtocolError` `schema_too_large` where too little of Python's recursion limit is left, as
        `defaults` and `parse` do; higher up on the stack the same form can be checked.
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

        `strings` come from a web page or a command line, by the name of the field: a string, or for a list a sequence
        of the strings that were picked. Without errors the content satisfies `check` and is ready to be accepted; with
        errors it holds what could be read. The errors are those of `check`, in the order of the fields, and below.

        A field whose name is absent was not answered. For a box that is not checked, and a list in which nothing is
        picked, browsers post nothing: a page adds `false` and `[]` for those that it showed. A name that is no field is
        `not_allowed`: leave out what belongs to the page alone.

        - Text stays as it was entered; an optional one that is `""` is left out, and a required one is sent as `""`
          where its least length allows that. Blanks at the ends of an email address, a uri, a date and a date-time
          are removed.
        - A date-time without an offset, as `<input type="datetime-local">` posts it, is given that of `timezone`, for
          example `zoneinfo.ZoneInfo("Europe/Paris")`. Without `timezone`, or where the clocks show that time twice or
          not at all, it is `wrong_format`. What a `tzinfo` raises is not caught. (Zones of `pytz` give wrong offsets.)
        - A number has a point before its decimals, and nothing between its thousands; a comma is `wrong_type`. Where a
          whole number is asked for so is `1.000`, which may be a thousand. A number that would be rounded, or has more
          than 4,300 digits, is `not_sendable`; one too large for a double is `not_finite`.
        - Yes and no are `true`, `yes`, `y`, `on` or `1`, and `false`, `no`, `n`, `off` or `0`.
        - A choice is found by its value, or else by its label, or else by either without regard to case and blanks,
          where only one choice has it. Anything else is `not_a_choice`. A blank is a choice only where it is a value as
          it stands; else it leaves an optional field out, and is `not_a_choice` for a required one.
        - A sequence for a list is taken as it is; an empty one is an answer. A single string for a list is one choice,
          or else it is split at its commas, so an item of free text that has a comma needs a sequence; a blank string
          is no answer.
        - Several strings for a field that takes one value are `wrong_type`.

        A blank in a number, a yes or no or a list is no answer, which is `required` where one is required.

        `prefilled` is the content that the form showed before the person began, by `to_strings`: `defaults()`, or what
        was entered before. What comes back as it was shown, whatever its line ends, keeps its value if that satisfies
        its field, even under a name that is no field. What was shown and is blank now was cleared: a text is sent as
        `""` and a list as `[]`, so that the server does not put its default there again, and where the field must not
        be empty that is an error. Other fields that were cleared are left out, since they have no empty value. After
        errors, show again what was entered, and pass the same `prefilled`.

        Raises `TypeError` for arguments of other types.
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
            if name in shown and name not in refused and is_as_shown(entered, shown[name]):
                content[name] = kept[name]
                continue
            if name not in fields:
                faults[name] = {"not_allowed": FIELDS_OF_THE_FORM}
                continue
            constraints = self._constraints.fields[name]
            value = parse_field(fields[name], constraints, entered, was_filled=name in shown, timezone=timezone)
            if isinstance(value, Unreadable):
                faults[name] = {value.code: value.message}
            elif value is not UNSET:
                content[name] = value
        return content, self._to_errors(self._fit(content)[1] | faults)

    def to_strings(self, content: Mapping[str, Any]) -> dict[str, str | list[str]]:
        """Return the strings that show `content` to a person, by the name of the field: the inverse of `parse`.

        Fill a page in with `to_strings(defaults())`, or with content that has errors. A list is a list of strings, yes
        and no are `true` and `false`, and a choice is its value, not its label. What no form can send, `None` included,
        is left out. For all content in which `check` finds no error, `parse(to_strings(content), prefilled=content)`
        gives it back, less what is `None`; the number of a choice is found again without `prefilled` too.

        Raises `TypeError` for what is no mapping.
        """
        return self._to_strings("content", content)

    def _to_strings(self, argument: str, content: Mapping[str, Any]) -> dict[str, str | list[str]]:
        require_type(argument, content, Mapping, "a mapping")
        strings = {}
        for given_name, value in content.items():
            name = _to_plain_name(argument, given_name)
            plain, fault = to_wire_value(value, self._types_of(name))
            if not fault and not has_split_pair(name):
                strings[name] = plain if isinstance(plain, list) else to_text(plain)
        return strings

    def _types_of(self, name: str) -> frozenset[str]:
        constraints = self._constraints.fields.get(name, self._constraints.additional)
        return ANY_TYPE if constraints is None else constraints.types

    def _fit(self, content: Mapping[str, Any]) -> tuple[dict[str, Any], _Faults]:
        """Copy content as it is sent, check it, and give what is wrong with each field."""
        require_type("content", content, Mapping, "a mapping")
        try:
            return self._fit_fields(content)
        except RecursionError:
            # The first check imports jsonschema, which takes more of the stack than a check.
            pass
        raise RemoteProtocolError("schema_too_large", "expected more room on the stack to check the form")

    def _fit_fields(self, content: Mapping[str, Any]) -> tuple[dict[str, Any], _Faults]:
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
            elif has_split_pair(name):
                fault = {"not_sendable": "a field whose name can be sent"}
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


def _to_plain_strings(entered: str | Sequence[str]) -> str | list[str]:
    if isinstance(entered, str):
        return str.__str__(entered)
    if not isinstance(entered, list | tuple) or not all(isinstance(text, str) for text in entered):
        raise TypeError(f"each of strings must be a str or a sequence of them, not {type(entered).__name__}")
    return [str.__str__(text) for text in entered]


def normalize(form: Form, content: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
    """Copy content as it is sent, and check it in full: `Form.check` with the copy."""
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
    except (RemoteProtocolError, RecursionError):
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
    """Read the types of each field, and the names that are required; of a plain schema nothing else is read."""
    loaded = load_schema(schema)
    if loaded.is_plain:
        fields = loaded.root["properties"]
        return {name: types_of(field) for name, field in fields.items()}, loaded.root.get("required", ())
    form = read_constraints(loaded)
    return {name: constraints.types for name, constraints in form.fields.items()}, form.required
