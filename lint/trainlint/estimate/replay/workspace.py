# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Workspaces: what a step takes on the GPU beyond the tensors that torch names.

cuBLAS takes its workspace through the caching allocator at first use and keeps it; cuDNN and a softmax's
backward take one per call and give it back. The size of cuDNN's is a model, fitted on timm's networks
(docs/accuracy.md).
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass
from functools import lru_cache
from math import prod
from typing import Final, NamedTuple

from trainlint.estimate.replay.allocator import MIB
from trainlint.estimate.replay.ledger import Ledger, Samples
from trainlint.tape import HELD, Op, Size

CUBLAS: Final = 8_519_680
"""Bytes of a cuBLAS workspace, one per handle and stream: 2 x 4 MiB + 8 x 16 KiB (ATen/cuda/CUDABlas.cpp)."""
CUBLAS_SM90: Final = 32 * MIB
"""The same from Hopper on (CUDABlas.cpp: 32 MiB where the compute capability's major is 9 or more)."""
CUBLASLT: Final = MIB
"""Bytes of a cuBLASLt workspace, taken and given back by every call (ATen/cuda/Blas.cpp: 1024 KiB)."""
HOPPER: Final = 9.0
"""Compute capability of sm_90."""

FLASH_FROM: Final = 8.0
"""Compute capability from which half-precision attention runs as FlashAttention."""

ATTENTION: Final = "attention"
MATMUL: Final = "matmul"
SOFTMAX: Final = "softmax"
DENSE: Final = "conv"
GROUPED: Final = "conv-grouped"
DEPTHWISE: Final = "conv-depthwise"
"""Kinds of operators (tape.Op.kind) that cuBLAS, cuDNN or a softmax's backward compute."""
FORWARD: Final = "forward "
BACKWARD: Final = "backward-"
BACKWARD_WEIGHT: Final = "backward-weight "
"""What a convolution's key begins with (trace/cost.py)."""
POINTWISE: Final = " k1x1 "
"""What a 1x1 convolution's key contains (trace/cost.py)."""
WEIGHT: Final = re.compile(r" (?:transposed )?k([\dx]+) (\d+)o (\d+)x.* g(\d+)")
"""Finds the kernel, outputs, inputs and groups in a convolution's key."""
CHANNELS_LAST: Final = " nhwc"
"""How the key of a convolution of channels-last tensors ends (trace/cost.py)."""

SPLIT_FROM: Final = 512 * MIB
"""Bytes of copies from which a weight gradient's workspace is larger than its data gradient's.

Where it is, cuDNN sums the weight gradient in several parts. That the two then do not share a block is seen
in GPUMemNet's runs of VGGs (A100, TF32, cudnn.benchmark); from where on is fitted on its development half.
"""
PARTS: Final = 108 * 128 * 128 * 4
"""Bytes of those parts: one tile of 128 x 128 sums in fp32 for each of an A100's multiprocessors. That it is
more than the 2 MiB to which a segment is rounded is what matters.
"""
ITEMSIZE: Final = {"float16": 2, "bfloat16": 2, "float64": 8}
"""Bytes of an element where it is not 4."""
TRIED_SHARE: Final = 4.0
"""Bytes of a dense convolution's workspace per byte of activations while cudnn.benchmark tries every
algorithm: an upper estimate."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """How a run uses the libraries: bytes of a cuBLAS workspace, and whether cuDNN tries its algorithms.

    `expandable`: the caching allocator runs with PYTORCH_ALLOC_CONF=expandable_segments:True. `split_from`:
    see SPLIT_FROM.
    """

    cublas: int
    benchmark: bool
    expandable: bool = False
    split_from: int = SPLIT_FROM


def libraries(compute_capability: float, *, benchmark: bool, expandable: bool = False) -> Libraries:
    """Return what a GPU of this compute capability (7.5) takes."""
    return Libraries(CUBLAS_SM90 if compute_capability >= HOPPER else CUBLAS, benchmark, expandable)


def first_matmuls(ledger: Ledger) -> tuple[int, ...]:
    """Return where each cuBLAS handle is first used: in the forward, and in the backward's own thread."""
    first: dict[bool, int] = {}
    for position, op, backward in ledger.ops:
        if op.kind == MATMUL:
            first.setdefault(backward, position)
            if len(first) > 1:
                break
    return tuple(sorted(first.values()))


def flushes(ledger: Ledger) -> tuple[int, ...]:
    """Return where cudnn.benchmark empties the cache: at each newly seen (convolution's shape, direction)."""
    seen: set[str] = set()
    positions = []
    for position, op, _ in ledger.ops:
        if _in_cudnn(op) and op.key not in seen:
            seen.add(op.key)
            positions.append(position)
    return tuple(dict.fromkeys(positions))


