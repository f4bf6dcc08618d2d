# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What of a card's memory a process gets: the driver's reserve and the CUDA context.

Both rules were fitted to public logs and out-of-memory messages; gpus.toml's header says the same in short.
"""

from __future__ import annotations

MIB = 2**20

RESERVE_MIB = 370
RESERVE_SHARE = 0.0045
"""Drivers R570 and R580 keep 370 MiB and 0.45 % of nvidia-smi's total: within 1 % of what torch saw
on the T4, L4, RTX 3060, 4070, 4090, A6000, RTX 5080 and H200."""

CONTEXT_MIB_PER_SM = {1024: 3.2, 1536: 3.7, 2048: 5.0}
"""Resident threads per multiprocessor -> context: T4 3.2 (1024); L4 3.6, RTX 3090 3.7, RTX 4090 3.8,
RTX 5090 3.5 (1536); V100 4.9, A100 4.7-4.8, H100 5.0, B200 4.8 (2048; P100 5.7).
With lazy loading, CUDA >= 11.7."""

CONTEXT_LEAST_MIB = 100
"""The smallest context seen in a public message is 99 MiB (RTX 3060)."""

CONTEXT_MOST_MIB = 711
"""The largest is the B200's."""

CONTEXT_UNKNOWN_MIB = 594
"""For an undescribed card: the RTX 5090's, the largest seen on a card for desktops."""


def torch_mib(smi_mib: int) -> int:
    """Return what torch sees of nvidia-smi's memory.total with the newest drivers on Linux, in MiB."""
    return int(smi_mib - RESERVE_MIB - RESERVE_SHARE * smi_mib)


def context_mib(compute_capability: float, sms: int) -> int:
    """Return the CUDA context of a card whose own was not observed, in MiB; `sms` 0 means unknown."""
    if not sms:
        return CONTEXT_UNKNOWN_MIB
    return max(CONTEXT_LEAST_MIB, round(sms * CONTEXT_MIB_PER_SM[resident_threads(compute_capability)]))


def resident_threads(compute_capability: float) -> int:
    """Return the most threads that one multiprocessor holds (CUDA C++ Programming Guide, table 21)."""
    if compute_capability == 7.5:  # noqa: PLR2004  Turing
        return 1024
    return 1536 if compute_capability in {8.6, 8.7, 8.9} or compute_capability >= 12 else 2048  # noqa: PLR2004  # compute capabilities
