# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the shipped tables of hardware are whole: each says what all of its kind say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.hardware.hardware_tables import HardwareTable

REQUIRED_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "gpu": (
        "names", "arch", "compute_capability", "sms", "memory_gb", "smi_mib", "bandwidth_gbs", "fp32_tflops",
        "cuda_min", "source",
    ),
    "target": ("source",),
}  # fmt: skip
"""What a user may leave out of a table, and a shipped one may not."""


def check_whole(table: HardwareTable) -> None:
    """Refuse a shipped table that lacks what the others have: UsageError with its file, line and key."""
    table.check()
    for key in REQUIRED_KEYS[table.kind]:
        table.need(key)
