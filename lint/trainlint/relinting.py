# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes of one document's results, each tried by judging the edited text again in every reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.estimate.facts import Facts
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.finding import Finding, Skip
from trainlint.judge.relint import Tries, Trying
from trainlint.judge.result import Result
from trainlint.read.document import Document
from trainlint.readings import Key, key_of

if TYPE_CHECKING:
    from trainlint.judging import JobJudge


def with_fixes(
    judge: JobJudge, placed: Sequence[Job], target: Target | None, results: Sequence[Result], tries: Tries
) -> Iterator[Result]:
    """Yield the results with fixes; what several readings have is tried once."""
    texts: dict[str, _Edited] = {}

    def again(edited: Document) -> _Edited:
        text = edited.source.text
        if text not in texts:
            texts[text] = _Edited(judge, judge.edited(placed, target, edited), tries)
        return texts[text]

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


class _Edited(Struct, dict=True):
    """An edited text in all of its readings, each of which is judged when it is first asked for."""

    judge: JobJudge
    jobs: tuple[Job, ...]
    tries: Tries
    _results: dict[int, Result] = field(default_factory=dict)
    _exceeds: dict[int, bool] = field(default_factory=dict)

    def result(self, at: int) -> Result:
        """Return what one reading comes to by itself."""
        if at not in self._results:
            self._results[at] = self.judge.judge(self.jobs[at], largest=False)
            self.tries.replayed(self._results[at].facts)
        return self._results[at]

    def exceeds(self, at: int) -> bool:
        """Return whether one reading is known to exceed its card without being judged."""
        if at not in self._exceeds:
            job, work = self.jobs[at], self.judge.exceeding
            target = job.placing.target if job.placing is not None else None
            known = work is None or target is None or job.skip is not None or at in self._results
            read = None if known or work is None or target is None else work(job, target)
            self._exceeds[at] = read is not None
            self.tries.read(read or {})
        return self._exceeds[at]

    def hidden(self, at: int) -> tuple[Finding, ...]:
        """Return what comments and settings hide of one reading."""
        job, result = self.jobs[at], self.result(at)
        return self.judge.rules.of(job).hidden(job, result.target, result.facts)

    @cached_property
    def settled(self) -> tuple[Result, ...]:
        """What the readings come to together."""
        return self.judge.settled([self.result(at) for at in range(len(self.jobs))])


class _Rejudged(Struct, dict=True):
    """An edited text as one job's fixes see it: `order` begins with the reading that is fixed."""

    text: _Edited
    order: tuple[int, ...]

    @property
    def skips(self) -> tuple[Skip, ...]:
        return self.text.result(self.order[0]).skips

    @cached_property
    def hidden(self) -> tuple[Finding, ...]:
        return self.text.hidden(self.order[0])

    @property
    def facts(self) -> Facts | None:
        return self.text.result(self.order[0]).facts

    @property
    def exceeds(self) -> bool:
        return self.text.exceeds(self.order[0])

    def each(self) -> Iterator[tuple[Finding, ...]]:
        return (self.text.result(at).findings for at in self.order)

    def settled(self) -> Iterator[tuple[Finding, ...]]:
        return (self.text.settled[at].findings for at in self.order)


def _relinted(
    again: Callable[[Document], _Edited], wanted: Sequence[Result], edited: Document
) -> _Rejudged | None:
    """Return an edited document in the order of `wanted`, which begins with the reading that is fixed.

    A text that leaves one reading only is judged by that one; None where a reading is gone among several.
    """
    text = again(edited)
    found = {job.reading: at for at, job in enumerate(text.jobs)}
    one = next(iter(found.values())) if len(found) == 1 else None
    order = [found.get(result.variant, one) for result in wanted]
    present = [at for at in order if at is not None]
    return _Rejudged(text, tuple(present)) if len(present) == len(order) else None
