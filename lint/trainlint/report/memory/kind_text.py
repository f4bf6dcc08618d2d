# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the kinds of memory are called, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.report.style import printable

MEANINGS: Final[Mapping[str, str]] = {
    "parameters": "the weights, trained or frozen",
    "gradients": "of the parameters",
    "optimizer": "its state, like Adam's two moments",
    "optimizer_temporaries": "made while the optimizer steps",
    "ema": "the averaged copy of the weights",
    "buffers": "running statistics and constants",
    "activations": "kept for the backward pass",
    "backward_temporaries": "gradients of activations and the like",
    "forward_temporaries": "used up without a backward pass",
    "kept_results": "of the step before, still held by the trainer",
    "autocast_copies": "of the parameters, in half precision",
    "inputs": "as the loader delivers it",
    "queue": "samples kept to be mixed (Real-ESRGAN's queue)",
    "losses": "their weights, which nothing trains",
    "cublas_workspace": "for matrix products, kept once taken",
    "cudnn_workspace": "for convolutions, what it makes torch reserve",
    "cache": "reserved, in no tensor then: freed, rounding, fragments",
    "context": "CUDA's own: kernels and queues",
}
"""Kind of a tensor, or part of what is beyond them, as results have it -> what it means."""

NAMES: Final[Mapping[str, str]] = {
    "ema": "EMA",
    "inputs": "input batch",
    "losses": "loss networks",
    "queue": "training pool",
    "cache": "allocator's cache",
    "context": "CUDA context",
    "cublas_workspace": "cuBLAS workspace",
    "cudnn_workspace": "cuDNN workspace",
}
"""Kind -> its name, where that is not the kind itself."""


def name_of(part: str) -> str:
    """Name a kind of memory, a part beyond tensors, or what a tensor belongs to."""
    return NAMES.get(part) or printable(part.replace("_", " "))
