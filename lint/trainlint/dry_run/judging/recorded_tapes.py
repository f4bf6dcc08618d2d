# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Recorded tapes in the place of traced ones: an estimate asks for a step and gets the program's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from trainlint.dry_run.rehearsing.played_stages import PlayedStage
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.course import has_validation
from trainlint.estimate.tapes.stored_profiles import speaks_for
from trainlint.estimate.tapes.tape_source import Step, TapeSource
from trainlint.tape import EVERY_BATCH, Tape

NO_VALIDATION: Final = "the dry run stopped before a validation: use trainlint dry-run --until validation"


class RecordedTapes(TapeSource):
    """The tapes of one program: whatever the step is called, it is theirs."""

    was_recorded = True

    def __init__(self, tapes: Sequence[Tape], stages: Sequence[PlayedStage] = ()) -> None:
        super().__init__(may_trace=False)
        self.tapes = tuple(tapes)
        self.stages = tuple(stages)

    def tape(self, step: Step, batch: int = EVERY_BATCH) -> Tape:
        """Return the tape of so many samples per GPU; CannotTraceError where none was recorded."""
        own = [stage.tape for stage in self.stages if stage.crop == step.get("crop.hr")]
        speaking = [tape for tape in own or self.tapes if speaks_for(tape, batch)]
        exact = [tape for tape in speaking if tape.batches]
        if not speaking:
            known = ", ".join(str(batch) for tape in self.tapes for batch in tape.batches)
            raise CannotTraceError(f"recorded at {known} samples only: {batch} are not known")
        tape = (exact or speaking)[0]
        if "validation" in step and not has_validation(tape):
            raise CannotTraceError(NO_VALIDATION)
        return tape

    def both(self, step: Step, validated: Step, batch: int = EVERY_BATCH) -> Tape:  # noqa: ARG002 - as its base has it
        """Return the tape: where a validation was recorded, it is on it."""
        return self.tape(step, batch)

    def has_own(self, step: Step, batch: int, *, shipped: bool = True) -> bool:  # noqa: ARG002 - as its base has it
        """Return whether it was recorded at so many samples."""
        return any(speaks_for(tape, batch) for tape in self.tapes)

    def can_trace(self, step: Step | None = None) -> bool:  # noqa: ARG002 - as its base has it
        """Return that nothing else can be had."""
        return False


def precision_of(tape: Tape) -> str:
    """Return the precision in which most of a tape's work is done, as a spec has it."""
    work: dict[str, int] = {}
    for op in tape.ops:
        if op.kind.startswith(("conv", "matmul", "attention")):
            flops = op.flops.at(2, 2, 0)
            work[op.dtype] = work.get(op.dtype, 0) + flops
    names: dict[str, Any] = {"float16": "fp16", "bfloat16": "bf16"}
    return names.get(max(work, key=lambda dtype: work[dtype]), "fp32") if work else "fp32"
