"""What is enforced of each field of a form, laid out of an admitted schema. Touches schemas and their keywords."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from msgspec import Struct

from toolnexus_mrtr._errors import RemoteProtocolError, pointer
from toolnexus_mrtr._forms._keywords import (
    ANY,
    COMPOSITIONS,
    LAYERS,
    NOT_CHEAP,
    OTHERS,
    Choices,
    alternatives_of,
    cheap_part,
    choices_of,
    has_type,
    is_choice,
    members_of,
    narrowed,
    types_of,
    union_part,
)
from toolnexus_mrtr._forms._schema import DRAFT_7, LoadedSchema, target

#: A schema that must hold, and where it stands.
Subschema: TypeAlias = tuple[dict[str, Any], str]

_ANNOTATIONS: Final = ("title", "description", "default")

#: What the schema `false` comes to: nothing satisfies it.
_NOTHING: Final[dict[str, Any]] = {"enum": []}


class Constraints(Struct, frozen=True):
    """What is enforced of a value.

    `parts` are schemas that must hold, keyword by keyword, `items` those that must hold for each item of a list.
    `chosen` and `items_chosen` are what to choose from, `steps` what a number must be a multiple of, `types` what the
    value may be.
    """

    parts: tuple[dict[str, Any], ...]
    items: tuple[dict[str, Any], ...]
    chosen: Choices | None
    items_chosen: Choices | None
    steps: tuple[float, ...]
    types: frozenset[str]


class FormConstraints(Struct, frozen=True):
    """A form as its schema lays it out, field by field in the order of the properties.

    `layers` are all the schemas that must hold for a field; `allowed` are the only names that it may hold, `None` where
    any may stand; `extra` is enforced of those that are not among its fields.
    """

    layers: dict[str, list[Subschema]]
    rules: dict[str, Constraints]
    required: dict[str, None]
    allowed: frozenset[str] | None
    extra: Constraints | None
    unenforced: tuple[str, ...]


def outline(admitted: LoadedSchema) -> FormConstraints:
    """Lay a form out."""
    return _Outliner(admitted).outline()


class _Outliner:
    """Reads the fields of one admitted schema, and keeps a list of what it leaves unenforced."""

    def __init__(self, admitted: LoadedSchema) -> None:
        self._loaded = admitted
        self._unenforced: dict[str, None] = {}

    def outline(self) -> FormConstraints:
        sources: dict[str, list[tuple[Any, str]]] = {}
        required: dict[str, None] = {}
        allowed: frozenset[str] | None = None
        undescribed: list[tuple[Any, str]] = []
        layers = self._layers([(self._loaded.root, "")])
        for layer, at in layers:
            if "object" not in types_of(layer):
                raise RemoteProtocolError("schema_invalid", "expected the schema of an object", at + "/type")
            own = layer.get("properties", {})
            for name, subschema in own.items():
                sources.setdefault(name, []).append((subschema, f"{at}/properties{pointer(name)}"))
            required |= dict.fromkeys(layer.get("required", ()))
            enforced = {"properties", "required"}
            additional = layer.get("additionalProperties", True)
            if "patternProperties" not in layer and (isinstance(additional, bool) or len(layers) == 1):
                enforced.add("additionalProperties")
                if additional is False:
                    allowed = frozenset(own) if allowed is None else allowed & own.keys()
                elif additional is not True:
                    undescribed.append((additional, at + "/additionalProperties"))
            self._leave(layer, at, enforced)
        held = {name: self._layers(places) for name, places in sources.items()}
        rules = {name: self._rules(layers) for name, layers in held.items()}
        others = self._layers(undescribed)
        extra = self._rules(others)
        for name in required:
            held.setdefault(name, others)
            rules.setdefault(name, extra)
        return FormConstraints(held, rules, required, allowed, extra if undescribed else None, tuple(self._unenforced))

    def _layers(self, sources: Iterable[tuple[Any, str]]) -> list[Subschema]:
        """Follow references, `allOf` and compositions with null: what is found must hold all at once."""
        todo = list(sources)
        found: list[Subschema] = []
        for schema, at in todo:
            if schema is True:
                continue
            if schema and NOT_CHEAP.isdisjoint(schema) and len(todo) == 1:
                return todo
            layer = _NOTHING if schema is False else schema
            if "$ref" in layer:
                todo.append(target(self._loaded.root, layer["$ref"], at + "/$ref"))
                if self._loaded.dialect == DRAFT_7:
                    # Draft-07 ignores what stands beside a reference.
                    layer = {name: layer[name] for name in _ANNOTATIONS if name in layer}
            parts = layer.get("allOf", ())
            if len(found) == LAYERS or len(parts) > LAYERS:
                raise RemoteProtocolError("schema_too_large", f"expected at most {LAYERS} schemas for one value", at)
            todo += [(part, f"{at}/allOf/{place}") for place, part in enumerate(parts)]
            for keyword in filter(layer.__contains__, COMPOSITIONS):
                members = members_of(layer, keyword)
                if len(members) == 1 and not any(map(is_choice, members.values())):
                    todo += [(member, f"{at}/{keyword}/{place}") for place, member in members.items()]
            found.append((layer, at))
        return found

    def _rules(self, layers: list[Subschema], *, of_items: bool = False) -> Constraints:
        if len(layers) == 1 and NOT_CHEAP.isdisjoint(layers[0][0]):
            return Constraints((cheap_part(layers[0][0]),), (), None, None, (), types_of(layers[0][0]))
        parts, steps = [], []
        types = ANY
        items: tuple[dict[str, Any], ...] = ()
        chosen: Choices | None = None
        items_chosen: Choices | None = None
        for layer, at in layers:
            part, enforced = cheap_part(layer), {"multipleOf"}
            for keyword, choices in choices_of(layer):
                chosen = narrowed(chosen, choices)
                enforced.add(keyword)
            if not of_items and (alternatives := alternatives_of(layer)) and "anyOf" not in enforced:
                part = union_part(layer, alternatives)
                enforced.add("anyOf")
            if layer.get("items") is True:
                # Every item will do.
                enforced.add("items")
            if not of_items and (rules := self._items(layer, at)):
                items += rules.parts
                items_chosen = narrowed(items_chosen, rules.chosen)
                enforced.add("items")
            types &= types_of(layer)
            steps += [layer["multipleOf"]] if "multipleOf" in layer else []
            parts.append(part)
            self._leave(layer, at, enforced)
        if chosen is not None and types is not ANY:
            chosen = {key: choice for key, choice in chosen.items() if has_type(choice.value, types)}
            # The type of what may be chosen has been looked at.
            parts = [part for part in parts if len(part) > 1 or "type" not in part]
        return Constraints(tuple(filter(None, parts)), items, chosen, items_chosen, tuple(steps), types)

    def _items(self, layer: dict[str, Any], at: str) -> Constraints | None:
        """What every item of a list must satisfy, if it comes to one cheap schema or to choices."""
        if isinstance(layer.get("items", True), list | bool) or "prefixItems" in layer:
            return None
        items = self._rules(self._layers([(layer["items"], at + "/items")]), of_items=True)
        return None if items.chosen is None and len(items.parts) > 1 else items

    def _leave(self, layer: dict[str, Any], at: str, enforced: set[str]) -> None:
        for keyword in layer:
            if keyword in OTHERS and keyword not in enforced and len(members_of(layer, keyword)) != 1:
                self._unenforced[f"{at}/{keyword}"] = None
