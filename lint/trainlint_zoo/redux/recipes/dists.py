# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's DISTS: structure and texture in VGG16's features, in fp32.

Source: the-database/traiNNer-redux, traiNNer/losses (dists 0708929b).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.features.vgg import image_statistic, vgg_layers
from trainlint_zoo.redux.recipes.losses import InFp32

RECIPES: dict[str, str] = {}

VGG_SIDE = 256  # the width to which DISTS brings every image


class L2Pooling(nn.Module):
    """The root of blurred squares, at half the size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("filter", torch.empty(channels, 1, 3, 3))

    def forward(self, x: Tensor) -> Tensor:
        """Return (n, c, h / 2, w / 2)."""
        x = x**2
        out = F.conv2d(x, self.get_buffer("filter"), stride=2, padding=1, groups=x.shape[1])
        return (out + 1e-12).sqrt()


class DISTS(InFp32):
    """Structure and texture of VGG16's five stages, pooled by L2Pooling; fp32."""

    widths = (3, 64, 128, 256, 512, 512)
    forgets = False
    """Whether each stage's similarity replaces the one before instead of being added to it."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        if loss.get("resize_input"):
            raise CannotTraceError("distsloss with resize_input is not modeled")
        self.stages = nn.ModuleList(nn.Sequential(*stage) for stage in _dists_stages())
        self.requires_grad_(False)
        self.norm = bool(loss.get("use_input_norm", True))
        if self.norm:
            self.register_buffer("mean", image_statistic())
            self.register_buffer("std", image_statistic())
        self.alpha = nn.Parameter(torch.empty(1, sum(self.widths), 1, 1))
        self.beta = nn.Parameter(torch.empty(1, sum(self.widths), 1, 1))

    def features(self, x: Tensor) -> list[Tensor]:
        """Return the image and its five feature maps."""
        h = x
        if x.shape[3] != VGG_SIDE:  # the published condition asks for the width alone
            h = F.interpolate(x, size=(VGG_SIDE, VGG_SIDE), mode="bicubic", antialias=True)
        if self.norm:
            h = (h - self.get_buffer("mean")) / self.get_buffer("std")
        features = [x]
        for stage in self.stages:
            h = stage(h)
            features.append(h)
        return features

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 - similarity."""
        ours, theirs = self.features(x), self.features(y)
        total = self.alpha.sum() + self.beta.sum()
        alphas = torch.split(self.alpha / total, list(self.widths), dim=1)
        betas = torch.split(self.beta / total, list(self.widths), dim=1)
        texture: Any = 0
        structure: Any = 0
        for fx, fy, alpha, beta in zip(ours, theirs, alphas, betas, strict=True):
            texture = 0 if self.forgets else texture
            x_mean, y_mean = fx.mean([2, 3], keepdim=True), fy.mean([2, 3], keepdim=True)
            s1 = (2 * x_mean * y_mean + 1e-6) / (x_mean**2 + y_mean**2 + 1e-6)
            texture = texture + (alpha * s1).sum(1, keepdim=True)
            structure = 0 if self.forgets else structure
            x_var = ((fx - x_mean) ** 2).mean([2, 3], keepdim=True)
            y_var = ((fy - y_mean) ** 2).mean([2, 3], keepdim=True)
            covariance = (fx * fy).mean([2, 3], keepdim=True) - x_mean * y_mean
            s2 = (2 * covariance + 1e-6) / (x_var + y_var + 1e-6)
            structure = structure + (beta * s2).sum(1, keepdim=True)
        return self.score(texture, structure)

    @staticmethod
    def score(texture: Tensor, structure: Tensor) -> Tensor:
        """Return 1 - similarity, at least 0."""
        return torch.clamp(1 - (texture + structure).mean(), 0)


def _dists_stages() -> Iterator[list[nn.Module]]:
    stage: list[nn.Module] = []
    width = 3
    for name, layer in vgg_layers("vgg16"):
        if name.startswith("pool"):
            yield stage
            stage = [L2Pooling(width)]
        else:
            stage.append(layer)
            width = layer.out_channels if isinstance(layer, nn.Conv2d) else width
