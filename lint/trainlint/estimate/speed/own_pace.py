# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How fast a card and its host are by the user's own measurements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from trainlint.estimate.calibration import MeasuredRow
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.step_work import elapsed, host_range, kernel_seconds, walked_range
from trainlint.model.facts import Range
from trainlint.model.target import Gpu

HOST_RULED: Final = 1.5
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


def host_times(seconds: float, kernels: tuple[float, float], hosts: tuple[float, float]) -> float:
    """Return how many times the host's seconds, of a forward and of the rest, make a step take so long.

    The GPU waits for the host in the forward alone, or in the rest as well (`elapsed`).
    """
    return min((seconds - kernels[1]) / hosts[0], seconds / sum(hosts))


def own_pace(rows: Iterable[MeasuredRow], gpu: Gpu) -> OwnPace:
    """Return how fast the kernels were of steps that they rule, and the host in steps that it rules."""
    kernels, hosts = [], []
    for row in rows:
        if not row.seconds or row.work is None or row.work.classes.keys() - factors().classes.keys():
            continue
        work = row.work
        estimated = kernel_seconds(work, gpu)
        rest = work.kernels - work.forward
        other = host_range(rest, called=False)[1] + walked_range(work.walked)[1]
        started = host_range(work.forward, called=True)[1], other
        if row.seconds > HOST_RULED * sum(estimated) and work.forward_classes:
            hosts.append(host_times(row.seconds, estimated, started))
        elif elapsed(zip(estimated, started, strict=True)) <= sum(estimated):
            kernels.append(row.seconds / sum(estimated))
    return OwnPace(_middle(kernels), _middle(hosts))


def _middle(ratios: Sequence[float]) -> float | None:
    if not ratios:
        return None
    from statistics import median  # noqa: PLC0415  # slow, and few cards were measured

    return median(ratios)
