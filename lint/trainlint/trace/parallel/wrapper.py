# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What every parallel mode shares: how samples are laid out over GPUs, and a wrapped model's manners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from trainlint.trace.recording.storage_ledger import StorageLedger


@dataclass(frozen=True)
class Layout:
    """The parallel mode ("none", "dp", "ddp"), a replica's samples and the process's samples.

    `unused`: DistributedDataParallel looks for parameters that the forward left out (find_unused_parameters).
    """

    mode: str
    chunk: int
    total: int
    unused: bool = False

    @property
    def devices(self) -> int:
        """Virtual GPUs of the tape."""
        return 2 if self.mode == "dp" else 1


def looks_for_unused(step: Mapping[str, Any]) -> bool:
    """Return whether a step's trainer sets DistributedDataParallel's find_unused_parameters."""
    return bool((step.get("options") or {}).get("find_unused_parameters"))


class Wrapper:
    """What trainers use of a wrapped model; everything else is the module's."""

    def __init__(self, ledger: StorageLedger, module: nn.Module) -> None:
        self.ledger = ledger
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)
