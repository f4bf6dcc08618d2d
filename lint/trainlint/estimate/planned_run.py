# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A planned run: a config's step as this machine would train it, run on its GPU and estimated too."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from itertools import zip_longest
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from trainlint.errors import CannotTraceError, UsageError
from trainlint.estimate.measurement import MeasuredFigure, foreseen, rows
from trainlint.estimate.memory.card import BENCHMARKS, Card
from trainlint.estimate.memory.crop_stages import heaviest
from trainlint.estimate.memory.run_memory import estimate_memory
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.step_work import step_work
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.measuring.gpu_reading import OUTCOME_RAN, Reading, Request
from trainlint.model.facts import GpuMemory
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target
from trainlint.tape.step import step_of

Measure = Callable[[Request], Reading]
GIB: Final = 2**30
BETWEEN_STEPS: Final = 3
"""Steps of the run that reads the allocator between operators: the second is steady, the third proves it."""


class Options(Struct, frozen=True):
    """What the user changes of a config: samples per GPU, benchmark off; and how many steps to run."""

    batch: int | None = None
    benchmark: bool | None = None
    steps: int = 5


class PlannedRun(Struct, frozen=True):
    """A placed spec and the run that it asks for; `notes` say where the run departs from the config."""

    spec: TrainSpec
    request: Request
    notes: tuple[str, ...] = ()


class MeasuredRun(Struct, frozen=True):
    """What the GPU showed and what was estimated; `missing` says why there is no estimate."""

    reading: Reading
    estimates: tuple[GpuMemory, ...] = ()
    missing: str | None = None

    @property
    def tables(self) -> tuple[tuple[MeasuredFigure, ...], ...]:
        """The figures of each GPU that was read, next to their estimates."""
        pairs = zip_longest(self.reading.gpus, self.estimates[: len(self.reading.gpus)])
        return tuple(tuple(rows(gpu, estimate)) for gpu, estimate in pairs)

    @property
    def foreseen(self) -> bool | None:
        """Whether the first GPU ran out of memory exactly where its estimate says so; None without one."""
        return foreseen(self.reading, self.estimates[0]) if self.estimates else None


def plan(placed: TrainSpec, target: Target, options: Options) -> PlannedRun:
    """Plan the run of a spec placed on this machine; CannotTraceError where the batch is not known.

    DataParallel over more GPUs than there are is measured as one replica; DDP always as one process.
    """
    part = heaviest(placed)
    share = part.share
    changes: dict[str, object] = dict(part.crops)
    notes = []
    if part.number:
        changes["stages"] = []
        notes.append(f"stage {part.number} of progressive training: {share.batch} crops of {part.crop}")
    replicas = share.replicas
    if placed.get("parallel") == "dp" and not 1 < replicas <= target.gpu_count:
        notes.append(f"one replica only: DataParallel over {replicas} GPUs is not possible here")
        changes["parallel"], replicas = "none", 1
    batch = options.batch or share.batch
    total = share.total if options.batch is None and replicas > 1 else batch * replicas
    changes |= {"batch.per_replica": batch, "batch.per_process": total}
    if options.benchmark is not None:
        changes["cudnn_benchmark"] = options.benchmark
    placed = changed(placed, changes)
    request = Request(
        step=step_of(placed),
        batch=batch,
        total=total,
        pool=share.pool,
        steps=options.steps,
        benchmark=bool(placed.get("cudnn_benchmark", BENCHMARKS)),
    )
    return PlannedRun(placed, request, tuple(notes))


def changed(spec: TrainSpec, changes: dict[str, object]) -> TrainSpec:
    """Return a spec with other values; what is not written keeps no place."""
    return TrainSpec(
        {**spec.fields, **{name: Value(value, spec.at(name), "derived") for name, value in changes.items()}}
    )


def capped(card: Card, cap: int | None) -> tuple[Card, int | None]:
    """Return the card that a cap in bytes imitates, and the bytes that torch's allocator gets there.

    `cap` is what torch would see of the smaller card: the context comes out of it, as on a real one.
    Raises UsageError for a cap below the context or above the card.
    """
    if cap is None:
        return card, None
    if not card.context < cap <= card.capacity:
        raise UsageError(
            f"a cap of {cap / GIB:.2f} GiB cannot be imitated: expected more than the context's"
            f" {card.context / GIB:.2f} and no more than the card's {card.capacity / GIB:.2f}"
        )
    return replace(card, capacity=cap), cap - card.context


def perform(planned: PlannedRun, card: Card, tapes: TapeSource, run: Measure) -> MeasuredRun:
    """Run a planned run and estimate it; CannotTraceError where the step cannot run."""
    reading = _with_live(planned.request, run(planned.request), run)
    try:
        memory = estimate_memory(planned.spec, planned.request.step, card, tapes)
    except CannotTraceError as error:
        return MeasuredRun(reading, missing=error.reason)
    return MeasuredRun(reading, memory.gpus)


def calibrating(planned: PlannedRun, gpu: Gpu, tapes: TapeSource) -> dict[str, object]:
    """Return what a kept run has more, by which it says how fast the card is (the setting `calibration`)."""
    request = planned.request
    try:
        tape = tapes.tape(request.step, request.batch)
    except CannotTraceError:
        return {"card": gpu.name}
    samples = Samples(request.batch, request.total, request.pool)
    work = step_work(tape, samples, gpu, tf32=bool(planned.spec.get("tf32")))
    return {"card": gpu.name, "work": to_builtins(work)}


def _with_live(request: Request, reading: Reading, run: Measure) -> Reading:
    """Add the first GPU's peak of tensors alone, from a run of its own on the whole card.

    Not under DataParallel: its threads run outside of what reads between operators.
    """
    if reading.outcome != OUTCOME_RAN or request.step.get("parallel") == "dp":
        return reading
    alone = dataclasses.replace(request, between=True, benchmark=False, limit=None, steps=BETWEEN_STEPS)
    try:
        quiet = run(alone)
    except CannotTraceError:  # without a workspace cuBLAS of CUDA 13 refuses spectral norm's dot products
        return reading
    if quiet.outcome != OUTCOME_RAN:
        return reading
    first, *others = reading.gpus
    return dataclasses.replace(reading, gpus=(dataclasses.replace(first, live=quiet.gpus[0].live), *others))
