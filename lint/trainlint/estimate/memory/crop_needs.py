# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a step needs at other crops, worked out once for all cards whose libraries do the same in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import Any

from msgspec import Struct, field

from trainlint.estimate.memory.capacity import holds, largest_below
from trainlint.estimate.memory.crop_lives import CropLives
from trainlint.estimate.memory.execution import Execution
from trainlint.estimate.replay.conversions import conversions
from trainlint.estimate.replay.footprint import reserved_within
from trainlint.estimate.replay.gpu_ledger import Ledger, ledger
from trainlint.estimate.replay.workspace import ATTENTION, Asked, Libraries, asked_of
from trainlint.tape.crops.crop_side import SIDE_FIELDS, NotPolynomialError, at_side
from trainlint.tape.crops.crop_tapes import Crops


class _Need(Struct):
    """A step at one crop: the most live bytes of a GPU, and what it asks of the libraries.

    `reserved` has the most bytes that a GPU reserves when nothing limits it, by libraries, once a card had
    room for them; `converted` says that cuDNN's conversions take what room is left, so that `held` has to be
    asked for every room.
    """

    live: int
    asked: Asked
    converted: bool
    reserved: dict[Libraries, int] = field(default_factory=dict)
    held: dict[tuple[Libraries, int], bool] = field(default_factory=dict)


class CropNeeds:
    """The needs of steps at other crops, whatever the card: its room is then compared with them."""

    def __init__(self) -> None:
        self._known: dict[Hashable, _Need] = {}
        self._fitting: dict[Hashable, int] = {}
        self._lives: dict[Hashable, int] = {}
        self._crops: dict[int, CropLives] = {}

    def fitting(self, run: Execution, sides: Sequence[int], crops: Crops | None = None) -> int:
        """Return how many of these sides, the first ones, fit a run's card; CannotTraceError as `run.tape`.

        Live bytes are cheap and bound the answer from above; the allocator is replayed near that bound only.
        `crops` are those that the run's tapes follow from where none of their own is stored.
        """
        asked = (*_same(run), run.card.room, run.card.libraries, *sides)
        if asked not in self._fitting:
            most = bisect_left(sides, True, key=lambda side: self._live(run, side, crops) > run.card.room)
            self._fitting[asked] = largest_below(most, lambda count: self.fits(run, sides[count - 1]))
        return self._fitting[asked]

    def fits(self, run: Execution, side: int) -> bool:
        """Return whether a run fits its card with crops of another side, as `holds` says.

        With the room that is reserved where nothing limits it nothing is ever flushed.
        """
        need, samples, room = self._need(run, side), run.share.samples, run.card.room
        if need.live > room:
            return False
        used = need.asked.of(run.card.libraries)
        if not need.converted or used.expandable:
            if used not in need.reserved:
                within = [reserved_within(book, samples, used, room) for book in _books(run, side)]
                if None not in within:
                    need.reserved[used] = max(filter(None, within))
            if need.reserved.get(used, room + 1) <= room:
                return True
        if (used, room) not in need.held:
            need.held[used, room] = holds(_books(run, side), samples, run.card)
        return need.held[used, room]

    def _live(self, run: Execution, side: int, crops: Crops | None) -> int:
        """Return the most live bytes of a GPU: of a tape that follows from others by its sizes alone."""
        key = (*_same(run), side)
        if key in self._lives:
            return self._lives[key]
        if key in self._known or crops is None or _is_apart(run, side, crops):
            return self._need(run, side).live
        try:
            live = self._of(crops).most(side, run.share.samples, everywhere=run.share.replicas > 1)
        except NotPolynomialError:
            return self._need(run, side).live
        return self._lives.setdefault(key, live)

    def _of(self, crops: Crops) -> CropLives:
        """Return the lives of crops, made once."""
        if id(crops) not in self._crops:
            self._crops[id(crops)] = CropLives(crops)
        return self._crops[id(crops)]

    def _need(self, run: Execution, side: int) -> _Need:
        key = (*_same(run), side)
        if key not in self._known:
            books = _books(run, side)
            asked = Asked(*map(any, zip(*map(asked_of, books), strict=True)))
            live = max(book.peak(run.share.samples).allocated for book in books)
            self._known[key] = _Need(live, asked, any(map(conversions, books)))
        return self._known[key]


def _same(run: Execution) -> tuple[Hashable, ...]:
    """Return what a run's tapes and the samples on its GPUs follow from."""
    return run.key, run.is_early, run.share.samples, run.share.replicas > 1


def _is_apart(run: Execution, side: int, crops: Crops) -> bool:
    """Return whether a run's tape at another side may not follow from its step's crops."""
    step = {**run.step, **crops_at(run, side)}
    tiled = run.is_early and any(op.kind == ATTENTION for op in run.tape().ops)
    shipped = crops.tape.source != "shipped"
    return tiled or run.tapes.has_own(step, run.share.batch, shipped=shipped)


def crops_at(run: Execution, side: int) -> dict[str, Any]:
    """Return what differs of a step at another side: its crops, or the shapes of its inputs."""
    resized = at_side(run.step, side)
    return {name: value for name, value in resized.items() if value != run.step[name] or name in SIDE_FIELDS}


def _books(run: Execution, side: int) -> Sequence[Ledger]:
    """Return the ledgers of a process's GPUs at another side."""
    tape = run.tape(**crops_at(run, side))
    return [ledger(tape, device) for device in range(tape.devices if run.share.replicas > 1 else 1)]
