"""How large a crop fits: from the tapes of a step at a few crops, without tracing each."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

from trainlint.errors import CannotTraceError
from trainlint.estimate.card import card_on
from trainlint.estimate.crops import FOLLOWING, at_side, is_told, side_of
from trainlint.estimate.placement import place
from trainlint.estimate.replay.capacity import holds
from trainlint.estimate.replay.ledger import ledger
from trainlint.estimate.run import Run, heaviest, performed
from trainlint.estimate.source import TapeSource
from trainlint.estimate.step import step_of
from trainlint.estimate.written import key_of_path
from trainlint.hardware import Target
from trainlint.settings import Settings
from trainlint.spec import TrainSpec

STAGED: Final = "every stage of progressive training has a crop of its own"


@dataclass(frozen=True, slots=True)
class LargestCrop:
    """The largest crop with which the config's batch fits, as the config would hold it: key and value there.

    0 where not even the smallest that is known fits; `open` where the largest that is known does.
    """

    key: str
    value: int
    open: bool = False


def largest_crop(
    spec: TrainSpec, target: Target, tapes: TapeSource, settings: Settings, *, trace: bool
) -> LargestCrop | None:
    """Return the largest crop on a target; CannotTraceError says why it is not known.

    `spec` is normalise's, not yet placed. Where the step is not stored at other crops, with `trace` a few are
    traced, else the answer is None.
    """
    spec = place(spec, target)
    card = card_on(spec, target, settings)
    part, run, _ = heaviest(performed(spec, step_of(spec), card, tapes))
    if part.number:
        raise CannotTraceError(STAGED)
    crops = (tapes.crops.crops if trace else tapes.crops.known)(run.step, run.share.batch)
    if crops is None:
        return None
    known = range(crops.sides[0], crops.sides[-1] + 1, crops.period)
    sides = [side for side in known if side in crops.sides or not is_told(at_side(crops.tape.step, side))]
    fitting = bisect_left(sides, True, key=lambda side: not _fits(run, side))
    name = next((name for name in reversed(FOLLOWING) if _is_written(spec, name)), FOLLOWING[-1])
    per_side = int(run.step.get(name, side_of(run.step))) / side_of(run.step)
    value = round(sides[fitting - 1] * per_side) if fitting else 0
    return LargestCrop(key_of_path(spec.at(name), "crop"), value, fitting == len(sides))


def _fits(run: Run, side: int) -> bool:
    """Tell whether a run fits its card with crops of another side."""
    crops = {name: value for name, value in at_side(run.step, side).items() if name in FOLLOWING}
    tape = run.tape(**crops)
    devices = range(tape.devices if run.share.replicas > 1 else 1)
    return holds([ledger(tape, device) for device in devices], run.share.samples, run.card)


def _is_written(spec: TrainSpec, name: str) -> bool:
    return name in spec and spec.fields[name].origin != "derived"
