# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's losses on colours: their cosine (fp32), and luma with Oklab's chroma (under autocast).

Source: the-database/traiNNer-redux, traiNNer/losses (cosim 405ae70c); Phhofm/traiNNer-redux 2f64430b
(consistency, chc).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.redux.recipes.losses import InFp32

RECIPES: dict[str, str] = {}

KNEE = 0.04045  # where sRGB's curve begins to bend


class Cosine(InFp32):
    """Cosine distance of colours; fp32."""

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return five times the distance."""
        x, y = torch.clamp(x, 1e-12, 1), torch.clamp(y, 1e-12, 1)
        return 5 * (1 - torch.round(F.cosine_similarity(x, y, dim=1, eps=1e-20), decimals=20).mean())


class Consistency(nn.Module):
    """Distance of luma and of Oklab's chroma, clipped, with cosine terms; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        if loss.get("blur", True) or loss.get("criterion", "chc") != "chc":
            raise CannotTraceError("consistencyloss with blur or another criterion than chc is not modeled")
        self.cosine = bool(loss.get("cosim", True))
        self.register_buffer("chroma_mean", torch.empty(1, 2, 1, 1))
        self.register_buffer("rgb2y", torch.empty(3))

    @staticmethod
    def linear(x: Tensor) -> Tensor:
        """Undo sRGB's curve."""
        return torch.where(x <= KNEE, x / 12.92, ((x + 0.055) / 1.055).clamp(min=1e-8).pow(2.4))

    def chroma(self, x: Tensor) -> Tensor:
        """Return Oklab's two color axes."""
        linear = self.linear(x)
        r, g, b = linear[:, 0], linear[:, 1], linear[:, 2]
        cones = [0.4 * r + 0.5 * g + 0.1 * b for _ in range(3)]
        long, medium, short = (cone.sign() * cone.abs().clamp(min=1e-8).pow(1 / 3) for cone in cones)
        green = 1.9 * long - 2.4 * medium + 0.4 * short
        blue = 0.02 * long + 0.7 * medium - 0.8 * short
        return torch.stack([green, blue], dim=1)

    def luma(self, x: Tensor) -> Tensor:
        """Return L*, between 0 and 1."""
        linear = self.linear(x.permute(0, 2, 3, 1))
        y = torch.tensordot(linear, self.get_buffer("rgb2y"), dims=([-1], [0]))
        y = torch.where(y <= 216 / 24389, y * (24389 / 27), y.clamp(min=1e-8).pow(1 / 3) * 116 - 16)
        return torch.clamp(y / 100, 0, 1)

    @staticmethod
    def clipped(x: Tensor, y: Tensor) -> Tensor:
        """Return the clipped pseudo-Huber distance with a little of the cosine's."""
        cosine = (1 - F.cosine_similarity(x, y, dim=1, eps=1e-20)).mean()
        base = torch.sqrt((x - y) ** 2 + 1e-12)
        combined = base + 0.012 * cosine
        return torch.clamp(combined, 1 / 255, 254 / 255).mean() * 1.0

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss."""
        x, y = torch.clamp(x, 1 / 255, 1), torch.clamp(y, 1 / 255, 1)
        x_luma, y_luma = self.luma(x), self.luma(y) * 0.9
        mean = self.get_buffer("chroma_mean")
        x_chroma, y_chroma = self.chroma(x), self.chroma(y) * 1.0
        x_chroma, y_chroma = torch.clamp(x_chroma + mean, 0, 1), torch.clamp(y_chroma + mean, 0, 1)
        loss = self.clipped(x_luma, y_luma) + self.clipped(x_chroma, y_chroma)
        if self.cosine:
            of_luma = 1 - F.cosine_similarity(x_luma[:, None], y_luma[:, None], dim=1, eps=1e-12).mean()
            of_chroma = 1 - F.cosine_similarity(x_chroma, y_chroma, dim=1, eps=1e-12).mean()
            loss = loss + 0.5 * (of_luma + of_chroma)
        return loss
