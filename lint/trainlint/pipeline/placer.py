# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A document's jobs on a target, in every reading: each way to understand them that the input leaves open.

A reading is a published version of a script, a definition of a network, whether the job is started by a
launcher, or whether a package is there whose kernel a model takes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.estimate.run.placement import known_launcher, place_job
from trainlint.model.document import PYTHON
from trainlint.model.job import Job
from trainlint.model.launcher import NO_LAUNCHER, TORCHRUN, Launcher
from trainlint.model.placing import Placing
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.start import Start
from trainlint.model.target import Target
from trainlint.repository.environment import environment_for
from trainlint.tape.step import MODEL_CONFIG

LAUNCHER_FIELDS = ("gpus", "parallel", "batch.per_process", "batch.per_replica", "workers.per_process")
"""Fields by which a launched job differs from one that is not."""

KERNELS: Final = {"apertus": "xielu"}
"""A type of models -> the package whose kernel is its activation where it is installed; without, that is many
operators (transformers, activations.py, XIELUActivation). axolotl's guide recommends it."""

ALONE_READING = "by itself"
"""What the reading of an option file is called that no command changes."""


class Wishes(Struct, frozen=True):
    """What the user says of the questions that an input leaves open; None: both answers are judged.

    `gpus` are those that the job may use of a target's, `reading` a part of the name of the one reading that
    is wanted, `model` the config.json of its base model.
    """

    launcher: Launcher | None = None
    gpus: int | None = None
    reading: str | None = None
    images: int | None = None
    model: Path | None = None


def on_target(target: Target | None, wishes: Wishes) -> Target | None:
    """Return the target with the GPUs that the job may use."""
    if target is None or wishes.gpus is None or wishes.gpus >= target.gpu_count:
        return target
    return replace(target, gpu_count=wishes.gpus)


def no_wishes(_path: str) -> Wishes:
    """Return that the user says nothing of a file."""
    return Wishes()


class Placer(Struct, frozen=True):
    """Places one document's jobs on a target, in every reading that its text and the user leave open."""

    wishes: Callable[[str], Wishes] = no_wishes
    """What the user says of the questions that a file leaves open, by its path."""

    def readings(self, jobs: Sequence[Job], target: Target | None) -> tuple[Job, ...]:
        """Return the jobs of one document, placed: each variant, launched and not where that is open."""
        wishes = self.wishes(jobs[0].document.source.path)
        trainer = jobs[0].trainer
        root = trainer.root if trainer is not None else None
        if target is not None and (eager := environment_for(jobs[0].document, root).eager_torch):
            target = replace(target, eager=eager)
        return _readings(jobs, on_target(target, wishes), wishes)


def _readings(jobs: Sequence[Job], target: Target | None, wishes: Wishes) -> tuple[Job, ...]:
    starts = {job.start for job in jobs}
    launched = (placed for job in jobs for placed in _launched(job, target, wishes))
    placed_jobs = [own for placed in launched for own in _by_kernel(placed)]
    if len(starts) > 1:
        placed_jobs = [_named(job, _under(job.start, starts)) for job in placed_jobs]
    wanted = [
        job for job in placed_jobs if wishes.reading and wishes.reading.lower() in (job.reading or "").lower()
    ]
    return tuple(wanted or placed_jobs)


def _by_kernel(job: Job) -> Iterator[Job]:
    """Yield a job as it is, and with the kernel that its model takes where a package is installed."""
    package = KERNELS.get(str((job.spec.get(MODEL_CONFIG) or {}).get("model_type")))
    if package is None:
        yield job
        return
    yield _named(job, f"without the package {package}")
    fields = {**job.spec.fields, "activation.kernel": Value(package, origin="default")}
    yield _named(replace(job, spec=TrainSpec(fields)), f"with the package {package}")


def _under(start: Start | None, starts: Collection[Start | None]) -> str:
    """Name the reading of a command; where a loop is that command several times, by what it sets."""
    if start is None:
        return ALONE_READING
    several = sum(other_start is not None and other_start.place == start.place for other_start in starts) > 1
    sets = " ".join(change.text for change in start.overrides if not change.edits) if several else ""
    return f"as in {start.place} with {sets}" if sets else f"as in {start.place}"


def _launched(job: Job, target: Target | None, wishes: Wishes) -> Iterator[Job]:
    launching = job.dialect.launching
    if job.start is not None and launching is not None and launching.heeds_visible:
        if job.start.unseen and target is not None and target.gpu_count > 1:
            for gpus in (1, target.gpu_count):
                some = replace(job, start=replace(job.start, visible=gpus, unseen=False))
                name = f"where CUDA_VISIBLE_DEVICES leaves {gpus} GPU{'s' * (gpus > 1)}"
                placed_jobs = _launched(some, target, wishes)
                yield from (_named(replace(placed, start=job.start), name) for placed in placed_jobs)
            return
        target = on_target(target, Wishes(gpus=job.start.visible))
    known = known_launcher(job) or (wishes.launcher if launching is not None else None)
    if known is not None:
        yield place_job(job, Placing(target, known, wishes.images, wishes.model))
        return
    plain, started = (
        place_job(job, Placing(target, Launcher(value), wishes.images, wishes.model))
        for value in (NO_LAUNCHER, TORCHRUN)
    )
    if _alone(plain.spec, started.spec):
        yield plain
    elif launching is not None and launching.by_itself and job.document.format != PYTHON:
        yield started
    else:
        yield from (_named(reading, _how(reading)) for reading in (plain, started))


def _alone(plain: TrainSpec, started: TrainSpec) -> bool:
    """Return whether it makes no difference: one GPU either way, with the same share of the samples.

    DistributedDataParallel over one process only adds a copy of the gradients, and it is not started so.
    """
    if all(plain.get(name) == started.get(name) for name in LAUNCHER_FIELDS):
        return True
    counts = {plain.get("gpus"), started.get("gpus")}
    shares = LAUNCHER_FIELDS[2:]
    return counts <= {0, 1} and all(plain.get(name) == started.get(name) for name in shares)


def _how(job: Job) -> str:
    launcher = job.placing.launcher if job.placing is not None else None
    return launcher.reading if launcher is not None else ""


def _named(job: Job, name: str) -> Job:
    return replace(job, reading=f"{job.reading}, {name}" if job.reading else name)
