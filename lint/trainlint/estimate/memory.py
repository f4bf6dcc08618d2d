"""Memory of a run on one GPU model: a placed spec and its tapes become the figures that are judged.

allocated  peak of live tensor bytes in the second step
least      the smallest card on which the allocator's replay succeeds: that capacity and the CUDA context
expect     what nvidia-smi will show: context, reserved segments and cuDNN's workspaces
worst      the same while cudnn.benchmark tries its algorithms
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.estimate.breakdown import belonging
from trainlint.estimate.capacity import largest_batch
from trainlint.estimate.card import Card, Share, share_of
from trainlint.estimate.facts import GpuMemory, Image, Memory, Stage
from trainlint.estimate.footprint import Footprint, footprint
from trainlint.estimate.ledger import has_validation, ledger
from trainlint.estimate.source import EVERY_BATCH, Step, TapeSource
from trainlint.estimate.workspace import ATTENTION, FLASH_FROM
from trainlint.spec import TrainSpec
from trainlint.tape import Tape

HALF: Final = ("fp16", "bf16")


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
    CannotTraceError where the training step's tape cannot be had; a stage's or the validation's is left out,
    with its reason in `missing`.
    """
    run = _Run(step, share_of(spec), card, tapes)
    gpus = run.figures(run.tape(), run.share)
    stages = run.stages(spec)
    validation = None if image is None else run.validation(image)
    book = ledger(run.tape())
    moment = book.peak(run.share.samples)
    return Memory(
        gpus=gpus * run.share.processes,
        parts=book.parts(run.share.samples, moment, lambda block: block.kind),
        saved_per_sample=book.saved_per_sample(),
        peak_phase=_peak_phase(gpus, stages, validation),
        stages=stages,
        validation=validation,
        image=image if validation is not None else None,
        largest_batch=run.largest() if largest else 0,
        belongings=book.parts(run.share.samples, moment, belonging),
        missing=run.missing,
    )


def gpu_memory(need: Footprint, card: Card) -> GpuMemory:
    """Add the context and cuDNN's workspaces to a footprint."""
    least = card.context + need.segments
    expect = max(least, card.context + need.reserved + need.convolutions.steady)
    return GpuMemory(
        allocated=need.live.allocated,
        least=least,
        expect=expect,
        worst=expect + (need.convolutions.spike if card.libraries.benchmark else 0),
        context=card.context,
        capacity=card.capacity,
    )


@dataclass
class _Run:
    """One spec on one card; `missing` collects why stages or validation are not known."""

    step: Step
    share: Share
    card: Card
    tapes: TapeSource
    missing: dict[str, str] = field(default_factory=dict)

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
        return tuple(
            gpu_memory(footprint(book, share.samples, self.card.libraries), self.card) for book in books
        )

    def stages(self, spec: TrainSpec) -> tuple[Stage, ...]:
        """Work out each stage of progressive training on the first GPU."""
        found = []
        scale = spec.get("scale", 1) or 1
        for number, stage in enumerate(spec.get("stages") or (), start=1):
            crop, batch = int(stage["size"]), int(stage["batch"])
            try:
                tape = self.tape(batch, **{"crop.hr": crop, "crop.lq": crop // scale})
            except CannotTraceError as error:
                self.missing["stages"] = f"stage {number}: {error.reason}"
                continue
            found.append(Stage(crop, batch, self.figures(tape, self.share.at(batch))[0]))
        return tuple(found)

    def validation(self, image: Image) -> GpuMemory | None:
        """Work out one validation image on the first GPU, with the training's state alive."""
        tiles = {"validation.tile": image.tile, "validation.overlap": image.overlap} if image.tile else {}
        try:
            tape = self.tape(validation=[image.height, image.width], **tiles)
        except CannotTraceError as error:
            self.missing["validation"] = error.reason
            return None
        return self.figures(tape, self.share, validation=True)[0] if has_validation(tape) else None

    def largest(self) -> int:
        """Return the largest batch per GPU; one sample has a tape of its own, so it is asked for last."""
        try:
            largest = largest_batch(self.tape(max(EVERY_BATCH, self.share.batch)), self.share, self.card)
        except CannotTraceError:
            largest = 0
        return largest or largest_batch(self.tape(1), self.share, self.card)


def _peak_phase(gpus: tuple[GpuMemory, ...], stages: tuple[Stage, ...], validation: GpuMemory | None) -> str:
    """Name what needs the largest card: train, "stage 2" or validation."""
    needs = {"train": max(gpu.least for gpu in gpus)}
    needs |= {f"stage {number}": stage.memory.least for number, stage in enumerate(stages, start=1)}
    if validation is not None:
        needs["validation"] = validation.least
    return max(needs, key=needs.__getitem__)
