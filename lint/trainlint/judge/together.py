# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One set of edits for two findings: what is offered first where neither training nor validation fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, islice, product

from msgspec.structs import replace

from trainlint.judge.finding import Finding, Fix, Level
from trainlint.judge.rule import Rule
from trainlint.judge.saving import MEMORY, workload_of

Attempt = Callable[[Finding, Finding, Fix, Fix], Fix | None]
"""Judge the edits of two findings' fixes as one; None where not both are gone, or something new came."""

SETS = 6
"""Sets that are tried for two findings, the cheapest first."""


def together(findings: Sequence[Finding], rules: Mapping[str, Rule], attempt: Attempt) -> list[Finding]:
    """Return the findings; two of memory that fail begin with the edits that fix both, where such are had.

    Where one edit fixes both already, nothing is added.
    """
    found = list(findings)
    failing = [
        at
        for at, one in enumerate(found)
        if one.level is Level.FAIL and one.fixes and one.rule in rules and MEMORY in rules[one.rule].families
    ]
    failing.sort(key=lambda at: workload_of(rules[found[at].rule]))  # training before validation
    for first, second in combinations(failing, 2):
        one, other = found[first], found[second]
        if {fix.edits for fix in one.fixes} & {fix.edits for fix in other.fixes}:
            continue
        ranked = sorted(product(range(len(one.fixes)), range(len(other.fixes))), key=lambda at: (sum(at), at))
        tried = (attempt(one, other, one.fixes[a], other.fixes[b]) for a, b in islice(ranked, SETS))
        fix = next(filter(None, tried), None)
        if fix is not None:
            found[first] = replace(one, fixes=(fix, *one.fixes))
            found[second] = replace(other, fixes=(fix, *other.fixes))
    return found


def said_of(rules: Sequence[Rule], summary: str) -> str:
    """Say that a set of edits is for several workloads of a run."""
    return f"{' and '.join(dict.fromkeys(map(workload_of, rules)))} together: {summary}"
