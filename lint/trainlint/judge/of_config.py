# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Verdicts of rules that look at the config alone: they hold on whatever machine."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from trainlint.judge.evaluate import evaluate
from trainlint.judge.finding import Finding, Skip
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope
from trainlint.spec import TrainSpec

AT_HAND: Final = 4
"""Configs whose verdicts are kept: the file's own and an edited one that is tried, in two readings each."""

Verdict = Finding | Skip | None


class _Config(NamedTuple):
    """A config as rules see it, with what they said of it; each entry keeps its rule alive."""

    scope: Scope
    verdicts: dict[int, tuple[Rule, Verdict]]


_KNOWN: Final = deque[_Config](maxlen=AT_HAND)


class Verdicts:
    """What rules say in one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        known = next((each.verdicts for each in _KNOWN if _is_same(each.scope, scope)), None)
        if known is None:
            known = {}
            _KNOWN.append(_Config(scope, known))
        self._known = known

    def of(self, rule: Rule) -> Verdict:
        """Return what a rule says, which is known where another target or estimate asked for it."""
        if not rule.of_config:
            return evaluate(rule, self._scope)
        found = self._known.get(id(rule))
        if found is None:
            found = self._known[id(rule)] = rule, evaluate(rule, self._scope)
        return found[1]


def _is_same(one: Scope, other: Scope) -> bool:
    """Return whether two scopes differ in their targets and facts alone."""
    return (
        one.document is other.document
        and (one.variant, one.start, one.trainer, one.looked, one.own_step, one.own_networks)
        == (other.variant, other.start, other.trainer, other.looked, other.own_step, other.own_networks)
        and (one.tests, one.unsound) == (other.tests, other.unsound)
        and _is_same_spec(one.spec, other.spec)
    )


def _is_same_spec(one: TrainSpec, other: TrainSpec) -> bool:
    """Compare to the type: 1 and 1.0 are not the same here."""
    old, new = one.fields, other.fields
    return old.keys() == new.keys() and all(
        value is new[name] or (value == new[name] and repr(value) == repr(new[name]))
        for name, value in old.items()
    )
