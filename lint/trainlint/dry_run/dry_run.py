# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A dry run from its words to results: recorded for each kind of machine, judged on all targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from trainlint.documents.file_format import read
from trainlint.dry_run.enclosure.enclosure import Prepared
from trainlint.dry_run.enclosure.supervision import usual_limits
from trainlint.dry_run.judging.judgement import RehearsedPipeline, RehearsedReader, recorded_for
from trainlint.dry_run.program_document import document_of
from trainlint.dry_run.rehearsing.recordings import Merge, Recorded, Recording
from trainlint.dry_run.rehearsing.rehearsal import rehearsing
from trainlint.dry_run.rehearsing.request import Kind, Machine, kinds_of
from trainlint.dry_run.rehearsing.signs_of_life import UnderWay
from trainlint.dry_run.starting.program import Program
from trainlint.dry_run.starting.varied_words import varied
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.text_source import load_source
from trainlint.model.facts import Facts
from trainlint.model.job import Job
from trainlint.model.target import NVIDIA, Target
from trainlint.pipeline.estimator import Estimator
from trainlint.pipeline.job_reader import JobReader
from trainlint.pipeline.pipeline import Pipeline
from trainlint.settings.settings import Settings

if TYPE_CHECKING:
    from trainlint.model.document import Document
    from trainlint.model.start import Start


class Asked(Struct, frozen=True):
    """What the user asks of a dry run."""

    program: Program
    folder: Path
    until: str = "step"
    vary: str | None = None
    network: bool = False
    timeout_s: float = 600.0
    show: BinaryIO | None = None
    prepare: Prepared | None = None
    config: str | None = None
    """The option file that was named in place of a command."""


def record(
    asked: Asked, targets: Sequence[Target], merge: Merge, progress: Callable[[str], None]
) -> dict[Kind, Recorded]:
    """Run the program once for each kind of machine among the targets; UsageError where none has a GPU."""
    usable = [
        (target, Machine(target.gpu, target.gpu_count))
        for target in targets
        if target.gpu is not None and target.gpu_count > 0 and target.gpu.vendor == NVIDIA
    ]
    if not usable:
        raise UsageError(
            "no target with an NVIDIA GPU: name one with --target (trainlint targets lists them)"
        )
    change = None if asked.vary is None else varied(asked.vary, asked.program)
    more = {} if asked.prepare is None else {"prepare": asked.prepare}
    recorded: dict[Kind, Recorded] = {}
    under_way = UnderWay(progress)
    with rehearsing(
        asked.program,
        asked.folder,
        usual_limits(asked.timeout_s),
        network=asked.network,
        show=asked.show,
        **more,
    ) as rehearsal:
        for target, machine in usable:
            if recorded_for(recorded, target) is None:
                guessing = not recorded or any(map(_depends, recorded.values()))
                made = Recording(rehearsal, machine, asked.until, merge, change, guessing, under_way).made()
                recorded[kinds_of(target)[made.outcome.asks_memory]] = made
    return recorded


def _depends(known: Recorded) -> bool:
    """Return whether other guesses gave another tape, or none: then other machines are not known either."""
    return len(known.variants) > 1 or any(term.direction == "unknown" for term in known.terms)


def pipeline_of(
    base: Pipeline, settings: Settings, asked: Asked, recorded: dict[Kind, Recorded]
) -> RehearsedPipeline:
    """Return the pipeline that judges a recorded program, by the rules and on the targets of another one."""
    program = asked.program
    config, start = named_config(base, document_of(program))
    if config is None and asked.config is not None:
        config = _only_job(base, asked.config, None)
    known = {name: getattr(base.reader, name) for name in JobReader.__struct_fields__}
    reader = RehearsedReader(**known, program=program, recorded=recorded, config=config, start=start)
    shared = {name: getattr(base, name) for name in Pipeline.__struct_fields__} | {"reader": reader}
    made = RehearsedPipeline(**shared, program=program, recorded=recorded, settings=settings)
    estimator = Estimator(partial(_facts, made), cards=base.judge.estimator.cards)
    return replace(made, judge=replace(base.judge, estimator=estimator))


def _facts(pipeline: RehearsedPipeline, job: Job, target: Target, *, largest: bool) -> Facts:
    return pipeline.facts(job, target, largest=largest)


def named_config(base: Pipeline, command: Document) -> tuple[Document | None, Start | None]:
    """Return the option file that a command names, as its dialect reads it, and the command as its start."""
    checkout = base.reader.checkout
    if checkout is None or not command.meta.get("script"):
        return None, None
    jobs = base.jobs(command)
    start = checkout.start_of(jobs[0]) if jobs else None
    path = next(iter(checkout.named(start)), None) if start is not None else None
    if start is None or path is None:
        return None, None
    start = checkout.paired(start, path)
    config = _only_job(base, path, start)
    return (config, start) if config is not None else (None, None)


def _only_job(base: Pipeline, path: str, start: Start | None) -> Document | None:
    """Return the one document of a file that is a job; None where there are none or several."""
    try:
        documents = read(load_source(path))
    except UnreadableError:
        return None
    configs = [
        document for document in documents if document.broken is None and base.reader.jobs(document, (start,))
    ]
    return configs[0] if len(configs) == 1 else None
