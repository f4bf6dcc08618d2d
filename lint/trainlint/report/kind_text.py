# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the kinds of memory are called, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.estimate import kind, overhead
from trainlint.report.style import printable

MEANINGS: Final[Mapping[str, str]] = kind.MEANINGS | overhead.MEANINGS
"""Kind of a tensor or part of what is beyond them -> what it means."""

NAMES: Final[Mapping[str, str]] = {
    "ema": "EMA",
    "inputs": "input batch",
    "losses": "loss networks",
    "queue": "training pool",
    overhead.CACHE: "allocator's cache",
    overhead.CONTEXT: "CUDA context",
    overhead.CUBLAS: "cuBLAS workspace",
    overhead.CUDNN: "cuDNN workspace",
}
"""Kind -> its name, where that is not the kind itself."""


def name_of(part: str) -> str:
    """Name a kind of memory, a part beyond tensors, or what a tensor belongs to."""
    return NAMES.get(part) or printable(part.replace("_", " "))
