"""The public class `Form`, and how the content of an answer is fitted to it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final, TypeAlias, final

from msgspec import UNSET

from toolnexus_mrtr._errors import FieldError, RemoteProtocolError, pointer, require_type
from toolnexus_mrtr._forms._checking import SENDABLE, find_violations, integral_to_int, to_wire_value
from toolnexus_mrtr._forms._constraints import FormConstraints, read_constraints
from toolnexus_mrtr._forms._fields import Field, list_fields
from toolnexus_mrtr._forms._keywords import ANY_TYPE, types_of
from toolnexus_mrtr._forms._parsing import Unreadable, parse_field
from toolnexus_mrtr._forms._schema import load_schema

#: How many errors one check reports.
MAX_ERRORS: Final = 100

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

        A `format` other than the four is no constraint and not listed, nor is what says nothing alone: `then` and
        `else` go with their `if`, `minContains` and `maxContains` with their `contains`.
        """
        return self._constraints.unenforced

    def check(self, content: Mapping[str, Any]) -> tuple[FieldError, ...]:
        """List the reasons not to accept content, in the order of the fields; at most 100.

        A field that is not one of its choices has that error alone, and of the items of a list the first that is wrong
        is reported. `at` is `/<field>`. `None` for a field that is not required counts as absent, as the writers leave
        it out. A number that is `3.0` is a whole one.
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

    def parse(self, strings: Mapping[str, str | Sequence[str]]) -> tuple[dict[str, Any], tuple[FieldError, ...]]:
        """Turn the text that a person typed into content, and list everything that is wrong with it.

        Takes the strings of a command line or an HTML form by field, a sequence of them where several were picked; a
        list may also come as one string, with commas between. Choices are known by value or by label; yes and no are
        `true`, `yes`, `y`, `on` or `1`, and `false`, `no`, `n`, `off` or `0`. A blank is left out, unless the field is
        required and takes text. A name that is no field is an error: pass none of a web page's own. For an unchecked
        box browsers send nothing: pass `false` for the boolean fields that you showed. Without errors the content is
        ready to be accepted.
        """
        require_type("strings", strings, Mapping, "a mapping")
        content: dict[str, Any] = {}
        faults: _Faults = {}
        fields = {field.name: field for field in self.fields}
        for name, typed in strings.items():
            require_type("a name in strings", name, str, "a str")
            value: Any = Unreadable("not_allowed", "no such field")
            if name in fields:
                value = parse_field(fields[name], self._constraints.fields[name].types, _to_plain_strings(typed))
            if isinstance(value, Unreadable):
                faults[name] = {value.code: value.message}
            elif value is not UNSET:
                content[name] = value
        return content, self._to_errors(self._fit(content)[1] | faults)

    def _fit(self, content: Mapping[str, Any]) -> tuple[dict[str, Any], _Faults]:
        """Copy content as it is sent, check it, and give what is wrong with each field."""
        require_type("content", content, Mapping, "a mapping")
        form = self._constraints
        copy: dict[str, Any] = {}
        faults: _Faults = {name: {"required": "an answer"} for name in form.required if name not in content}
        for name, value in content.items():
            plain_name = name if type(name) is str else _to_plain_name(name)
            if value is None and name not in form.required:
                continue
            constraints = form.fields.get(name, form.additional)
            plain, fault = to_wire_value(value, ANY_TYPE if constraints is None else constraints.types)
            copy[plain_name] = plain
            if form.allowed is not None and name not in form.allowed:
                fault = {"not_allowed": "no such field"}
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


def _to_plain_name(name: Any) -> str:
    require_type("a name in content", name, str, "a str")
    return str.__str__(name)


def _to_plain_strings(typed: str | Sequence[str]) -> str | list[str]:
    if isinstance(typed, str):
        return str.__str__(typed)
    if not isinstance(typed, list | tuple) or not all(isinstance(text, str) for text in typed):
        raise TypeError(f"each of strings must be a str or a sequence of them, not {type(typed).__name__}")
    return [str.__str__(text) for text in typed]


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
    """Read the types of each field, and the names that are required; of a restricted schema nothing else is read."""
    loaded = load_schema(schema)
    if loaded.is_plain:
        fields = loaded.root["properties"]
        return {name: types_of(field) for name, field in fields.items()}, loaded.root.get("required", ())
    form = read_constraints(loaded)
    return {name: constraints.types for name, constraints in form.fields.items()}, form.required
