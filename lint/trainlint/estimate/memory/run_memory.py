# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory of a run on one GPU model: a placed spec and its tapes become the figures that are judged.

allocated  peak of live tensor bytes in the second step
least      the smallest card on which the allocator's replay succeeds: that capacity and the CUDA context
expect     what nvidia-smi will show: context, reserved segments and cuDNN's workspaces
worst      an upper bound: 99 of 100 measured runs took no more (docs/accuracy.md)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from trainlint.estimate.library_version import library_of
from trainlint.estimate.memory.batch_key import batch_at_key
from trainlint.estimate.memory.card import Card
from trainlint.estimate.memory.crop_stages import RunPart
from trainlint.estimate.memory.execution import Execution, Largest, Performed, heaviest, performed
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept, ledger
from trainlint.estimate.tapes.tape_source import Step, TapeSource
from trainlint.estimate.tensors.named_tensor import first_short, largest_tensor
from trainlint.estimate.tensors.tensor_kind import belonging, kinds
from trainlint.model.facts import CropStage, GpuMemory, Image, Limits, Memory
from trainlint.model.spec import TrainSpec
from trainlint.postponed import Postponed
from trainlint.tape import SOURCES

NO_PARTS: Final[Mapping[str, Any]] = {"parts": {}, "saved_per_sample": 0}
"""What represents a peak's parts where they are not asked for."""


def estimate_memory(
    spec: TrainSpec,
    step: Step,
    card: Card,
    tapes: TapeSource,
    image: Image | None = None,
    *,
    largest: bool = True,
    itemised: bool = True,
) -> Memory:
    """Work out the memory of a placed spec whose step is `step`.

    `image` is what it validates on; `largest` looks for the largest batch, which takes half of the time, at
    once where it may have to be traced, and with `itemised` for what its peak is made of: an edit that is
    tried needs neither.
    Of progressive training's stages the one that needs the largest card represents the run.
    CannotTraceError where the training step's tape cannot be had; a stage's or the validation's is left out,
    with its reason in `missing`.
    """
    ran = performed(spec, step, card, tapes)
    part, run, gpus = heaviest(ran)
    stages = tuple(CropStage(p.number, p.crop, p.share.batch, g[0]) for p, _, g in ran if p.number)
    tested = None if image is None else run.validation(validating(image))
    validation = None if tested is None else run.figures(tested)
    samples = run.share.samples
    book = ledger(run.tape())
    limits = Postponed(partial(_limits, spec, ran, run)) if largest else None
    if limits is not None and (itemised or tapes.can_trace()):
        _ = limits.value  # now: a report lists what is missing, and nothing is to be traced later on
    return Memory(
        gpus=gpus * run.share.processes,
        peak_phase=_peak_phase(part, gpus, validation),
        stages=stages,
        validation=validation,
        image=None if tested is None else image,
        limits=limits or Limits(uneven=bool(run.tape().batches)),
        missing=run.missing,
        library=library_of(run.tape()),
        replayed=run.replayed,
        source=min(run.sources, key=SOURCES.index),
        context=card.sure,
        **(_trained(book, samples, card, itemised=itemised) if largest else NO_PARTS),
        **_named(book, samples, card),
        **(_tested(tested, samples, card, itemised=largest and itemised) if tested is not None else {}),
    )


def _trained(book: Ledger, samples: Samples, card: Card, *, itemised: bool) -> Mapping[str, Any]:
    """Return what a sample keeps alive and, where that is asked for, what a step's peak is made of."""
    saved = {**NO_PARTS, "saved_per_sample": book.saved_per_sample}
    if not itemised:
        return saved
    from trainlint.estimate.memory.overhead import overhead  # noqa: PLC0415 - where somebody reads it

    return {**saved, **_parts(book, samples), "overhead": overhead(book, samples, card)}


@kept
def _parts(book: Ledger, samples: Samples) -> dict[str, Any]:
    """Return what a step's peak is made of, on whatever card; jobs of one file often share a step."""
    return {
        "parts": kinds(book).parts(samples, book.peak(samples)),
        "belongings": book.parts(samples, book.peak(samples), belonging),
    }


@kept
def _named(book: Ledger, samples: Samples, card: Card) -> dict[str, Any]:
    """Return the tensors of a step's peak that findings name."""
    return {
        "largest": largest_tensor(book, samples, card.room),
        "short": first_short(book, samples, card.room),
    }


def validating(image: Image) -> Step:
    """Return what a step has more when the validation of such an image is on its tape."""
    tiles = {"validation.tile": image.tile, "validation.overlap": image.overlap} if image.tile else {}
    sampled = {"sampling": dict(image.sampled)} if image.sampled else {}
    return {"validation": [image.height, image.width], **tiles, **sampled}


@kept
def _tested(book: Ledger, samples: Samples, card: Card, *, itemised: bool) -> dict[str, Any]:
    """Return what a validation's peak is made of."""
    return {
        "validation_parts": kinds(book).parts(samples, book.peak(samples)) if itemised else {},
        "validation_largest": largest_tensor(book, samples, card.room),
        "validation_short": first_short(book, samples, card.room),
    }


def _limits(spec: TrainSpec, ran: list[Performed], run: Execution) -> Limits:
    """Return how large the batch may be; what is missing for it is noted in the run."""
    most = _largest(spec, ran, run)
    if most.why:
        run.missing["largest_batch"] = most.why
    return Limits(
        largest_batch=most.batch,
        largest_open=most.open,
        safe_batch=most.safe,
        uneven=run.is_uneven(),
        batch=batch_at_key(spec, run.share, most.batch),
        safe=batch_at_key(spec, run.share, most.safe),
    )


def _largest(spec: TrainSpec, ran: list[Performed], peak: Execution) -> Largest:
    """Return the largest batch with which every stage fits: the loader's batch bounds them all.

    It is not looked for where samples are taken for the shortest there are: the longer ones decide it.
    """
    short = [run for _, run, gpus in ran if any(gpu.least > gpu.capacity for gpu in gpus)]
    if spec.get("sequence.shortest") and not short:
        batch = peak.share.batch
        safe = all(gpu.worst <= gpu.capacity for _, _, gpus in ran for gpu in gpus)
        return Largest(batch, open=True, safe=batch if safe else 0)
    limits = [run.largest() for run in short or [peak]]
    least = min(limits, key=lambda most: (most.batch, most.open))
    return replace(least, safe=min(most.safe for most in limits))


def _peak_phase(part: RunPart, gpus: tuple[GpuMemory, ...], validation: GpuMemory | None) -> str:
    """Name what needs the largest card: train, "stage 2" or validation."""
    if validation is not None and validation.least > max(gpu.least for gpu in gpus):
        return "validation"
    return f"stage {part.number}" if part.number else "train"
