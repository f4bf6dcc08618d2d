# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run needs on one target: memory, time, disk and host, each with the reason where it is not known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.dialects.check.plausibility import RULE
from trainlint.dialects.extract.base_model import DENOISE
from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.calibration import own_card
from trainlint.estimate.library_version import (
    OLD_TORCH,
    TORCH_NAMES,
    held,
    kept_by_old_torch,
    refused_by_another,
    two_roots,
    unfused,
    without_kernels,
    written_out,
)
from trainlint.estimate.memory.card import Card, card_on, emulated
from trainlint.estimate.memory.crop_stages import parts
from trainlint.estimate.memory.run_memory import estimate_memory, validating
from trainlint.estimate.resources.checkpoint_disk import estimate_disk, unseen_images
from trainlint.estimate.resources.host_needs import estimate_host
from trainlint.estimate.run.validation_image import UNKNOWN_SIZE, validation_image
from trainlint.estimate.tapes.tape_source import Recent, Step, TapeSource
from trainlint.estimate.timing import THIS_STEP, Timing, known_tape, samples_as_traced, step_key
from trainlint.hardware.cuda_context import MEASURED_RUNS
from trainlint.model.facts import IMAGES, Disk, Facts, Image, Memory, ModelBytes, Uncounted
from trainlint.model.job import Job
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.target import Context, Target
from trainlint.settings.settings import Settings
from trainlint.tape import IN_ONE_PIECE, Tape
from trainlint.tape.step import ROLES, step_of

if TYPE_CHECKING:
    from trainlint.repository.trainer.library_pins import Pin
    from trainlint.repository.trainer.own_classes import Own

Fact = TypeVar("Fact")

UNTRAINED = "DistributedDataParallel needs a parameter"
"""How the tracer says (trace/parallel/distributed.py) that a launched process ends before its first step."""
UNSTORED: Final = "no torch and no stored profile"
"""How the reason begins of a step that torch would trace (tapes/trace_here.py)."""
UNTRACED_SAMPLES: Final = "what this trainer's sample images take is not traced"

NO_SAVE: Final = "the dry run stopped before a save: use trainlint dry-run --until checkpoint"
INTERVALS: Final = ("checkpoint.every", "checkpoint.every_epochs")
"""What says how often a job saves."""

BUCKETS = Uncounted(
    "DistributedDataParallel's copies of the gradients, as the step under it is not stored", "more"
)
"""torch/csrc/distributed/c10d/reducer.cpp: the buckets, as large as the gradients."""

IN_PIECES = Uncounted(
    "that timm's optimizer steps in pieces on a card with as large an L2 cache as this may have", "less"
)
"""A tape has the step of a card with a smaller one."""


def has_large_cache(capability: float, *, half: bool) -> bool:
    """Return whether a card may have an L2 cache of 64 MiB: AD102 and AD103 of Ada, the largest of Blackwell.

    Up to Ampere it is 40 MiB at most (A100), in Hopper 50 (H100): NVIDIA's architecture whitepapers. With
    parameters in `half` precision twice as many fit, so that 32 MiB are large.
    """
    if half:
        return capability >= 8  # noqa: PLR2004 - Ampere
    return capability == 8.9 or capability >= 10  # noqa: PLR2004 - Ada; Blackwell


def estimate(
    job: Job, target: Target, tapes: TapeSource, settings: Settings, *, largest: bool = True
) -> Facts:
    """Work out a placed job's facts on a target; what could not be had is None, its reason under `missing`.

    Equal jobs, as the commands of a page often are, are worked out once; 1 and 1.0 are not the same here.
    Without `largest` the largest batch is not looked for (0).
    """
    beyond = next(
        (problem.message for problem in job.problems if problem.rule == RULE and not problem.harmless), None
    )
    if job.tests:
        from trainlint.estimate.memory.memory_of_tests import estimate_test  # noqa: PLC0415 - most jobs train

        return estimate_test(job, target, tapes, settings)
    if beyond is not None:
        return Facts(missing=dict.fromkeys(("networks", "memory", "time", "disk", "host"), beyond))
    asked = (target, largest, settings, job.pins, job.own, job.looked)
    estimating = Estimating(job.spec, target, tapes, settings, largest, job.pins, job.own, job.looked)
    return _once(tapes, tapes.asked, job.spec, asked, lambda: estimating.as_pinned().facts())


def _once(tapes: TapeSource, known: Recent, spec: TrainSpec, asked: object, work: Callable[[], Fact]) -> Fact:
    """Return what was worked out before for an equal spec and question, or work it out."""
    for there, before, result in known:
        if before == asked and there == spec and repr(there) == repr(spec):
            return result  # type: ignore[no-any-return]  # what the same work returned
    new_result = work()
    if tapes.room is None or tapes.room > 0:  # else it may lack what another file's share would have traced
        known.append((spec, asked, new_result))
    return new_result


