# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The seconds of one step at many batches: the same sums as of one, over arrays where numpy is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from trainlint.estimate.memory.card import Share
from trainlint.estimate.speed.kernel_class import class_of, layout_of, rate_of, step_ops
from trainlint.estimate.speed.pace import (
    PLAIN_SETUP,
    Setup,
    host_seconds,
    lengthened,
    links,
    pace_of,
    ranged,
    scaled,
    seen_by,
)
from trainlint.estimate.speed.rate_factors import factors
from trainlint.model.facts import Range
from trainlint.model.target import Gpu
from trainlint.tape import Size, Tape

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
            seconds * longer,
            scaled(setup.own.started(host_seconds(tape, share)), longer),
            links(tape, share, factors()),
            gpu,
            setup,
        )
        for seconds, share in zip(kernels, shares, strict=True)
    ]


def _kernels(tape: Tape, shares: Sequence[Share], gpu: Gpu, *, tf32: bool) -> list[float]:
    """Return the seconds of the slowest GPU's kernels at each share."""
    numpy: Any = import_module("numpy")
    figures, ops = factors(), step_ops(tape)
    layout = layout_of(ops)
    counts_of_shares = numpy.array(
        [[1, share.batch, share.total, share.pool] for share in shares], dtype=float
    ).T
    devices: dict[int, Any] = {}
    for device in {op.device for op, _ in ops}:
        mine = [(op, count) for op, count in ops if op.device == device]
        flops = _terms(numpy, [op.flops for op, _ in mine])
        moved = _terms(numpy, [op.read for op, _ in mine]) + _terms(numpy, [op.written for op, _ in mine])
        rates = numpy.array([rate_of(op, gpu, tf32=tf32) for op, _ in mine])[:, None]
        times = numpy.array([figures.of(class_of(op, layout), gpu) for op, _ in mine])[:, None]
        counts = numpy.array([count for _, count in mine], dtype=float)
        ideal = numpy.maximum(flops @ counts_of_shares / rates, moved @ counts_of_shares / gpu.bandwidth)
        devices[device] = counts @ (figures.kernel + times * ideal)
    slowest: list[float] = numpy.max(numpy.stack(list(devices.values())), axis=0).tolist()
    return slowest


def _terms(numpy: Any, sizes: Sequence[Size]) -> Any:
    """Return sizes as rows of their coefficients."""
    return numpy.array([[size.const, size.batch, size.total, size.pool] for size in sizes], dtype=float)
