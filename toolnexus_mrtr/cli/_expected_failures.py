"""Reads the file of `--expected-failures`: what is known to fail, each name with its reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from toolnexus_mrtr.cli._errors import BadInput
from toolnexus_mrtr.cli._input import prefix_errors_with, read_object
from toolnexus_mrtr.cli._text import quote_short


def load_reasons(path: str | None, known: Mapping[str, tuple[str, Collection[str]]]) -> dict[str, dict[str, str]]:
    """Load the lists of a file, each name with its reason; all lists are empty where there is no file.

    `known` says for each list what its names are, such as "id of any vector", and which of them there are; a file that
    has another list or another name is refused.
    """
    listed = {} if path is None else read_object(path)
    reasons = {name: listed.get(name, {}) for name in known}
    with prefix_errors_with(path or ""):
        if not listed.keys() <= known.keys() or not all(map(_has_reasons, reasons.values())):
            names = " and ".join([", ".join([*known][:-1]), [*known][-1]])
            raise BadInput(f"expected {names} to be objects, with a reason for every name, and nothing else")
        for name, (meaning, names_known) in known.items():
            for unknown in sorted(reasons[name].keys() - set(names_known)):
                raise BadInput(f"{quote_short(unknown)} is not the {meaning}")
    return reasons


def _has_reasons(reasons: Any) -> bool:
    return isinstance(reasons, dict) and all(isinstance(reason, str) and reason for reason in reasons.values())
