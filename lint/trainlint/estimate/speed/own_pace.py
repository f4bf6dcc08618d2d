# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How fast a card and its host are by the user's own measurements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from trainlint.estimate.calibration import MeasuredRow
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.step_work import host_range, kernel_seconds
from trainlint.model.facts import Range
from trainlint.model.target import Gpu

RULED: Final = 1.5
"""How many times as long as its kernels a step takes whose pace the host sets."""


class OwnPace(Struct, frozen=True):
    """How fast a card and its host were, next to factors.toml; None: not measured."""

    kernels: float | None = None
    host: float | None = None

    def spread(self, gpu: Gpu) -> float:
        """Return how far a step may be from its middle: where the card was measured, as on the reference."""
        figures = factors()
        return figures.spread_of(gpu) if self.kernels is None else figures.spread["reference"]

    def started(self, seconds: Range) -> Range:
        """Return the range of the host's seconds where it was measured itself."""
        if self.host is None:
            return seconds
        middle, own = seconds[1] * self.host, factors().own_host
        return middle / own, middle, middle * own


ASSUMED: Final = OwnPace()
"""The pace of a card that was never measured."""


def own_pace(rows: Iterable[MeasuredRow], gpu: Gpu) -> OwnPace:
    """Return how fast the kernels were of steps that they rule, and the host in steps that it rules."""
    kernels, hosts = [], []
    for row in rows:
        if not row.seconds or row.work is None or row.work.classes.keys() - factors().classes.keys():
            continue
        started = host_range(row.work.forward, row.work.kernels - row.work.forward)[1]
        estimated = kernel_seconds(row.work, gpu)
        if row.seconds > RULED * estimated and started:
            hosts.append(row.seconds / started)
        elif started < row.seconds and estimated:
            kernels.append(row.seconds / estimated)
    return OwnPace(_middle(kernels), _middle(hosts))


def _middle(ratios: Sequence[float]) -> float | None:
    if not ratios:
        return None
    from statistics import median  # noqa: PLC0415  # slow, and few cards were measured

    return median(ratios)
