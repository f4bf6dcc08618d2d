# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The class of a kernel, and the least time that a card's rates leave for its work.

Kernels are grouped by what limits them. Those of one class reach about the same share of a card's rates
(factors.toml), so that a step's time is a sum over a few classes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from msgspec import Struct

from trainlint.estimate.replay.course import Identity, first_mark
from trainlint.estimate.replay.gpu_ledger import Samples
from trainlint.expressions.patterns import later
from trainlint.model.target import Gpu
from trainlint.tape import HELD, SECOND_STEP, VALIDATION, Event, Op, Tape
from trainlint.tape.events import Events

COMPUTE: Final = frozenset({"conv", "conv-grouped", "matmul", "attention"})
"""Classes that run on tensor cores where the card has them and the numbers suit."""
OWN_CLASSES: Final = COMPUTE | {"conv-depthwise", "norm"}
"""Classes of their own; whatever else moves bytes is one class, "memory"."""
CHANNELS_LAST: Final = " nhwc"
"""End of the class of a kernel that works on channels-last tensors (and of a convolution's key)."""
WINOGRAD: Final = "conv winograd"
"""Class of 3x3 convolutions in fp32, which cuDNN computes with fewer products where there is no TF32."""
OWN_DEPTHWISE: Final = "conv-depthwise fp32"
"""Class of depthwise convolutions that PyTorch computes itself (aten's native/cuda/DepthwiseConv2d.cu).

cuDNN's are those in half precision or of channels-last tensors (use_cudnn_depthwise, Convolution.cpp).
"""
THREE_BY_THREE: Final = later(r"\S+ k3x3 .* s1 p\S+ d1 g1$")
"""The key of a convolution that Winograd's algorithm fits (trace/recording/operator_cost.py)."""
GROUPS: Final = later(r".* g(\d+) nhwc$")
"""The number of groups in the key of a convolution of channels-last tensors."""
PACKED_GROUPS: Final = 32
"""Groups of which a multiple is quick in channels last; any other number takes several times as long.

pytorch/pytorch issue 70954, by the author of the measured rows: networks whose groups have a fixed width, so
that their number varies, are slow in this layout (AMP, torch 1.10, RTX 3090; Turing and Volta alike).
"""
PACKED: Final = "conv-grouped 32"
"""Begin of the class of convolutions with such groups."""
FORWARD: Final = "forward"
"""Last word of the marks of phases whose operators Python calls; autograd starts those of a backward."""
ONCE_A_STEP: Final = ("optimizer", "EMA")
"""In the marks of phases that come once a step, however many micro-batches it has."""
HALF_PRECISIONS: Final = {"float16": "fp16", "bfloat16": "bf16"}


def step_ops(tape: Tape) -> tuple[tuple[Op, int], ...]:
    """Return the kernels of one steady training step, each with how often it runs."""
    return _step_ops(Identity(tape))


@lru_cache(maxsize=4)
def _step_ops(of: Identity) -> tuple[tuple[Op, int], ...]:
    return _summed(of.tape, [phase for _, phase in marked(of.tape)])


def micro_batch_ops(tape: Tape) -> tuple[tuple[Op, int], ...]:
    """Return the kernels of a steady step that come again with each micro-batch, and how often each runs."""
    return _micro_batch_ops(Identity(tape))


@lru_cache(maxsize=4)
def _micro_batch_ops(of: Identity) -> tuple[tuple[Op, int], ...]:
    phases = [phase for mark, phase in marked(of.tape) if not any(word in mark for word in ONCE_A_STEP)]
    return _summed(of.tape, phases)


def _summed(tape: Tape, phases: Iterable[Mapping[int, int]]) -> tuple[tuple[Op, int], ...]:
    """Return the kernels of some phases, each with how often it runs."""
    ran: Counter[int] = Counter()
    for phase in phases:
        ran.update(phase)
    return tuple((tape.ops[index], count) for index, count in ran.items())


def marked(tape: Tape) -> tuple[tuple[str, Mapping[int, int]], ...]:
    """Return the phases of a steady step, each with its mark: how often each operator's row runs."""
    return _marked(Identity(tape))


