# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The parallel modes by name: a module, DataParallel's or DistributedDataParallel's imitation of it."""

from __future__ import annotations

from typing import Any

from torch import nn

from trainlint.trace.parallel.data_parallel import DataParallel
from trainlint.trace.parallel.distributed import Distributed
from trainlint.trace.parallel.wrapper import Layout
from trainlint.trace.recording.storage_ledger import StorageLedger

__all__ = ["Layout", "replicate"]


def replicate(ledger: StorageLedger, layout: Layout, role: str, module: nn.Module) -> Any:
    """Wrap a module as the parallel mode does."""
    if layout.mode == "dp":
        return DataParallel(ledger, layout, module)
    if layout.mode == "ddp":
        return Distributed(ledger, layout, role, module)
    return module
