"""The fields of a form, as a user interface shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from toolnexus_mrtr._forms._constraints import Constraints, FormConstraints
from toolnexus_mrtr._forms._keywords import NUMBERS, SCALARS, Choice, Choices, first_text, has_type
from toolnexus_mrtr._forms._schema import MAX_ITEMS
from toolnexus_mrtr._forms._secrets import asks_for_secret

# A new kind needs: what makes a field one of that kind (`_kind_of`), whether it is typed into (`_TYPED_INTO`) and can
# be sensitive (`_make_field`), its choices if it has any (`_choices_of`), and the docstring of `Field`; what is typed
# for it (`_parsing`, and the docstring of `Form.parse`); bounds and keywords (`_lint`: `_is_unsatisfiable`,
# `_FIELD_KEYWORDS`); its words (`cli/_show`: `KINDS`) and whether it is a list (`cli/_responses`: `_join_values`); how
# a terminal asks for it (`cli/_call/_terminal_form`); `fixtures/vector.schema.json`, `fixtures/README.md` and vectors;
# the port (`forms.mjs`, `parsing.mjs`, `lint.mjs`).
Kind: TypeAlias = Literal["string", "number", "integer", "boolean", "choice", "choices", "strings", "unsupported"]

#: The kinds of field that a person types into. The only such field of a form is what its message asks for.
_TYPED_INTO: Final = frozenset({"string", "number", "integer", "strings"})

#: The keywords that describe objects, which no form can ask for.
_OF_OBJECTS: Final = frozenset({"properties", "patternProperties"})

_KINDS_OF_SCALARS: Final[dict[frozenset[str], Kind]] = {
    NUMBERS: "number",
    frozenset({"integer"}): "integer",
    frozenset({"boolean"}): "boolean",
}


class Field(Struct, frozen=True, kw_only=True):
    """One field of a form, as a user interface shows it; what the schema does not say is `None`.

    `name` is the name of the field in the content of an answer. `label` is the title, or else the name; `description`
    says more. `required` says whether an accept must have the field. `kind` is what is entered:

    - `"string"`, `"number"`, `"integer"` (a whole number) or `"boolean"` (yes or no);
    - `"choice"`, one of the `choices`, which are in the server's order; `"choices"`, a list of them;
    - `"strings"`, a list of text: `format`, `pattern` and the lengths are those of each item;
    - `"unsupported"`, what cannot be shown.

    The `choices` of a `"string"` are suggestions, beside which other text may be entered.

    Bounds are those of the schema. A number is at least `minimum` and at most `maximum`, above `exclusive_minimum`,
    below `exclusive_maximum`, and a multiple of `multiple_of`. Text has `min_length` to `max_length` code points, a
    list `min_items` to `max_items` items. `format` is one of the schema's; email, uri, date and date-time are checked.
    `pattern` is a hint: it is not checked.

    `default` is the server's, unchecked: `Form.defaults` gives those that satisfy the form. `sensitive` hints that the
    field asks for a secret, which a form must not do (client/elicitation, "User Interaction Model"). All text is the
    server's: pass it through `printable` before a terminal sees it.
    """

    name: str
    kind: Kind
    label: str
    description: str | None
    required: bool
    default: str | int | float | bool | tuple[str, ...] | None
    choices: tuple[Choice, ...] | None
    minimum: float | None
    maximum: float | None
    exclusive_minimum: float | None
    exclusive_maximum: float | None
    multiple_of: float | None
    min_length: int | None
    max_length: int | None
    min_items: int | None
    max_items: int | None
    format: str | None
    pattern: str | None
    sensitive: bool


def list_fields(form: FormConstraints, message: str | None) -> tuple[Field, ...]:
    """List the fields of a form, in the order of their constraints.

    Where only one field is typed into, the message, the title and the description of the form are about that field:
    they too can say that it is a secret.
    """
    fields = tuple(_make_field(name, form) for name in form.fields)
    typed_into = [field for field in fields if field.kind in _TYPED_INTO]
    if len(typed_into) != 1 or not asks_for_secret(message, form.title, form.description):
        return fields
    return tuple(replace(field, sensitive=True) if field is typed_into[0] else field for field in fields)


def _make_field(name: str, form: FormConstraints) -> Field:
    constraints = form.fields[name]
    # Where several schemas have the same annotation, the first one's counts.
    schemas = [schema for schema, _ in form.subschemas[name]]
    kind = _kind_of(constraints, schemas)
    if name in form.conditional or (form.allowed is not None and name not in form.allowed):
        kind = "unsupported"
    of_text = constraints.item_subschemas if kind == "strings" else schemas
    title, description = first_text(schemas, "title"), first_text(schemas, "description")
    format = first_text(of_text, "format")
    return Field(
        name=name,
        kind=kind,
        label=title if title and title.strip() else name,
        description=description,
        required=name in form.required,
        default=_find_default(schemas),
        choices=_choices_of(kind, constraints),
        minimum=_find_tightest(max, "minimum", schemas),
        maximum=_find_tightest(min, "maximum", schemas),
        exclusive_minimum=_find_tightest(max, "exclusiveMinimum", schemas),
        exclusive_maximum=_find_tightest(min, "exclusiveMaximum", schemas),
        multiple_of=next(iter(constraints.multiples_of), None),
        min_length=_to_int(_find_tightest(max, "minLength", of_text)),
        max_length=_to_int(_find_tightest(min, "maxLength", of_text)),
        min_items=_to_int(_find_tightest(max, "minItems", schemas)),
        max_items=_to_int(_find_tightest(min, "maxItems", schemas)),
        format=format,
        pattern=first_text(of_text, "pattern"),
        sensitive=kind not in ("boolean", "choice", "choices")
        and (format == "password" or asks_for_secret(name, title, description)),
    )


def _kind_of(constraints: Constraints, schemas: list[dict[str, Any]]) -> Kind:
    types = constraints.types
    if constraints.item_choices is not None and "array" in types:
        return "choices" if _sendable_items(constraints.item_choices) else "unsupported"
    if constraints.choices is not None:
        return "choice" if constraints.choices else "unsupported"
    kind = _kind_of_open_types(constraints, schemas)
    # A person can at least choose, where nothing else can be entered.
    return "choice" if kind == "unsupported" and _suggested(constraints, types) else kind


def _kind_of_open_types(constraints: Constraints, schemas: list[dict[str, Any]]) -> Kind:
    types = constraints.open_types
    if any("enum" in schema or "const" in schema for schema in schemas):
        # One of lists, say: it was not read as choices.
        return "unsupported"
    if {"array", "object", "string"} <= types:
        # Nothing is said of the type; perhaps of what is in it.
        if constraints.item_types is not None:
            types = frozenset({"array"})
        elif any(not _OF_OBJECTS.isdisjoint(schema) for schema in schemas):
            types = frozenset({"object"})
    if "string" in types:
        # Whatever else it may be, a person can enter text.
        return "string"
    scalars = types & SCALARS
    if scalars:
        return _KINDS_OF_SCALARS.get(scalars, "unsupported")
    item_types = constraints.item_types
    return "strings" if "array" in types and (item_types is None or "string" in item_types) else "unsupported"


def _choices_of(kind: Kind, constraints: Constraints) -> tuple[Choice, ...] | None:
    if kind == "choices":
        return _sendable_items(constraints.item_choices or {})
    if kind == "choice":
        return tuple((constraints.choices or {}).values()) or _suggested(constraints, constraints.types)
    return (_suggested(constraints, frozenset({"string"})) or None) if kind == "string" else None


def _sendable_items(choices: Choices) -> tuple[Choice, ...]:
    """Select the choices that a list can carry, which holds text only (schema.ts, ElicitResult)."""
    return tuple(choice for choice in choices.values() if isinstance(choice.value, str))


def _suggested(constraints: Constraints, types: frozenset[str]) -> tuple[Choice, ...]:
    allowed = types & constraints.types
    return tuple(choice for choice in constraints.suggestions.values() if has_type(choice.value, allowed))


def _find_default(schemas: list[dict[str, Any]]) -> Any:
    default = next((schema["default"] for schema in schemas if "default" in schema), None)
    if isinstance(default, list) and len(default) <= MAX_ITEMS and all(isinstance(item, str) for item in default):
        return tuple(default)
    return default if isinstance(default, str | int | float) else None


def _find_tightest(choose: Callable[..., Any], keyword: str, schemas: Iterable[dict[str, Any]]) -> Any:
    """Return the bound that decides where several schemas have one; `None` where none has."""
    return choose((schema[keyword] for schema in schemas if keyword in schema), default=None)


def _to_int(count: float | None) -> int | None:
    """Make an `int` of a whole number, which a schema may write as 3.0."""
    return None if count is None else int(count)
