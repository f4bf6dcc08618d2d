# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory of a test: an option file without a train section, whose model restores whole images."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.card import Card, Share, card_on, emulated
from trainlint.estimate.memory.execution import Execution
from trainlint.estimate.memory.overhead import overhead
from trainlint.estimate.memory.run_memory import validating
from trainlint.estimate.memory.workload import Workload
from trainlint.estimate.replay.gpu_ledger import Ledger
from trainlint.estimate.run.validation_image import tested_image
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.estimate.tapes.trains import TEST
from trainlint.estimate.tensors.named_tensor import first_short, largest_tensor
from trainlint.estimate.tensors.tensor_kind import kinds
from trainlint.model.facts import Facts, Image, Memory, Uncounted
from trainlint.model.job import Job
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.target import Target
from trainlint.settings.settings import Settings
from trainlint.tape import EVERY_BATCH, SOURCES, Network, Tape
from trainlint.tape.step import step_of

TRAINING: Final = (
    "losses",
    "optimizers",
    "ema",
    "crop.hr",
    "crop.lq",
    "accumulate",
    "networks.discriminator.args",
)
"""What a test file may hold besides and its test does not read."""


def estimate_test(job: Job, target: Target, tapes: TapeSource, settings: Settings) -> Facts:
    """Work out a placed test job's memory on a target: facts without it say under `missing` why."""
    try:
        memory, networks = _memory(job, target, tapes, settings)
    except CannotTraceError as error:
        return Facts(missing={"memory": error.reason})
    return Facts(memory=memory, networks=networks)


def tested_workload(job: Job, target: Target, tapes: TapeSource, settings: Settings) -> Workload:
    """Return a placed test job's workload on a target; CannotTraceError says why there is none."""
    played = _played(job, target, tapes, settings)
    book, samples = played.book, played.share.samples
    gpu = played.run.figures(book)
    over = overhead(book, samples, played.card)
    return Workload(played.tape, book, samples, gpu, over, image=played.image, tests=True)


class _Played(Struct, frozen=True):
    """A test as it runs on a card."""

    run: Execution
    card: Card
    share: Share
    image: Image
    book: Ledger

    @property
    def tape(self) -> Tape:
        return self.run.tape(**validating(self.image))


def _played(job: Job, target: Target, tapes: TapeSource, settings: Settings) -> _Played:
    spec, own = job.spec, job.own
    if own is not None:
        step = own.step.unvalidated if own.step is not None else None
        network = own.unknown_network([spec.get("networks.generator.arch")])
        if why := own.unknown_step() or step or network:
            raise CannotTraceError(why)
    image = tested_image(spec, settings.validation_size, job.looked.get("image"))
    card = card_on(spec, target, settings)
    missing: dict[str, str] = {}
    share = Share(EVERY_BATCH, EVERY_BATCH)
    run = Execution(_step(spec, f"{job.dialect.id}.{TEST}"), share, card, tapes, missing, set())
    book = run.validation(validating(image))
    if book is None:
        raise CannotTraceError(missing.get("validation", "the test was not traced"))
    return _Played(run, card, share, image, book)


def _memory(
    job: Job, target: Target, tapes: TapeSource, settings: Settings
) -> tuple[Memory, tuple[Network, ...]]:
    played = _played(job, target, tapes, settings)
    run, card, book = played.run, played.card, played.book
    gpu = run.figures(book)
    written = tuple(Uncounted(**term) for term in job.spec.get(UNCOUNTED_FIELD, ()))
    memory = Memory(
        gpus=(gpu,),
        saved_per_sample=0,
        peak_phase="test",
        validation=gpu,
        image=played.image,
        uncounted=(*written, *emulated(job.spec, target.gpu)),
        source=min(run.sources, key=SOURCES.index),
        replayed=run.replayed,
        context=card.sure,
        **_made_of(book, played.share, card.room),
    )
    return memory, played.tape.networks


def _step(spec: TrainSpec, recipe: str) -> dict[str, Any]:
    """Return what shapes a test's memory: the network, the model class, and whether targets are loaded."""
    left = {name: value for name, value in spec.fields.items() if name not in TRAINING}
    options = {"tested": spec.get("recipe", ""), "targets": _targets(spec)}
    left |= {"recipe": Value(recipe), "options": Value(options)}
    return step_of(TrainSpec(left))


def _targets(spec: TrainSpec) -> bool:
    """Return whether the images have targets, on the GPU too; CannotTraceError where only some have."""
    has_targets = {bool((dataset.get("folders") or [""])[0]) for dataset in spec.get("validation.sets") or ()}
    if not has_targets:
        raise CannotTraceError("what its data sets load is not known")
    if len(has_targets) > 1:
        raise CannotTraceError("some of its sets have targets and some have none: test them apart")
    return has_targets == {True}


def _made_of(book: Ledger, share: Share, room: int) -> dict[str, Any]:
    largest, short = largest_tensor(book, share.samples, room), first_short(book, share.samples, room)
    return {
        "parts": kinds(book).parts(share.samples, book.peak(share.samples)),
        "largest": largest,
        "short": short,
        "validation_largest": largest,
        "validation_short": short,
    }
