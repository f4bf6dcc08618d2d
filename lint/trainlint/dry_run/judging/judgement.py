# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A recorded program as a job, judged by the rules that check judges configs by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.dialects import normalise
from trainlint.dry_run.judging.crash import crash_problem, why_unjudged
from trainlint.dry_run.judging.lower_bound import beyond_the_card
from trainlint.dry_run.judging.recorded_facts import recorded_facts
from trainlint.dry_run.judging.recorded_tapes import precision_of
from trainlint.dry_run.program_document import batch_flag, dialect_of, document_of
from trainlint.dry_run.rehearsing.played_stages import unplayed_stages
from trainlint.dry_run.rehearsing.recordings import Recorded, Variant
from trainlint.dry_run.rehearsing.request import Kind, kinds_of
from trainlint.dry_run.starting.program import Program
from trainlint.errors import CannotTraceError
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Document, Path
from trainlint.model.facts import Facts, Limits, Uncounted
from trainlint.model.job import Job
from trainlint.model.result import Result
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.target import Target
from trainlint.model.trainer import Trainer
from trainlint.pipeline.job_reader import JobReader
from trainlint.pipeline.pipeline import Pipeline
from trainlint.repository.environment.torchvision_import import REMOVED_MODULE
from trainlint.settings.settings import Settings

if TYPE_CHECKING:
    from trainlint.model.start import Start

BY_RUN: Final = "run"
"""The basis of a trainer that was run."""
RECORDED_FIELDS: Final = (UNCOUNTED_FIELD, "data.pool_size", "precision")
"""Fields that the recording speaks for in place of the config."""
REFUTED: Final = {"functional-tensor": "basicsr", "numpy-too-new": None}
"""Rules of what stops a program before it trains, and what has to be imported to show that it does not; None:
a training step alone shows it."""
UNKNOWN_BATCH: Final = 1
"""What stands for the batch of a program of which it is not known."""


class RehearsedReader(JobReader, frozen=True, kw_only=True):
    """A reader whose one job is what a program was seen to do; `config` is the option file that it names."""

    program: Program
    recorded: Mapping[Kind, Recorded]
    config: Document | None = None
    start: Start | None = None

    def jobs(
        self, document: Document, starts: Sequence[Start | None] | None = None, *, of: Sequence[Job] = ()
    ) -> tuple[Job, ...]:
        """Return the program's job, once for each way to guess what it read of the GPU."""
        dying = next((known for known in self.recorded.values() if known.died is not None), None)
        crash = () if dying is None else tuple(crash_problem(dying, document, self.program))
        if self.config is None:
            jobs_of_command = self._jobs_of_command(document)
        else:
            jobs = super().jobs(document, (self.start,) if starts is None else starts, of=of)
            jobs_of_command = tuple(
                replace(job, variant=name or job.variant) for job in jobs for name in self._names
            )
        return tuple(replace(job, skip=None, problems=(*job.problems, *crash)) for job in jobs_of_command)

    def _jobs_of_command(self, document: Document) -> tuple[Job, ...]:
        """Return the job of a command of which nothing is known but its run."""
        first = next(iter(self.recorded.values()))
        batch_key = self._batch_key(document)
        derived: dict[str, Any] = (
            {} if batch_key is not None else {"batch.per_process": first.batch or UNKNOWN_BATCH}
        )
        if self.program.processes is not None:
            derived["launcher"] = "pytorch"
            if self.program.processes:
                derived["gpus"] = self.program.processes * self.program.nodes
        elif all(variant.peak.devices == 1 for known in self.recorded.values() for variant in known.variants):
            derived |= {"parallel": "none", "gpus": 1}
        dialect = dialect_of(
            self.program, derived, batch_key, [name for name in self._names if name is not None]
        )
        trainer = Trainer(dialect.id, basis=BY_RUN, title=self.program.name)
        taken: dict[str, Any] = {str(name): {} for name in document.value}  # the program itself took them
        return tuple(
            replace(job, flags={**taken, **job.flags}) for job in normalise(document, dialect, trainer)
        )

    @property
    def _names(self) -> tuple[str | None, ...]:
        """The names of the ways to guess that lead to different runs; None where there is one."""
        names = (variant.name or None for known in self.recorded.values() for variant in known.variants)
        return tuple(dict.fromkeys(names)) or (None,)

    def _batch_key(self, document: Document) -> Path | None:
        """Return the flag that holds the batch: the same in an edited command as in the program's own."""
        first = next(iter(self.recorded.values()))
        flag = batch_flag(document_of(self.program), first.batch)
        return flag if flag is not None and flag[0] in document.value else None


