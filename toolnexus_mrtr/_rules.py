"""What keeps a server's result from being read, each rule spelled once, walked in document order. Changes nothing.

`_gates` adds the rules that need to know the call, `_form_rules` those of forms, `_lint` what a reader lets pass. What
ends in `_faults` lists errors, what ends in `_findings` warnings too.

A strict walk holds a result to the protocol. A lenient one reads elicitations alone, as Juneau's client does: it asks
that what is there has the right type, and takes null for absent except where that would hide a `mode` or a `message`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from toolnexus_mrtr._errors import pointer
from toolnexus_mrtr._findings import ELICITATION, MRTR, ROOTS, SAFE_URLS, SAMPLING, Finding, error, wrong_type
from toolnexus_mrtr._text import json_type, quoted
from toolnexus_mrtr._types import ELICIT, LIST_ROOTS, SAMPLE
from toolnexus_mrtr._urls import inspect_url


def request_faults(raw: Mapping[str, Any], *, strict: bool) -> Iterator[Finding]:
    """What keeps the `inputRequests` of a result from being read."""
    entries = raw.get("inputRequests")
    if isinstance(entries, Mapping):
        for key, entry in entries.items():
            if isinstance(key, str):
                yield from entry_faults(entry, pointer("inputRequests", key), strict=strict)
            else:
                yield wrong_type("names that are strings", key, "/inputRequests", MRTR)
    elif entries is not None:
        yield wrong_type("an object", entries, "/inputRequests", MRTR)


def state_faults(raw: Mapping[str, Any]) -> Iterator[Finding]:
    """What keeps the `requestState` of a result from being read."""
    state = raw.get("requestState")
    if state is not None and not isinstance(state, str):
        yield wrong_type("a string", state, "/requestState", MRTR)


def entry_faults(entry: Any, at: str = "", *, strict: bool) -> Iterator[Finding]:
    """What keeps one entry of `inputRequests` from being read, or from being shown to anybody."""
    yield from shape_faults(entry, at, strict=strict)
    yield from url_faults(entry, at)


def shape_faults(entry: Any, at: str, *, strict: bool) -> Iterator[Finding]:
    """What is missing or mistyped in one entry."""
    if entry is None and not strict:
        return
    if not isinstance(entry, Mapping):
        yield wrong_type("an object", entry, at, MRTR)
    elif is_flat(entry):
        yield from _elicitation_faults(entry, at, strict=strict)
    elif strict or "method" in entry:
        yield from _member_faults(entry, "method", "a string", at, MRTR)
        yield from _params_faults(entry, at, strict=strict)


def is_flat(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is an elicitation without its envelope, as Juneau's servers write them."""
    return "method" not in entry and "params" not in entry


def elicitation_params(entry: Any) -> tuple[Mapping[str, Any], str]:
    """The params of an entry, and the pointer to them from the entry; none where it is no elicitation."""
    if isinstance(entry, Mapping):
        if is_flat(entry):
            return entry, ""
        params = entry.get("params")
        if entry.get("method") == ELICIT and isinstance(params, Mapping):
            return params, "/params"
    return {}, ""


def url_faults(entry: Any, at: str) -> Iterator[Finding]:
    """The url that one entry would send a person to is one that nobody should be sent to."""
    params, inside = elicitation_params(entry)
    url = params.get("url")
    if params.get("mode") == "url" and isinstance(url, str) and (refusal := inspect_url(url).refusal):
        message = f"expected a url that a person can safely be shown, this one is refused ({refusal})"
        yield error("unsafe_url", message, f"{at}{inside}/url", SAFE_URLS)


def _params_faults(entry: Mapping[str, Any], at: str, *, strict: bool) -> Iterator[Finding]:
    method, params = entry.get("method"), entry.get("params")
    if method == ELICIT:
        yield from _member_faults(entry, "params", "an object", at, ELICITATION, needed=strict)
        if isinstance(params, Mapping):
            yield from _elicitation_faults(params, at + "/params", strict=strict)
    elif strict and method == SAMPLE:
        yield from _member_faults(entry, "params", "an object", at, SAMPLING)
        if isinstance(params, Mapping):
            yield from _sampling_faults(params, at + "/params")
    elif strict and method == LIST_ROOTS and "params" in entry:
        yield from _member_faults(entry, "params", "an object", at, ROOTS)


def _elicitation_faults(params: Mapping[str, Any], at: str, *, strict: bool) -> Iterator[Finding]:
    # Without a mode it is a form, whatever else stands there (elic, "Elicitation Requests").
    mode = params.get("mode", "form")
    if not isinstance(mode, str) or (strict and mode not in ("form", "url")):
        found = quoted(mode) if isinstance(mode, str) else json_type(mode)
        yield error("unknown_mode", f"expected the mode 'form' or 'url', found {found}", at + "/mode", ELICITATION)
    if strict or "message" in params:
        yield from _member_faults(params, "message", "a string", at, ELICITATION)
    if mode == "url":
        yield from _member_faults(params, "url", "a string", at, ELICITATION, needed=strict)
    is_form = strict and mode == "form"
    yield from _member_faults(params, "requestedSchema", "an object", at, ELICITATION, needed=is_form)
    if mode != "url":
        yield from _member_faults(params, "url", "a string", at, ELICITATION, needed=False)


def _sampling_faults(params: Mapping[str, Any], at: str) -> Iterator[Finding]:
    yield from _member_faults(params, "messages", "an array", at, SAMPLING)
    yield from _member_faults(params, "maxTokens", "a number", at, SAMPLING)


def _member_faults(
    params: Mapping[str, Any], name: str, expected: str, at: str, spec: str, *, needed: bool = True
) -> Iterator[Finding]:
    """One member has its type; where it is not needed, absent and null will do."""
    value = params.get(name, UNSET if needed else None)
    if value is UNSET:
        yield error("missing_member", f"expected a member {name!r}", f"{at}/{name}", spec)
    elif json_type(value) != expected and (needed or value is not None):
        yield wrong_type(expected, value, f"{at}/{name}", spec)
