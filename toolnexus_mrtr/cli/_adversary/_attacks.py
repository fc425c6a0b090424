"""The trials of the hostile server that pause a call: attacks, and what can go wrong.

Keys, states and urls are ones that careless clients mishandle; every url that could be opened leads to a trap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolnexus_mrtr.cli._adversary._task_attacks import make_task_trials
from toolnexus_mrtr.cli._adversary._trials import ADA, Trial, make_form, make_link, make_pause, make_round

#: Text that a client may be tempted to trim, normalize, decode or escape in another way.
_AWKWARD_STATE: Final = ' \x00\u2028\u00e9e\u0301\U0001f600\\/+=%20&amp;"\t\n '
_AWKWARD_KEYS: Final = ("", "__proto__", "constructor", "a.b/c", "undefined", "resultType", "snake_case", "\u2028 ")


def make_trials(base: str) -> tuple[Trial, ...]:
    """Make the trials of a server at a base url, in the order of `tools/list`."""
    return (
        *_make_echo_trials(),
        *_make_answer_trials(),
        *_make_content_trials(),
        *_make_mode_trials(base),
        *_make_url_trials(base),
        *_make_schema_trials(base),
        *_make_malformed_trials(),
        *_make_ending_trials(),
        *make_task_trials(),
    )


def _make_echo_trials() -> Iterator[Trial]:
    who, answers = {"who": make_form("who")}, {"who": ADA}
    yield Trial("plain", make_round(), answers)
    arguments: dict[str, Any] = {"weight": 1.0, "note": None, "tags": [], "deep": {"empty": {}}, "text": ""}
    yield Trial("arguments", make_round(), answers, arguments=arguments)
    # One state that a client may trim or normalize, one that it may parse and one that it may truncate.
    states = (_AWKWARD_STATE, '{"a": 1.0, "b" : null}', "long " * 20_000)
    yield Trial("awkward_state", tuple(make_pause(who, state) for state in states), answers)
    yield Trial("half_surrogate", (make_pause(who, "a\ud800b"),), answers, "free")
    yield Trial("empty_state", (make_pause(who, ""),), answers)
    yield Trial("no_state", (make_pause(who),), answers)
    rounds = (
        make_pause({"first": make_form("first")}, "s-1"),
        make_pause({"second": make_form("second")}),
        make_pause(state="s-3"),
    )
    yield Trial("several_rounds", rounds, {"first": ADA, "second": {"action": "decline"}})
    disguised = {"_meta": {}, "content": [], "isError": False, **make_pause(who, "s-1")}
    yield Trial("disguised", (disguised,), answers)
    yield Trial("busy", tuple(make_pause(state=f"busy-{n}") for n in range(3)), {})


def _make_answer_trials() -> Iterator[Trial]:
    names = {key: {"action": "accept", "content": {"name": f"n-{place}"}} for place, key in enumerate(_AWKWARD_KEYS)}
    yield Trial("awkward_keys", (make_pause({key: make_form(key) for key in names}, "s-1"),), names)
    filled = {"type": "object", "properties": {"name": {"type": "string", "default": "Eve"}}}
    asked = {"no": make_form("no", filled), "away": make_form("away", filled)}
    yield Trial("refusals", (make_pause(asked, "s-1"),), {"no": {"action": "decline"}, "away": {"action": "cancel"}})


def _make_content_trials() -> Iterator[Trial]:
    nothing = {"type": "object", "properties": {}}
    yield Trial("nothing_to_fill", make_round("ok", nothing), {"ok": {"action": "accept", "content": {}}})
    content = {"name": "1", "size": 1.5, "count": 2, "sure": False, "tags": ["a"]}
    types = {"name": "string", "size": "number", "count": "integer", "sure": "boolean"}
    tags = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    kinds = {"type": "object", "properties": {name: {"type": kind} for name, kind in types.items()} | {"tags": tags}}
    yield Trial("values", make_round("all", kinds), {"all": {"action": "accept", "content": content}})
    unsendable = {"nested": {"first": "Ada"}, "null_value": None, "list_of_numbers": [1, 2]}
    for name, value in unsendable.items():
        yield Trial(name, make_round(), {"who": {"action": "accept", "content": {"name": value}}}, "free")


def _make_mode_trials(base: str) -> Iterator[Trial]:
    without_mode = make_form("who")
    del without_mode["params"]["mode"]
    yield Trial("mode_left_out", (make_pause({"who": without_mode}, "s-1"),), {"who": ADA})
    sure = {"type": "object", "properties": {"sure": {"type": "boolean", "default": True}}, "required": ["sure"]}
    yield Trial("nobody", make_round("sure", sure), {"sure": None}, "not accepted", "consent")
    for name, action in {"visit": "accept", "visit_declined": "decline"}.items():
        visit = make_pause({"visit": make_link("visit", f"{base}/trap/{name}")}, "s-1")
        yield Trial(name, (visit,), {"visit": {"action": action}}, mode="url")


def _make_url_trials(base: str) -> Iterator[Trial]:
    host = base.removeprefix("http://")
    unsafe = {
        "userinfo": f"http://good.example@{host}/trap/url_userinfo",
        "backslash": f"http://{host}\\@good.example/trap/url_backslash",
        "script": "javascript:alert(1)",
        "control": f"http://{host}/trap/url_control/\r\nX-Injected: 1",
    }
    for name, url in unsafe.items():
        asked = make_pause({"visit": make_link("visit", url)}, "s-1")
        yield Trial(f"url_{name}", (asked,), {"visit": {"action": "accept"}}, "not accepted", "url-unsafe", mode="url")


def _make_schema_trials(base: str) -> Iterator[Trial]:
    accepted = {"form": {"action": "accept", "content": {"a": "a" * 40 + "!"}}}
    foreign = {
        "foreign_ref": _make_schema({"$ref": f"{base}/trap/foreign_ref"}),
        "relative_ref": {"$id": f"{base}/trap/relative_ref/", **_make_schema({"$ref": "more"})},
    }
    for name, schema in foreign.items():
        yield Trial(name, make_round("form", schema), accepted, "free")
    doubled = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 2} for n in range(1, 31)}
    hostile = {
        "deep_schema": _make_schema(_make_deep_schema()),
        "slow_pattern": _make_schema({"pattern": "^(a+)+$"}),
        "doubled_refs": {"$defs": {"d0": {"type": "string"}, **doubled}, **_make_schema({"$ref": "#/$defs/d30"})},
        "circular_ref": {"$defs": {"d": {"$ref": "#/$defs/d"}}, **_make_schema({"$ref": "#/$defs/d"})},
    }
    for name, schema in hostile.items():
        yield Trial(name, make_round("form", schema), accepted, "soon")


def _make_schema(field: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **field}}}


def _make_deep_schema() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(150):
        schema = {"anyOf": [schema, {"type": "null"}]}
    return schema


def _make_malformed_trials() -> Iterator[Trial]:
    who, answers = {"who": make_form("who")}, {"who": ADA}
    malformed = {
        "pause_of_nothing": ("pause-of-nothing", make_pause()),
        "unknown_result_type": ("result-type", {**make_pause(who, "s-1"), "resultType": "com.example/later"}),
        "null_entry": ("malformed", make_pause({**who, "k": None}, "s-1")),
        "entry_without_method": ("malformed", make_pause({**who, "k": {"method": 5}}, "s-1")),
        "requests_in_a_list": ("malformed", make_pause([make_form("who")], "s-1")),
        "unknown_mode": ("malformed", make_pause({"who": make_form("who", mode="telepathy")}, "s-1")),
        "form_without_schema": ("malformed", make_pause({"who": make_form("who", requestedSchema=None)}, "s-1")),
        "complete_with_requests": ("complete", {**make_pause(who, "s-1"), "resultType": "complete", "content": []}),
        "requests_without_type": ("complete", {"inputRequests": who, "requestState": "s-1", "content": []}),
        "unknown_kind": ("malformed", make_pause({**who, "k": {"method": "com.example/approve"}}, "s-1")),
        # The server fills in a request that the call did not declare.
        "undeclared": ("undeclared", make_pause({}, "s-1")),
    }
    for name, (rule, result) in malformed.items():
        yield Trial(name, (result,), answers, "given up", rule)


def _make_ending_trials() -> Iterator[Trial]:
    yield Trial("endless", make_round(), {"who": ADA}, "bounded", "retry-bound")
    yield Trial("unpaused", (), {})


def make_undeclared_pause(capabilities: Mapping[str, Any]) -> dict[str, Any] | None:
    """Make a pause that asks for something that a call did not declare; `None` if it declared everything."""
    text = {"role": "user", "content": {"type": "text", "text": "Hello."}}
    params: dict[str, Any] = {"messages": [text], "maxTokens": 5}
    with_tools = params | {"tools": [{"name": "look_up", "inputSchema": {"type": "object"}}]}
    requests = {
        ("sampling",): {"method": "sampling/createMessage", "params": params},
        ("roots",): {"method": "roots/list"},
        ("elicitation", "url"): make_link("who", "https://good.example/"),
        ("sampling", "tools"): {"method": "sampling/createMessage", "params": with_tools},
    }
    for path, request in requests.items():
        declared: Any = capabilities
        for name in path:
            declared = declared.get(name) if isinstance(declared, dict) else None
        if declared is None:
            return make_pause({"who": request}, "s-1")
    return None