class RehearsedPipeline(Pipeline, frozen=True, kw_only=True):
    """A pipeline that judges a program that was run, by what was recorded of it."""

    reader: RehearsedReader
    program: Program
    recorded: Mapping[Kind, Recorded]
    settings: Settings

    @property
    def document(self) -> Document:
        """What is judged."""
        return document_of(self.program) if self.reader.config is None else self.reader.config

    def judged(self) -> tuple[Result, ...]:
        """Judge the program on all targets."""
        return tuple(result for target in self.targets for result in self._judged(target))

    def _judged(self, target: Target | None) -> Iterator[Result]:
        jobs = [self._with_bound(job, target) for job in self.jobs(self.document)]
        here = (
            [job for job in jobs if job.variant in self._variants(target)]
            if target is not None
            else list(jobs)
        )
        known = self._recorded(target)
        for result in self.judge_all(here or jobs[:1], target, tries=Tries.on_page(1)):
            yield _told(result, known)

    def _with_bound(self, job: Job, target: Target | None) -> Job:
        """Return a job of a program that stopped with what is too large for the GPU all the same."""
        known = self._recorded(target)
        if known is None or known.variants or target is None or target.gpu is None:
            return job
        return replace(job, problems=(*job.problems, *beyond_the_card(known.outcome.standing, target.gpu)))

    def _variants(self, target: Target) -> set[str | None]:
        known = self._recorded(target)
        return {variant.name or None for variant in known.variants} or {None} if known is not None else {None}

    def _recorded(self, target: Target | None) -> Recorded | None:
        if target is None:
            return next(iter(self.recorded.values()), None)
        wishes = self.placer.wishes(self.document.source.path)
        count = min(target.gpu_count, wishes.gpus or target.gpu_count)
        return recorded_for(self.recorded, replace(target, gpu_count=count))

    def facts(self, job: Job, target: Target, *, largest: bool) -> Facts:
        """Work out a placed job's facts from what was recorded: this is the pipeline's estimate."""
        known = self._recorded(target)
        if known is None:
            return _unknown("the program was not run as on this machine")
        if known.died is not None or known.stopped is not None or not known.variants:
            return _unknown(why_unjudged(known, self.program))
        variant = next(
            (variant for variant in known.variants if (variant.name or None) == job.variant),
            known.variants[0],
        )
        try:
            spec, terms = self._spec(job, variant, known)
        except CannotTraceError as error:
            return _unknown(error.reason)
        facts = recorded_facts(
            job, spec, target, variant.tapes, stages=known.stages,
            terms=[*known.terms, *terms], settings=self.settings, largest=largest, image=known.outcome.image,
        )  # fmt: skip
        if facts.memory is not None and "stages" in facts.memory.missing:
            return _unknown(facts.memory.missing["stages"])
        if (known.batch is None or known.stages) and facts.memory is not None:
            unknown = Limits(largest_open=True, uneven=facts.memory.uneven)
            return replace(facts, memory=replace(facts.memory, limits=unknown))
        return facts

    def _spec(self, job: Job, variant: Variant, known: Recorded) -> tuple[TrainSpec, list[Uncounted]]:
        """Return the spec of the estimate: what the program did goes before what is written."""
        fields = {name: value for name, value in job.spec.fields.items() if name not in RECORDED_FIELDS}
        terms = []
        if not known.stages and fields.pop("stages", None) is not None:
            terms = list(unplayed_stages(job))
        fields["precision"] = Value(precision_of(variant.peak), origin="derived")
        return TrainSpec(fields), terms


def recorded_for(recorded: Mapping[Kind, Recorded], target: Target) -> Recorded | None:
    """Return what was recorded as on a target."""
    any_card, this_card = kinds_of(target)
    return recorded.get(this_card) or recorded.get(any_card)


def _unknown(why: str) -> Facts:
    return Facts(missing=dict.fromkeys(("networks", "memory", "time", "disk", "host"), why))


def _is_refuted(rule: str, known: Recorded) -> bool:
    """Return whether a run went on where a rule says that it stops, wherever it stopped later."""
    if rule not in REFUTED or known.outcome.rounds > 0:
        return rule in REFUTED
    package = REMOVED_MODULE.partition(".")[0]  # without it nothing is known of its module
    stops_there = known.outcome.died is not None and package in known.outcome.died.message
    return REFUTED[rule] in known.outcome.imported and not stops_there


def _told(result: Result, known: Recorded | None) -> Result:
    """Return a result with the notes of the run, and without findings that it has refuted."""
    if known is not None:
        kept = tuple(finding for finding in result.findings if not _is_refuted(finding.rule, known))
        result = result if len(kept) == len(result.findings) else result.with_findings(kept)
    origin, notes = result.origin, () if known is None else known.notes
    if origin is not None and notes:
        origin = replace(origin, notes=tuple(dict.fromkeys((*origin.notes, *notes))))
    return replace(result, origin=origin, by_hand=True)
