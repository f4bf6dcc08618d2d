"""Workspaces: what a step takes on the GPU beyond the tensors that torch names.

cuBLAS takes its workspace through the caching allocator at first use and keeps it; cuDNN and a softmax's
backward take one per call and give it back. The size of cuDNN's is a model, fitted on timm's networks
(docs/accuracy.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from trainlint.estimate.allocator import MIB
from trainlint.estimate.ledger import Ledger, Samples
from trainlint.tape import Op, Size

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
"""Kinds of operators (tape.Op.kind) that have workspaces; a depthwise convolution in fp32 uses no cuDNN."""
BACKWARD: Final = "backward-"
"""What the key of a convolution's backward begins with (trace/cost.py)."""
POINTWISE: Final = " k1x1 "
"""What a 1x1 convolution's key contains (trace/cost.py)."""
SHAPE: Final = re.compile(r"\d+o (\d+)(?:x\d+)+ ")
"""Finds the input's channels in a convolution's key: they follow the number of outputs."""

LAYOUT_SHARE: Final = 1.25
"""Bytes of a backward convolution's workspace per byte of activations that it reads and writes.

cuDNN's tensor-core kernels want channels last: for other tensors they copy both activations first, which
makes 1.0; the rest is fitted on GPUMemNet's development half (A100, TF32, cudnn.benchmark). A workspace in
the forward, or for a 1x1 convolution, makes that fit worse.
"""
FEW_CHANNELS: Final = 4
"""A convolution of so few input channels (a network's first) needs no workspace; same fit."""
TRIED_SHARE: Final = 4.0
"""The same of a dense convolution while cudnn.benchmark tries every algorithm: an upper estimate."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """How a run uses the libraries: bytes of a cuBLAS workspace, and whether cuDNN tries its algorithms.

    `expandable`: the caching allocator runs with PYTORCH_ALLOC_CONF=expandable_segments:True. `layouts`: the
    share that a backward convolution's workspace is of what it reads and writes.
    """

    cublas: int
    benchmark: bool
    expandable: bool = False
    layouts: float = LAYOUT_SHARE


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
        if op.kind in (DENSE, GROUPED) and op.key not in seen:
            seen.add(op.key)
            positions.append(position)
    return tuple(dict.fromkeys(positions))


class Use(NamedTuple):
    """A workspace: before which event of the ledger's program it is taken and given back, and its bytes."""

    position: int
    size: Size


def products(ledger: Ledger) -> tuple[Use, ...]:
    """Return the product of gradient and output that every softmax's backward makes first.

    Source: aten/src/ATen/native/cuda/SoftMax.cu, softmax_backward_cuda_out. A log_softmax, whose backward has
    none, is of the same kind on a tape: over a few classes it weighs nothing.
    """
    return tuple(
        Use(position, op.written) for position, op, backward in ledger.ops if backward and op.kind == SOFTMAX
    )


def layouts(ledger: Ledger, share: float) -> tuple[Use, ...]:
    """Return cuDNN's workspace of every backward convolution that has one: a share of what it moves."""
    return tuple(
        Use(position, _scaled(_moved(ledger, op), share))
        for position, op, _ in ledger.ops
        if op.key.startswith(BACKWARD) and _has_workspace(op)
    )


def _moved(ledger: Ledger, op: Op) -> Size:
    """Return what an operator reads and writes without its weights, which a tape of one batch cannot tell."""
    const = op.read.const + op.written.const if ledger.batches else 0
    return Size(const, op.read.batch + op.written.batch, op.read.total + op.written.total)


def _scaled(size: Size, share: float) -> Size:
    return Size(round(share * size.const), round(share * size.batch), round(share * size.total))


def spike(ledger: Ledger, samples: Samples, libraries: Libraries) -> int:
    """Return what cudnn.benchmark takes beyond the steady workspaces while it tries every algorithm."""
    largest = max(map(samples.bytes, _tried(ledger)), default=0)
    return round((TRIED_SHARE - libraries.layouts) * largest) if libraries.benchmark else 0


@lru_cache(maxsize=64)
def _tried(ledger: Ledger) -> frozenset[Size]:
    """Return what the dense convolutions move, each distinct size once."""
    tried = {op for _, op, _ in ledger.ops if op.kind == DENSE and _has_workspace(op)}
    return frozenset(_moved(ledger, op) for op in tried)


def _has_workspace(op: Op) -> bool:
    """Tell whether an operator is a convolution that cuDNN runs with a workspace; 1x1 is a matrix product."""
    return op.kind in (DENSE, GROUPED) and POINTWISE not in op.key and not _few_channels(op)


def _few_channels(op: Op) -> bool:
    """Tell whether a convolution's input has few channels ("forward k3x3 64o 3x224x224 s2 ...")."""
    shape = SHAPE.search(op.key)
    return shape is not None and int(shape[1]) <= FEW_CHANNELS
