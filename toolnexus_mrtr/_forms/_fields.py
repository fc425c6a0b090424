"""The fields of a form, as a user interface shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._forms._constraints import Constraints, FormConstraints, Subschema
from toolnexus_mrtr._forms._keywords import NUMBERS, SCALARS, Choice
from toolnexus_mrtr._forms._schema import MAX_ITEMS
from toolnexus_mrtr._forms._secrets import asks_for_secret

Kind: TypeAlias = Literal["string", "number", "integer", "boolean", "choice", "choices", "unsupported"]


class Field(Struct, frozen=True, kw_only=True):
    """One field of a form, as a user interface shows it; what the schema does not say is `None`.

    `label` is the title, or else the name. Bounds are inclusive and lengths count code points; exclusive bounds and
    `multipleOf` are not shown. `choices`, in the server's order, belong to the kinds `"choice"` and `"choices"`.
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
    min_length: int | None
    max_length: int | None
    min_items: int | None
    max_items: int | None
    format: str | None
    sensitive: bool


def list_fields(form: FormConstraints) -> tuple[Field, ...]:
    """List the fields of a form, in the order of their constraints."""
    return tuple(
        _make_field(name, constraints, form.subschemas[name], required=name in form.required)
        for name, constraints in form.fields.items()
    )


def _make_field(name: str, constraints: Constraints, subschemas: list[Subschema], *, required: bool) -> Field:
    # Where several schemas have the same annotation, the first one's counts.
    merged = {keyword: value for schema, _ in reversed(subschemas) for keyword, value in schema.items()}
    kind = _kind_of(constraints)
    title, description, default = merged.get("title"), merged.get("description"), merged.get("default")
    choices = constraints.item_choices if kind == "choices" else constraints.choices
    if isinstance(default, list) and len(default) <= MAX_ITEMS and all(isinstance(item, str) for item in default):
        default = tuple(default)
    return Field(
        name=name,
        kind=kind,
        label=title or name,
        description=description,
        required=required,
        default=default if isinstance(default, str | int | float | tuple) else None,
        choices=None if not kind.startswith("choice") else tuple((choices or {}).values()),
        minimum=_find_tightest(max, "minimum", subschemas),
        maximum=_find_tightest(min, "maximum", subschemas),
        min_length=_to_int(_find_tightest(max, "minLength", subschemas)),
        max_length=_to_int(_find_tightest(min, "maxLength", subschemas)),
        min_items=_to_int(_find_tightest(max, "minItems", subschemas)),
        max_items=_to_int(_find_tightest(min, "maxItems", subschemas)),
        format=merged.get("format"),
        # A choice, or a yes or no, is no secret.
        sensitive=kind not in ("boolean", "choice", "choices")
        and (merged.get("format") == "password" or asks_for_secret(name, title, description)),
    )


def _kind_of(constraints: Constraints) -> Kind:
    types = constraints.types - {"null"}
    if constraints.item_choices and "array" in types:
        return "choices"
    if constraints.choices is not None:
        return "choice" if constraints.choices else "unsupported"
    if not types or not types <= SCALARS:
        return "unsupported"
    if "string" in types:
        # Whatever else it may be, a person can enter text.
        return "string"
    if types == {"boolean"}:
        return "boolean"
    if types == {"integer"}:
        return "integer"
    return "number" if types <= NUMBERS else "unsupported"


def _find_tightest(choose: Callable[..., Any], keyword: str, subschemas: list[Subschema]) -> Any:
    """Return the bound that decides where several schemas have one; `None` where none has."""
    return choose((schema[keyword] for schema, _ in subschemas if keyword in schema), default=None)


def _to_int(count: float | None) -> int | None:
    """Make an `int` of a whole number, which a schema may write as 3.0."""
    return None if count is None else int(count)
