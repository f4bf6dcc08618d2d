# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The fixes of one document's results, each tried by judging the edited text again in every reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.dialects.extract.base_model import DENOISE
from trainlint.judge.fixes.tries import TRACED_FOR_SETS, Tries, Trying
from trainlint.model.document import Document
from trainlint.model.facts import Facts
from trainlint.model.finding import NO_ROOM, Finding, Key, Skip, key_of
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.target import Target
from trainlint.pipeline.job_judge import JobJudge
from trainlint.pipeline.job_reader import JobReader
from trainlint.pipeline.placer import Placer


class FixFinder(Struct, frozen=True):
    """Looks for fixes with what read, placed and judged the text that they are for."""

    reader: JobReader
    placer: Placer
    judge: JobJudge
    shorter: bool = False
    """An edit may lower iterations, epochs or milestones."""

    def edited(self, placed: Sequence[Job], target: Target | None, edited: Document) -> tuple[Job, ...]:
        """Return a job's edited document in all its readings; () where it is no longer that job.

        `placed` are its jobs before.
        """
        starts = tuple(dict.fromkeys(placed_job.start for placed_job in placed))
        job = placed[0]
        read = self.reader.jobs(edited, starts, of=placed)
        jobs = [candidate for candidate in read if candidate.dialect.id == job.dialect.id]
        return self.placer.readings(jobs, target) if jobs else ()

    def again(self, placed: Sequence[Job], target: Target | None, edited: Document) -> tuple[Result, ...]:
        """Judge a job's edited document in all its readings, without fixes."""
        return self.judge.judge_all(self.edited(placed, target, edited), largest=False)

    def with_fixes(
        self, placed: Sequence[Job], target: Target | None, results: Sequence[Result], tries: Tries
    ) -> Iterator[Result]:
        """Yield the results with fixes; what several readings have is tried once."""
        for result in results:
            tries.replayed(result.facts, free=True)
        finder, whole = self._of_all_rules(placed, results)
        if any(job.spec.get("objective") == DENOISE for job in placed):
            tries.traced.left = max(tries.traced.left, TRACED_FOR_SETS)
        texts = _EditedTexts(finder, tuple(placed), target, tries)
        known: dict[Key, Finding] = {}
        for index, (job, result) in enumerate(zip(placed, results, strict=True)):
            if job.skip is not None and result.facts is None:
                yield result
                continue
            order = (index, *(other for other in range(len(results)) if other != index))
            trying = Trying(
                partial(texts.rejudged, tuple(whole[position] for position in order)),
                tries,
                tuple(whole[other].findings for other in order[1:]),
                tuple(finding for finding in result.findings if key_of(finding) not in known),
                partial(self.judge.estimator.larger, job, result.facts),
                self.shorter,
            )
            own = finder.judge.rules.of(job).fixed(
                finder.judge.looked(job),
                whole[index].facts,
                (whole[index].findings, whole[index].skips),
                trying,
            )
            fixed = {(key_of(finding), finding.message): finding for finding in own}
            findings = tuple(
                fixed.get((key_of(finding), finding.message))
                or replace(finding, fixes=known[key_of(finding)].fixes)
                for finding in result.findings
            )
            known |= {key: finding for (key, _), finding in fixed.items()}
            yield texts.advised(replace(result, findings=findings))

    def _of_all_rules(
        self, placed: Sequence[Job], results: Sequence[Result]
    ) -> tuple[FixFinder, Sequence[Result]]:
        """Return what judges by all rules, whichever are selected, and the results by them.

        What a report of some rules offers is what --fix writes, which passes all.
        """
        rules = self.judge.rules
        if not rules.unselected or not any(result.findings for result in results):
            return self, results
        finder = replace(self, judge=replace(self.judge, rules=rules.whole()))
        return finder, finder.judge.judge_all(placed, largest=False)


class _EditedTexts(Struct):
    """The edited texts of one document on one target; what several findings ask for is judged once."""

    finder: FixFinder
    placed: tuple[Job, ...]
    target: Target | None
    tries: Tries
    _texts: dict[str, _Edited] = field(default_factory=dict)

    def of(self, edited: Document) -> _Edited:
        text = edited.source.text
        if text not in self._texts:
            jobs = self.finder.edited(self.placed, self.target, edited)
            self._texts[text] = _Edited(self.finder.judge, jobs, self.tries)
        return self._texts[text]

    def advised(self, result: Result) -> Result:
        """Return a result with its recommended edit, and what the edited texts were found to need."""
        if not any(finding.fixes for finding in result.findings):
            return result
        needed = tuple(self._with_need(result, finding) for finding in result.findings)
        result = replace(result, findings=needed)
        from trainlint.config.edit import apply_edits  # noqa: PLC0415
        from trainlint.judge.recommended_edit import advised, chosen_fix  # noqa: PLC0415 - for what has a fix

        chosen = chosen_fix(result.findings)
        text = "" if chosen is None else apply_edits(result.source.text, chosen[1].edits)
        edited = self._texts.get(text)
        return advised(result, None if edited is None else edited.of_reading(result.variant))

    def _with_need(self, result: Result, finding: Finding) -> Finding:
        """Return a finding of some readings alone with what this one needs after its first fix, if known."""
        if finding.holds_in is None or not finding.fixes:
            return finding
        from trainlint.config.edit import apply_edits  # noqa: PLC0415
        from trainlint.judge.recommended_edit import needed_after  # noqa: PLC0415 - for what has a fix

        first, *others = finding.fixes
        edited = self._texts.get(apply_edits(result.source.text, first.edits))
        known = edited.known(result.variant) if edited is not None else None
        if known is None or known.facts is None:
            return finding
        first = replace(first, after=needed_after(known.facts, known.samples_seen))
        return replace(finding, fixes=(first, *others))

    def rejudged(self, wanted: Sequence[Result], edited: Document) -> _Rejudged | None:
        """Return an edited document in the order of `wanted`, which begins with the reading that is fixed.

        A text that leaves one reading only is judged by that one; None where a reading is gone among several.
        """
        text = self.of(edited)
        index_of = {job.reading: index for index, job in enumerate(text.jobs)}
        only = next(iter(index_of.values())) if len(index_of) == 1 else None
        order = [index_of.get(result.variant, only) for result in wanted]
        present = [index for index in order if index is not None]
        return _Rejudged(text, tuple(present)) if len(present) == len(order) else None


