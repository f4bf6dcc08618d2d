# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step that loads what training loads and holds next to nothing: what the driver counts is the context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from trainlint.trace.stage import Stage

IMAGE_SIDE = 32
CLASSES = 10
PRECISIONS = ("fp32", "fp16")
"""Both load kernels of their own from cuDNN and cuBLAS, which stay loaded."""


class ContextStep:
    """Convolutions, norms, attention's products and an optimizer, in fp32 and under autocast."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        del step
        self.stage = stage
        places = IMAGE_SIDE * IMAGE_SIDE // 4
        net = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.GELU(), nn.Conv2d(16, 16, 3, 2, padding=1),
            nn.Flatten(2), nn.LayerNorm(places), nn.Linear(places, 16), nn.Flatten(),
            nn.Linear(16 * 16, CLASSES),
        )  # fmt: skip
        self.net = stage.register("generator", net)
        self.optimizer = torch.optim.AdamW(self.net.parameters())

    def train_step(self, total: int) -> None:
        """Train on `total` samples, once in each precision."""
        x = self.stage.input(total, 3, IMAGE_SIDE, IMAGE_SIDE)
        target = self.stage.input(total, dtype=torch.int64)
        for precision in PRECISIONS:
            with self.stage.autocast(precision):
                loss = F.cross_entropy(self.net(x), target)
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()

    def validate(self, height: int, width: int) -> None:
        """Validate nothing: training loads the same kernels."""

    def checkpoint(self) -> dict[str, Any]:
        """Save nothing."""
        return {}
