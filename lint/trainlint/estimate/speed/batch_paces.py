# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The seconds of one step at many batches: the same sums as of one, over arrays where numpy is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from trainlint.estimate.memory.card import Share
from trainlint.estimate.speed.kernel_class import class_of, layout_of, phases_of, rate_of, step_ops
from trainlint.estimate.speed.pace import (
    PLAIN_SETUP,
    Setup,
    host_seconds,
    lengthened,
    links,
    pace_of,
    ranged,
    seen_by,
)
from trainlint.estimate.speed.rate_factors import factors
from trainlint.model.facts import Range
from trainlint.model.target import Gpu
from trainlint.tape import Op, Size, Tape

FEW_BATCHES: Final = 8
"""Batches that are quicker one by one."""


def paces_of(tape: Tape, shares: Sequence[Share], gpu: Gpu, setup: Setup = PLAIN_SETUP) -> list[Range]:
    """Return what `pace_of` says of each share: seconds, low, middle and high. Raises what that raises."""
    if len(shares) <= FEW_BATCHES or find_spec("numpy") is None:
        return [pace_of(tape, share, gpu, setup).seconds for share in shares]
    pace_of(tape, shares[0], gpu, setup)  # the card's rates are known
    kernels, setup = _kernels(tape, shares, gpu, tf32=setup.tf32), seen_by(step_ops(tape), setup)
    longer = lengthened(tape, shares[0].samples, gpu, setup)
    return [
        ranged(
            list(zip(seconds, host_seconds(tape, share, setup), strict=True)),
            links(tape, share, factors()),
            gpu,
            setup,
            longer,
        )
        for seconds, share in zip(kernels, shares, strict=True)
    ]


def _kernels(tape: Tape, shares: Sequence[Share], gpu: Gpu, *, tf32: bool) -> list[list[float]]:
    """Return the seconds of the slowest GPU's kernels by phase, at each share."""
    numpy: Any = import_module("numpy")
    layout, phases = layout_of(step_ops(tape)), phases_of(tape)
    counts_of_shares = numpy.array(
        [[1, share.batch, share.total, share.pool] for share in shares], dtype=float
    ).T
    devices = sorted({op.device for op, _ in step_ops(tape)})
    taken = numpy.zeros((len(devices), len(phases), len(shares)))
    for row, device in zip(taken, devices, strict=True):
        for number, phase in enumerate(phases):
            mine = [(op, count) for op, count in phase.ops if op.device == device]
            if mine:
                row[number] = _phase(numpy, mine, counts_of_shares, gpu, layout=layout, tf32=tf32)
    slowest = taken.sum(axis=1).argmax(axis=0)
    by_share: list[list[float]] = [taken[device, :, place].tolist() for place, device in enumerate(slowest)]
    return by_share


def _phase(
    numpy: Any, ops: Sequence[tuple[Op, int]], counts_of_shares: Any, gpu: Gpu, *, layout: str, tf32: bool
) -> Any:
    """Return the seconds of a phase's kernels at each share."""
    figures = factors()
    flops = _terms(numpy, [op.flops for op, _ in ops])
    moved = _terms(numpy, [op.read for op, _ in ops]) + _terms(numpy, [op.written for op, _ in ops])
    rates = numpy.array([rate_of(op, gpu, tf32=tf32) for op, _ in ops])[:, None]
    times = numpy.array([figures.of(class_of(op, layout), gpu) for op, _ in ops])[:, None]
    counts = numpy.array([count for _, count in ops], dtype=float)
    ideal = numpy.maximum(flops @ counts_of_shares / rates, moved @ counts_of_shares / gpu.bandwidth)
    return counts @ (figures.kernel + times * ideal)


def _terms(numpy: Any, sizes: Sequence[Size]) -> Any:
    """Return sizes as rows of their coefficients."""
    return numpy.array([[size.const, size.batch, size.total, size.pool] for size in sizes], dtype=float)