class _Edited(Struct, dict=True):
    """An edited text in all of its readings, each of which is judged when it is first asked for."""

    judge: JobJudge
    jobs: tuple[Job, ...]
    tries: Tries
    _results: dict[int, Result] = field(default_factory=dict)
    _exceeds: dict[int, bool] = field(default_factory=dict)
    _settled: tuple[Result, ...] = ()

    def result(self, index: int) -> Result:
        """Return what one reading comes to by itself; judged again where there was no room to trace it."""
        known = self._results.get(index)
        if known is None or (_lacks_room(known) and self.tries.traced.left > 0):
            with self.judge.estimator.within(self.tries.traced):
                self._results[index] = self.judge.judge(self.jobs[index], largest=False)
            self.tries.replayed(self._results[index].facts)
        return self._results[index]

    def glance(self, index: int) -> tuple[Finding, ...]:
        """Return what the rules that need no estimate find in one reading."""
        job = self.jobs[index]
        target = job.placing.target if job.placing is not None else None
        return self.judge.rules.of(job).light.judge(job, target)[0]

    def exceeds(self, index: int) -> bool:
        """Return whether one reading is known to exceed its card without being judged."""
        if index not in self._exceeds:
            with self.judge.estimator.within(self.tries.traced):
                read = None if index in self._results else self.judge.estimator.exceeds(self.jobs[index])
            self._exceeds[index] = read is not None
            self.tries.read(read or {})
        return self._exceeds[index]

    @property
    def unfinished(self) -> bool:
        """Whether a reading that was judged is without memory, as no more may be traced for edits."""
        return any(map(_lacks_room, self._results.values()))

    def of_reading(self, variant: str | None) -> Result | None:
        """Return what a reading comes to, held against the others; the only one that is left is any."""
        index = self._index(variant)
        return None if index is None else self.settled[index]

    def known(self, variant: str | None) -> Result | None:
        """Return what a reading came to by itself, where it was judged."""
        index = self._index(variant)
        return None if index is None else self._results.get(index)

    def _index(self, variant: str | None) -> int | None:
        index_of = {job.reading: position for position, job in enumerate(self.jobs)}
        return index_of.get(variant, next(iter(index_of.values())) if len(index_of) == 1 else None)

    def hidden(self, index: int) -> tuple[Finding, ...]:
        """Return what comments and settings hide of one reading."""
        job, result = self.jobs[index], self.result(index)
        return self.judge.rules.of(job).hidden(job, result.target, result.facts)

    @property
    def settled(self) -> tuple[Result, ...]:
        """What the readings come to together."""
        if not self._settled:
            together = self.judge.settled([self.result(index) for index in range(len(self.jobs))])
            if self.unfinished:
                return together
            self._settled = together
        return self._settled


def _lacks_room(result: Result) -> bool:
    return any(NO_ROOM in skip.reason for skip in result.skips)


class _Rejudged(Struct, dict=True):
    """An edited text as one job's fixes see it: `order` begins with the reading that is fixed."""

    text: _Edited
    order: tuple[int, ...]

    @property
    def skips(self) -> tuple[Skip, ...]:
        return self.text.result(self.order[0]).skips

    @property
    def unfinished(self) -> bool:
        return self.text.unfinished

    @cached_property
    def hidden(self) -> tuple[Finding, ...]:
        return self.text.hidden(self.order[0])

    @property
    def facts(self) -> Facts | None:
        return self.text.result(self.order[0]).facts

    @property
    def exceeds(self) -> bool:
        return self.text.exceeds(self.order[0])

    def glances(self) -> Iterator[tuple[Finding, ...]]:
        return map(self.text.glance, self.order[1:])

    def by_itself(self) -> Iterator[tuple[Finding, ...]]:
        return (self.text.result(index).findings for index in self.order)

    def settled(self) -> Iterator[tuple[Finding, ...]]:
        return (self.text.settled[index].findings for index in self.order)
