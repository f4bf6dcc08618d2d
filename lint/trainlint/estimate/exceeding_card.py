# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a step's live tensors alone are above its card: then nothing has to be replayed to refuse it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trainlint.errors import CannotTraceError
from trainlint.estimate.estimate import Estimating
from trainlint.estimate.memory.card import card_on
from trainlint.estimate.memory.crop_stages import parts
from trainlint.estimate.memory.execution import Execution
from trainlint.estimate.replay.gpu_ledger import ledger
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.job import Job
from trainlint.model.target import Target
from trainlint.settings.settings import Settings

Events = Mapping[tuple[str, int], int]
"""Events of the tapes that were asked for, by tape and samples (Memory.replayed)."""

Exceeding = Callable[[Job, Target], Events | None]
"""`exceeding` with tapes and settings bound."""


def exceeding(job: Job, target: Target, tapes: TapeSource, settings: Settings) -> Events | None:
    """Return what was read to see that a placed job's training exceeds its card; None where it may fit.

    The figure that decides is the context with what the allocator's replay needs, which is no less than the
    tensors that are alive.
    """
    estimating = Estimating(job.spec, target, tapes, settings, False, job.pins, job.own, job.looked)
    try:
        part, *more = parts(job.spec)
        step, tape = estimating.as_pinned().step()
        if tape is None or more:
            return None
        card = card_on(job.spec, target, settings)
        run = Execution({**step, **part.crops}, part.share, card, tapes, {}, set())
        live = ledger(run.tape()).peak(part.share.samples).allocated
    except CannotTraceError:
        return None
    return run.replayed if live + card.context > card.capacity else None
