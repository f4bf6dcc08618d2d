# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's work apart from how well a card does it: what a measured time is held against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from trainlint.estimate.calibration import Work
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.ddp_launches import ddp_launches
from trainlint.estimate.speed.kernel_class import (
    class_of,
    ideal_seconds,
    layout_of,
    phases_of,
    step_ops,
)
from trainlint.estimate.speed.rate_factors import factors
from trainlint.estimate.speed.walked_tensors import walked_tensors
from trainlint.model.facts import Range
from trainlint.model.target import Gpu
from trainlint.tape import Tape


def kernel_seconds(work: Work, gpu: Gpu) -> tuple[float, float]:
    """Return the seconds that a step's kernels take by factors.toml: those of its forwards, all others."""
    called = _seconds(work.forward, work.forward_classes, gpu)
    return called, _seconds(work.kernels, work.classes, gpu) - called


def _seconds(kernels: int, classes: Mapping[str, float], gpu: Gpu) -> float:
    figures = factors()
    return figures.kernel * kernels + sum(figures.of(kind, gpu) * ideal for kind, ideal in classes.items())


def host_range(operators: float, *, called: bool) -> Range:
    """Return the seconds in which the host starts operators: those that Python calls, or the others."""
    figures = factors()
    low, middle, high = figures.forward if called else figures.other
    return operators * low, operators * middle, operators * high


def walked_range(tensors: int) -> Range:
    """Return the seconds in which the host gathers tensors for an optimizer."""
    low, middle, high = factors().walked
    return tensors * low, tensors * middle, tensors * high


def elapsed(phases: Iterable[tuple[float, float]]) -> float:
    """Return the seconds of a step by those of its kernels and of the host in each phase, in their order.

    The host runs ahead of the GPU, which waits where it has nothing left to do. It has nothing when a step
    begins: trainers read the loss, or whether gradients overflowed, at the end of each.
    """
    done = started = 0.0
    for kernels, host in phases:
        started += host
        done = max(done + kernels, started)
    return done


def step_work(tape: Tape, samples: Samples, gpu: Gpu, *, tf32: bool = False) -> Work:
    """Return the work of one steady step on the fullest GPU."""
    called: defaultdict[str, float] = defaultdict(float)
    rest: defaultdict[str, float] = defaultdict(float)
    counts = {True: 0, False: 0}
    layout = layout_of([(op, count) for op, count in step_ops(tape) if not op.device])
    for phase in phases_of(tape):
        for op, count in phase.ops:
            if not op.device:
                seconds = count * ideal_seconds(op, samples, gpu, tf32=tf32)
                (called if phase.called else rest)[class_of(op, layout)] += seconds
                counts[phase.called] += count
    hooks = ddp_launches(tape)
    if hooks.count:
        counts[False] += hooks.count
        rest["memory"] += hooks.moved / gpu.bandwidth
    both = {kind: called.get(kind, 0.0) + rest.get(kind, 0.0) for kind in {**called, **rest}}
    return Work(sum(counts.values()), counts[True], both, dict(called), walked_tensors(tape))
