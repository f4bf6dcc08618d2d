# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How long a job takes on one target: by a log, by the seconds that were given, or by its traced step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.calibration import StepKey, own_card
from trainlint.estimate.memory.card import BENCHMARKS, emulated, measured_step
from trainlint.estimate.memory.crop_stages import parts
from trainlint.estimate.memory.run_memory import validating
from trainlint.estimate.resources.extra_time import COMPILE_TERM, NO_EXTRA, Extra, extra_of, setup_of, untaped
from trainlint.estimate.resources.run_time import given_time, hours_at, in_sessions
from trainlint.estimate.resources.sample_loading import loading_of
from trainlint.estimate.run.duration import iterations, samples_name
from trainlint.estimate.run.validation import UNKNOWN_NUMBER, together, validates, validation_of
from trainlint.estimate.run.validation_image import UNKNOWN_SIZE
from trainlint.estimate.speed import ImagePace, Pace, Setup, image_pace, pace_of
from trainlint.estimate.speed.own_pace import own_pace
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.facts import ESTIMATED, GIVEN, LOG, Image, Range, Time
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target
from trainlint.settings.settings import Settings
from trainlint.tape import Tape
from trainlint.tape.step import step_of

if TYPE_CHECKING:
    from trainlint.estimate.speed.training_log import StepTimes

Fact = TypeVar("Fact")

MEASURE_IT = " (run 100 iterations and pass --log FILE, or --seconds-per-iteration)"

WAITING_SHARE: Final = 0.2
"""Share of a step that it waits for its samples where the loader sets the pace (rule loader-bound)."""

IMAGES_FIELD: Final = "data.images"
MOST_FIELD: Final = "data.most"
COUNTS: Final = (1000, 1_000_000)
"""Samples for which hours are worked out where nothing says how many there are: an epoch's last batch and its
save weigh most with few, and nothing with many."""

THIS_STEP: Final = "this step"
MEASURED_STEP: Final = f"{THIS_STEP} as it was measured on this card"
"""How it is said that the step itself was measured."""

UNTIMED_SAMPLES: Final = "how long sample images take is not worked out"


