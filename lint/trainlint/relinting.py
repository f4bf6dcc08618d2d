# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes of one document's results, each tried by judging the edited text again in every reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from trainlint.estimate.facts import Facts
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.finding import Finding, Skip
from trainlint.judge.relint import Tries, Trying
from trainlint.judge.result import Result
from trainlint.lean import dataclass, replace
from trainlint.read.document import Document
from trainlint.readings import Key, key_of

if TYPE_CHECKING:
    from trainlint.judging import JobJudge


def with_fixes(
    judge: JobJudge, placed: Sequence[Job], target: Target | None, results: Sequence[Result], tries: Tries
) -> Iterator[Result]:
    """Yield the results with fixes; what several readings have is tried once."""
    judged: dict[str, tuple[Result, ...]] = {}

    def again(edited: Document) -> tuple[Result, ...]:
        text = edited.source.text
        if text not in judged:
            judged[text] = judge.again(placed, target, edited)
            for result in judged[text]:
                tries.replayed(result.facts)
        return judged[text]

    for result in results:
        tries.replayed(result.facts, free=True)
    known: dict[Key, Finding] = {}
    for at, (job, result) in enumerate(zip(placed, results, strict=True)):
        if job.skip is not None and result.facts is None:
            yield result
            continue
        order = (at, *(other for other in range(len(results)) if other != at))
        trying = Trying(
            partial(_relinted, again, tuple(results[each] for each in order)),
            tries,
            tuple(results[other].findings for other in order[1:]),
            tuple(finding for finding in result.findings if key_of(finding) not in known),
            partial(judge.larger, job, result.facts),
        )
        own = judge.rules.of(job).fixed(job, result.facts, (result.findings, result.skips), trying)
        fixed = {(key_of(finding), finding.message): finding for finding in own}
        findings = tuple(
            fixed.get((key_of(one), one.message)) or replace(one, fixes=known[key_of(one)].fixes)
            for one in result.findings
        )
        known |= {key: finding for (key, _), finding in fixed.items()}
        yield replace(result, findings=findings)


@dataclass(frozen=True, slots=True)
class _Rejudged:
    """An edited text in the reading that is fixed, and in the job's others."""

    findings: tuple[Finding, ...]
    skips: tuple[Skip, ...]
    hidden: tuple[Finding, ...]
    facts: Facts | None
    others: tuple[tuple[Finding, ...], ...]


def _relinted(
    again: Callable[[Document], tuple[Result, ...]], wanted: Sequence[Result], edited: Document
) -> _Rejudged | None:
    """Return an edited document's results in the order of `wanted`, which begins with the one that is fixed.

    A text that leaves one reading only is judged by that one; None where a reading is gone among several.
    """
    found = {result.variant: result for result in again(edited)}
    one = next(iter(found.values())) if len(found) == 1 else None
    results = [found.get(result.variant, one) for result in wanted]
    present = [result for result in results if result is not None]
    if len(present) < len(results):
        return None
    mine, *others = present
    return _Rejudged(
        mine.findings, mine.skips, mine.hidden, mine.facts, tuple(other.findings for other in others)
    )
