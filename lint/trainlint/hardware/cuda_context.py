# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The CUDA context of a process: how many bytes, between which, and where the figure is from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from trainlint.hardware.memory_seen_by_torch import MIB
from trainlint.model.target import Context

if TYPE_CHECKING:
    from trainlint.model.target import Gpu, Target

SPREAD_MIB: Final = 30
"""How far public messages of one card are from their middle; the RTX 3060's table has both its ends."""
RATE_SPREAD: Final = 0.54
"""How far a context may be from its card's rate: the RTX 3060's two, 99 and 327 MiB, from their middle."""

MEASURED_RUNS: Final = "your measured runs"
"""Basis of a context that the setting `calibration` has."""
EAGER_MIB: Final = (536, 1320, 1750)
"""A context that holds every kernel, least, middle and most: 536 before cuDNN's and cuBLAS's are loaded (CUDA
10.2 on an RTX 2080 Ti), 900 to 1500 in public messages of CUDA before 11.7, up to 1750 on the machines of
docs/accuracy.md."""
LAZY_CUDA: Final = (11, 7)
LAZY_TORCH: Final = (1, 13)
"""From here on kernels are loaded when they are first used: CUDA can, and torch asks for it
(torch/cuda/__init__.py sets CUDA_MODULE_LOADING=LAZY)."""
LOADING: Final = "CUDA_MODULE_LOADING"


def observed(size: int, basis: str, low: int | None = None, high: int | None = None) -> Context:
    """Return a context that public messages show, in bytes; without ends, as sure as they mostly are."""
    spread = SPREAD_MIB * MIB
    return Context(
        size, size - spread if low is None else low, size + spread if high is None else high, basis
    )


def by_rate(size: int, basis: str) -> Context:
    """Return a context that follows from a rate per multiprocessor."""
    spread = round(RATE_SPREAD * size)
    return Context(size, size - spread, size + spread, basis)


def context_on(target: Target, gpu: Gpu, measured: Mapping[str, float], read: Sequence[int] = ()) -> Context:
    """Return the context of a process on a target's card.

    `measured` are MiB by GPU name, the user's own, which nothing is unsure about; `read` are bytes of the
    user's measured runs. Where the target's CUDA or torch, CUDA_MODULE_LOADING on this machine, or (where the
    target says neither) what the job installs loads kernels at the start, it is larger.
    """
    if gpu.name in measured:
        size = round(measured[gpu.name] * MIB)
        return Context(size, size, size, "your settings")
    if read:
        from statistics import median  # noqa: PLC0415  # slow, and few cards were measured

        return Context(round(median(read)), min(read), max(read), MEASURED_RUNS)
    why = _eager(target)
    if why is None:
        return gpu.assumed
    low, middle, high = (max(mib * MIB, gpu.context) for mib in EAGER_MIB)
    return Context(middle, low, high, f"{why}, which loads every kernel at the start")


def _eager(target: Target) -> str | None:
    """Say what loads every kernel at the start, None where kernels are loaded when used."""
    if target.name == "local" and os.environ.get(LOADING, "").upper() == "EAGER":
        return f"{LOADING}=EAGER"
    for name, version, since in (("CUDA", target.cuda, LAZY_CUDA), ("torch", target.torch, LAZY_TORCH)):
        if version is not None and tuple(map(int, version.split(".")[:2])) < since:
            return f"{name} {version}"
    return target.eager if target.eager and target.torch is None and target.cuda is None else None
