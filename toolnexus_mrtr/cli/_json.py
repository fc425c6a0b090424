"""JSON as RFC 8259 has it, which Python's own parser takes less strictly."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NoReturn

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._text import cited

#: How deep the JSON may be nested: beyond every use, and well within what Python can write again.
_DEPTH: Final = 100


def parse(text: str) -> Any:
    """Read one JSON value."""
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_members)
    except json.JSONDecodeError as error:
        raise BadInput(f"expected JSON, line {error.lineno} column {error.colno}: {error.msg}") from None
    except ValueError:
        raise BadInput("expected numbers that are not longer than 4,300 digits") from None
    except RecursionError:
        value = None
    else:
        if not _too_deep(value):
            return value
    raise BadInput(f"expected JSON that is nested at most {_DEPTH} levels deep")


def _refuse(constant: str) -> NoReturn:
    raise BadInput(f"expected JSON, which has no {constant}")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadInput("expected numbers that a float can hold")
    return number


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a member that stands twice: who reads the first is asked something else than who reads the last."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise BadInput(f"expected every member of an object once, {cited(name)} stands there twice")
        members[name] = value
    return members


def _too_deep(value: Any) -> bool:
    boxes = [value] if isinstance(value, dict | list) else []
    for _ in range(_DEPTH):
        items = chain.from_iterable(box.values() if isinstance(box, dict) else box for box in boxes)
        boxes = [item for item in items if isinstance(item, dict | list)]
    return bool(boxes)
