"""Workspaces of cuBLAS and cuDNN: what a step takes on the GPU beyond the tensors that torch names.

cuBLAS takes its workspace through the caching allocator at first use and keeps it; cuDNN takes one per call
and gives it back. The convolutions' share is a model, fitted on timm's networks (docs/accuracy.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from trainlint.estimate.allocator import MIB
from trainlint.estimate.ledger import Ledger, Samples
from trainlint.tape import Op

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
DENSE: Final = "conv"
GROUPED: Final = "conv-grouped"
DEPTHWISE: Final = "conv-depthwise"
"""Kinds of operators (tape.Op.kind) that have workspaces; a depthwise convolution in fp32 uses no cuDNN."""
POINTWISE: Final = " k1x1 "
"""What a 1x1 convolution's key contains (trace/cost.py)."""
SHAPE: Final = re.compile(r"\d+o (\d+)(?:x\d+)+ ")
"""Finds the input's channels in a convolution's key: they follow the number of outputs."""

DENSE_SHARE: Final = 1.7
GROUPED_SHARE: Final = 1.5
"""cuDNN's steady workspaces per byte of activations that the kind's largest convolution reads and writes.

Fitted on GPUMemNet's development half (A100, TF32, cudnn.benchmark), +-30 % for one network.
"""
FEW_CHANNELS: Final = 4
"""A convolution of so few input channels (a network's first) needs no workspace to speak of; same fit."""
TRIED_SHARE: Final = 4.0
"""The same of a dense convolution while cudnn.benchmark tries every algorithm: an upper estimate."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """How a run uses the libraries: bytes of a cuBLAS workspace, and whether cuDNN tries its algorithms.

    `expandable`: the caching allocator runs with PYTORCH_ALLOC_CONF=expandable_segments:True.
    """

    cublas: int
    benchmark: bool
    expandable: bool = False


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


@dataclass(frozen=True, slots=True)
class Convolutions:
    """Bytes that the largest convolution of each kind reads and writes."""

    dense: int
    grouped: int

    @property
    def steady(self) -> int:
        """Bytes of cuDNN's workspaces that stay reserved."""
        return round(DENSE_SHARE * self.dense + GROUPED_SHARE * self.grouped)

    @property
    def spike(self) -> int:
        """Bytes that cudnn.benchmark takes beyond `steady` while it tries every algorithm."""
        return round((TRIED_SHARE - DENSE_SHARE) * self.dense)


def convolutions(ledger: Ledger, samples: Samples) -> Convolutions:
    """Return the largest convolutions of a ledger; one of 1x1 is a matrix product without workspace."""
    largest = {DENSE: 0, GROUPED: 0}
    for op in dict.fromkeys(work.op for work in ledger.ops if work.op.kind in largest):
        if POINTWISE not in op.key and not _few_channels(op):
            moved = samples.batch * (op.read.batch + op.written.batch)  # without the weights
            largest[op.kind] = max(largest[op.kind], moved)
    return Convolutions(largest[DENSE], largest[GROUPED])


def _few_channels(op: Op) -> bool:
    """Tell whether a convolution's input has few channels ("forward k3x3 64o 3x224x224 s2 ...")."""
    shape = SHAPE.search(op.key)
    return shape is not None and int(shape[1]) <= FEW_CHANNELS