class Timing(Struct):
    """One job on one target; `missing` gets the reasons of what is not known.

    `image` is that of its validation; where there is none, `unvalidated` may say why.
    """

    spec: TrainSpec
    target: Target
    tapes: TapeSource
    settings: Settings
    looked: Mapping[str, Any]
    image: Image | None
    unvalidated: str | None
    missing: dict[str, str]

    def of(self, tape: Tape | None, why: str | None) -> Time:
        """Return the run's duration, from the user's measured step or else from the traced one."""
        given, log = self.settings.seconds_per_iteration, self.settings.measured
        if log is not None:  # a flag, which goes before the setting
            time = self._logged(log, tape, why)
        elif given is not None:
            time = given_time(self.spec, self.target, (given,) * 3, GIVEN)
        else:
            time = self._estimated(known_tape(tape, why), extra_of(self.spec, known_tape(tape, why).files))
        if time.total_hours is not None:
            return time
        self._noted("time.hours", lambda: iterations(self.spec))
        if IMAGES_FIELD in self.spec or "duration.epochs" not in self.spec:
            return time
        few, many = (self._with_images(count).hours(tape, why) for count in COUNTS)
        if few is None or many is None:
            return time
        low, middle, high = (
            (hours[0], hours[1] * COUNTS[0] / COUNTS[1]) for hours in zip(few, many, strict=True)
        )
        thousand = (min(low), middle[1], max(high))
        most = self._with_images(self.spec[MOST_FIELD]).hours(tape, why) if MOST_FIELD in self.spec else None
        at_most = None if most is None else most[2]
        return replace(time, thousand_hours=thousand, most_hours=at_most, samples=samples_name(self.spec))

    def _with_images(self, count: int) -> Timing:
        """Return the same job with so many images."""
        fields = {**self.spec.fields, IMAGES_FIELD: Value(count, origin="derived")}
        return replace(self, spec=TrainSpec(fields), missing={})

    def hours(self, tape: Tape | None, why: str | None) -> Range | None:
        """Return how long the run takes; None where that is not known."""
        try:
            return self.of(tape, why).total_hours
        except CannotTraceError:
            return None

    def _estimated(self, tape: Tape, extra: Extra) -> Time:
        """Return the duration by the traced step, and by the network's time on the validation images."""
        pace = self._pace(tape, self.target.gpu)
        own = own_card(self.settings, self.target.gpu)
        seconds = own.steps.get(step_key(self.spec)) if own.steps else None
        time = self._loaded(
            self._around(pace.seconds if seconds is None else (seconds,) * 3, tape, ESTIMATED, extra)
        )
        words = own.words if seconds is None else MEASURED_STEP
        return replace(time, classes=pace.classes, host_bound=pace.host_bound, measured=words)

    def _loaded(self, time: Time) -> Time:
        """Return a time of a card with that of the loader, which is not in it."""
        loading = self._noted("time.loading", lambda: loading_of(self.spec, self.target, self.looked))
        hours = None if loading is None else hours_at(loading.seconds, time)
        return replace(time, loading=loading, loading_hours=hours)

    def _around(self, seconds: Range, tape: Tape | None, basis: str, extra: Extra) -> Time:
        """Return the duration by the seconds of a step alone: validation and saves are added to it."""
        checked = None if tape is None else self.image_pace(tape)
        image = None if checked is None else checked.seconds(together(self.spec))
        validation = None
        if self.image is not None:
            validation = validation_of(self.spec, self.image, self.settings.validation_images)
        shares = None if image is None or validation is None else validation.share(image)
        low, middle, high = (step + more for step, more in zip(seconds, shares or (0, 0, 0), strict=True))
        time = in_sessions(self.spec, self.target, (low, middle, high), basis, extra=extra)
        hours = None
        if shares is not None and time.total_hours is not None and time.paced is not None:
            ends = zip(time.total_hours, time.start_hours or (0, 0, 0), shares, time.paced, strict=True)
            first, second, third = ((total - start) * more / step for total, start, more, step in ends)
            hours = (first, second, third)
        untimed = None if shares is not None else self._untimed(image)
        return replace(
            time,
            step_seconds=seconds,
            image_seconds=image,
            validation_hours=hours,
            validation_assumed=hours is not None and validation is not None and validation.assumed,
            untimed=untimed,
        )

    def _untimed(self, image: Range | None) -> str | None:
        """Return why it is not known how long validation takes; None where there is none."""
        if samples_as_traced(self.spec):
            return UNTIMED_SAMPLES
        if not validates(self.spec):
            return None
        if self.image is None:
            return self.unvalidated or UNKNOWN_SIZE
        if image is None:
            return self.missing.get("memory.validation", "the step of validation is not known")
        return UNKNOWN_NUMBER

    def image_pace(self, tape: Tape) -> ImagePace | None:
        """Return how fast the network is on the validation image; None where that was not traced."""
        part, gpu = parts(self.spec)[0], self.target.gpu
        if gpu is None or self.image is None:
            return None
        try:
            tested = self.tapes.tape({**tape.step, **validating(self.image)}, part.share.batch)
        except CannotTraceError:
            return None
        return image_pace(tested, part.share, gpu, self.setup_on(gpu))

    def _logged(self, log: StepTimes, tape: Tape | None, why: str | None) -> Time:
        """Return the duration by a log's times, scaled from its card to the target's by the traced step.

        Its steady part holds neither validation nor saves: the trainers stop their clocks for both. What it
        waits for the loader is no work of the card: behind a slower one it may vanish, and a faster one still
        waits for it.
        """
        gpu, own = self.target.gpu, self.settings.measured_on
        extra = NO_EXTRA if tape is None else extra_of(self.spec, tape.files)
        if own is None or gpu is None or own.name == gpu.name:
            return replace(self._around(log.seconds, tape, LOG, extra), data_seconds=log.data)
        here, there = (self._pace(known_tape(tape, why), card).seconds for card in (gpu, own))
        ratios = [middle / there[1] for middle in here]
        low, middle, high = (time * ratio for time, ratio in zip(log.seconds, ratios, strict=True))
        waits = log.data or 0.0
        low = min(low, max(log.seconds[0] - waits, there[0]) * ratios[0])
        if waits > WAITING_SHARE * log.seconds[1]:
            high = max(high, log.seconds[2])
        return self._loaded(self._around((low, middle, high), tape, f"log of the {own.title}, scaled", extra))

    def _pace(self, tape: Tape, gpu: Gpu | None) -> Pace:
        """Return how fast the traced step runs; CannotTraceError where something untraced decides that."""
        part, *more = parts(self.spec)
        if gpu is None or self.target.gpu_count < 1 or self.spec.get("gpus") == 0:
            raise CannotTraceError(f'no GPU of the target "{self.target.name}" is used')
        if more:
            raise CannotTraceError(f"its stages take different times{MEASURE_IT}")
        others = [what for what in untaped(self.spec) if not what.startswith(COMPILE_TERM)]
        others += [term.what for term in emulated(self.spec, gpu)]
        if others:
            raise CannotTraceError(f"not timed: {', '.join(others)}{MEASURE_IT}")
        return pace_of(tape, part.share, gpu, self.setup_on(gpu))

    def setup_on(self, gpu: Gpu) -> Setup:
        """Return how the kernels run on a card, by the user's own measurements of it where there are any."""
        return setup_of(self.spec, own_pace(own_card(self.settings, gpu).rows, gpu))

    def _noted(self, name: str, work: Callable[[], Fact]) -> Fact | None:
        """Return what work gives, or None with its reason noted."""
        try:
            return work()
        except CannotTraceError as error:
            self.missing[name] = error.reason
            return None


def step_key(spec: TrainSpec) -> StepKey:
    """Return what names a job's step among those that the user measured."""
    part = parts(spec)[0]
    benchmark = bool(spec.get("cudnn_benchmark", BENCHMARKS))
    return measured_step({**step_of(spec), **part.crops}, part.share, benchmark=benchmark)


def samples_as_traced(spec: TrainSpec) -> bool:
    """Return whether a job samples images in a way that is traced."""
    return "sampling" in spec and not spec["sampling"].get("untraced")


def known_tape(tape: Tape | None, why: str | None) -> Tape:
    """Return a step's tape; CannotTraceError says why there is none."""
    if tape is None:
        raise CannotTraceError(why or "the step could not be traced")
    return tape