class Use(NamedTuple):
    """A workspace: before which event of the ledger's program it is taken, and its bytes."""

    position: int
    size: Size


class Hold(NamedTuple):
    """A copy that outlives other events: where it is taken and where given back, its bytes.

    `brief`: nothing happens while the operator's copies lie there.
    """

    position: int
    until: int
    size: Size
    brief: bool = False


def copies(ledger: Ledger) -> tuple[Hold, ...]:
    """Return what operators copy before they run, each until its operator has run."""
    found: list[Hold] = []
    pending: list[tuple[int, Size]] = []
    for position, op, _ in ledger.ops:
        if op.key == HELD:
            pending.append((position, op.written))
        elif pending:
            brief = pending[0][0] == position  # the operator allocates nothing
            found += (Hold(at, position, size, brief) for at, size in pending)
            pending.clear()
    return tuple(found)


def products(ledger: Ledger) -> tuple[Use, ...]:
    """Return the product of gradient and output that every softmax's backward makes first.

    Source: aten/src/ATen/native/cuda/SoftMax.cu, softmax_backward_cuda_out. A log_softmax, whose backward has
    none, is of the same kind on a tape: over a few classes it weighs nothing.
    """
    return tuple(
        Use(position, op.written) for position, op, backward in ledger.ops if backward and op.kind == SOFTMAX
    )


@dataclass(frozen=True, slots=True)
class Split(Size):
    """Bytes of a weight gradient's workspace: from `above` on, cuDNN sums in parts."""

    above: int = SPLIT_FROM

    def at(self, batch: int, total: int, pool: int) -> int:
        """Evaluate."""
        size = Size.at(self, batch, total, pool)
        return size + PARTS if size > self.above else size


def weights(ledger: Ledger) -> tuple[Use, ...]:
    """Return cuDNN's workspace of every forward convolution that has one: its weight with channels last."""
    found = (
        Use(position, Size(_weight(op)))
        for position, op, _ in ledger.ops
        if op.key.startswith(FORWARD) and _has_workspace(op)
    )
    return tuple(use for use in found if use.size.const)


def _weight(op: Op) -> int:
    """Return the bytes of a convolution's weight."""
    shape = WEIGHT.search(op.key)
    if shape is None:
        return 0
    kernel, outputs, inputs, groups = shape.groups()
    elements = int(outputs) * int(inputs) // int(groups) * prod(map(int, kernel.split("x")))
    return elements * ITEMSIZE.get(op.dtype, 4)


def layouts(ledger: Ledger, split_from: int) -> tuple[Use, ...]:
    """Return cuDNN's workspace of every backward convolution that has one: what it reads and writes again.

    cuDNN's tensor-core kernels want channels last, and other tensors are copied: both activations and the
    weight. (In the forward the weight only: with a copy of an activation the figures are no better.)
    """
    found = []
    for position, op, _ in ledger.ops:
        if op.key.startswith(BACKWARD) and _has_workspace(op):
            size = _moved(op)
            if op.key.startswith(BACKWARD_WEIGHT):
                size = Split(size.const, size.batch, size.total, size.pool, split_from)
            found.append(Use(position, size))
    return tuple(found)


def _moved(op: Op) -> Size:
    """Return what an operator reads and writes."""
    return Size(*(one + other for one, other in zip(astuple(op.read), astuple(op.written), strict=True)))


def spike(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return what cudnn.benchmark takes beyond the steady workspaces while it tries every algorithm."""
    largest = max(map(samples.bytes, _tried(ledger)), default=0)
    return round((TRIED_SHARE - 1) * largest) if libraries.benchmark else 0


@lru_cache(maxsize=64)
def _tried(ledger: Ledger) -> frozenset[Size]:
    """Return what the dense convolutions move, each distinct size once."""
    tried = {op for _, op, _ in ledger.ops if op.kind == DENSE and _has_workspace(op)}
    return frozenset(map(_moved, tried))


def _in_cudnn(op: Op) -> bool:
    """Tell whether cuDNN computes a convolution: a depthwise one only of channels-last tensors.

    Others are PyTorch's own kernel's (aten/src/ATen/native/Convolution.cpp, ConvParams::use_cudnn_depthwise);
    in fp16 cuDNN takes some of those too, by their shape, which is left out here.
    """
    return op.kind in (DENSE, GROUPED) or (op.kind == DEPTHWISE and op.key.endswith(CHANNELS_LAST))


def _has_workspace(op: Op) -> bool:
    """Tell whether an operator is a convolution that cuDNN runs with a workspace; 1x1 is a matrix product."""
    return op.kind in (DENSE, GROUPED) and POINTWISE not in op.key and not op.key.endswith(CHANNELS_LAST)
