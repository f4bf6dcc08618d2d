# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The seconds of one training step on a card: low, middle and high."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.card import Share
from trainlint.estimate.replay.course import Identity
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.kernel_class import (
    class_of,
    layout_of,
    micro_batch_ops,
    rate_of,
    started_forward,
    step_ops,
    validation_ops,
    work_of,
)
from trainlint.estimate.speed.own_pace import ASSUMED, OwnPace
from trainlint.estimate.speed.rate_factors import SpeedFactors, factors
from trainlint.estimate.speed.step_work import host_range
from trainlint.model.facts import Range
from trainlint.model.target import NVIDIA, Gpu
from trainlint.tape import Op, Tape
from trainlint.tape.step import MOST_MICRO_BATCHES


class Pace(Struct, frozen=True):
    """Seconds of a step; `classes` are the middle's, by class of kernel, on the slowest GPU."""

    seconds: Range
    classes: Mapping[str, float]
    host_bound: bool


class Setup(Struct, frozen=True):
    """What else decides a step's kernels: TF32, torch.compile, and whether cuDNN is `tuned` by its trials.

    `own` is how fast the user measured the card to be, `micro_batches` those of a step, of which a tape has
    MOST_MICRO_BATCHES at most.
    """

    tf32: bool = False
    compiled: bool = False
    tuned: bool = True
    own: OwnPace = ASSUMED
    micro_batches: int = 1


PLAIN_SETUP: Final = Setup()
NO_TIME: Final = (0.0, 0.0, 0.0)
AS_LONG: Final = (1.0, 1.0, 1.0)


def pace_of(tape: Tape, share: Share, gpu: Gpu, setup: Setup = PLAIN_SETUP) -> Pace:
    """Return the pace of a step whose samples fall to GPUs as `share` says.

    The GPU's kernels run one after another; the host starts them ahead of time, so that the slower of the two
    decides. Replicas of DataParallel share one host thread at a time (Python's lock) and move weights and
    gradients over the link; DistributedDataParallel hides its all-reduce behind the backward pass, or not.
    Raises CannotTraceError for a card whose rates are not known.
    """
    if gpu.vendor != NVIDIA or not (gpu.bandwidth and gpu.fp32):
        raise CannotTraceError(f"the rates of the {gpu.title} are not known")
    figures = factors()
    per_device = _devices(tape, share.samples, gpu, tf32=setup.tf32)
    slowest = max(per_device, key=lambda device: sum(per_device[device].values()))
    kernels = sum(per_device[slowest].values())
    host = setup.own.started(host_seconds(tape, share))
    setup = seen_by(step_ops(tape), setup)
    longer = lengthened(tape, share.samples, gpu, setup)
    seconds = ranged(kernels * longer, scaled(host, longer), links(tape, share, figures), gpu, setup)
    scale = setup.own.kernels or 1.0
    classes = {kind: scale * longer * taken for kind, taken in per_device[slowest].items()}
    return Pace(seconds, classes, host[1] > scale * kernels)


def lengthened(tape: Tape, samples: Samples, gpu: Gpu, setup: Setup) -> float:
    """Return how many times the kernels of its tape a step takes: a tape has a few of its micro-batches."""
    traced = int(tape.step.get("accumulate") or 1)
    if traced < MOST_MICRO_BATCHES or setup.micro_batches <= traced:
        return 1.0
    again, whole = (
        sum(sum(taken.values()) for taken in _seconds(Identity(tape), samples, gpu, setup.tf32, ops).values())
        for ops in (micro_batch_ops, step_ops)
    )
    return 1 + (setup.micro_batches / traced - 1) * again / whole if whole else 1.0


def scaled(host: Range, longer: float) -> Range:
    """Return the host's seconds for a step that is so many times longer."""
    low, middle, high = host
    return low * longer, middle * longer, high * longer


def seen_by(ops: Sequence[tuple[Op, int]], setup: Setup) -> Setup:
    """Return the setup as kernels see it: without a convolution there is nothing to tune."""
    convolves = any(op.kind.startswith("conv") for op, _ in ops)
    return setup if setup.tuned or convolves else replace(setup, tuned=True)


def ranged(kernels: float, host: Range, moved: Range, gpu: Gpu, setup: Setup) -> Range:
    """Return the range of a step: its kernels' seconds, those of the host that starts them, the link's."""
    figures = factors()
    spread, kernels = setup.own.spread(gpu), kernels * (setup.own.kernels or 1.0)
    low, middle, high = (
        max(kernels * times * longer, started) + over
        for times, longer, started, over in zip(
            (1 / spread, 1.0, spread),
            AS_LONG if setup.tuned else figures.untuned,
            host,
            moved,
            strict=True,
        )
    )
    if setup.compiled:
        low, middle = low / figures.compiled, middle / figures.compiled**0.5
    return low, middle, high


