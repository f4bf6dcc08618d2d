# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Facts of a job from an earlier dry run that was kept, where nothing else knows its memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from trainlint.catalogue.zoo.recipes import UNKNOWN_STEP
from trainlint.dry_run.judging.recorded_facts import recorded_facts
from trainlint.dry_run.judging.recorded_tapes import precision_of
from trainlint.dry_run.keeping.kept_runs import Kept, kept_of
from trainlint.dry_run.keeping.retired_profiles import RETIRED, retired_networks
from trainlint.dry_run.starting.known_command import dry_run_of
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.estimate.tapes.untraceable import RUN_IT
from trainlint.model.facts import Facts
from trainlint.model.job import Job
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.target import NVIDIA, Target
from trainlint.settings.settings import Settings
from trainlint.tape import Tape

ADVISED: Final = "; give --networks"
"""What a step of the user's own is advised."""
LEFT_OUT: Final = ("stages", UNCOUNTED_FIELD, "data.pool_size", "precision")
"""Fields for which the recording speaks."""


def with_kept(
    job: Job, target: Target, facts: Facts, store: Store, settings: Settings, *, largest: bool
) -> Facts:
    """Return facts with what a kept dry run knows; else as they are, with the command that would help."""
    gpu = target.gpu
    if facts.memory is not None or facts.refused or job.tests or gpu is None or gpu.vendor != NVIDIA:
        return facts
    if not _may_help(job, facts):
        return facts
    root = settings.root or Path.cwd()
    kept = kept_of(job, target, store, root)
    if kept is not None and kept.refused is None:
        return _judged(job, target, facts, kept, settings, largest=largest)
    command = dry_run_of(job)
    why = [facts.missing.get("memory", "")]
    if kept is not None:
        why = [f"the stored dry run is not used: {kept.refused}"]
    elif str(job.spec.get("networks.generator.arch")) in retired_networks(store):
        why.append(RETIRED)
    work = "makes it again" if kept is not None else "runs the program itself and stores what it needs"
    reason = "; ".join([*filter(None, why), RUN_IT if command is None else f"{command} {work}"])
    return replace(facts, missing={**facts.missing, "memory": reason})


def _may_help(job: Job, facts: Facts) -> bool:
    """Return whether the program's own code is unknown, or it is a trainer whose step is not modelled."""
    if "memory" not in facts.missing:
        return False
    if job.runs_elsewhere:
        return True
    own = job.own
    if facts.missing["memory"].startswith(UNKNOWN_STEP) and ADVISED not in facts.missing["memory"]:
        return True
    return own is not None and (
        own.unknown_step() is not None or own.unknown_network(_networks(job)) is not None
    )


def _networks(job: Job) -> Sequence[str]:
    return [str(job.spec.get(f"networks.{role}.arch")) for role in ("generator", "discriminator")]


def _judged(
    job: Job, target: Target, before: Facts, kept: Kept, settings: Settings, *, largest: bool
) -> Facts:
    """Return the facts of every way to guess: a verdict is one where all of them agree."""
    estimates = [_estimated(job, target, tapes, kept, settings, largest=largest) for tapes in kept.variants]
    needs = [facts.memory.gpus[0] for facts in estimates if facts.memory is not None]
    if len(needs) < len(estimates):
        return next(facts for facts in estimates if facts.memory is None)
    order = sorted(range(len(estimates)), key=lambda index: needs[index].least)
    fits = [needs[index].least <= needs[index].capacity for index in order]
    if all(fits):
        return estimates[order[-1]]
    if not any(fits):
        return estimates[order[0]]
    why = "whether it fits depends on values of the GPU that a dry run does not know"
    return replace(before, missing={**before.missing, "memory": why})


def _estimated(
    job: Job, target: Target, tapes: Sequence[Tape], kept: Kept, settings: Settings, *, largest: bool
) -> Facts:
    fields = {name: value for name, value in job.spec.fields.items() if name not in LEFT_OUT}
    fields["precision"] = Value(precision_of(tapes[0]), origin="derived")
    if "batch.per_replica" not in fields and kept.batch is not None:
        fields |= {
            name: Value(kept.batch, origin="derived") for name in ("batch.per_process", "batch.per_replica")
        }
    return recorded_facts(
        job, TrainSpec(fields), target, tapes,
        terms=kept.terms, settings=settings, largest=largest, image=kept.image,
    )  # fmt: skip
