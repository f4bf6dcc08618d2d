# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The workloads of a run whose memory can be explained: each kind of GPU in training, and validation."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trainlint.estimate.facts import GpuMemory, Image
from trainlint.estimate.memory.card import card_on
from trainlint.estimate.memory.execution import heaviest, performed
from trainlint.estimate.memory.memory import validating
from trainlint.estimate.memory.overhead import overhead
from trainlint.estimate.replay.ledger import Ledger, Samples, ledger
from trainlint.estimate.run.image import validation_image
from trainlint.estimate.tapes.source import TapeSource
from trainlint.hardware import Target
from trainlint.settings import Settings
from trainlint.spec import TrainSpec
from trainlint.tape import Tape
from trainlint.tape.step import step_of


class Workload(Struct, frozen=True):
    """One GPU's ledger with its samples, figures and what it takes beyond tensors.

    `device` counts the tape's GPUs: under DataParallel 1 represents all others. `stage` is the part of
    progressive training that needs the largest card (0: no stages), `image` what a validation is of,
    `tests` a job's only one.
    """

    tape: Tape
    book: Ledger
    samples: Samples
    memory: GpuMemory
    overhead: Mapping[str, int]
    device: int = 0
    stage: int = 0
    image: Image | None = None
    tests: bool = False


def workloads(spec: TrainSpec, target: Target, tapes: TapeSource, settings: Settings) -> tuple[Workload, ...]:
    """Return a job's workloads on a target, training first; CannotTraceError says why there are none.

    `spec` is a placed one.
    """
    card = card_on(spec, target, settings)
    part, run, _ = heaviest(performed(spec, step_of(spec), card, tapes))
    tape, samples = run.tape(), run.share.samples
    image = validation_image(spec, settings.validation_size)
    books = [(ledger(tape, device), device, None) for device in range(tape.devices)]
    tested = None if image is None else run.validation(validating(image))
    return tuple(
        Workload(
            tape, book, samples, run.figures(book), overhead(book, samples, card), device, part.number, shown
        )
        for book, device, shown in (*books, *([] if tested is None else [(tested, 0, image)]))
    )
