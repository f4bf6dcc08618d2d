# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Verdicts of rules that look at the config alone, or at the machine too: most hold for the next config."""

from __future__ import annotations

from collections import deque
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from trainlint.config.value_by_path import dig
from trainlint.judge.evaluate import evaluate
from trainlint.judge.rule import Rule
from trainlint.judge.rule_scope import Scope
from trainlint.model.finding import Finding, Skip
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target
from trainlint.postponed import Postponed

AT_HAND: Final = 4
"""Configs whose verdicts are kept: the file's own and an edited one that is tried, in two readings each."""

COMPARABLE_TYPES: Final = frozenset((str, int, bool, type(None)))
"""Types of which equal values are the same: of floats 0.0 and -0.0 are equal, and a list may hold such."""

Verdict = Finding | Skip | None


_Said = dict[int, tuple[Rule, Verdict]]
"""What rules said; each entry keeps its rule alive."""


class _Config(Struct, frozen=True):
    """A config as rules see it, with what they said of it: on whatever machine, and on each."""

    scope: Scope
    said: _Said
    on: dict[Target | None, _Said]

    def of(self, rule: Rule, target: Target | None) -> _Said:
        """Return where a rule's verdict is kept."""
        return self.said if rule.of_config else self.on.setdefault(target, {})


_KNOWN: Final = deque[_Config](maxlen=AT_HAND)


class Verdicts:
    """What rules say in one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        known = next(
            (known_verdicts for known_verdicts in _KNOWN if _is_same(known_verdicts.scope, scope)), None
        )
        self._near = _KNOWN[-1] if known is None and _KNOWN else None
        if known is None:
            known = _Config(scope, {}, {})
            _KNOWN.append(known)
        self._config = known

    def of(self, rule: Rule) -> Verdict:
        """Return what a rule says, which is known where another target or estimate asked for it."""
        if rule.reads_facts:
            return evaluate(rule, self._scope)
        verdicts = self._config.of(rule, self._scope.target)
        kept = verdicts.get(id(rule))
        if kept is None:
            verdict = None if self._passed_near(rule) else evaluate(rule, self._scope)
            kept = verdicts[id(rule)] = rule, verdict
        return kept[1]

    def _passed_near(self, rule: Rule) -> bool:
        """Return whether the config before held to a rule, and this one has the same of all that it reads.

        What a rule finds is worked out again: it has a place in the text.
        """
        near = self._near
        kept = None if near is None else near.of(rule, near.scope.target).get(id(rule))
        if near is None or kept is None or kept[1] is not None or near.scope.unknown != self._scope.unknown:
            return False
        return self._changed.isdisjoint(rule.reads) and all(
            _is_equal(_own(near.scope, name), _own(self._scope, name)) for name in rule.own_keys
        )

    @cached_property
    def _changed(self) -> set[str]:
        """The names that do not have the value which they had in the config before."""
        old = {} if self._near is None else self._near.scope.values
        new = self._scope.values
        return {
            name
            for name in old.keys() | new.keys()
            if name not in old or name not in new or not _is_equal(old[name], new[name])
        }


def _is_same(left: Scope, right: Scope) -> bool:
    """Return whether two scopes differ in their targets and facts alone."""
    return (
        left.document is right.document
        and (
            left.variant,
            left.start,
            left.trainer,
            left.looked,
            left.own_step,
            left.own_feed,
            left.own_networks,
        )
        == (
            right.variant,
            right.start,
            right.trainer,
            right.looked,
            right.own_step,
            right.own_feed,
            right.own_networks,
        )
        and (left.tests, left.unsound, left.unknown) == (right.tests, right.unsound, right.unknown)
        and _is_same_spec(left.spec, right.spec)
    )


def _is_same_spec(left: TrainSpec, right: TrainSpec) -> bool:
    old, new = left.fields, right.fields
    return old.keys() == new.keys() and all(_is_equal(value, new[name]) for name, value in old.items())


def _is_equal(left: Any, right: Any) -> bool:
    """Compare to the type: 1 and 1.0 are not the same here; to work a value out takes longer than a rule."""
    if left is right:
        return True
    if isinstance(left, Postponed) or isinstance(right, Postponed):
        return False
    return left == right and (
        (type(left) is type(right) and type(left) in COMPARABLE_TYPES) or repr(left) == repr(right)
    )


def _own(scope: Scope, name: str) -> Any:
    """Return the value of one of the config's own keys, a marker where it has no such key."""
    return dig(scope.document.value, tuple(name.split(".")[1:]))
