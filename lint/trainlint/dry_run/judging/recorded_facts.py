# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Facts of a recorded step: what it lacks counts, unless it was seen to be small enough to fit as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from trainlint.dry_run.judging.recorded_tapes import RecordedTapes
from trainlint.dry_run.rehearsing.played_stages import PlayedStage
from trainlint.estimate.estimate import Estimating
from trainlint.model.facts import Facts, Uncounted
from trainlint.model.job import Job
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Target
from trainlint.settings.settings import Settings
from trainlint.tape import Tape

LARGEST_SEEN: Final = "the largest that came"
"""How the size of a validation's image is known."""


def recorded_facts(
    job: Job,
    spec: TrainSpec,
    target: Target,
    tapes: Sequence[Tape],
    *,
    stages: Sequence[PlayedStage] = (),
    terms: Sequence[Uncounted],
    settings: Settings,
    largest: bool,
    image: tuple[int, int] | None,
) -> Facts:
    """Return the facts; a term that was seen as a share of the whole lacks where that might not fit.

    `image` is the largest that a recorded validation was given.
    """
    if image is not None:
        sides = zip(("height", "width"), image, strict=True)
        given = {f"validation.{side}": Value(pixels, origin="derived") for side, pixels in sides}
        spec = TrainSpec({**spec.fields, **given})

    def facts_with(some: Sequence[Uncounted]) -> Facts:
        here = settings.at(job.document.source.path)
        work = Estimating(spec, target, RecordedTapes(tapes, stages), here, largest, looked=job.looked)
        work.terms += some
        return work.facts()

    share = max((term.share for term in terms), default=0.0)
    facts = facts_with([term for term in terms if not term.share])
    memory = facts.memory
    fits = memory is not None and all(gpu.worst * (1 + share) <= gpu.capacity for gpu in memory.gpus)
    facts = facts if fits or not share else facts_with(terms)
    if image is None or facts.memory is None or facts.memory.image is None:
        return facts
    return replace(facts, memory=replace(facts.memory, image=replace(facts.memory.image, basis=LARGEST_SEEN)))
