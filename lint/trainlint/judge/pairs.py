# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Two edits at once: what is tried where no single one makes a job fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from trainlint.job import Job
from trainlint.judge.proposal import Proposal, both, from_rule
from trainlint.judge.rule import Rule
from trainlint.judge.scope import Scope

LARGEST = "facts.memory.largest_batch"


def pairs(job: Job, scope: Scope, rule: Rule) -> Iterator[list[Proposal]]:
    """Yield every two of a rule's candidates as one list of proposals, the cheapest two first.

    The first keeps its only value, or the smallest it has; the other's are ordered as they were.
    """
    wider = _any_batch(scope)
    found = [proposals for one in rule.fixes if (proposals := from_rule(job, wider, rule, one))]
    ranked = sorted(combinations(range(len(found)), 2), key=lambda pair: (sum(pair), pair))
    for first, second in ranked:
        if merged := _merged(found[first], found[second]):
            yield merged


def _merged(first: Sequence[Proposal], second: Sequence[Proposal]) -> list[Proposal]:
    """Combine two candidates; of two that have many values the first gives its last, the furthest one."""
    if len(second) == 1:
        merged = (both(each, second[0]) for each in first)
    else:
        merged = (both(first[-1], each) for each in second)
    return [one for one in merged if one is not None]


def _any_batch(scope: Scope) -> Scope:
    """See a job as if every batch up to its own fitted: with another edit more may fit than without."""
    values = dict(scope.values)
    if LARGEST in values and "spec.batch.per_replica" in values:
        values[LARGEST] = max(values[LARGEST], values["spec.batch.per_replica"] - 1)
    wider = replace(scope)
    wider.__dict__["values"] = values  # what cached_property keeps
    return wider
