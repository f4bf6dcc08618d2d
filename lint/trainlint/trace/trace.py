# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trace a training step: two full steps at two batches on the meta device, merged into one tape.

Keys of `step` read here (all others are the recipe's): "recipe"; "parallel" (none, dp, ddp); of "options"
"find_unused_parameters"; "attention", the class of attention kernels ("flash": compute capability 8.0 and
later, the default; "efficient": earlier cards; "math": no fused kernels).
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch

from trainlint.errors import BadArgumentsError, CannotTraceError, TrainlintError
from trainlint.tape import File, Tape
from trainlint.tape.provenance import made_with
from trainlint.tape.step import key_of
from trainlint.trace.building.argument_origin import arguments_of
from trainlint.trace.building.build import bounded
from trainlint.trace.building.build import recipe as named
from trainlint.trace.building.eager import without_compiler
from trainlint.trace.building.slip_place import place_in_step
from trainlint.trace.collection import uncollected
from trainlint.trace.cuda import imitate
from trainlint.trace.cuda.attention import CARD_CLASSES
from trainlint.trace.optimizers import label_gradients
from trainlint.trace.parallel.wrapper import Layout, looks_for_unused
from trainlint.trace.recording.checkpoint_size import saved_bytes
from trainlint.trace.recording.merge import POOL_STRIDE, BatchPoint, Merged, NotAffineError, check, merge
from trainlint.trace.recording.operator_kinds import owner_words, value_decides
from trainlint.trace.recording.recorder import OperatorCache, Recorder
from trainlint.trace.recording.storage_ledger import Recording, StorageLedger
from trainlint.trace.recording.tensor_owners import failed_in, forward_of, given_in
from trainlint.trace.stage import Recipe, Stage
from trainlint.trace.torch_private import REFUSAL_LOGGER

TRACED_BATCHES = (2, 3)
"""Batch 1 is avoided: contiguity makes it differ for half of all networks."""
THIRD_BATCH = 16
"""Where the affine sizes are checked."""
FIRST_POOL = 1009
"""Samples in the training pool of the first trace: a prime, so that no batch divides it."""
PARALLEL_MODES = ("none", "dp", "ddp")
FIELD_WORDS = {"crop.hr": "the size of the target crop", "crop.lq": "the size of the input crop"}
"""What a recipe reads of a step and a config may leave out, in words."""

Build = Callable[[Mapping[str, Any], Stage], Recipe]


@dataclass(frozen=True)
class Performance:
    """One trace: what was recorded, and the stage and recipe that made it."""

    recording: Recording
    stage: Stage
    recipe: Recipe


def trace(
    step: Mapping[str, Any],
    *,
    batches: Sequence[int] = TRACED_BATCHES,
    verify: bool = True,
    recipe: Build | None = None,
    validation: tuple[int, int] | None = None,
) -> Tape:
    """Return the tape of a step; CannotTraceError or BadArgumentsError say why there is none.

    `batches`: samples per GPU at which to trace; one number gives a tape for that batch alone.
    `verify` checks the sizes at a third batch (one step more). `recipe` overrides the one that `step` names.
    `validation` (height, width of the network's input) appends the recipe's validation step after the mark
    "validation".
    """
    mode = str(step.get("parallel", "none"))
    card = str(step.get("attention", "flash"))
    if mode not in PARALLEL_MODES or card not in CARD_CLASSES:
        raise CannotTraceError(f'unknown parallel mode "{mode}" or attention class "{card}"')
    compiler = nullcontext() if recipe else without_compiler()
    with _quiet(), compiler:
        build = recipe or named(step)
        with imitate.cuda(card):
            return _Tracer(step, build, mode, validation).tape(tuple(batches), verify=verify)


@contextmanager
def _quiet() -> Iterator[None]:
    """Collect garbage after each step alone, and keep silent of operators that refuse their tensors.

    What torch logs of those, a hundred lines of traceback, is our verdict.
    """
    log = logging.getLogger(REFUSAL_LOGGER)
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with uncollected():
            yield
    finally:
        log.setLevel(level)


class _Tracer:
    """One step's traces, which share what the kernels were seen to return."""

    def __init__(
        self, step: Mapping[str, Any], build: Build, mode: str, validation: tuple[int, int] | None
    ) -> None:
        self.step, self.build, self.mode, self.validation = step, build, mode, validation
        self.memory = OperatorCache()

    def tape(self, batches: tuple[int, ...], *, verify: bool) -> Tape:
        """Trace at every point and merge; where sizes bend with the batch, the first batch alone."""
        first = self.perform(self._points(batches, pool=False)[0])
        self._without_values(first, self._points(batches, pool=False)[0])
        pool = first.stage.uses_pool
        points = self._points(batches, pool=pool)
        recordings = [first.recording, *(self.perform(point).recording for point in points[1:])]
        try:
            merged = merge(points, recordings, parallel=self.mode == "dp", pool=pool)
            if verify and len(batches) > 1:
                self._verify(merged, points[0])
        except NotAffineError as error:
            if len(batches) == 1:
                raise CannotTraceError(
                    f"not affine in the samples of the other GPUs or the pool: {error}"
                ) from error
            return replace(self.tape(batches[:1], verify=False), affine=f"not affine: {error}")
        return self._tape(first, merged, batches if len(batches) == 1 else ())

    def _points(self, batches: tuple[int, ...], *, pool: bool) -> list[BatchPoint]:
        """Return where to trace: each point after the first moves one variable, the last one the pool too."""
        top = 2 * max(batches) + 1 if self.mode == "dp" else 0
        points = [BatchPoint(batch, top, FIRST_POOL) for batch in batches]
        if self.mode == "dp":
            points.append(BatchPoint(batches[0], top + 1, FIRST_POOL))
        elif pool and len(batches) == 1:
            points.append(points[0])
        if pool and len(points) > 1:
            points[-1] = BatchPoint(points[-1].batch, points[-1].total, FIRST_POOL + POOL_STRIDE)
        return points

    def _without_values(self, made: Performance, point: BatchPoint) -> None:
        """Refuse a step that another value of a tensor would change: it depends on the data."""
        read = made.stage.ledger.values
        if not read:
            return
        if made.recording.course() != self.perform(point, other=True).recording.course():
            raise value_decides(read[0], "and its memory depends on it")

    def perform(self, point: BatchPoint, *, steps: int = 2, other: bool = False) -> Performance:
        """Build the recipe and run its steps at one point; `other`: read values are the other stand-ins."""
        ledger = StorageLedger()
        recorder = Recorder(ledger, self.memory, other=other)
        total = point.total or point.batch
        layout = Layout(self.mode, point.batch, total, looks_for_unused(self.step))
        stage = Stage(ledger, layout, point.pool)
        ledger.devices_matter = self.mode == "dp"
        ledger.mark("setup")
        recipe = self._built(stage)
        begun: list[int] = []
        with ledger.owners.watching(), _explained(ledger), recorder:
            for number in range(1, steps + 1):
                ledger.mark(f"step {number}")
                begun.append(len(ledger.tape.blocks))
                recipe.train_step(total)
                label_gradients(ledger, stage.parameters())
                gc.collect(1)
            if steps > 1:
                _steady(ledger.leak(*begun))
            if self.validation and steps > 1:
                ledger.mark("validation")
                recipe.validate(*self.validation)
        return Performance(ledger.close(), stage, recipe)

    def _built(self, stage: Stage) -> Recipe:
        meta = torch.device("meta")
        with _explained(stage.ledger), arguments_of(self.step), meta, imitate.no_initialisation(), bounded():
            return self.build(self.step, stage)

    def _verify(self, merged: Merged, base: BatchPoint) -> None:
        point = BatchPoint(THIRD_BATCH, 2 * THIRD_BATCH + 1 if base.total else 0, base.pool)
        check(merged, point, self.perform(point, steps=1).recording)

    def _tape(self, made: Performance, merged: Merged, batches: tuple[int, ...]) -> Tape:
        return Tape(
            key=key_of(self.step),
            step=dict(self.step),
            blocks=merged.blocks,
            ops=merged.ops,
            marks=tuple(made.recording.marks),
            events=merged.events,
            networks=tuple(made.stage.networks),
            files=_files(made.recipe),
            devices=made.stage.layout.devices,
            batches=batches,
            made_with=made_with(self.step, torch=torch.__version__),
            notes=tuple(made.recording.notes),
        )


def _files(recipe: Recipe) -> tuple[File, ...]:
    with torch.no_grad(), Recorder(StorageLedger()):  # a recorder of its own lets `.cpu()` pass
        return tuple(File(name, saved_bytes(content, name)) for name, content in recipe.checkpoint().items())


@contextmanager
def _explained(ledger: StorageLedger) -> Iterator[None]:
    """Turn what a module raises into CannotTraceError that names it, or the module that wants a value."""
    try:
        yield
    except Exception as error:
        if isinstance(error, TrainlintError) and not (ledger.values and isinstance(error, BadArgumentsError)):
            raise
        if ledger.values:
            raise value_decides(ledger.values[0], f"and cannot go on without it: {error}") from error
        if isinstance(error, KeyError) and error.args[0] in FIELD_WORDS:
            raise CannotTraceError(f"{FIELD_WORDS[error.args[0]]} is not known") from error
        raise CannotTraceError(
            f'"{owner_words(failed_in(error))}" cannot be traced: {type(error).__name__}: {error}'
            f"{place_in_step(error, forward_of(error), given_in(error))}"
        ) from error


def _steady(leak: tuple[str, int] | None) -> None:
    """Refuse a step that leaves more behind each time: no number holds for it."""
    if leak is not None:
        owner, size = leak
        grown = f"after every step {size / 2**20:.3g} MiB more are never freed"
        raise CannotTraceError(f'"{owner_words(owner)}" keeps what it makes: {grown}')
