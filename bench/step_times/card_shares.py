# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What share of its rates a card reaches next to the A100 of the RTX 3090's generation: [gpu]."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean
from typing import Final

from bench.measured_tables import MEASURED, table
from trainlint.hardware import Hardware
from trainlint.model.target import Gpu

NAME: Final = "kernel_shares"
OPERATORS: Final = {"linear": "compute", "add": "memory"}
"""What each measured operator stands for: products in fp32, and sums, in kernels of 1 ms and more."""
REFERENCE: Final = "a100"
Shares = dict[str, float]
"""A card's `compute` and `memory`."""


def chip_of(name: str) -> str:
    """Return what a GPU's name in gpus.toml has in front: its variants differ in memory, clock and link."""
    return name.partition("-")[0]


def measured(hardware: Hardware) -> Iterator[tuple[str, str, float]]:
    """Yield each row's chip, what it stands for, and the share of the rate that gpus.toml has."""
    for row in table(MEASURED, NAME):
        kind, gpu = OPERATORS[row["operator"]], hardware.gpu(row["gpu"])
        yield chip_of(gpu.name), kind, float(row["share"]) * _used(row, kind) / _rate(gpu, kind)


def _used(row: dict[str, str], kind: str) -> float:
    return float(row["teraflops"]) * 1e12 if kind == "compute" else float(row["gigabytes_per_second"]) * 1e9


def _rate(gpu: Gpu, kind: str) -> float:
    return gpu.fp32 if kind == "compute" else gpu.bandwidth


def shares(hardware: Hardware) -> dict[str, Shares]:
    """Return [gpu]: of every GPU of a measured chip; 1 for what was not measured of it."""
    found: dict[tuple[str, str], list[float]] = {}
    for chip, kind, share in measured(hardware):
        found.setdefault((chip, kind), []).append(share)
    middle = {key: mean(values) for key, values in found.items()}
    chips = {chip for chip, _ in middle}
    return {
        gpu.name: {
            kind: middle.get((chip_of(gpu.name), kind), middle[REFERENCE, kind]) / middle[REFERENCE, kind]
            for kind in OPERATORS.values()
        }
        for gpu in hardware.gpus()
        if chip_of(gpu.name) in chips
    }
