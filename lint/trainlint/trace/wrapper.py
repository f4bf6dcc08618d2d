"""What every parallel mode shares: how samples are laid out over GPUs, and a wrapped model's manners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn

from trainlint.trace.ledger import Ledger


@dataclass(frozen=True)
class Layout:
    """The parallel mode ("none", "dp", "ddp"), a replica's samples and the process's samples."""

    mode: str
    chunk: int
    total: int

    @property
    def devices(self) -> int:
        """Virtual GPUs of the tape."""
        return 2 if self.mode == "dp" else 1


class Wrapper:
    """What trainers use of a wrapped model; everything else is the module's."""

    def __init__(self, ledger: Ledger, module: nn.Module) -> None:
        self.ledger = ledger
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)
