"""Reads the arguments that answer a key: `KEY`, `KEY.FIELD=VALUE` and `KEY=VALUE`.

Keys and fields may hold dots and equals signs too. Whatever can be read in two ways is refused: to guess could accept
what nobody meant. What was typed may be an answer, and no message repeats it; the keys and the fields that a message
names are the server's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from toolnexus_mrtr import ElicitRequest, Form, InputRequest, MrtrError
from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import build_form, read_argument, require_decoded
from toolnexus_mrtr.cli._text import describe_request, list_names, name_argument, quote_short

#: The forms by key; in place of a form, the error where it cannot be checked. What is no form is not in it.
Forms: TypeAlias = dict[str, Form | MrtrError]


class Argument(NamedTuple):
    """One argument of an option: how messages name it, and what was typed."""

    name: str
    text: str


class Assignment(NamedTuple):
    """What one argument says: the key, the field of its form if any, and the value."""

    key: str
    field: str | None
    value: str

    def __str__(self) -> str:
        key = quote_short(self.key)
        return key if self.field is None else f"the field {quote_short(self.field)} of {key}"


def build_forms(requests: Mapping[str, InputRequest]) -> Forms:
    """Build the form of each request that asks for one."""
    return {
        key: build_form(request)
        for key, request in requests.items()
        if isinstance(request, ElicitRequest) and request.mode != "url"
    }


def list_arguments(option: str, texts: Sequence[str]) -> list[Argument]:
    """List the arguments of an option; messages name them by their number where there are several."""
    return [Argument(name_argument(option, place, texts), text) for place, text in enumerate(texts)]


def read_keys(arguments: Iterable[Argument], keys: Collection[str]) -> Iterator[str]:
    """Read the arguments of an option that takes a key alone."""
    for name, text in arguments:
        if text not in keys:
            raise BadInput(f"{name}: expected a key that is asked, {_list(keys)}")
        yield text


def read_accepted(
    arguments: Iterable[Argument], requests: Mapping[str, InputRequest], forms: Forms
) -> list[Assignment]:
    """Read the arguments of `--accept`: `KEY`, or `KEY.FIELD=VALUE` for a form."""
    assignments = []
    for name, text in arguments:
        readings = [reading for key in requests for reading in _read_accept(text, key, forms.get(key))]
        if not readings:
            raise BadInput(f"{name}: {_say_what_accept_expects(text, requests, forms)}")
        assignments.append(_require_one(name, readings))
    return assignments


def read_values(arguments: Iterable[Argument], keys: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the arguments of an option that takes `KEY=VALUE`, where VALUE is a JSON object or `@FILE`."""
    for name, text in arguments:
        found = [key for key in keys if text.startswith((f"{key}={{", f"{key}=@"))]
        readings = [Assignment(key, None, text[len(key) + 1 :]) for key in found]
        if not readings:
            raise BadInput(f"{name}: expected KEY={{...}} or KEY=@FILE, with a key that is asked, {_list(keys)}")
        key, _, value = _require_one(name, readings)
        yield key, read_argument(value, f"{name}, {quote_short(key)}")


def _read_accept(text: str, key: str, form: Form | MrtrError | None) -> Iterator[Assignment]:
    if text == key:
        yield Assignment(key, None, "")
    if isinstance(form, Form) and text.startswith(key + "."):
        for field in form.fields:
            if text.startswith(f"{key}.{field.name}="):
                yield Assignment(key, field.name, text[len(key) + len(field.name) + 2 :])


def _require_one(name: str, readings: list[Assignment]) -> Assignment:
    if len(readings) > 1:
        both = " and as ".join(map(str, readings[:2]))
        raise BadInput(f"{name}: expected what can be read in one way, this can be read as {both}; try --json")
    require_decoded(readings[0].value, f"{name}, {readings[0]}")
    return readings[0]


def _say_what_accept_expects(text: str, requests: Mapping[str, InputRequest], forms: Forms) -> str:
    """Say what was expected of a text that names no field: by the longest key that it begins with, if any."""
    keys = [key for key in requests if text.startswith(key + ".") and "=" in text[len(key) :]]
    if not keys:
        return f"expected KEY, or KEY.FIELD=VALUE for a form, with a key that is asked, {_list(requests)}"
    key = max(keys, key=len)
    form = forms.get(key)
    if form is None:
        return f"expected KEY alone, or --json: {quote_short(key)} asks for {describe_request(requests[key])}"
    if isinstance(form, MrtrError):
        return f"{quote_short(key)} can only be declined or cancelled, it cannot be checked: {form}"
    return f"expected a field of {quote_short(key)}: {list_names([field.name for field in form.fields])}"


def _list(keys: Collection[str]) -> str:
    return f"one of {list_names(keys)}" if keys else "and nothing is asked"