@lru_cache(maxsize=4)
def _marked(of: Identity) -> tuple[tuple[str, Mapping[int, int]], ...]:
    tape = of.tape
    steady = Events.of(tape.events)[first_mark(tape, SECOND_STEP) : first_mark(tape, VALIDATION)]
    return tuple(
        (tape.marks[steady.numbers[start]], Counter(steady[start:end].of_kind(Event.OP)))
        for start, end in pairwise((*steady.places(Event.MARK), len(steady)))
    )


def validation_ops(tape: Tape) -> tuple[tuple[Op, int], ...]:
    """Return the kernels of one validation image, each with how often it runs; none where none was traced."""
    return _validation_ops(Identity(tape))


@lru_cache(maxsize=4)
def _validation_ops(of: Identity) -> tuple[tuple[Op, int], ...]:
    tape = of.tape
    events = Events.of(tape.events)[first_mark(tape, VALIDATION) :]
    return _summed(tape, [Counter(events.of_kind(Event.OP))])


class Phase(Struct, frozen=True):
    """Kernels of a step from one mark to the next, each with how often it runs; `called` by Python or not."""

    called: bool
    ops: tuple[tuple[Op, int], ...]


def phases_of(tape: Tape) -> tuple[Phase, ...]:
    """Return the phases of one steady training step in their order, those that have kernels."""
    return _phases_of(Identity(tape))


@lru_cache(maxsize=4)
def _phases_of(of: Identity) -> tuple[Phase, ...]:
    tape, phases = of.tape, []
    for mark, ran in marked(tape):
        if ran:
            ops = tuple((tape.ops[index], count) for index, count in ran.items())
            phases.append(Phase(mark.split()[-1:] == [FORWARD], ops))
    return tuple(phases)


def layout_of(ops: Iterable[tuple[Op, int]]) -> str:
    """Return LAST where the norms of a step are those of a channels-last convolutional network, else "".

    Most convolutions work on such tensors then, and there are as many of them as norms: a transformer's one
    convolution, which embeds its patches, says nothing of its layer norms.
    """
    convolutions = norms = last = 0
    for op, count in ops:
        norms += count * (op.kind == "norm")
        if op.kind.startswith("conv"):
            convolutions += count
            last += count * op.key.endswith(CHANNELS_LAST)
    return CHANNELS_LAST if last * 2 > convolutions >= norms else ""


def class_of(op: Op, layout: str) -> str:
    """Return a kernel's class, in a step with that layout of its images."""
    if op.key == HELD or op.kind not in OWN_CLASSES:
        return "memory"
    if op.kind == "conv" and op.dtype == "float32" and THREE_BY_THREE.fullmatch(op.key):
        return WINOGRAD
    if op.kind == "conv-depthwise" and op.dtype == "float32" and not op.key.endswith(CHANNELS_LAST):
        return OWN_DEPTHWISE
    if op.kind == "conv-grouped" and (groups := GROUPS.fullmatch(op.key)) is not None:
        return (op.kind if int(groups[1]) % PACKED_GROUPS else PACKED) + CHANNELS_LAST
    if op.kind.startswith("conv"):
        return op.kind + (CHANNELS_LAST if op.key.endswith(CHANNELS_LAST) else "")
    return op.kind + (layout if op.kind == "norm" else "")


def ideal_seconds(op: Op, samples: Samples, gpu: Gpu, *, tf32: bool) -> float:
    """Return the seconds that a kernel's FLOPs or bytes take at a card's rates, whichever is more.

    `tf32`: products of matrices in fp32 may use TF32, as convolutions do by torch's default.
    """
    flops, moved = work_of(op, samples)
    return max(flops / rate_of(op, gpu, tf32=tf32), moved / gpu.bandwidth)


def work_of(op: Op, samples: Samples) -> tuple[int, int]:
    """Return a kernel's FLOPs, and the bytes that it reads and writes."""
    counts = (samples.batch, samples.total, samples.pool)
    return op.flops.at(*counts), op.read.at(*counts) + op.written.at(*counts)


def rate_of(op: Op, gpu: Gpu, *, tf32: bool) -> float:
    """Return the FLOP/s that a card offers a kernel: its tensor cores', or fp32's."""
    if op.kind not in COMPUTE:
        return gpu.fp32
    if op.dtype in HALF_PRECISIONS:
        return float(getattr(gpu, HALF_PRECISIONS[op.dtype])) or gpu.fp32
    if gpu.tf32 and (tf32 or op.kind.startswith("conv")):
        return gpu.tf32
    return gpu.fp32
