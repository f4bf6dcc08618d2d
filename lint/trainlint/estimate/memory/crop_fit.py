# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How large a crop fits: from the tapes of a step at a few crops, without tracing each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Final

from msgspec import Struct

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.batch_key import key_of_path
from trainlint.estimate.memory.card import card_on
from trainlint.estimate.memory.crop_needs import CropNeeds, crops_at
from trainlint.estimate.memory.crop_stages import parts
from trainlint.estimate.memory.execution import Execution
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target
from trainlint.settings.settings import Settings
from trainlint.tape.crops.crop_side import SIDE_FIELDS, WIDTH_FIELDS, NotPolynomialError, side_of
from trainlint.tape.crops.crop_tapes import Crops
from trainlint.tape.step import step_of

LENGTH: Final = "sequence.length"
HEIGHTS: Final = tuple(name for name in SIDE_FIELDS if name not in WIDTH_FIELDS)
CROP_PER_STAGE: Final = "every stage of progressive training has its own crop"

CROP_IN_ARGUMENTS: Final = "its networks' arguments follow the crop, so each crop needs its own trace"


class LargestCrop(Struct, frozen=True):
    """The largest crop with which the config's batch fits, as the config would hold it: key and value there.

    0 where none that is known fits, of which `least` is the smallest; `open` where a larger one may fit too.
    Of a crop that is no square both are heights, and `aspect` is what its width is of its height. Of text
    (`of_text`) they are the tokens at which samples are cut.
    """

    key: str
    value: int
    open: bool = False
    least: int = 0
    aspect: Fraction = Fraction(1)
    of_text: bool = False

    @property
    def words(self) -> str:
        """Say it: 192, 480x640 (height and width), 192+ where a larger one may fit, <64 where none does."""
        height = self.value or self.least
        size = str(height) if self.aspect == 1 else f"{height}x{int(height * self.aspect)}"
        return f"{size}{'+' * self.open}" if self.value else f"<{size}"


def largest_crop(
    spec: TrainSpec,
    target: Target,
    tapes: TapeSource,
    settings: Settings,
    *,
    trace: bool,
    needs: CropNeeds | None = None,
) -> LargestCrop | None:
    """Return the largest crop on a target; CannotTraceError says why it is not known.

    `spec` is a placed one. Where the step is not stored at other crops, with `trace` a few are
    traced, else the answer is None. `needs` are those of the targets before, by the same tapes.
    """
    card = card_on(spec, target, settings)
    part, *_ = parts(spec)
    if part.number:
        raise CannotTraceError(CROP_PER_STAGE)
    if _arguments_follow(spec):
        raise CannotTraceError(CROP_IN_ARGUMENTS)
    run = Execution(step_of(spec), part.share, card, tapes, {}, set())
    run.tape()  # which says why it cannot be had
    crops = (tapes.crops.crops if trace else tapes.crops.known)(run.step, run.share.batch)
    if crops is None:
        return None
    sides, needs = crops.between, needs or CropNeeds()
    fitting = needs.fitting(run, sides, crops)
    if not fitting:
        sides = [*_below(run, crops, trace=trace), sides[0]]
        fitting = needs.fitting(run, sides)
    present = [name for name in HEIGHTS if name in spec]
    name = next((name for name in reversed(present) if _is_written(spec, name)), present[0])
    per_side = int(run.step.get(name, side_of(run.step))) / side_of(run.step)
    most, least = round(sides[fitting - 1] * per_side), round(sides[0] * per_side)
    key, aspect, of_text = key_of_path(spec.at(name), "crop"), aspect_of(spec, name), name == LENGTH
    if not fitting:
        return LargestCrop(key, 0, least=least, aspect=aspect, of_text=of_text)
    is_open = fitting == len(sides) or sides[fitting] - sides[fitting - 1] > crops.period
    return LargestCrop(key, most, is_open, aspect=aspect, of_text=of_text)


def aspect_of(spec: TrainSpec, name: str) -> Fraction:
    """Return what the width of a crop is of its height."""
    return Fraction(int(spec.get(f"{name}_width") or spec.get(name) or 1), int(spec.get(name) or 1))


def _below(run: Execution, crops: Crops, *, trace: bool) -> Iterator[int]:
    """Yield a few sides below those that are known together: each needs a trace, the run's own has one."""
    first, own = crops.sides[0], side_of(run.step)
    traced = {first - (crops.period << power) for power in range(first.bit_length())} if trace else set()
    for side in sorted(side for side in {own, *traced} if 0 < side < first):
        with suppress(NotPolynomialError, CannotTraceError):
            run.tape(**crops_at(run, side))
            yield side


def _arguments_follow(spec: TrainSpec) -> bool:
    """Return whether the crop's key gives a network's arguments too: another crop is another network.

    A key that holds channels, height and width gives the channels to both.
    """
    crops = {path for name in SIDE_FIELDS if name in spec for path in spec.at(name)} - {*spec.at("channels")}
    arguments = (name for name in spec.fields if name.startswith("networks.") and name.endswith(".args"))
    return any(crops & {*spec.at(name)} for name in arguments)


def _is_written(spec: TrainSpec, name: str) -> bool:
    return name in spec and spec.fields[name].origin != "derived"
