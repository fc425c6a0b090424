"""What hypothesis draws from: any JSON value, and results of servers with something wrong in them."""

import copy
from typing import Any

from hypothesis import strategies as st

#: Text with what breaks codecs: lone surrogates, controls, pointer characters, words of the protocol.
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

_FORM = {"type": "object", "properties": {"n": {"type": "string"}, "i": {"type": "integer"}}, "required": ["n"]}

#: One well-formed result of every kind, to be broken.
RESULTS: list[dict[str, Any]] = [
    {
        "resultType": "input_required",
        "inputRequests": {
            "form": {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": _FORM}},
            "link": {
                "method": "elicitation/create",
                "params": {"mode": "url", "message": "m", "url": "https://a.example/x"},
            },
            "llm": {
                "method": "sampling/createMessage",
                "params": {"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 5},
            },
            "roots": {"method": "roots/list"},
            "other": {"method": "com.example/approve", "params": {"x": 1}},
            "flat": {"message": "m", "requestedSchema": _FORM},
        },
        "requestState": "s",
        "_meta": {},
    },
    {"resultType": "input_required", "requestState": "s"},
    {"resultType": "complete", "content": []},
]


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in _places(item, (*path, key)))]


@st.composite
def mutated_results(draw: st.DrawFn) -> dict[str, Any]:
    """A real result with some of its members replaced, removed or added."""
    result = copy.deepcopy(draw(st.sampled_from(RESULTS)))
    for _ in range(draw(st.integers(1, 3))):
        places = [place for place in _places(result) if place]
        if not places:
            break
        *parents, last = draw(st.sampled_from(places))
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
