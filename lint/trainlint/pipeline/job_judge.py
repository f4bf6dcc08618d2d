# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From placed jobs to their results: estimated, judged by the rules, and what holds in every reading."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.estimate.run.duration import samples_seen
from trainlint.estimate.run.withheld import withheld
from trainlint.model.document import COMMAND, ELLIPSIS_WORD
from trainlint.model.facts import Facts
from trainlint.model.finding import OF_FLAGS, Level, Outcome, Skip
from trainlint.model.job import Job
from trainlint.model.placing import Placing
from trainlint.model.result import Result, outcome_of
from trainlint.model.spec import TrainSpec, Value
from trainlint.pipeline.agreement import settled
from trainlint.pipeline.estimator import Estimator

if TYPE_CHECKING:
    from trainlint.data_headers import Look
    from trainlint.judge import RuleSet

NOT_TRAINING_RULE = "not-a-training-job"
"""Name under which a result says that a job trains nothing."""

OF_MEMORY: Final = "vram-budget"
"""The rule that decides whether a step fits its card."""


class JobJudge(Struct, frozen=True, kw_only=True):
    """What turns placed jobs into results, without fixes."""

    rules: RuleSet
    estimator: Estimator
    look: Look | None = None
    """Looks at the data and weights that a config names; None: nothing does."""

    def judge_all(self, placed: Sequence[Job], *, largest: bool = True) -> tuple[Result, ...]:
        """Judge one document's placed jobs: a result for each reading; a fail holds in all of them.

        Without `largest` the largest batch is not looked for, which takes half of the time.
        """
        results = self.settled([self.judge(job, largest=largest) for job in placed])
        return tuple(
            replace(result, verdicts=self.rules.of(job).verdicts(result))
            for job, result in zip(placed, results, strict=True)
        )

    def settled(self, results: Sequence[Result]) -> tuple[Result, ...]:
        """Return the results of one document's readings held against each other."""
        return settled(results, self.rules.of_readings())

    def judge(self, job: Job, *, largest: bool = True) -> Result:
        """Judge one placed job by itself."""
        bare, known = _bare(job), job.skip is None or job.tests
        if job.blank is not None:
            return self._form(job, job.blank, bare)
        job = self.looked(job)
        facts = withheld(job, self.estimator.facts(job, largest=largest) if known else None)
        if job.skip is not None and (facts is None or facts.memory is None):
            return self._skipped(job, job.skip, bare, facts)
        rules = self.rules.of(job)
        findings, skips = rules.judge(job, bare.target, facts)
        skips = (*skips, *_without_card(bare, facts, rules.off))
        if not job.dialect.trainer.identified:
            findings = tuple(replace(finding, level=Level.WARN) for finding in findings)
        undecided = any(rules.decides(skip.rule) for skip in skips)
        if job.document.format == COMMAND:
            from trainlint.dialects.check.own_flags import flags_taken  # noqa: PLC0415 - of a command alone
            from trainlint.dialects.messages.argparse_wording import unheld  # noqa: PLC0415 - of a command alone

            held = flags_taken(job.document, job.dialect) is not None
            if not held and (unchecked := unheld(job)):
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
            ignored=rules.hidden(job, bare.target, facts),
            narrowed=bool(rules.unselected),
            unselected=rules.unheard(job, bare.target, facts) if job.dialect.trainer.identified else (),
        )

    def _form(self, job: Job, blank: str, bare: Result) -> Result:
        """Return the result of a file that a program fills in: what its schema finds, as warnings."""
        why = f"{blank} is empty: a program fills it in before the run, and may set any other key"
        result = self._skipped(job, why, bare, None)
        warnings = tuple(replace(finding, level=Level.WARN) for finding in result.findings)
        return replace(result, findings=warnings, outcome=outcome_of(warnings, undecided=True))

    def looked(self, job: Job) -> Job:
        """Return a job with what its data and weights were seen to be, where that is asked for."""
        if self.look is None or (job.skip is not None and not job.tests):
            return job
        return _counted(replace(job, looked=self.look.values(job)))

    def _skipped(self, job: Job, why: str, bare: Result, facts: Facts | None) -> Result:
        """Return the result of a job that trains nothing, or of a test whose memory is not known."""
        findings = self.rules.of_schema(job)
        unknown = facts.missing.get("memory") if facts is not None else None
        reasons = (why, *(() if unknown is None else (f"memory not judged: {unknown}",)))
        skips = tuple(Skip(NOT_TRAINING_RULE, reason) for reason in reasons)
        return replace(
            bare, outcome=outcome_of(findings, undecided=True), findings=findings, skips=skips, undecided=True
        )


def _without_card(bare: Result, facts: Facts | None, off: Collection[str]) -> Iterator[Skip]:
    """Yield that memory is not judged where the machine has no GPU: no rule of it applies there."""
    target = bare.target
    if target is None or target.gpu is not None or facts is None or OF_MEMORY in off:
        return
    if facts.memory is None and (reason := facts.missing.get("memory")):
        yield Skip(OF_MEMORY, reason)


def _counted(job: Job) -> Job:
    """Return a job with the samples that were counted, where it is not said how many there are."""
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
        version=job.version,
        target=placing.target,
        launcher=placing.launcher,
        start=job.start,
        origin=document,
        abridged=document.meta.get("partial") == ELLIPSIS_WORD,
        samples_seen=samples_seen(job.spec),
    )
