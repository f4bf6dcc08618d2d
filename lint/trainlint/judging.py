# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A document's jobs on their way to results: estimated, judged, and what holds in every reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.estimate.facts import Facts
from trainlint.estimate.run.placement import Placing
from trainlint.hardware import Gpu, Target
from trainlint.intake import Intake
from trainlint.job import Job
from trainlint.judge.finding import Level, Outcome, Skip
from trainlint.judge.relint import Tries
from trainlint.judge.result import Result, outcome_of
from trainlint.normalise import unheld
from trainlint.read.document import Document
from trainlint.readings import settled
from trainlint.relinting import with_fixes
from trainlint.report.units import gib
from trainlint.spec import TrainSpec, Value

if TYPE_CHECKING:
    from trainlint.estimate.exceeding import Exceeding
    from trainlint.estimate.larger import Estimate
    from trainlint.judge import RuleSet
    from trainlint.look import Look

NOT_TRAINING_RULE = "not-a-training-job"
"""Name under which a result says that a job trains nothing."""


class JobJudge(Intake, frozen=True, kw_only=True):
    """What turns placed jobs into results."""

    rules: RuleSet
    estimate: Estimate
    exceeding: Exceeding | None = None
    """Says whether a step's live tensors alone are above its card; None: only an estimate does."""
    cards: Callable[[], tuple[Gpu, ...]] = tuple
    """Returns the GPUs among which the smallest that holds a job is looked for."""
    look: Look | None = None
    """Looks at the data and weights that a config names; None: nobody does."""

    def judge_all(
        self, jobs: Sequence[Job], target: Target | None, *, tries: Tries | None = None, largest: bool = True
    ) -> tuple[Result, ...]:
        """Judge one document's jobs on one target: a result for each reading; a fail holds in all of them.

        Fixes are tried, where there are `tries`, by judging the edited text again, in every reading. Without
        `largest` the largest batch is not looked for, which takes half of the time.
        """
        placed = self.readings(jobs, target)
        results = self._settled(placed, [self.judge(job, largest=largest) for job in placed])
        return results if tries is None else tuple(with_fixes(self, placed, target, results, tries))

    def _settled(self, jobs: Sequence[Job], results: Sequence[Result]) -> tuple[Result, ...]:
        return tuple(
            replace(result, verdicts=self.rules.of(job).verdicts(result))
            for job, result in zip(jobs, self.settled(results), strict=True)
        )

    def judge(self, job: Job, *, largest: bool = True) -> Result:
        """Judge one placed job, without fixes."""
        bare, known = _bare(job), job.skip is None or job.tests
        if self.look is not None and known:
            job = _counted(replace(job, looked=self.look.values(job)))
        target = bare.target
        facts = self.estimate(job, target, largest=largest) if target is not None and known else None
        if job.skip is not None and (facts is None or facts.memory is None):
            return self._skipped(job, job.skip, bare, facts)
        rules = self.rules.of(job)
        findings, skips = rules.judge(job, target, facts)
        if not job.dialect.trainer.identified:
            findings = tuple(replace(finding, level=Level.WARN) for finding in findings)
        undecided = any(rules.decides(skip.rule) for skip in skips)
        if unchecked := unheld(job):
            from trainlint.pair import OF_FLAGS  # noqa: PLC0415 - for commands alone

            skips = (*skips, Skip(OF_FLAGS, unchecked))
        skips = (*skips, *self.rules.unlooked(job, None if self.look is None else self.look.root))
        return replace(
            bare,
            outcome=outcome_of(findings, undecided=undecided),
            networks=facts.networks if facts else (),
            facts=facts,
            findings=findings,
            skips=skips,
            undecided=undecided,
        )

    def _skipped(self, job: Job, why: str, bare: Result, facts: Facts | None) -> Result:
        """Return the result of a job that trains nothing, or of a test whose memory is not known."""
        found = self.rules.of_schema(job)
        unknown = facts.missing.get("memory") if facts is not None else None
        reasons = (why, *(() if unknown is None else (f"memory not judged: {unknown}",)))
        skips = tuple(Skip(NOT_TRAINING_RULE, reason) for reason in reasons)
        return replace(
            bare, outcome=outcome_of(found, undecided=True), findings=found, skips=skips, undecided=True
        )

    def larger(self, job: Job, facts: Facts | None) -> str | None:
        """Name the smallest card that would hold a placed job, with what torch sees of it."""
        target = job.placing.target if job.placing is not None else None
        if target is None or facts is None:
            return None
        from trainlint.estimate.larger import smallest_card  # noqa: PLC0415 - where memory is too small

        card = smallest_card(job, target, facts, self.cards(), self.estimate)
        return None if card is None else f"{card.title} ({gib(card.memory)} GiB)"

    def edited(self, placed: Sequence[Job], target: Target | None, edited: Document) -> tuple[Job, ...]:
        """Return a job's edited document in all its readings; () where it is no longer that job."""
        starts = tuple(dict.fromkeys(one.start for one in placed))
        job = placed[0]
        jobs = [other for other in self.jobs(edited, starts, of=placed) if other.dialect.id == job.dialect.id]
        return self.readings(jobs, target) if jobs else ()

    def again(self, placed: Sequence[Job], target: Target | None, edited: Document) -> tuple[Result, ...]:
        """Judge a job's edited document in all its readings, without fixes."""
        jobs = self.edited(placed, target, edited)
        return self._settled(jobs, [self.judge(each, largest=False) for each in jobs])

    def settled(self, results: Sequence[Result]) -> tuple[Result, ...]:
        """Return the results of one document's readings held against each other."""
        return settled(results, self.rules.of_readings())


def _counted(job: Job) -> Job:
    """Return a job with the samples that were counted, where nobody said how many there are."""
    if "samples" not in job.looked or "data.images" in job.spec:
        return job
    images = Value(job.looked["samples"], (), "derived")
    return replace(job, spec=TrainSpec({**job.spec.fields, "data.images": images}))


def _bare(job: Job) -> Result:
    """Return what is known of a placed job before it is judged."""
    document, placing = job.document, job.placing or Placing()
    return Result(
        path=document.source.path,
        source=document.source,
        outcome=Outcome.PASS,
        line=document.line,
        document=document.index,
        cell=document.cell,
        name=job.spec.get("name"),
        dialect=job.dialect.id,
        trainer=job.trainer,
        variant=job.reading,
        target=placing.target,
        launcher=placing.launcher,
        start=job.start,
        origin=document,
    )
