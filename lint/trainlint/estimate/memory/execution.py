# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A run on one GPU model: each part of it with its tape, and the figures of the GPUs that perform it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.capacity import books_of, largest_batch, largest_within, safe_batch
from trainlint.estimate.memory.card import Card, Share, measured_step
from trainlint.estimate.memory.crop_stages import RunPart, parts
from trainlint.estimate.replay.course import has_validation
from trainlint.estimate.replay.footprint import Footprint, footprint_on, reserved_on, segments
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.estimate.replay.workspace import (
    ATTENTION,
    FLASH_FROM,
    NARROW_FLASH,
    Libraries,
    has_wide_heads,
    spike,
    unshared,
    used,
)
from trainlint.estimate.tapes.tape_source import Step, TapeSource
from trainlint.model.facts import WORST_SHARE, GpuMemory
from trainlint.model.spec import TrainSpec
from trainlint.tape import EVERY_BATCH, Tape
from trainlint.tape.step import key_of

FEW: Final = 8
"""Batches that are tried from the largest on: one trial is a replay or less, a batch's footprint three."""
HALF_PRECISIONS: Final = ("fp16", "bf16")


class Largest(Struct, frozen=True):
    """The largest batch per GPU that is known to fit, 0 where none is.

    `open`: a larger one may fit too, of which there is no tape; `why` there is none, where nothing fits.
    With `safe` not even the worst figure is more than the card; those above it are tight.
    """

    batch: int
    open: bool = False
    why: str = ""
    safe: int = 0


def gpu_memory(need: Footprint, card: Card) -> GpuMemory:
    """Add the context to a footprint.

    `worst` is no need, but what measured runs stayed below (WORST_SHARE). cudnn.benchmark tries algorithms
    whose workspaces are no larger than the largest block that is free, on the device or in the cache,
    allocates the largest of these once, half of it where that fails, and empties the cache
    (aten/src/ATen/native/cudnn/Conv_v8.cpp, generate_and_filter_plans and run_single_conv; Conv_v7.cpp,
    getMaxWorkspaceSize). So its trials fill a card at most, and break no run.
    """
    least = card.context + need.segments
    steady = card.context + need.reserved
    expect = steady + need.unshared
    return GpuMemory(
        allocated=need.live.allocated,
        least=least,
        expect=expect,
        worst=max(steady + need.spike, ceil(expect * WORST_SHARE)),
        context=card.context,
        capacity=card.capacity,
    )


def as_measured(gpu: GpuMemory, ran: bool | None) -> GpuMemory:
    """Return a step's figures with the verdict of its own run on that card, where one was measured."""
    if ran and gpu.least > gpu.capacity:
        return replace(gpu, least=gpu.capacity, unbroken=None, expandable=None)
    if ran is False and gpu.least <= gpu.capacity:
        least = gpu.capacity + 1
        return replace(gpu, least=least, expect=max(gpu.expect, least), worst=max(gpu.worst, least))
    return gpu


