# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's LDL: the distance where the averaged network does better.

Source: the-database/traiNNer-redux, traiNNer/losses (ldl 2c4ed582).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint_zoo.basicsr.recipes.losses import artifact_map
from trainlint_zoo.redux.recipes.losses import InFp32, criterion_of

RECIPES: dict[str, str] = {}


class LDL(InFp32):
    """Distance where the EMA network does better; takes its output as a third image; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance = criterion_of(loss, "l1")

    def compare(self, output: Tensor, averaged: Tensor, gt: Tensor) -> Tensor:
        """Return the weighted distance."""
        weight = artifact_map(gt, output, averaged)
        return self.distance(torch.mul(weight, output), torch.mul(weight, gt))
