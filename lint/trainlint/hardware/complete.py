# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the shipped tables of hardware are right and whole: each says what all of its kind say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from trainlint.hardware.catalogue import Hardware
from trainlint.hardware.tables import HardwareTable

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "gpu": (
        "names", "arch", "compute_capability", "sms", "memory_gb", "smi_mib", "bandwidth_gbs", "fp32_tflops",
        "cuda_min", "source",
    ),
    "target": ("source",),
}  # fmt: skip
"""What a user may leave out of a table, and a shipped one may not."""


def check_shipped(tables: Iterable[HardwareTable], hardware: Hardware) -> None:
    """Refuse a shipped table as a user's own is refused, and one that lacks a figure: UsageError."""
    for table in tables:
        table.check()
        for key in NEEDED[table.kind]:
            table.need(key)
        hardware.gpu(table.name) if table.kind == "gpu" else hardware.target(table.name)
