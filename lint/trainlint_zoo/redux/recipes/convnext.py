# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's perceptual loss on ConvNeXt-Tiny's features, made without a graph; in fp32.

Source: Phhofm/traiNNer-redux 2f64430b and its history, traiNNer/losses (convnext_perceptual).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.features.convnext import ConvNeXtTiny
from trainlint_zoo.features.vgg import image_statistic
from trainlint_zoo.redux.recipes.losses import InFp32

RECIPES: dict[str, str] = {}


class ConvNeXtPerceptual(InFp32):
    """Distance of ConvNeXt-Tiny's features, made without a graph: it trains nothing; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.layers = [int(layer) for layer in loss.get("layers") or (1, 2)]
        self.layer_weights = nn.Parameter(torch.empty(len(self.layers)), requires_grad=False)
        self.backbone = ConvNeXtTiny()
        self.register_buffer("mean", image_statistic())
        self.register_buffer("std", image_statistic())

    @torch.no_grad()
    def features(self, x: Tensor) -> list[Tensor]:
        """Return the features of the layers that were asked for."""
        x = x.clamp(0.0, 1.0)
        x = (x - self.get_buffer("mean")) / (self.get_buffer("std") + 1e-6)
        features = self.backbone(x)
        return [features[layer] for layer in self.layers]

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted mean over the layers."""
        theirs, ours = self.features(y), self.features(x)
        loss = x.new_empty(())
        for weight, fx, fy in zip(self.layer_weights, ours, theirs, strict=True):
            loss = loss + weight * F.l1_loss(fx, fy)
        return loss
