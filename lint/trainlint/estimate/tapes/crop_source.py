# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where tapes at other crops come from: a few are traced, and those between follow from them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import lcm
from typing import Any, Final, Protocol, TypeVar

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import OpenTapeError, check_closed
from trainlint.estimate.tapes.stored_profiles import Store, speaks_for
from trainlint.model.finding import NO_ROOM
from trainlint.tape import Tape
from trainlint.tape.crops.crop_side import (
    NotPolynomialError,
    at_side,
    family_key,
    grain_of,
    names_side,
    side_of,
)
from trainlint.tape.crops.crop_tapes import Crops, NotAlikeError, check, check_alike, merged

Step = Mapping[str, Any]
Stored = TypeVar("Stored")


class NoRoomError(CannotTraceError):
    """An edit is tried, and as much was traced for the edits of its file as may be."""

    def __init__(self) -> None:
        super().__init__(NO_ROOM)


PERIODS: Final = (8, 16, 32, 64)
"""Pixels, tried in this order, that windows and strides of networks are multiples of."""
TOKENS: Final = (128,)
"""What lengths of text are multiples of: fused attention keeps what it keeps in blocks of so many tokens."""
LEAST_PERIODS: Final = 2
"""Periods in the side of the smallest crop that is traced: a network may treat a single window apart."""
SMALLEST_PART: Final = 4
"""How much smaller than the config's the smallest crop is."""
RAISED_PART: Final = (3, 4)
"""The part of the config's that it is where smaller ones are unlike the others: traiNNer-redux's MS-SSIM pads
what has less than eleven pixels after four halvings."""
LARGEST_CROP_RATIOS: Final = (2, 1)
"""How many times the config's the largest crop is (or up to six periods more); the second where some crop has
other events: NAFNetLocal averages over windows where a crop is above 1.5 times its training crop."""
TRACED_SIXTHS: Final = ((0, 3, 6), (0, 1, 3, 5, 6))
"""Sixths of the way from the smallest crop to the largest: where degree 2 is traced, then degree 4."""
CHECKED_SIXTH: Final = 2
"""The same of the further crop that is checked where the config's own will not do."""
NODE_MODULUS: Final = 3
PATCH_MODULUS: Final = 7
"""What the nodes are all alike modulo, in periods, and what some networks' patches are multiples of (DINOv2's
have 14 pixels): a side that is not, and one that is, shows whether that matters."""
MOST_SHIFTED_PERIODS: Final = 6
"""Periods by which the sides move at most, so that none is one that is an argument of the networks."""
CROPS_ASKED: Final = 3
"""Different crops of one step from which on the rest are worked out instead of traced one by one."""


class Tapes(Protocol):
    """What crops are found by: estimate/tapes/tape_source.py's TapeSource."""

    save_to: Store | None
    form: Callable[[Step], Step]

    def tape(self, step: Step, batch: int) -> Tape:
        """Return the tape of a step, tracing it if it must."""

    def can_trace(self) -> bool:
        """Return whether what is not stored can be traced."""

    def stored(self, find: Callable[[Store, bool], Stored | None]) -> list[Stored]:
        """Return what the stores have of a step, the first to be taken."""


def _stored_crops(key: str, batch: int, store: Store, strict: bool) -> Crops | None:
    return store.find_crops(key, batch, strict=strict)


NO_CROP: Final = "the step has no crop"
NO_IMAGE: Final = 'no shape in "input" is an image\'s, [channels, height, width], or one has more dimensions'
"""Why there is no other crop of a step."""