class ImagePace(Struct, frozen=True):
    """What the network takes for one validation image: seconds of work, kernels that are started for it."""

    work: float
    kernels: int
    gpu: Gpu
    setup: Setup

    def seconds(self, together: int = 1) -> Range:
        """Return the seconds of an image of so many at once, which share what it takes to start kernels."""
        started = self.kernels * factors().kernel / together
        low, middle, high = factors().forward
        calls = self.kernels / together
        host = self.setup.own.started((calls * low, calls * middle, calls * high))
        return ranged(self.work + started, host, NO_TIME, self.gpu, self.setup)


def image_pace(tape: Tape, share: Share, gpu: Gpu, setup: Setup = PLAIN_SETUP) -> ImagePace | None:
    """Return how fast the network is on a validation image; None where none was traced.

    What the trainer does with the result (metrics, writing images) is no kernel and not in it.
    """
    ops = validation_ops(tape)
    if not ops:
        return None
    devices = _seconds(Identity(tape), share.samples, gpu, setup.tf32, validation_ops)
    kernels = sum(count for _, count in ops)
    work = sum(sum(device.values()) for device in devices.values()) - kernels * factors().kernel
    return ImagePace(work, kernels, gpu, replace(seen_by(ops, setup), compiled=False))


def _devices(tape: Tape, samples: Samples, gpu: Gpu, *, tf32: bool) -> Mapping[int, Mapping[str, float]]:
    """Return the seconds of the kernels of each virtual GPU by class."""
    seconds = _seconds(Identity(tape), samples, gpu, tf32, step_ops)
    if not seconds:
        raise CannotTraceError("the stored step has no kernels to time")
    return seconds


def _seconds(
    of: Identity, samples: Samples, gpu: Gpu, tf32: bool, which: Callable[[Tape], Sequence[tuple[Op, int]]]
) -> Mapping[int, Mapping[str, float]]:
    known = _kernels(of, samples, which)
    if (gpu, tf32) not in known.seconds:
        known.seconds[gpu, tf32] = known.on(gpu, tf32=tf32)
    return known.seconds[gpu, tf32]


class _Kernels:
    """A step's kernels, and the seconds that they take on each card that was asked for."""

    def __init__(self, ops: Sequence[tuple[Op, int]], classes: Sequence[str], samples: Samples) -> None:
        self._rows = [
            (op, count, kind, work_of(op, samples)) for (op, count), kind in zip(ops, classes, strict=True)
        ]
        self.seconds: dict[tuple[Gpu, bool], Mapping[int, Mapping[str, float]]] = {}

    def on(self, gpu: Gpu, *, tf32: bool) -> Mapping[int, Mapping[str, float]]:
        """Return the seconds of each virtual GPU by class."""
        figures = factors()
        seconds: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        times: dict[str, float] = {}  # a few classes and rates, asked of hundreds of kernels
        rates: dict[tuple[str, str], float] = {}
        for op, count, kind, (flops, moved) in self._rows:
            if kind not in times:
                times[kind] = figures.of(kind, gpu)
            if (op.kind, op.dtype) not in rates:
                rates[op.kind, op.dtype] = rate_of(op, gpu, tf32=tf32)
            ideal = max(flops / rates[op.kind, op.dtype], moved / gpu.bandwidth)
            seconds[op.device][kind] += count * (figures.kernel + times[kind] * ideal)
        return {device: dict(classes) for device, classes in seconds.items()}


@lru_cache(maxsize=4)  # many cards are asked about one step
def _kernels(of: Identity, samples: Samples, which: Callable[[Tape], Sequence[tuple[Op, int]]]) -> _Kernels:
    return _Kernels(which(of.tape), _classes(of, which), samples)


@lru_cache(maxsize=4)  # many batches, too
def _classes(of: Identity, which: Callable[[Tape], Sequence[tuple[Op, int]]]) -> Sequence[str]:
    """Return the class of each kernel."""
    ops = which(of.tape)
    layout = layout_of(ops)
    return [class_of(op, layout) for op, _ in ops]


def host_seconds(tape: Tape, share: Share) -> Range:
    """Return how long one process takes to start a step's operators.

    A further replica's are those of virtual GPU 1. Python calls those of a forward, through its modules; the
    others, autograd's and an optimizer's, are started by C++, many of them at once.
    """
    counts = [0, 0]
    for op, count in step_ops(tape):
        if op.device < len(counts):
            counts[op.device] += count
    replicas = (1, max(share.replicas - 1, 0))
    called = sum(n * times for n, times in zip(started_forward(Identity(tape)), replicas, strict=True))
    rest = sum(n * times for n, times in zip(counts, replicas, strict=True)) - called
    return host_range(called, rest)


def links(tape: Tape, share: Share, figures: SpeedFactors) -> Range:
    """Return the seconds in which weights and gradients go from card to card."""
    bytes_ = 4 * sum(network.trainable for network in tape.networks)
    slow, usual, fast = figures.link
    if share.replicas > 1:  # weights out, gradients back, one replica after another
        moved = 2 * (share.replicas - 1) * bytes_
        return moved / fast, moved / usual, moved / slow
    if share.processes > 1:  # a ring; all of it may hide behind the backward pass
        moved = 2 * (share.processes - 1) * bytes_ // share.processes
        return 0.0, moved / usual / 2, moved / slow
    return 0.0, 0.0, 0.0