class Execution(Struct):
    """One part of the run on one card.

    `missing` collects why stages or validation are not known, `sources` where the tapes are from, `replayed`
    the events of each.
    """

    step: Step
    share: Share
    card: Card
    tapes: TapeSource
    missing: dict[str, str]
    sources: set[str]
    replayed: dict[tuple[str, int], int] = field(default_factory=dict)
    _own: Tape | None = None
    _key: str = ""

    def tape(self, batch: int | None = None, **changes: Any) -> Tape:
        """Return the tape of the step with `changes`, for the attention kernels that this card has."""
        if changes or batch not in (None, self.share.batch):
            return self._tape(batch, changes)
        if self._own is None:
            self._own = self._tape(batch, changes)
        return self._own

    def _tape(self, batch: int | None, changes: Step) -> Tape:
        step = {**self.step, **changes}
        batch = self.share.batch if batch is None else batch
        tape = self._from(step, batch)
        if self.is_early and any(op.kind == ATTENTION for op in tape.ops):
            return self._from({**step, "attention": "efficient"}, batch)
        if self.is_narrow and any(map(has_wide_heads, tape.ops)):
            return self._from({**step, "attention": "flash-narrow"}, batch)
        return tape

    @property
    def key(self) -> str:
        """What names its step."""
        if not self._key:
            self._key = key_of(self.step)
        return self._key

    @property
    def is_early(self) -> bool:
        """Whether half-precision attention, where there is any, runs as it does before FlashAttention."""
        return self.card.compute_capability < FLASH_FROM and _halved(self.step)

    @property
    def is_narrow(self) -> bool:
        """Whether half-precision attention, where there is any, trains no wide heads with FlashAttention."""
        capability = self.card.compute_capability
        narrow = any(low <= capability <= high for low, high in NARROW_FLASH)
        return narrow and _halved(self.step)

    def _from(self, step: Step, batch: int) -> Tape:
        tape = self.tapes.tape(step, batch)
        self.sources.add(tape.source)
        self.replayed[tape.key, batch] = len(tape.events)
        return tape

    def gpus(self) -> tuple[GpuMemory, ...]:
        """Return the figures of a process's GPUs: the first, and DataParallel's others."""
        tape = self.tape()
        devices = [0, *(min(1, tape.devices - 1) for _ in range(self.share.replicas - 1))]
        figures = tuple(self.figures(ledger(tape, device)) for device in devices)
        return tuple(as_measured(gpu, self._ran) for gpu in figures) if self.card.ran else figures

    @property
    def _ran(self) -> bool | None:
        """Whether this step had enough memory when the user measured it here; None: it was not measured."""
        step = measured_step(self.step, self.share, benchmark=self.card.libraries.benchmark)
        return dict(self.card.ran).get(step)

    def figures(self, book: Ledger) -> GpuMemory:
        """Return one GPU's figures; where only fragmentation breaks it, also what it needs without.

        How much a run fragments is not certain: half of the measured ones waste less than 1.2 %
        (docs/accuracy.md). So that alone is no fail.
        """
        samples = self.share.samples
        libraries = used(book, self.card.libraries)
        gpu = gpu_memory(self._on_card(book, samples, libraries), self.card)
        if gpu.least <= gpu.capacity or gpu.allocated + gpu.context > gpu.capacity:
            return gpu
        least = gpu.context + segments(book, samples, replace(libraries, expandable=True))
        return replace(gpu, unbroken=least, expandable=least if least <= gpu.capacity else None)

    def validation(self, image: Step) -> Ledger | None:
        """Return the ledger of one validation image on the first GPU, with the training's state alive.

        `image` is what a step has more when that is on its tape; None where it cannot be had.
        """
        try:
            tape = self.tape(**image)
        except CannotTraceError as error:
            self.missing["validation"] = error.reason
            return None
        return ledger(tape, validation=True) if has_validation(tape) else None

    def largest(self) -> Largest:
        """Return the largest batch per GPU; one sample has a tape of its own, so it is asked for last.

        A network that cannot train on one sample (batch normalisation of 1x1 maps) has no such tape.
        """
        short: set[int] = set()  # batches that are known not to fit
        unknown = ""
        for batch in (*self._tried(), 1):
            try:
                tape = self.tape(batch)
            except CannotTraceError as error:
                unknown = error.reason
                continue
            if most := largest_batch(tape, self.share, self.card):
                safe = self._safe(tape, most)
                return Largest(most, open=bool(tape.batches) and most + 1 not in short, safe=safe)
            short |= set(tape.batches) or {1, EVERY_BATCH}
        return Largest(0, open=1 not in short, why=unknown)

    def _safe(self, tape: Tape, most: int) -> int:
        """Return the largest batch per GPU up to `most` whose worst figure is no more than the card."""
        books, own = books_of(tape, self.share), max(EVERY_BATCH, self.share.batch)

        def safe(batch: int) -> bool:
            samples = self.share.at(batch).samples
            return all(self._is_safe(book, samples) for book in books)

        def guess() -> int:
            if most <= FEW and self.share.batch < own:  # to try them is less than to work out another batch
                return most
            samples = self.share.at(own).samples
            rooms = [(book, self._live_room(book, samples)) for book in books]

            def excess(batch: int) -> int:
                samples = self.share.at(batch).samples
                return max(book.peak(samples).allocated - room for book, room in rooms)

            return largest_within(excess)

        return safe_batch(tape, most, guess, safe)

    def _live_room(self, book: Ledger, samples: Samples) -> int:
        """Return the live bytes with which the worst figure fills the card, if these samples' share holds."""
        need = self._on_card(book, samples, used(book, self.card.libraries))
        worst = gpu_memory(need, self.card).worst - self.card.context
        return self.card.room * need.live.allocated // max(1, worst)

    def _is_safe(self, book: Ledger, samples: Samples) -> bool:
        """Say whether the worst figure is no more than the card."""
        libraries, card = used(book, self.card.libraries), self.card
        need = Footprint(
            live=book.peak(samples),
            segments=0,
            reserved=0,
            spike=spike(book, samples, libraries),
            unshared=unshared(book, samples, libraries),
        )
        expected = int(card.capacity / WORST_SHARE) + 1  # a byte more: the last line compares exactly
        most = min(card.room - need.spike, expected - card.context - need.unshared)
        reserved = reserved_on(book, samples, libraries, card.room, most)
        if reserved is None:
            return False
        return gpu_memory(replace(need, reserved=reserved), card).worst <= card.capacity

    def _on_card(self, book: Ledger, samples: Samples, libraries: Libraries) -> Footprint:
        return footprint_on(book, samples, libraries, self.card.room)

    def _tried(self) -> Iterator[int]:
        """Yield the batch to begin with; and its halves, where every batch needs a tape of its own."""
        batch = max(EVERY_BATCH, self.share.batch)
        yield batch
        while self.is_uneven() and batch > EVERY_BATCH:
            batch //= 2
            yield max(EVERY_BATCH, batch)

    def is_uneven(self) -> bool:
        """Say whether memory does not grow evenly with the batch, so that only traced batches are known."""
        try:
            return bool(self.tape(max(EVERY_BATCH, self.share.batch)).batches)
        except CannotTraceError:  # one sample alone is known
            return True


def _halved(step: Step) -> bool:
    """Return whether attention is computed in half precision: under autocast, or by a network that is."""
    dtype = (step.get("options") or {}).get("model_dtype")
    return step.get("precision") in HALF_PRECISIONS or dtype in {"float16", "bfloat16"}


Performed = tuple[RunPart, Execution, tuple[GpuMemory, ...]]
"""A part of the run, with the figures of its GPUs."""


def performed(spec: TrainSpec, step: Step, card: Card, tapes: TapeSource) -> list[Performed]:
    """Work out every part of the run that can be traced; CannotTraceError where none can."""
    missing: dict[str, str] = {}
    sources: set[str] = set()
    replayed: dict[tuple[str, int], int] = {}
    runs = []
    failure = None
    for part in parts(spec):
        run = Execution({**step, **part.crops}, part.share, card, tapes, missing, sources, replayed)
        try:
            runs.append((part, run, run.gpus()))
        except CannotTraceError as error:
            failure = error
            missing["stages"] = f"stage {part.number}: {error.reason}"
    if failure is not None and not runs:
        raise failure
    return runs


def heaviest(ran: list[Performed]) -> Performed:
    """Return the part that needs the largest card: it represents the run."""
    return max(ran, key=lambda part: max(gpu.least for gpu in part[2]))
