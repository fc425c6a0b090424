"""Gathers what the checks found, and gives the verdict on each rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from toolnexus_mrtr.cli._adversary._grading import Check
from toolnexus_mrtr.cli._adversary._rules import RULES, SHOWN_WHEN_PASSED, Rule

#: How many sentences on one rule are kept, and how many of its breaches the report shows.
_MAX_KEPT: Final = 100
_MAX_SHOWN: Final = 5


class Verdict(NamedTuple):
    """The verdict on one rule, and the sentences about the checks behind it."""

    rule: Rule
    verdict: str
    sentences: tuple[str, ...]


class Findings:
    """What the checks have found, by rule; little is kept, however many there are."""

    def __init__(self) -> None:
        #: Under each rule the sentences of the checks that it passed, and of those that found it broken.
        self._kept: dict[str, dict[str, None]] = {}
        self._broken: dict[str, dict[str, None]] = {}

    def add(self, checks: Iterable[Check]) -> None:
        """Add what some checks have found."""
        for check in checks:
            sentences = (self._kept if check.is_kept else self._broken).setdefault(check.rule, {})
            if len(sentences) < _MAX_KEPT:
                sentences[check.sentence] = None

    def excuse(self, rule: str) -> None:
        """Take what broke a rule for what kept it."""
        if rule in self._broken:
            self._kept.setdefault(rule, {}).update(self._broken.pop(rule))

    def judge(self, undeclared: Collection[str]) -> list[Verdict]:
        """Give the verdict on every rule; `undeclared` are the modes that some call did not declare."""
        return [self._judge(rule, undeclared) for rule in RULES.values()]

    def _judge(self, rule: Rule, undeclared: Collection[str]) -> Verdict:
        if broken := [*self._broken.get(rule.id, ())]:
            more = len(broken) - _MAX_SHOWN
            sentences = broken[:_MAX_SHOWN] + ([f"and {more} more"] if more > 0 else [])
            return Verdict(rule, "failed" if rule.level == "must" else "warned", tuple(sentences))
        if rule.id in self._kept:
            return Verdict(rule, "passed", tuple(self._kept[rule.id] if rule.id in SHOWN_WHEN_PASSED else ()))
        return Verdict(rule, "not declared" if rule.mode in undeclared else "not exercised", ())