class CropSource:
    """The crops of steps, stored or traced."""

    def __init__(self, tapes: Tapes) -> None:
        self._tapes = tapes
        self._found: dict[tuple[str, int], Crops | None] = {}
        self._refused: dict[tuple[str, int], str] = {}
        self._asked: dict[str, set[int]] = {}
        self._tracing = False

    def tape(self, step: Step, batch: int, *, may_trace: bool) -> Tape | None:
        """Return a step's tape that follows from those at other crops; None where it does not.

        With `may_trace`, the third crop that is asked for has the others traced that it takes.
        """
        step = self._tapes.form(step)
        side = side_of(step)
        if self._tracing or not side:
            return None
        if (tape := self._between(step, batch)) is not None:
            return tape
        asked = self._asked.setdefault(family_key(step, 1), set())
        asked.add(side)
        if may_trace and len(asked) >= CROPS_ASKED:
            try:
                self.crops(step, batch)
            except CannotTraceError:
                return None
        return self._between(step, batch)

    def crops(self, step: Step, batch: int) -> Crops:
        """Return the crops around a step's own, traced where not stored; CannotTraceError says why not.

        What a project's profile had a part in is not saved where another project reads.
        """
        step = self._tapes.form(step)
        family = family_key(step, 1), batch
        if not side_of(step):
            raise CannotTraceError(NO_CROP if (step.get("options") or {}).get("input") is None else NO_IMAGE)
        if (known := self.known(step, batch)) is not None:
            return known
        if family in self._refused:
            raise CannotTraceError(self._refused[family])
        self._tracing = True
        try:
            traced = self._traced(step, batch)
        except NoRoomError:
            raise
        except CannotTraceError as error:
            self._refused[family] = error.reason
            raise
        finally:
            self._tracing = False
        key = family_key(step, traced.period)
        self._found[key, batch] = traced
        if self._tapes.save_to is not None and traced.tape.source != "project":
            with suppress(OSError):  # a cache that cannot be written is no reason to stop
                self._tapes.save_to.save_crops(traced, key)
        return traced

    def _between(self, step: Step, batch: int) -> Tape | None:
        known = self.known(step, batch)
        try:
            tape = None if known is None else known.at(side_of(step))
            if tape is not None:
                check_closed(tape)
        except (NotPolynomialError, OpenTapeError):
            return None
        return tape

    def known(self, step: Step, batch: int) -> Crops | None:
        """Return the crops around a step's own where they are stored or were traced."""
        step = self._tapes.form(step)
        for period in _periods(step):
            key = family_key(step, period)
            if (key, batch) not in self._found:
                stored = self._tapes.stored(partial(_stored_crops, key, batch))
                self._found[key, batch] = next(iter(stored), None)
            kept = self._found[key, batch]
            if kept is not None and speaks_for(kept.tape, batch):
                return kept
        return None

    def _traced(self, step: Step, batch: int) -> Crops:
        families = [
            _Family(self._tapes.tape, step, batch, period, top)
            for top in (LARGEST_CROP_RATIOS[:1] if _is_text(step) else LARGEST_CROP_RATIOS)
            for period in _periods(step)
        ]
        reasons, unlike = [], set()
        for family in sorted(families, key=_Family.is_beyond):
            if family.top != LARGEST_CROP_RATIOS[0] and (family.is_beyond() or family.period not in unlike):
                continue
            try:
                return family.crops()
            except NotPolynomialError as error:
                reasons.append(f"modulo {family.period}: {error}")
                if isinstance(error, NotAlikeError):
                    unlike.add(family.period)
            except NoRoomError:
                raise
            except CannotTraceError as error:
                reasons.append(f"modulo {family.period}: {error.reason}")
        raise CannotTraceError(f"other crops need a trace of their own ({'; '.join(reasons)})")


def _periods(step: Step) -> Sequence[int]:
    """Return the periods of a crop: of one that is no square those at which its width is whole, too."""
    return TOKENS if _is_text(step) else [lcm(period, grain_of(step)) for period in PERIODS]


def _is_text(step: Step) -> bool:
    return "sequence.length" in step


class _Family:
    """The sides alike modulo a period around a step's own.

    They lie an odd number of periods apart: were the true period a multiple, they would not all be alike.
    """

    def __init__(
        self,
        tape: Callable[[Step, int], Tape],
        step: Step,
        batch: int,
        period: int,
        top: int,
        *,
        least: int = 0,
    ) -> None:
        self.step, self.period, self.top, self.side = step, period, top, side_of(step)
        self._tape, self.batch = tape, batch
        least = max(LEAST_PERIODS * period, self.side // SMALLEST_PART, least)
        self.first = least + (self.side - least) % period
        self.stride = (-(-(top * self.side - self.first) // (6 * period)) // 2 * 2 + 1) * period
        for _ in range(MOST_SHIFTED_PERIODS):
            if any(names_side(at_side(step, self._at(node))) for node in (*TRACED_SIXTHS[0], CHECKED_SIXTH)):
                self.first += period

    def is_beyond(self) -> bool:
        """Return whether all its sides are above the step's own: such a family is tried last."""
        return self.first > self.side

    def crops(self) -> Crops:
        """Return the family's crops, by the lowest degree that holds."""
        lower, higher = TRACED_SIXTHS
        try:
            return self._checked(lower)
        except NotAlikeError:
            if (raised := self._raised()) is None:
                raise
            return raised.crops()
        except NotPolynomialError:
            return self._checked(higher)

    def _raised(self) -> _Family | None:
        """Return the sides without the smallest ones where only these are unlike; None elsewhere."""
        _, middle, last = map(self._at, TRACED_SIXTHS[0])
        least = self.side * RAISED_PART[0] // RAISED_PART[1]
        if least <= self.first:
            return None
        try:
            check_alike(self._trace(middle), self._trace(last))
        except NotAlikeError:
            return None
        return _Family(self._tape, self.step, self.batch, self.period, self.top, least=least)

    def _checked(self, nodes: Sequence[int]) -> Crops:
        tapes: dict[int, Tape] = {}
        for side in map(self._at, nodes):
            tapes[side] = self._trace(side)
            check_alike(tapes[self._at(0)], tapes[side])
        crops = merged(tapes, self.period)
        for probe in self._probes(tapes):
            check(crops, probe, self._trace(probe))
        return crops

    def _probes(self, nodes: Container[int]) -> set[int]:
        """Return the sides that are checked: the config's own, and one where other windows would not fit."""
        own = self.side not in nodes and self._at(0) < self.side < self._at(6) and not names_side(self.step)
        sides = range(self._at(0), self._at(6), self.period)
        unlike = [
            side for number, side in enumerate(sides)
            if number % NODE_MODULUS and side not in nodes and not names_side(at_side(self.step, side))
        ]  # fmt: skip
        further = next((side for side in unlike if side % PATCH_MODULUS == 0), unlike[0] if unlike else None)
        probed = {self.side if own else self._at(CHECKED_SIXTH), further}
        return {side for side in probed if side is not None}

    def _trace(self, side: int) -> Tape:
        return self._tape(at_side(self.step, side), self.batch)

    def _at(self, node: int) -> int:
        return self.first + node * self.stride
