"""Memory of a run on one GPU model: a placed spec and its tapes become the figures that are judged.

allocated  peak of live tensor bytes in the second step
least      the smallest card on which the allocator's replay succeeds: that capacity and the CUDA context
expect     what nvidia-smi will show: context, reserved segments and cuDNN's workspaces
worst      the same while cudnn.benchmark tries its algorithms
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.estimate.breakdown import belonging
from trainlint.estimate.capacity import largest_batch
from trainlint.estimate.card import Card, Share
from trainlint.estimate.facts import GpuMemory, Image, Memory, Stage
from trainlint.estimate.footprint import Footprint, footprint, segments
from trainlint.estimate.ledger import Ledger, Samples, has_validation, ledger
from trainlint.estimate.source import EVERY_BATCH, Step, TapeSource
from trainlint.estimate.stages import Part, parts
from trainlint.estimate.workspace import ATTENTION, FLASH_FROM
from trainlint.spec import TrainSpec
from trainlint.tape import Tape

HALF: Final = ("fp16", "bf16")
FRAGMENTATION: Final = 1.063
"""How far above what expandable segments need the replay without them is believed.

Of 160 timm steps whose memory was measured (docs/accuracy.md) the replay's ratio is 1.029 in the median,
1.063 at the 95th percentile and 1.17 at most; nothing measured bears out more.
"""


def estimate_memory(
    spec: TrainSpec,
    step: Step,
    card: Card,
    tapes: TapeSource,
    image: Image | None = None,
    *,
    largest: bool = True,
) -> Memory:
    """Work out the memory of a placed spec whose step is `step`.

    `image` is what it validates on; `largest` looks for the largest batch, which takes half of the time.
    Of progressive training's stages the one that needs the largest card stands for the run.
    CannotTraceError where the training step's tape cannot be had; a stage's or the validation's is left out,
    with its reason in `missing`.
    """
    ran = _performed(spec, step, card, tapes)
    part, run, gpus = max(ran, key=lambda each: max(gpu.least for gpu in each[2]))
    stages = tuple(Stage(p.number, p.crop, p.share.batch, g[0]) for p, _, g in ran if p.number)
    validation = None if image is None else run.validation(image)
    book = ledger(run.tape())
    moment = book.peak(run.share.samples)
    return Memory(
        gpus=gpus * run.share.processes,
        parts=book.parts(run.share.samples, moment, lambda block: block.kind),
        saved_per_sample=book.saved_per_sample(),
        peak_phase=_peak_phase(part, gpus, validation),
        stages=stages,
        validation=validation,
        image=image if validation is not None else None,
        largest_batch=_largest(ran, run) if largest else 0,
        belongings=book.parts(run.share.samples, moment, belonging),
        missing=run.missing,
    )


def validating(image: Image) -> Step:
    """Return what a step has more when the validation of such an image is on its tape."""
    tiles = {"validation.tile": image.tile, "validation.overlap": image.overlap} if image.tile else {}
    return {"validation": [image.height, image.width], **tiles}


def gpu_memory(need: Footprint, card: Card) -> GpuMemory:
    """Add the context to a footprint."""
    least = card.context + need.segments
    expect = card.context + need.reserved
    return GpuMemory(
        allocated=need.live.allocated,
        least=least,
        expect=expect,
        worst=expect + need.spike,
        context=card.context,
        capacity=card.capacity,
    )


@dataclass
class _Run:
    """One part of the run on one card; `missing` collects why stages or validation are not known."""

    step: Step
    share: Share
    card: Card
    tapes: TapeSource
    missing: dict[str, str]

    def tape(self, batch: int | None = None, **changes: Any) -> Tape:
        """Return the tape of the step with `changes`, for the attention kernels that this card has."""
        step = {**self.step, **changes}
        batch = self.share.batch if batch is None else batch
        tape = self.tapes.tape(step, batch)
        early = self.card.compute_capability < FLASH_FROM and step.get("precision") in HALF
        if early and any(op.kind == ATTENTION for op in tape.ops):
            return self.tapes.tape({**step, "attention": "efficient"}, batch)
        return tape

    def figures(self, tape: Tape, share: Share, *, validation: bool = False) -> tuple[GpuMemory, ...]:
        """Return the figures of a process's GPUs: the first, and DataParallel's others."""
        devices = [0] if validation else [0, *(min(1, tape.devices - 1) for _ in range(share.replicas - 1))]
        books = [ledger(tape, device, validation=validation) for device in devices]
        return tuple(self._figures(book, share.samples) for book in books)

    def _figures(self, book: Ledger, samples: Samples) -> GpuMemory:
        """Return one GPU's figures; where only much fragmentation breaks it, also what it needs without."""
        gpu = gpu_memory(footprint(book, samples, self.card.libraries), self.card)
        if gpu.least <= gpu.capacity or gpu.allocated + gpu.context > gpu.capacity:
            return gpu
        least = gpu.context + segments(book, samples, replace(self.card.libraries, expandable=True))
        return replace(gpu, expandable=least) if least * FRAGMENTATION <= gpu.capacity else gpu

    def validation(self, image: Image) -> GpuMemory | None:
        """Work out one validation image on the first GPU, with the training's state alive."""
        try:
            tape = self.tape(**validating(image))
        except CannotTraceError as error:
            self.missing["validation"] = error.reason
            return None
        return self.figures(tape, self.share, validation=True)[0] if has_validation(tape) else None

    def largest(self) -> int:
        """Return the largest batch per GPU; one sample has a tape of its own, so it is asked for last.

        A network that cannot train on one sample (batch normalisation of 1x1 maps) has no such tape.
        """
        for batch in (max(EVERY_BATCH, self.share.batch), 1):
            with suppress(CannotTraceError):
                if largest := largest_batch(self.tape(batch), self.share, self.card):
                    return largest
        return 0


Performed = tuple[Part, _Run, tuple[GpuMemory, ...]]
"""A part of the run, with the figures of its GPUs."""


def _performed(spec: TrainSpec, step: Step, card: Card, tapes: TapeSource) -> list[Performed]:
    """Work out every part of the run that can be traced; CannotTraceError where none can."""
    missing: dict[str, str] = {}
    found = []
    failure = None
    for part in parts(spec):
        run = _Run({**step, **part.crops}, part.share, card, tapes, missing)
        try:
            found.append((part, run, run.figures(run.tape(), run.share)))
        except CannotTraceError as error:
            failure = error
            missing["stages"] = f"stage {part.number}: {error.reason}"
    if failure is not None and not found:
        raise failure
    return found


def _largest(ran: list[Performed], peak: _Run) -> int:
    """Return the largest batch with which every stage fits: the loader's batch bounds them all."""
    short = [run for _, run, gpus in ran if any(gpu.least > gpu.capacity for gpu in gpus)]
    return min(run.largest() for run in short or [peak])


def _peak_phase(part: Part, gpus: tuple[GpuMemory, ...], validation: GpuMemory | None) -> str:
    """Name what needs the largest card: train, "stage 2" or validation."""
    if validation is not None and validation.least > max(gpu.least for gpu in gpus):
        return "validation"
    return f"stage {part.number}" if part.number else "train"
