# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a verdict is worth where a term of memory or time is not counted (docs/architecture.md, the law)."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.judge.rule import Rule
from trainlint.judge.rule_scope import Scope
from trainlint.model.facts import Disk, Facts, Uncounted
from trainlint.model.finding import Finding, Level, Skip

FAMILY = "memory"
"""The family of facts that terms are missing from."""

SLOW_END_FACT = "facts.time.hours_high"
"""What a rule asks for that passes a run because of its slow end."""

DISK_TOTAL = "facts.disk.total"
UNKNOWN_LOG_SIZE = "how much the run's logs take of the little room that its checkpoints leave is not known"


def weighed(rule: Rule, scope: Scope, verdict: Finding | None) -> Finding | Skip | None:
    """Return a rule's verdict, or a Skip where a term that is not counted could turn it.

    A term that can only add leaves a finding as it is and takes a pass back; one that is known to save memory
    leaves a pass as it is and takes a finding back. Any other takes both back.
    """
    if verdict is None and (untimed := _untimed(rule, scope)) is not None:
        return Skip(rule.name, untimed)
    if verdict is None and DISK_TOTAL in rule.requires and scope.facts is not None:
        full = may_be_full(scope.facts.disk, scope.values.get("target.disk"))
        if full is not None:
            return Skip(rule.name, full)
    turning = turning_terms(terms_of(rule, scope.facts), has_found=verdict is not None, rule=rule)
    return Skip(rule.name, reason(turning)) if turning else verdict


def turning_terms(terms: Sequence[Uncounted], *, has_found: bool, rule: Rule) -> list[Uncounted]:
    """Return the terms that could turn a rule's verdict: it has found something, or nothing."""
    if has_found:
        return [term for term in terms if term.direction != "more"]
    either = [term for term in terms if term.direction != "more" and not term.bound]
    return either or ([term for term in terms if not term.bound] if rule.level is Level.FAIL else [])


def _untimed(rule: Rule, scope: Scope) -> str | None:
    """Return why a run that is within its session as far as it is known may be longer."""
    time = scope.facts.time if scope.facts is not None else None
    if time is None or time.untimed is None or time.total_hours is None or SLOW_END_FACT not in rule.requires:
        return None
    budget = scope.values.get("target.session_budget_h")
    return time.untimed if budget is not None and time.total_hours[0] <= budget else None


def may_be_full(kept: Disk | None, limit: int | None) -> str | None:
    """Return why a disk on which a run seems to fit may be full before it ends; None: it is not."""
    if kept is None or limit is None:
        return None
    if kept.most > limit:
        return kept.why
    return UNKNOWN_LOG_SIZE if kept.logs is not None and kept.most + kept.logs[1] > limit else None


def terms_of(rule: Rule, facts: Facts | None) -> list[Uncounted]:
    """Return the terms that a rule's verdict leaves out; none of a rule that is not about memory."""
    if facts is None or facts.memory is None or FAMILY not in rule.families:
        return []
    return [term for term in facts.memory.uncounted if not term.only or _is_of(rule, term.only)]


def _is_of(rule: Rule, step: str) -> bool:
    """Return whether a rule is about one step of the job alone."""
    return any(name.startswith(f"facts.{FAMILY}.{step}.") for name in rule.requires)


def reason(terms: Sequence[Uncounted]) -> str:
    """Say why memory is not judged: "torch.compile is not counted and may add memory or save it"."""
    return "; ".join(term.words for term in terms)
