"""Hypothesis strategies: any JSON value, and results of servers with something wrong in them."""

import copy
import json
from typing import Any

from hypothesis import strategies as st
from wire_values import LINK, ROOTS, SCHEMA_WITH_INTEGER, UNKNOWN, form

#: Text that breaks codecs: lone surrogates, controls, characters of JSON Pointers, words of the protocol.
text = st.one_of(
    st.text(st.characters(codec=None), max_size=8),
    st.sampled_from(["", "~", "/", "a/b~c", "__proto__", "\ud800", "form", "url", "input_required", "2.0"]),
)

scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), text)

json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=12,
)

json_objects = st.dictionaries(text, json_values, max_size=5)

#: One well-formed result of every kind, for `mutated_results` to break.
RESULTS: list[dict[str, Any]] = [
    {
        "resultType": "input_required",
        "inputRequests": {
            "form": form(schema=SCHEMA_WITH_INTEGER),
            "link": LINK,
            "llm": {
                "method": "sampling/createMessage",
                "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 5},
            },
            "roots": ROOTS,
            "other": UNKNOWN,
            "flat": {"message": "m", "requestedSchema": SCHEMA_WITH_INTEGER},
        },
        "requestState": "s",
        "_meta": {},
    },
    {"resultType": "input_required", "requestState": "s"},
    {"resultType": "complete", "content": []},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the path to every value inside a JSON value, the value itself among them."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


@st.composite
def mutated_results(draw: st.DrawFn) -> dict[str, Any]:
    """A real result with some of its members replaced, removed or added."""
    result = copy.deepcopy(draw(st.sampled_from(RESULTS)))
    for _ in range(draw(st.integers(1, 3))):
        inner = [place for place in places(result) if place]
        if not inner:
            break
        *parents, last = draw(st.sampled_from(inner))
        box: Any = result
        for key in parents:
            box = box[key]
        change = draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "replace":
            box[last] = draw(json_values)
        elif change == "remove":
            del box[last]
        elif isinstance(box, dict):
            box[draw(text)] = draw(json_values)
    return result


results = st.one_of(json_objects, mutated_results())


def is_json(value: Any) -> bool:
    """Whether JSON can hold a value: hypothesis may draw infinities from the constants of the code."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True
