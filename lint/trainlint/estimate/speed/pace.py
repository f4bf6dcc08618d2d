# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The seconds of one training step on a card: low, middle and high."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.card import Share
from trainlint.estimate.replay.course import Identity
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.estimate.speed.ddp_launches import ddp_launches
from trainlint.estimate.speed.kernel_class import (
    class_of,
    layout_of,
    micro_batch_ops,
    phases_of,
    rate_of,
    step_ops,
    validation_ops,
    work_of,
)
from trainlint.estimate.speed.own_pace import ASSUMED, OwnPace
from trainlint.estimate.speed.rate_factors import SpeedFactors, factors
from trainlint.estimate.speed.step_work import elapsed, host_range, walked_range
from trainlint.estimate.speed.walked_tensors import walked_tensors
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

    The GPU's kernels run one after another; the host starts them ahead of time, phase by phase (`elapsed`).
    Replicas of DataParallel share one host thread at a time (Python's lock) and move weights and
    gradients over the link; DistributedDataParallel hides its all-reduce behind the backward pass, or not,
    and starts kernels of its own (`ddp_launches`). Python gathers an optimizer's tensors (`walked_tensors`).
    Raises CannotTraceError for a card whose rates are not known.
    """
    if gpu.vendor != NVIDIA or not (gpu.bandwidth and gpu.fp32):
        raise CannotTraceError(f"the rates of the {gpu.title} are not known")
    figures = factors()
    per_device = _devices(tape, share.samples, gpu, tf32=setup.tf32)
    phases = max(per_device.values(), key=lambda taken: sum(map(_sum, taken)))
    phases = [*phases, {}, _copied(tape, gpu)]
    walked = setup.own.started(walked_range(walked_tensors(tape)))
    hosts = [*host_seconds(tape, share, setup), walked, _hooked(tape, setup)]
    kernels = [_sum(taken) for taken in phases]
    setup = seen_by(step_ops(tape), setup)
    longer = lengthened(tape, share.samples, gpu, setup)
    seconds = ranged(list(zip(kernels, hosts, strict=True)), links(tape, share, figures), gpu, setup, longer)
    scale = setup.own.kernels or 1.0
    classes: defaultdict[str, float] = defaultdict(float)
    for phase in phases:
        for kind, taken in phase.items():
            classes[kind] += scale * longer * taken
    return Pace(seconds, dict(classes), sum(middle for _, middle, _ in hosts) > scale * sum(kernels))


def _copied(tape: Tape, gpu: Gpu) -> Classes:
    """Return the seconds of DistributedDataParallel's kernels."""
    hooks, figures = ddp_launches(tape), factors()
    if not hooks.count:
        return {}
    ideal = hooks.moved / gpu.bandwidth
    return {"memory": hooks.count * figures.kernel + figures.of("memory", gpu) * ideal}


def _hooked(tape: Tape, setup: Setup) -> Range:
    """Return how long the host takes to start them: C++ does, as it starts autograd's operators.

    Or nothing: on one H100 a ViT's step took no longer with them (bench/measured/h100-80gb.jsonl).
    """
    _, middle, high = setup.own.started(host_range(ddp_launches(tape).count, called=False))
    return 0.0, middle, high


def _sum(classes: Mapping[str, float]) -> float:
    return sum(classes.values())


def lengthened(tape: Tape, samples: Samples, gpu: Gpu, setup: Setup) -> float:
    """Return how many times the kernels of its tape a step takes: a tape has a few of its micro-batches."""
    traced = int(tape.step.get("accumulate") or 1)
    if traced < MOST_MICRO_BATCHES or setup.micro_batches <= traced:
        return 1.0
    again, whole = (
        sum(
            map(_sum, chain.from_iterable(_seconds(Identity(tape), samples, gpu, setup.tf32, which).values()))
        )
        for which in (_micro_batches, _phases)
    )
    return 1 + (setup.micro_batches / traced - 1) * again / whole if whole else 1.0


def seen_by(ops: Sequence[tuple[Op, int]], setup: Setup) -> Setup:
    """Return the setup as kernels see it: without a convolution there is nothing to tune."""
    convolves = any(op.kind.startswith("conv") for op, _ in ops)
    return setup if setup.tuned or convolves else replace(setup, tuned=True)


def ranged(
    phases: Sequence[tuple[float, Range]], moved: Range, gpu: Gpu, setup: Setup, longer: float = 1.0
) -> Range:
    """Return the range of a step that is `longer` than its phases.

    Of each phase the seconds of its kernels and those of the host that starts them; `moved`: the link's.
    """
    figures = factors()
    spread, scale = setup.own.spread(gpu), setup.own.kernels or 1.0
    low, middle, high = (
        longer * elapsed([(taken * scale * times * untuned, host[end]) for taken, host in phases]) + over
        for end, times, untuned, over in zip(
            (0, 1, 2),
            (1 / spread, 1.0, spread),
            AS_LONG if setup.tuned else figures.untuned,
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
        host = self.setup.own.started(host_range(self.kernels / together, called=True))
        return ranged([(self.work + started, host)], NO_TIME, self.gpu, self.setup)


def image_pace(tape: Tape, share: Share, gpu: Gpu, setup: Setup = PLAIN_SETUP) -> ImagePace | None:
    """Return how fast the network is on a validation image; None where none was traced.

    What the trainer does with the result (metrics, writing images) is no kernel and not in it.
    """
    ops = validation_ops(tape)
    if not ops:
        return None
    devices = _seconds(Identity(tape), share.samples, gpu, setup.tf32, _validation)
    kernels = sum(count for _, count in ops)
    work = sum(_sum(taken) for phases in devices.values() for taken in phases) - kernels * factors().kernel
    return ImagePace(work, kernels, gpu, replace(seen_by(ops, setup), compiled=False))


Ops: TypeAlias = Sequence[tuple[Op, int]]
"""Kernels, each with how often it runs."""
Which: TypeAlias = Callable[[Tape], Sequence[Ops]]
"""Which phases of a tape, by the kernels of each."""
Classes: TypeAlias = Mapping[str, float]
"""Seconds by class of kernel."""


def _phases(tape: Tape) -> Sequence[Ops]:
    return [phase.ops for phase in phases_of(tape)]


def _micro_batches(tape: Tape) -> Sequence[Ops]:
    return [micro_batch_ops(tape)]


def _validation(tape: Tape) -> Sequence[Ops]:
    return [validation_ops(tape)]


def _devices(tape: Tape, samples: Samples, gpu: Gpu, *, tf32: bool) -> Mapping[int, Sequence[Classes]]:
    """Return the seconds of the kernels of each virtual GPU by phase and class."""
    seconds = _seconds(Identity(tape), samples, gpu, tf32, _phases)
    if not seconds:
        raise CannotTraceError("the stored step has no kernels to time")
    return seconds


def _seconds(
    of: Identity, samples: Samples, gpu: Gpu, tf32: bool, which: Which
) -> Mapping[int, Sequence[Classes]]:
    known = _kernels(of, samples, which)
    if (gpu, tf32) not in known.seconds:
        known.seconds[gpu, tf32] = known.on(gpu, tf32=tf32)
    return known.seconds[gpu, tf32]


class _Kernels:
    """A step's kernels, and the seconds that they take on each card that was asked for."""

    def __init__(self, phases: Sequence[Ops], classes: Sequence[Sequence[str]], samples: Samples) -> None:
        self._phases = [
            [
                (op.device, (op.kind, op.dtype), count, kind, *work_of(op, samples))
                for (op, count), kind in zip(ops, kinds, strict=True)
            ]
            for ops, kinds in zip(phases, classes, strict=True)
        ]
        self._classes = set(chain.from_iterable(classes))  # a few, as are the rates: of hundreds of kernels
        self._rated = {(op.kind, op.dtype): op for ops in phases for op, _ in ops}
        self.seconds: dict[tuple[Gpu, bool], Mapping[int, Sequence[Classes]]] = {}

    def on(self, gpu: Gpu, *, tf32: bool) -> Mapping[int, Sequence[Classes]]:
        """Return the seconds of each virtual GPU by phase and class."""
        figures = factors()
        overhead, bandwidth = figures.kernel, gpu.bandwidth
        seconds: dict[int, list[dict[str, float]]] = defaultdict(lambda: [{} for _ in self._phases])
        times = {kind: figures.of(kind, gpu) for kind in self._classes}
        rates = {rated: rate_of(op, gpu, tf32=tf32) for rated, op in self._rated.items()}
        for number, rows in enumerate(self._phases):
            for device, rated, count, kind, flops, moved in rows:
                ideal = max(flops / rates[rated], moved / bandwidth)
                taken = seconds[device][number]
                taken[kind] = taken.get(kind, 0.0) + count * (overhead + times[kind] * ideal)
        return dict(seconds)


@lru_cache(maxsize=4)  # many cards are asked about one step
def _kernels(of: Identity, samples: Samples, which: Which) -> _Kernels:
    return _Kernels(which(of.tape), _classes(of, which), samples)


@lru_cache(maxsize=4)  # many batches, too
def _classes(of: Identity, which: Which) -> Sequence[Sequence[str]]:
    """Return the class of each kernel."""
    phases = which(of.tape)
    layout = layout_of(list(chain.from_iterable(phases)))
    return [[class_of(op, layout) for op, _ in ops] for ops in phases]


def host_seconds(tape: Tape, share: Share, setup: Setup) -> Sequence[Range]:
    """Return how long one process takes to start the operators of each phase.

    A further replica's are those of virtual GPU 1. Python calls those of a forward, through its modules; the
    others, autograd's and an optimizer's, are started by C++, many of them at once.
    """
    replicas = max(share.replicas - 1, 0)
    return [
        setup.own.started(host_range(first + replicas * second, called=called))
        for first, second, called in _started(Identity(tape))
    ]


@lru_cache(maxsize=4)
def _started(of: Identity) -> Sequence[tuple[int, int, bool]]:
    """Return how many operators of each phase are virtual GPU 0's and 1's, and whether Python calls them."""
    return [
        (
            sum(count for op, count in phase.ops if op.device == 0),
            sum(count for op, count in phase.ops if op.device == 1),
            phase.called,
        )
        for phase in phases_of(of.tape)
    ]


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
