# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a placed job would need on its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from msgspec import Struct

from trainlint.judge.message_template import amount
from trainlint.model.facts import Facts
from trainlint.model.job import Job
from trainlint.model.target import Gpu, Target

if TYPE_CHECKING:
    from trainlint.estimate.exceeding_card import Exceeding
    from trainlint.estimate.larger_card import Estimate
    from trainlint.judge.fixes.tries import Traced


class Estimator(Struct, frozen=True):
    """Estimates placed jobs, and asks which card would hold them."""

    estimate: Estimate
    exceeding: Exceeding | None = None
    """Says whether a step's live tensors alone are above its card; None: only an estimate does."""
    within: Callable[[Traced], AbstractContextManager[None]] = lambda _room: nullcontext()
    """Bounds what is traced while it is open."""
    cards: Callable[[], tuple[Gpu, ...]] = tuple
    """Returns the GPUs among which the smallest that holds a job is looked for."""

    def facts(self, job: Job, *, largest: bool) -> Facts | None:
        """Return what a job needs; None without a target. `largest`: with the largest batch that fits."""
        target = target_of(job)
        return None if target is None else self.estimate(job, target, largest=largest)

    def exceeds(self, job: Job) -> Mapping[tuple[str, int], int] | None:
        """Return the tapes that were read where live tensors alone are above the card; None elsewhere."""
        target = target_of(job)
        if self.exceeding is None or target is None or job.skip is not None:
            return None
        return self.exceeding(job, target)

    def larger(self, job: Job, facts: Facts | None) -> str | None:
        """Name the smallest card that would hold a job, with what torch sees of it."""
        target = target_of(job)
        if target is None or facts is None:
            return None
        from trainlint.estimate.larger_card import smallest_card  # noqa: PLC0415 - where memory is too small

        card = smallest_card(job, target, facts, self.cards(), self.estimate)
        return None if card is None else f"{card.title} ({amount(card.memory)})"


def target_of(job: Job) -> Target | None:
    """Return the target on which a job was placed."""
    return job.placing.target if job.placing is not None else None
