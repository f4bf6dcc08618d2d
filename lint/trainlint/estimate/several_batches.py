# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One step at several batches on one target: whether each fits, and how long it takes.

The live tensors say most: where they alone are above the card no replay can fit. What they leave open is
replayed, each batch by itself: the allocator's need mostly grows with the batch, but nothing proves that it
always does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.estimate import Estimating
from trainlint.estimate.memory.capacity import holds
from trainlint.estimate.memory.card import Card, Share, card_on
from trainlint.estimate.memory.crop_stages import parts
from trainlint.estimate.memory.execution import Execution
from trainlint.estimate.memory.run_memory import estimate_memory, validating
from trainlint.estimate.replay.batch_attempts import attempts
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.estimate.replay.workspace import used
from trainlint.estimate.run.validation import validation_of
from trainlint.estimate.speed import ImagePace
from trainlint.estimate.speed.batch_paces import paces_of
from trainlint.estimate.tapes.tape_source import Step, TapeSource
from trainlint.model.facts import ESTIMATED, Facts, Image, Memory, Range
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Target
from trainlint.settings.settings import Settings
from trainlint.tape import File, Tape

if TYPE_CHECKING:
    from trainlint.repository.trainer.library_pins import Pin
    from trainlint.repository.trainer.own_classes import Own

FITS: Final = "fits"
TRAINING: Final = "training"
VALIDATION: Final = "validation"
"""What is said of a batch: it fits, or the live tensors of its training or validation are above the card."""

Verdict = str | Memory | CannotTraceError
"""One of these, the figures where fragmentation decides, or why nothing is known."""


class Several(Struct, frozen=True):
    """What is known of a step at several batches.

    `facts` are those at the first of them; `memory` and `seconds` are in the order of the batches. Seconds
    are those of a step alone: validation, which may come with the epochs, takes as long for an image at any
    batch (`image`, `checked`). `files` are what one save writes.
    """

    facts: Facts
    memory: tuple[Verdict, ...]
    seconds: tuple[Range, ...]
    files: tuple[File, ...] = ()
    replays: int = 0
    """Batches that live tensors did not decide."""
    image: Image | None = None
    checked: ImagePace | None = None

    def paced(self, spec: TrainSpec, index: int, given: int | None) -> Range:
        """Return the seconds from step to step at one of the batches, which a placed spec has."""
        steps = self.seconds[index]
        if self.image is None or self.checked is None:
            return steps
        validation = validation_of(spec, self.image, given)
        if validation is None:
            return steps
        shares = validation.share(self.checked.seconds(validation.together))
        low, middle, high = (step + more for step, more in zip(steps, shares, strict=True))
        return low, middle, high


def several(
    spec: TrainSpec,
    target: Target,
    tapes: TapeSource,
    settings: Settings,
    shares: Sequence[Share],
    *,
    known: tuple[tuple[Pin, ...], Own | None] = ((), None),
) -> Several:
    """Judge a placed spec at other shares of the samples; what else shapes memory is the same for all.

    `known` is what the job says of its library's version and of its trainer's own classes.
    """
    spec = shared(spec, shares[0])
    estimating = Estimating(spec, target, tapes, settings, False, *known).as_pinned()
    facts = estimating.facts()
    if facts.memory is None:
        why = CannotTraceError(facts.missing.get("memory", "memory is not judged"))
        return Several(facts, (why,) * len(shares), ())
    if len(parts(spec)) > 1:
        why = CannotTraceError("progressive training is not judged in a sweep")
        return Several(facts, (why,) * len(shares), ())
    step, tape = estimating.step()
    batches = _Batches(spec, step, card_on(spec, target, settings), tapes, facts.memory.image)
    memory = tuple(map(batches.verdict, shares))
    files = tape.files if tape is not None else ()
    seconds = _seconds(estimating, facts, tape, shares)
    checked = estimating.timing.image_pace(tape) if tape is not None and seconds else None
    return Several(facts, memory, seconds, files, batches.replays, estimating.image, checked)


def shared(spec: TrainSpec, share: Share) -> TrainSpec:
    """Return a placed spec with another share of the samples."""
    changes: Mapping[str, object] = {
        "batch.per_replica": share.batch,
        "batch.per_process": share.total,
        "data.pool_size": share.pool,
    }
    fields = {
        name: Value(value, spec.at(name), "derived")
        for name, value in changes.items()
        if spec.get(name, 0) != value
    }
    return TrainSpec({**spec.fields, **fields}) if fields else spec


def _seconds(
    estimating: Estimating, facts: Facts, tape: Tape | None, shares: Sequence[Share]
) -> tuple[Range, ...]:
    """Return the seconds of a step at each share; () where they are not estimated."""
    gpu, time = estimating.target.gpu, facts.time
    if tape is None or time is None or time.basis != ESTIMATED or gpu is None:
        return ()
    return tuple(paces_of(tape, shares, gpu, estimating.timing.setup_on(gpu)))


class _Batches(Struct):
    """A step on a card."""

    spec: TrainSpec
    step: Step
    card: Card
    tapes: TapeSource
    image: Image | None
    replays: int = 0

    def verdict(self, share: Share) -> Verdict:
        """Judge one share of the samples."""
        run = Execution({**self.step}, share, self.card, self.tapes, {}, set())
        try:
            trained, tested = list(self._trained(run)), self._tested(run)
        except CannotTraceError as error:
            return error
        least = self.card.context if self.card.sure is None else min(self.card.context, self.card.sure.low)
        for name, books in ((TRAINING, trained), (VALIDATION, tested)):
            if any(book.peak(share.samples).allocated + least > self.card.capacity for book in books):
                return name
        self.replays += 1
        if all(fits(book, share.samples, self.card) for book in (*trained, *tested)):
            return FITS
        memory = estimate_memory(
            shared(self.spec, share), self.step, self.card, self.tapes, self.image, largest=False
        )
        return replace(memory, uncounted=())

    def _trained(self, run: Execution) -> Iterable[Ledger]:
        tape = run.tape()
        return (ledger(tape, device) for device in range(tape.devices if run.share.replicas > 1 else 1))

    def _tested(self, run: Execution) -> list[Ledger]:
        book = None if self.image is None else run.validation(validating(self.image))
        return [] if book is None else [book]


def fits(book: Ledger, samples: Samples, card: Card) -> bool:
    """Return whether a card holds a step, as `holds` does: by one pass where nothing has to be flushed.

    With the room that is reserved where nothing limits it nothing is ever flushed, so that it is enough.
    """
    room = card.room
    libraries = used(book, card.libraries)
    plain = libraries.expandable or not conversions(book)
    if plain and attempts(book, samples, libraries).reserved(room) is not None:
        return True
    return holds([book], samples, card)
