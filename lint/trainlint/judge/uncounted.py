# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a verdict on memory is worth where a term of it is not counted (docs/architecture.md, the law)."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.estimate.facts import Uncounted
from trainlint.judge.finding import Finding, Level, Skip
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope

FAMILY = "memory"
"""The family of facts that terms are missing from."""

EFFECTS = {"more": "adds memory", "less": "saves memory", "unknown": "may add memory or save it"}
"""A term's direction in words."""


def weighed(rule: Rule, scope: Scope, verdict: Finding | None) -> Finding | Skip | None:
    """Return a rule's verdict, or a Skip where a term that is not counted could turn it.

    A term that can only add leaves a finding as it is and takes a pass back; any other takes both back.
    """
    memory = scope.facts.memory if scope.facts is not None else None
    if memory is None or FAMILY not in rule.families or not memory.uncounted:
        return verdict
    turning = [term for term in memory.uncounted if term.direction != "more"]
    if turning:
        return Skip(rule.name, reason(turning))
    if verdict is None and rule.level is Level.FAIL:
        return Skip(rule.name, reason(memory.uncounted))
    return verdict


def reason(terms: Sequence[Uncounted]) -> str:
    """Say why memory is not judged: "torch.compile is not counted and may add memory or save it"."""
    return "; ".join(f"{term.what} is not counted and {EFFECTS[term.direction]}" for term in terms)
