# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's work apart from how well a card does it: what a measured time is held against."""

from __future__ import annotations

from collections import defaultdict

from trainlint.estimate.calibration import Work
from trainlint.estimate.replay.course import Identity
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.kernel_class import (
    class_of,
    ideal_seconds,
    layout_of,
    started_forward,
    step_ops,
)
from trainlint.estimate.speed.rate_factors import factors
from trainlint.model.facts import Range
from trainlint.model.target import Gpu
from trainlint.tape import Tape


def kernel_seconds(work: Work, gpu: Gpu) -> float:
    """Return the seconds that a step's kernels take by factors.toml."""
    figures = factors()
    taken = sum(figures.of(kind, gpu) * ideal for kind, ideal in work.classes.items())
    return figures.kernel * work.kernels + taken


def host_range(called: int, rest: int) -> Range:
    """Return the seconds in which the host starts operators: those that Python calls, and the others."""
    figures = factors()
    low, middle, high = (
        called * forward + rest * other for forward, other in zip(figures.forward, figures.other, strict=True)
    )
    return low, middle, high


def step_work(tape: Tape, samples: Samples, gpu: Gpu, *, tf32: bool = False) -> Work:
    """Return the work of one steady step on the fullest GPU."""
    seconds: defaultdict[str, float] = defaultdict(float)
    ops = [(op, count) for op, count in step_ops(tape) if not op.device]
    layout = layout_of(ops)
    for op, count in ops:
        seconds[class_of(op, layout)] += count * ideal_seconds(op, samples, gpu, tf32=tf32)
    return Work(sum(count for _, count in ops), started_forward(Identity(tape))[0], dict(seconds))
