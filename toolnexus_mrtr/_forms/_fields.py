"""The fields of a form, as a user interface shows them. Touches their outline and the words of secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._forms._constraints import Constraints, FormConstraints, Subschema
from toolnexus_mrtr._forms._keywords import NUMBERS, SCALARS, Choice
from toolnexus_mrtr._forms._secrets import asks_for_secret

#: How many items one list may have.
ITEMS: Final = 10_000

Kind: TypeAlias = Literal["string", "number", "integer", "boolean", "choice", "choices", "unsupported"]


class Field(Struct, frozen=True, kw_only=True):
    """One field of a form, as a user interface shows it; what the schema does not say is `None`.

    `label` is the title, or else the name. Bounds are inclusive and lengths count code points; exclusive bounds and
    steps are not shown. `choices`, in the server's order, belong to the kinds `"choice"` and `"choices"`. `default` is
    the server's, unchecked: `Form.defaults` gives those that satisfy the form. `sensitive` hints that the field asks
    for a secret, which a form must not do (elic, "User Interaction Model"). All text is the server's: pass it through
    `printable` before a terminal sees it.
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


def fields(outline: FormConstraints) -> tuple[Field, ...]:
    """Give the fields as a user interface shows them."""
    return tuple(
        _field(name, rules, outline.layers[name], required=name in outline.required)
        for name, rules in outline.rules.items()
    )


def _field(name: str, rules: Constraints, layers: list[Subschema], *, required: bool) -> Field:
    said = {keyword: value for layer, _ in reversed(layers) for keyword, value in layer.items()}
    kind = _kind(rules)
    title, description, default = said.get("title"), said.get("description"), said.get("default")
    choices = rules.items_chosen if kind == "choices" else rules.chosen
    if isinstance(default, list) and len(default) <= ITEMS and all(isinstance(item, str) for item in default):
        default = tuple(default)
    return Field(
        name=name,
        kind=kind,
        label=title or name,
        description=description,
        required=required,
        default=default if isinstance(default, str | int | float | tuple) else None,
        choices=None if not kind.startswith("choice") else tuple((choices or {}).values()),
        minimum=_tightest(max, "minimum", layers),
        maximum=_tightest(min, "maximum", layers),
        min_length=_count(_tightest(max, "minLength", layers)),
        max_length=_count(_tightest(min, "maxLength", layers)),
        min_items=_count(_tightest(max, "minItems", layers)),
        max_items=_count(_tightest(min, "maxItems", layers)),
        format=said.get("format"),
        # What is picked from a list, or is yes or no, is no secret.
        sensitive=kind not in ("boolean", "choice", "choices")
        and (said.get("format") == "password" or asks_for_secret(name, title, description)),
    )


def _kind(rules: Constraints) -> Kind:
    types = rules.types - {"null"}
    if rules.items_chosen and "array" in types:
        return "choices"
    if rules.chosen is not None:
        return "choice" if rules.chosen else "unsupported"
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


def _tightest(choose: Callable[..., Any], keyword: str, layers: list[Subschema]) -> Any:
    """The bound that holds where several schemas must; `None` where none says any."""
    return choose((layer[keyword] for layer, _ in layers if keyword in layer), default=None)


def _count(count: float | None) -> int | None:
    return None if count is None else int(count)
