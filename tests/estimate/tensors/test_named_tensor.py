# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The largest tensor of a peak, and what the others take where the card could not hold it."""

from __future__ import annotations

from tests.estimate.toy_tapes import two_steps
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.tensors.named_tensor import largest_tensor


def test_the_others_are_those_that_the_card_could_hold() -> None:
    book, samples = Ledger(two_steps().tape()), Samples(4, 4)
    peak = book.peak(samples)
    sizes = sorted(book.bytes_of(samples, book.live(peak.position)))
    largest = largest_tensor(book, samples, peak.allocated)
    assert (largest.size, largest.others) == (sizes[-1], 0)
    small = largest_tensor(book, samples, sizes[-1] - 1)
    assert small.others == sum(size for size in sizes if size < sizes[-1]) > 0
    assert largest_tensor(book, samples, sizes[0] - 1).others == 0
