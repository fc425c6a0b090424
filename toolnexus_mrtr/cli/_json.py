"""Parses JSON more strictly than Python and RFC 8259 do, and compares two JSON values.

Python takes NaN and Infinity, which are not JSON. RFC 8259 allows what is refused here too: a name that stands twice in
an object, nesting beyond 100 levels, numbers that overflow a float, and whole numbers of more than 4,300 digits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final, NoReturn

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._text import quote_short

#: How deep JSON may be nested: more than anybody needs, and little enough for Python to write it again.
_MAX_DEPTH: Final = 100


def parse_json(text: str) -> Any:
    """Parse one JSON value; raises `BadInput`."""
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_parse_float, object_pairs_hook=_build_object
        )
    except json.JSONDecodeError as error:
        raise BadInput(f"expected JSON, line {error.lineno} column {error.colno}: {error.msg}") from None
    except ValueError:
        raise BadInput("expected numbers that are not longer than 4,300 digits") from None
    except RecursionError:
        value = None
    else:
        if not _is_too_deep(value):
            return value
    raise BadInput(f"expected JSON that is nested at most {_MAX_DEPTH} levels deep")


def is_same_json(left: Any, right: Any, *, is_ordered: bool = False) -> bool:
    """Whether two values are the same JSON; 1, 1.0 and true differ, the order of members only where it `is_ordered`."""
    return json.dumps(left, sort_keys=not is_ordered) == json.dumps(right, sort_keys=not is_ordered)


def _refuse_constant(constant: str) -> NoReturn:
    raise BadInput(f"expected JSON, which has no {constant}")


def _parse_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadInput("expected numbers that a float can hold")
    return number


def _build_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; refuses a name that stands twice, since some parsers read the first and others the last."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise BadInput(f"expected each name once in an object, found {quote_short(name)} twice")
        members[name] = value
    return members


def _is_too_deep(value: Any) -> bool:
    containers = [value] if isinstance(value, dict | list) else []
    for _ in range(_MAX_DEPTH):
        items = chain.from_iterable(box.values() if isinstance(box, dict) else box for box in containers)
        containers = [item for item in items if isinstance(item, dict | list)]
    return bool(containers)
