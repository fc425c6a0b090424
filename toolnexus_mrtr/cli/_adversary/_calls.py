"""One call of a tool as the hostile server sees it: which send is a retry of which call, and what a retry changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolnexus_mrtr.cli._adversary._grading import Check, check_retry, make_digest, select_call_params
from toolnexus_mrtr.cli._adversary._trials import Trial


class PlayedCall:
    """One call of a tool, from its first send on; it keeps digests of what the client sent, which may be large."""

    def __init__(self, trial: Trial, id: Any, params: Mapping[str, Any]) -> None:
        self.trial: Final = trial
        self.retries = 0
        self.is_completed = False
        self._params = make_digest(select_call_params(params))
        self._ids = {make_digest(id)}
        self._responses: dict[bytes, dict[str, Any]] = {}

    def check_retry(self, id: Any, params: Mapping[str, Any]) -> list[Check]:
        """Check a send as the next retry of this call."""
        if self.trial.outcome == "given up":
            return []
        number = self.retries + 1
        place = f"{self.trial.name}, retry {number}"
        is_same = make_digest(select_call_params(params)) == self._params
        return [
            *check_retry(self.trial, number, params),
            Check("params-changed", is_same, f"{place}: expected the same params as at first"),
            Check("id-reused", make_digest(id) not in self._ids, f"{place}: expected another id than those before"),
        ]

    def add_retry(self, id: Any) -> None:
        """Count a retry of this call."""
        self.retries += 1
        self._ids.add(make_digest(id))

    def keep_response(self, params: Mapping[str, Any], response: dict[str, Any]) -> None:
        """Keep the response to a retry, for when it is sent again."""
        self._responses[make_digest(params)] = response

    def find_response(self, params: Mapping[str, Any]) -> dict[str, Any] | None:
        """Find the response to a retry that was sent before: a client may send it again if the response was lost."""
        return None if self.trial.outcome == "bounded" else self._responses.get(make_digest(params))


def find_call(calls: Iterable[PlayedCall], id: Any, params: Mapping[str, Any]) -> tuple[PlayedCall | None, list[Check]]:
    """Find the call that a retry belongs to, and check the retry; of several open calls it is the best fit."""
    fits = [(call, call.check_retry(id, params)) for call in calls if not call.is_completed]
    return min(fits, key=lambda fit: count_breaches(fit[1]), default=(None, []))


def count_breaches(checks: Iterable[Check]) -> int:
    """Count the checks that found their rule broken."""
    return sum(not check.is_kept for check in checks)
