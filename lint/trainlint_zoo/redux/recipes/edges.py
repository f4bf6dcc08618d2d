# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's losses on edges: total variation, high frequencies, pyramids, gradients; under autocast.

Source: the-database/traiNNer-redux, traiNNer/losses (gradient_variance 05a29e54); Phhofm/traiNNer-redux
2f64430b and its history (tv, adaptive_block_tv, hfen, laplacian).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.redux.recipes.losses import criterion_of

RECIPES: dict[str, str] = {}


def variation(x: Tensor) -> Tensor:
    """Return the length of each pixel's gradient."""
    dx, dy = x[:, :, :, 1:] - x[:, :, :, :-1], x[:, :, 1:, :] - x[:, :, :-1, :]
    dx = torch.cat([dx, torch.zeros_like(x[:, :, :, :1])], dim=3)
    dy = torch.cat([dy, torch.zeros_like(x[:, :, :1, :])], dim=2)
    return torch.sqrt(dx * dx + dy * dy + 1e-6)


class TotalVariation(nn.Module):
    """The mean gradient of the prediction; under autocast."""

    def forward(self, x: Tensor, _y: Tensor) -> Tensor:
        """Return the mean."""
        return variation(x).mean()


class BlockVariation(nn.Module):
    """The same, weighted by how pixels stand out from their block; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.block, self.sharpness = int(loss.get("block_size", 2)), float(loss.get("sharpness", 4.0))

    def weight(self, x: Tensor) -> Tensor:
        """Return the weights."""
        n, c, side = *x.shape[:2], self.block
        h, w = x.shape[2] // side * side, x.shape[3] // side * side
        blocks = x[:, :, :h, :w].reshape(n, c, h // side, side, w // side, side)
        mean = blocks.mean(dim=(3, 5), keepdim=True)
        difference = (blocks - mean).abs()
        apart = difference.reshape(n, c, h, w)
        if apart.shape != x.shape:
            apart = F.pad(apart, (0, x.shape[3] - w, 0, x.shape[2] - h))
        normed = apart / (apart.mean() + 1e-6)
        return torch.sigmoid(self.sharpness * normed)

    def forward(self, x: Tensor, _y: Tensor) -> Tensor:
        """Return the weighted mean."""
        map_ = variation(x)
        return (map_ * self.weight(x)).mean()


class HighFrequency(nn.Module):
    """Distance of the images after a Laplacian of Gaussian; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.side = criterion_of(loss, "charbonnier"), int(loss.get("kernel_size", 7))
        self.register_buffer("kernel_placeholder", torch.empty(1))

    def filtered(self, x: Tensor) -> Tensor:
        """Return the high frequencies."""
        kernel = torch.empty(x.shape[1], 1, self.side, self.side, dtype=x.dtype, device=x.device)
        return F.conv2d(x, kernel, padding=self.side // 2, groups=x.shape[1])

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the distance."""
        return self.distance(self.filtered(x), self.filtered(y))


class Laplacian(nn.Module):
    """Distance of the levels of two pyramids; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.levels = criterion_of(loss, "charbonnier"), int(loss.get("levels", 4))

    def pyramid(self, x: Tensor) -> list[Tensor]:
        """Return the levels, the coarsest last."""
        blurred = [x]
        for _ in range(self.levels):
            smaller = F.interpolate(blurred[-1], scale_factor=0.5, mode="bilinear", align_corners=False)
            blurred.append(smaller)
        bands = []
        for fine, coarse in pairwise(blurred):
            larger = F.interpolate(coarse, size=fine.shape[2:], mode="bilinear", align_corners=False)
            bands.append(fine - larger)
        return [*bands, blurred[-1]]

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum over all but the coarsest level."""
        ours, theirs = self.pyramid(x), self.pyramid(y)
        loss: Any = 0.0
        for level in range(self.levels):
            loss = loss + self.distance(ours[level], theirs[level])
        distance: Tensor = loss
        return distance


class GradientVariance(nn.Module):
    """Distance of the gradients' variances in patches; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.side = criterion_of(loss, "charbonnier"), int(loss.get("patch_size", 16))
        self.register_buffer("kernel_x", torch.empty(1, 1, 3, 3))
        self.register_buffer("kernel_y", torch.empty(1, 1, 3, 3))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum over both directions."""
        grey = [0.3 * image[:, 0:1] + 0.6 * image[:, 1:2] + 0.1 * image[:, 2:] for image in (x, y)]
        kernels = [self.get_buffer("kernel_x"), self.get_buffer("kernel_y")]
        edges = [F.conv2d(image, kernel, padding=1) for image in reversed(grey) for kernel in kernels]
        patches = [F.unfold(edge, self.side, stride=self.side) for edge in edges]
        spread = [torch.var(patch, dim=1) for patch in patches]
        return self.distance(spread[0], spread[2]) + self.distance(spread[1], spread[3])
