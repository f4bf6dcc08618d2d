# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which edits to try: a candidate's values in order or as memory grows with them; two findings' fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, islice, product
from typing import NamedTuple

from msgspec.structs import replace

from trainlint.judge.fixes.effects import MEMORY, workload_of
from trainlint.judge.fixes.number_search import Need, largest
from trainlint.judge.rule import Rule
from trainlint.model.finding import Finding, Fix, Level

TRACED_TRIES = 10
"""Values that are tried of one candidate where every one changes what is traced (a crop): a trace takes about
a second, though from the third crop on it is mostly worked out (estimate/tapes/crop_source.py)."""

MOST_SETS = 6
"""Sets that are tried for two findings, the cheapest first."""


class Attempt(NamedTuple):
    """What came of a proposal: the fix it makes, if it passes; `calm`: what comments hide is as before.

    `place` is where it is among its candidate's.
    """

    fix: Fix | None = None
    calm: bool = False
    place: int = 0


def calmest(tried: Iterable[Attempt]) -> Attempt:
    """Return the first fix that leaves hidden findings alone, else the first fix at all."""
    first = Attempt()
    for attempt in tried:
        if attempt.fix is not None and attempt.calm:
            return attempt
        first = attempt if first.fix is None else first
    return first if first.fix is not None else Attempt()


def nearest(
    tried: Callable[[int], Attempt],
    count: int,
    tries: int = TRACED_TRIES,
    need: Need | None = None,
    *,
    halving: bool = False,
) -> Attempt:
    """Return the nearest fix found among `count` values, of which all are expected to pass from one on.

    They are numbered from the furthest, 1, to the present one, which does not pass and is one more than there
    are. `need` is asked of these. `halving`: what is further than all of them is known to pass.
    """
    best = Attempt()

    def passes(number: int) -> bool:
        nonlocal best
        attempt = tried(count - number)
        passed = attempt.fix is not None and attempt.calm
        if passed or best.fix is None:
            best = attempt
        return passed

    largest(passes, count, tries, need, bad=count + 1, halving=halving)
    return best


def together(
    findings: Sequence[Finding],
    rules: Mapping[str, Rule],
    both: Callable[[Finding, Finding, Fix, Fix], Fix | None],
) -> list[Finding]:
    """Return the findings; two of memory that fail begin with the edits that fix both, where such are had.

    Where one edit fixes both already, nothing is added.
    """
    results = list(findings)
    failing = [
        index
        for index, finding in enumerate(results)
        if finding.level is Level.FAIL
        and finding.fixes
        and finding.rule in rules
        and MEMORY in rules[finding.rule].families
    ]
    failing.sort(key=lambda index: workload_of(rules[results[index].rule]))  # training before validation
    for first, second in combinations(failing, 2):
        first_finding, second_finding = results[first], results[second]
        if {fix.edits for fix in first_finding.fixes} & {fix.edits for fix in second_finding.fixes}:
            continue
        ranked = sorted(
            product(range(len(first_finding.fixes)), range(len(second_finding.fixes))),
            key=lambda ranks: (sum(ranks), ranks),
        )
        tried = (
            both(first_finding, second_finding, first_finding.fixes[a], second_finding.fixes[b])
            for a, b in islice(ranked, MOST_SETS)
        )
        fix = next(filter(None, tried), None)
        if fix is not None:
            results[first] = replace(first_finding, fixes=(fix, *first_finding.fixes))
            results[second] = replace(second_finding, fixes=(fix, *second_finding.fixes))
    return results


def said_of(rules: Sequence[Rule], summary: str) -> str:
    """Say that a set of edits is for several workloads of a run."""
    return f"{' and '.join(dict.fromkeys(map(workload_of, rules)))} together: {summary}"
