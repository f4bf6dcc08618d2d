# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The most live bytes of a step at other crops: from the sizes of its blocks, without a tape of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from trainlint.estimate.replay.course import NO_BYTES
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.tape import Size
from trainlint.tape.crops.crop_side import NotPolynomialError
from trainlint.tape.crops.crop_tapes import Crops


class CropLives(Struct, frozen=True, dict=True):
    """What lives on a step's GPUs at the sides of its crops, whose events are the same."""

    crops: Crops

    def most(self, side: int, samples: Samples, *, everywhere: bool) -> int:
        """Return the most bytes on the first GPU, or on any of them; NotPolynomialError as `Crops.at`."""
        sizes = self.crops.sizes_at(side)
        if _empty(sizes) != self._empty:  # such blocks are left out of a ledger
            raise NotPolynomialError(f"other blocks are empty at a side of {side}")
        taken, size_of = samples.rounded(sizes), self.crops.size_of
        books = self._books if everywhere else self._books[:1]
        return max(book.peak_of(size_of, taken, before).allocated for book, before in books)

    @property
    def _first(self) -> int:
        return self.crops.sides[0]

    @cached_property
    def _empty(self) -> Sequence[int]:
        return _empty(self.crops.sizes_at(self._first))

    @cached_property
    def _books(self) -> Sequence[tuple[Ledger, Mapping[int, int]]]:
        """Each GPU's ledger at the first side, and how many blocks of a size its second step begins with."""
        return [*self._made()]

    def _made(self) -> Iterator[tuple[Ledger, Mapping[int, int]]]:
        tape = self.crops.at(self._first)
        for device in range(tape.devices):
            book = ledger(tape, device)
            yield book, book.standing(self.crops.size_of)


def _empty(sizes: Sequence[Size]) -> Sequence[int]:
    return [number for number, size in enumerate(sizes) if size == NO_BYTES]
