# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Single tensors that are named: the largest at a peak, and the first that finds no room."""

from __future__ import annotations

from itertools import compress

from msgspec.structs import replace

from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept
from trainlint.estimate.tensors.tensor_kind import kinds
from trainlint.model.facts import NamedTensor


@kept
def largest_tensor(book: Ledger, samples: Samples, room: int) -> NamedTensor:
    """Return the largest tensor of a ledger's peak, on a card with `room` bytes for tensors."""
    alive = book.live(book.peak(samples).position)
    sizes = book.bytes_of(samples, alive)
    most = max(sizes)
    named = _named(book, min(compress(alive, map(most.__eq__, sizes))), most)
    return named if most <= room else replace(named, others=sum(size for size in sizes if size <= room))


def first_short(book: Ledger, samples: Samples, room: int) -> NamedTensor | None:
    """Return the first tensor for which `room` bytes do not do, whatever the allocator caches; None: they do.

    The allocator may fail before, for what it holds is in pieces.
    """
    if book.peak(samples).allocated <= room:
        return None
    position = book.first_over(samples, room)
    if position is None:
        return None
    index = book.program[position]
    return _named(book, index, samples.bytes(book.blocks[index].size))


def _named(book: Ledger, index: int, size: int) -> NamedTensor:
    return NamedTensor(size, kinds(book).of(index), book.blocks[index].owner)
