"""What the hostile server plays, one tool each: the pauses, what the host does about them, and what may come of it.

Keys, states and urls are made to be got wrong; every url that could be opened leads to a trap on loopback.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

_ADA: Final = {"action": "accept", "content": {"name": "Ada"}}
_NAME: Final = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}

#: Members of every length that a client is tempted to tidy up, to decode or to escape in another way.
_AWKWARD_STATE: Final = ' \x00\u2028\u00e9e\u0301\U0001f600\\/+=%20&amp;"\t\n '
_AWKWARD_KEYS: Final = ("", "__proto__", "constructor", "a.b/c", "undefined", "resultType", "snake_case", "\u2028 ")

#: What may come of a trial: every pause is answered as the host says; it is answered or given up; it is answered or
#: given up soon; it is not accepted; it is given up; it is given up sooner or later.
Outcome: TypeAlias = Literal["answered", "free", "soon", "not accepted", "given up", "bounded"]


class Trial(NamedTuple):
    """One tool: the results that it pauses with, and the answers that its host gives, `None` where there is nobody."""

    name: str
    rounds: tuple[dict[str, Any], ...]
    host: Mapping[str, dict[str, Any] | None]
    outcome: Outcome = "answered"
    rule: str = ""
    arguments: Mapping[str, Any] = {}
    mode: str = "form"

    @property
    def has_trap(self) -> bool:
        """Whether a url of it leads to a trap, which is named as the trial."""
        return "/trap/" in json.dumps(self.rounds)

    def tool(self) -> dict[str, Any]:
        """The tool as `tools/list` has it."""
        return {
            "name": self.name,
            "description": " ".join(self._said()),
            "inputSchema": {"type": "object"},
            "_meta": {"arguments": self.arguments, "host": self.host},
        }

    def _said(self) -> Iterator[str]:
        yield f"Call once, with the arguments {json.dumps(self.arguments)}."
        for key, answer in self.host.items():
            if answer is None:
                yield f"For {json.dumps(key)} there is nobody to ask: run without a user."
            elif "content" in answer:
                yield f"For {json.dumps(key)} the user accepts with {json.dumps(answer['content'])}."
            else:
                yield f"For {json.dumps(key)} the user chooses {answer['action']}."


def _question(key: str) -> str:
    """Say which key a request belongs to, for hosts that see no keys."""
    return f"What is {json.dumps(key, ensure_ascii=False)}?"


def form(key: str, schema: Mapping[str, Any] = _NAME, **more: Any) -> dict[str, Any]:
    """Ask for a form."""
    params = {"mode": "form", "message": _question(key), "requestedSchema": schema, **more}
    return {"method": "elicitation/create", "params": params}


def _link(key: str, url: str) -> dict[str, Any]:
    params = {"mode": "url", "message": _question(key), "url": url}
    return {"method": "elicitation/create", "params": params}


def paused(asked: Any = None, state: str | None = None) -> dict[str, Any]:
    """Make a pause of what is there."""
    result: dict[str, Any] = {"resultType": "input_required"}
    if asked is not None:
        result["inputRequests"] = asked
    if state is not None:
        result["requestState"] = state
    return result


def trials(base: str) -> tuple[Trial, ...]:
    """Give every trial of a server at a base url, in the order in which they are listed."""
    return (
        *_echoes(),
        *_answers(),
        *_contents(),
        *_modes(base),
        *_urls(base),
        *_schemas(base),
        *_broken(),
        *_endings(),
    )


def _echoes() -> Iterator[Trial]:
    who, host = {"who": form("who")}, {"who": _ADA}
    yield Trial("plain", (paused(who, "s-1"),), host)
    yield Trial(
        "arguments",
        (paused(who, "s-1"),),
        host,
        arguments={"weight": 1.0, "note": None, "tags": [], "deep": {"empty": {}}, "text": ""},
    )
    # A state that may be tidied up, one that may be parsed and one that may be cut short.
    states = (_AWKWARD_STATE, '{"a": 1.0, "b" : null}', "long " * 20_000)
    yield Trial("awkward_state", tuple(paused(who, state) for state in states), host)
    yield Trial("half_surrogate", (paused(who, "a\ud800b"),), host, "free")
    yield Trial("empty_state", (paused(who, ""),), host)
    yield Trial("no_state", (paused(who),), host)
    rounds = (paused({"first": form("first")}, "s-1"), paused({"second": form("second")}), paused(state="s-3"))
    yield Trial("several_rounds", rounds, {"first": _ADA, "second": {"action": "decline"}})
    disguised = {"_meta": {}, "content": [], "isError": False, **paused(who, "s-1")}
    yield Trial("disguised", (disguised,), host)
    yield Trial("busy", tuple(paused(state=f"busy-{n}") for n in range(3)), {})


def _answers() -> Iterator[Trial]:
    names = {key: {"action": "accept", "content": {"name": f"n-{place}"}} for place, key in enumerate(_AWKWARD_KEYS)}
    yield Trial("awkward_keys", (paused({key: form(key) for key in names}, "s-1"),), names)
    filled = {"type": "object", "properties": {"name": {"type": "string", "default": "Eve"}}}
    asked = {"no": form("no", filled), "away": form("away", filled)}
    yield Trial("refusals", (paused(asked, "s-1"),), {"no": {"action": "decline"}, "away": {"action": "cancel"}})


def _contents() -> Iterator[Trial]:
    nothing = {"type": "object", "properties": {}}
    yield Trial(
        "nothing_to_fill", (paused({"ok": form("ok", nothing)}, "s-1"),), {"ok": {"action": "accept", "content": {}}}
    )
    content = {"name": "1", "size": 1.5, "count": 2, "sure": False, "tags": ["a"]}
    types = {"name": "string", "size": "number", "count": "integer", "sure": "boolean"}
    tags = {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    kinds = {"type": "object", "properties": {name: {"type": kind} for name, kind in types.items()} | {"tags": tags}}
    yield Trial(
        "values", (paused({"all": form("all", kinds)}, "s-1"),), {"all": {"action": "accept", "content": content}}
    )
    unsendable = {"nested": {"first": "Ada"}, "null_value": None, "list_of_numbers": [1, 2]}
    for name, value in unsendable.items():
        yield Trial(
            name,
            (paused({"who": form("who")}, "s-1"),),
            {"who": {"action": "accept", "content": {"name": value}}},
            "free",
        )


def _modes(base: str) -> Iterator[Trial]:
    without_mode = form("who")
    del without_mode["params"]["mode"]
    yield Trial("mode_left_out", (paused({"who": without_mode}, "s-1"),), {"who": _ADA})
    sure = {"type": "object", "properties": {"sure": {"type": "boolean", "default": True}}, "required": ["sure"]}
    yield Trial("nobody", (paused({"sure": form("sure", sure)}, "s-1"),), {"sure": None}, "not accepted", "nobody")
    visit = paused({"visit": _link("visit", f"{base}/trap/visit")}, "s-1")
    yield Trial("visit", (visit,), {"visit": {"action": "accept"}}, rule="url-fetched", mode="url")


def _urls(base: str) -> Iterator[Trial]:
    host = base.removeprefix("http://")
    unsafe = {
        "userinfo": f"http://good.example@{host}/trap/url_userinfo",
        "backslash": f"http://{host}\\@good.example/trap/url_backslash",
        "script": "javascript:alert(1)",
        "control": f"http://{host}/trap/url_control/\r\nX-Injected: 1",
    }
    for name, url in unsafe.items():
        asked = paused({"visit": _link("visit", url)}, "s-1")
        yield Trial(f"url_{name}", (asked,), {"visit": {"action": "accept"}}, "not accepted", "url-unsafe", mode="url")


def _schemas(base: str) -> Iterator[Trial]:
    accepted = {"form": {"action": "accept", "content": {"a": "a" * 40 + "!"}}}
    foreign = {
        "foreign_ref": _of({"$ref": f"{base}/trap/foreign_ref"}),
        "relative_ref": {"$id": f"{base}/trap/relative_ref/", **_of({"$ref": "more"})},
    }
    for name, schema in foreign.items():
        yield Trial(name, (paused({"form": form("form", schema)}, "s-1"),), accepted, "free", "ref-fetched")
    doubled = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n - 1}"}] * 2} for n in range(1, 31)}
    hostile = {
        "deep_schema": _of(_deep()),
        "slow_pattern": _of({"pattern": "^(a+)+$"}),
        "doubled_refs": {"$defs": {"d0": {"type": "string"}, **doubled}, **_of({"$ref": "#/$defs/d30"})},
        "circular_ref": {"$defs": {"d": {"$ref": "#/$defs/d"}}, **_of({"$ref": "#/$defs/d"})},
    }
    for name, schema in hostile.items():
        yield Trial(name, (paused({"form": form("form", schema)}, "s-1"),), accepted, "soon", "schema-slow")


def _of(field: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "string", **field}}}


def _deep() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(150):
        schema = {"anyOf": [schema, {"type": "null"}]}
    return schema


def _broken() -> Iterator[Trial]:
    who, host = {"who": form("who")}, {"who": _ADA}
    broken = {
        "pause_of_nothing": ("pause-of-nothing", paused()),
        "unknown_result_type": ("result-type", {**paused(who, "s-1"), "resultType": "com.example/later"}),
        "null_entry": ("malformed", paused({**who, "k": None}, "s-1")),
        "entry_without_method": ("malformed", paused({**who, "k": {"method": 5}}, "s-1")),
        "requests_in_a_list": ("malformed", paused([form("who")], "s-1")),
        "unknown_mode": ("malformed", paused({"who": form("who", mode="telepathy")}, "s-1")),
        "form_without_schema": ("malformed", paused({"who": form("who", requestedSchema=None)}, "s-1")),
        "complete_with_requests": ("complete", {**paused(who, "s-1"), "resultType": "complete", "content": []}),
        "requests_without_type": ("complete", {"inputRequests": who, "requestState": "s-1", "content": []}),
        # What is asked depends on what the client declares.
        "undeclared": ("undeclared", paused({}, "s-1")),
    }
    for name, (rule, result) in broken.items():
        yield Trial(name, (result,), host, "given up", rule)


def _endings() -> Iterator[Trial]:
    who = paused({"who": form("who")}, "s-1")
    yield Trial("endless", (who,), {"who": _ADA}, "bounded", "retry-bound")
    yield Trial("unpaused", (), {})


def undeclared(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for what a client did not declare; nobody declares a method that does not exist."""
    said = {"role": "user", "content": {"type": "text", "text": "Hello."}}
    asked: dict[str, Any] = {"method": "com.example/approve", "params": {}}
    if "roots" not in capabilities:
        asked = {"method": "roots/list"}
    if "sampling" not in capabilities:
        asked = {"method": "sampling/createMessage", "params": {"messages": [said], "maxTokens": 5}}
    return paused({"who": asked}, "s-1")
