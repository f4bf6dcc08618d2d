# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The peak as a reference counts it that watches every operator: no sum of gradients is in place then."""

from __future__ import annotations

from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.tape.flow import highest


def recorded_peak(book: Ledger, samples: Samples) -> int:
    """Return the most bytes that are alive in the second step, sums in place counted as well."""
    before = sum(book.bytes_of(samples, book.live(book.start)))
    return highest(book.program[book.start :], book.size_of, samples.rounded(book.sizes), before)[1]