class Estimating(Struct, dict=True):
    """One job on one target; collects reasons. Without `largest` the largest batch is not looked for."""

    spec: TrainSpec
    target: Target
    tapes: TapeSource
    settings: Settings
    largest: bool
    pins: tuple[Pin, ...] = ()
    own: Own | None = None
    looked: Mapping[str, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    terms: list[Uncounted] = field(default_factory=list)

    @cached_property
    def image(self) -> Image | None:
        """The image of its validation; None where it is not known what that does."""
        if self._unvalidated is not None:
            return None
        return validation_image(self.spec, self.settings.validation_size, self.looked.get("image"))

    @cached_property
    def timing(self) -> Timing:
        """How long it takes."""
        return Timing(
            self.spec,
            self.target,
            self.tapes,
            self.settings,
            self.looked,
            self.image,
            self._unvalidated,
            self.missing,
        )

    @property
    def _unvalidated(self) -> str | None:
        if self.spec.get("objective") == DENOISE:
            return None if samples_as_traced(self.spec) else UNTRACED_SAMPLES
        if "model.base" in self.spec:
            return "the validation of a language model is not traced: it has no images, and no gradients"
        step = self.own.step if self.own is not None else None
        return step.unvalidated if step is not None else None

    def as_pinned(self) -> Estimating:
        """Return the job with the attention of the timm that its files pin, where that can be traced.

        And with what that keeps in a torch as old, which they pin or the target's image has.
        """
        old = written_out(self.spec, self.pins, self.target.torch)
        if old is None:
            return self
        tape = self._of(self.spec).step()[1]
        if tape is None or not (OLD_TORCH in old["options"] or unfused(self.pins, tape, self.target.torch)):
            return self
        return self._of(old) if self._of(old).step()[1] is not None else self

    def _of(self, spec: TrainSpec) -> Estimating:
        """Return another spec of this job, of which nothing is noted yet."""
        return replace(self, spec=spec, missing={}, refused={}, terms=[])

    def facts(self) -> Facts:
        """Work everything out."""
        step, tape = self.step()
        gpu, half = self.target.gpu, self.spec.get("options.model_dtype") in {"float16", "bfloat16"}
        asked = tape is not None and IN_ONE_PIECE in tape.notes
        if asked and gpu is not None and has_large_cache(gpu.compute_capability, half=half):
            self.terms.append(IN_PIECES)
        if tape is not None:
            known = self.pins, tape, self.target.torch
            terms = (
                unfused(*known),
                kept_by_old_torch(self.spec, *known),
                two_roots(*known),
                without_kernels(self.target.attention, tape),
            )
            self.terms += [term for term in terms if term is not None]
        why = self.missing.get("networks")
        memory = self._known("memory", lambda: self._memory(step, why))
        disk = self._known("disk", lambda: self._disk(self._writing(tape, why)))
        if disk is not None and (unseen := unseen_images(self.spec, disk)) is not None:
            self.missing[IMAGES] = unseen
        return Facts(
            memory=memory,
            time=self._known("time", lambda: self.timing.of(tape, why)),
            disk=disk,
            host=self._known("host", lambda: estimate_host(self.spec, self.looked)),
            download=self.spec.get("model.download"),
            model=self._model(),
            networks=tape.networks if tape else (),
            missing=self.missing,
            refused=self.refused,
        )

    def _known(self, name: str, work: Callable[[], Fact]) -> Fact | None:
        """Return a fact, or None with its reason noted."""
        try:
            return work()
        except CannotTraceError as error:
            self.missing[name] = error.reason
            if isinstance(error, BadArgumentsError):
                self._refuse(name, error)
            return None

    def _refuse(self, name: str, error: BadArgumentsError) -> None:
        """Note what a network refuses, unless it is another version of its library that would be asked."""
        named = (pin.requirement.library for pin in self.pins if self.tapes.trace is None)
        library = next((name for name in named if name not in TORCH_NAMES), "")
        why = refused_by_another(self.pins, library)
        if why is None:
            self.refused[error.about] = error.reason
        else:
            self.missing[name] = f"{why} ({error.reason})"

    def step(self) -> tuple[Step, Tape | None]:
        """Return the step and its tape; a launched one's is that of one GPU where nothing else is stored.

        A process under it holds what a process on one GPU holds, and its own copies of the gradients, unless
        DistributedDataParallel refuses one of its networks.
        """
        step = step_of(self.spec)
        tape = self._known("networks", lambda: self._tape(step))
        stops = self.missing.get("networks", "").startswith(UNTRAINED)
        if tape is not None or step.get("parallel") != "ddp" or self.refused or stops:
            return step, tape
        alone = step_of(TrainSpec({**self.spec.fields, "parallel": Value("none")}))
        try:
            tape = self._tape(alone)
        except CannotTraceError:
            return step, None
        del self.missing["networks"]
        self.terms.append(BUCKETS)
        return alone, tape

    def _tape(self, step: Step) -> Tape:
        """Return the step's tape, whatever the machine: networks and files do not depend on it."""
        check_known(self.spec, self.own, self.tapes)
        if not self.tapes.was_recorded:
            check_base_model(self.spec)
        part, *more = parts(self.spec)
        step = {**step, **part.crops}
        if self.image is None or more:
            return self.tapes.tape(step, part.share.batch)
        return self.tapes.both(step, {**step, **validating(self.image)}, part.share.batch)

    def _writing(self, tape: Tape | None, why: str | None) -> Tape:
        """Return a tape that says what is saved, whatever a function of torch was replaced with."""
        own = self.own.as_written if self.own is not None else None
        if tape is None and own is not self.own:
            tape = replace(self, own=own, missing={}, refused={}, terms=[]).step()[1]
        return known_tape(tape, why)

    def _disk(self, tape: Tape) -> Disk:
        if not tape.saved and self.tapes.was_recorded and any(name in self.spec for name in INTERVALS):
            raise CannotTraceError(NO_SAVE)
        return estimate_disk(self.spec, tape.saved)

    def _model(self) -> ModelBytes | None:
        if "model.base" not in self.spec:
            return None
        from trainlint.estimate.memory.base_model_bytes import certain_bytes  # noqa: PLC0415 - of fine-tuning alone

        return certain_bytes(self.spec)

    def _memory(self, step: Step, why: str | None) -> Memory:
        if why is not None and self.spec.get("gpus") != 0:
            raise CannotTraceError((why.startswith(UNSTORED) and self._never_judged()) or why)
        card = card_on(self.spec, self.target, self.settings)
        largest, itemised = self.largest, self.settings.itemised
        work = partial(estimate_memory, self.spec, step, card, self.tapes, self.image)
        memory = _once(
            self.tapes,
            self.tapes.remembered,
            self.spec,
            (card, self.image, largest, itemised),
            partial(work, largest=largest, itemised=itemised),
        )
        memory = held(memory, self.pins, self.spec)
        self.missing.update({f"memory.{name}": reason for name, reason in memory.missing.items()})
        if self.image is None and (self.spec.get("validation.every", 0) > 0 or "sampling" in self.spec):
            self.missing["memory.validation"] = self._unvalidated or UNKNOWN_SIZE
        written = (term for term in self._written() if not term.only or memory.validation is not None)
        terms = [*self.terms, *written]
        terms += emulated(self.spec, self.target.gpu)
        memory = replace(memory, uncounted=tuple(terms), measured=self._measured(card))
        if memory.measured.startswith(THIS_STEP):
            memory = replace(memory, context=Context(*(card.context,) * 3, MEASURED_RUNS))
        return memory

    def _written(self) -> tuple[Uncounted, ...]:
        """Return the terms of the config that no tape holds."""
        return tuple(Uncounted(**term) for term in self.spec.get(UNCOUNTED_FIELD, ()))

    def _never_judged(self) -> str:
        """Say which terms leave memory without a verdict whatever the step takes; "" where none does."""
        terms = (term for term in self._written() if not (term.bound or term.only))
        return "; ".join(term.words for term in terms if term.direction != "more")

    def _measured(self, card: Card) -> str:
        """Say which of the user's own measurements decide the memory."""
        own = own_card(self.settings, self.target.gpu)
        ran = own.ran.get(step_key(self.spec)) if own.ran else None
        if ran is not None:
            return f"{THIS_STEP} {'ran' if ran else 'ran out of memory'} when it was measured on this card"
        by_rows = own.contexts and card.sure is not None and card.sure.basis == MEASURED_RUNS
        return f"the CUDA context is that of {own.words}" if by_rows else ""


def check_known(spec: TrainSpec, own: Own | None, tapes: TapeSource) -> None:
    """Raise CannotTraceError where the trainer's own code is not what would be traced.

    Networks may be the user's own where the tracer runs those.
    """
    if own is None:
        return
    names = [spec.get(f"networks.{role}.arch") for role in ROLES]
    networks = own.unknown_network(names) if tapes.trace is None else None
    if why := own.unknown_step() or networks:
        raise CannotTraceError(why)


def check_base_model(spec: TrainSpec) -> None:
    """Raise CannotTraceError where a job trains a model further whose shape is not known."""
    if spec.get("objective") == DENOISE and "recipe" in spec and "model.config" not in spec:
        written = spec.get("model.base")
        raise CannotTraceError(
            "which image model is trained is not known"
            if written is None
            else f'no shape is known of the image model "{written}"'
        )
    if "model.base" in spec and "model.config" not in spec:
        raise CannotTraceError(
            f'the base model "{spec["model.base"]}" is not known: give its config.json (--model-config FILE)'
        )
