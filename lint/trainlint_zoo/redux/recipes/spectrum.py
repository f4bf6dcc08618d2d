# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's focal frequency loss: distance of spectra, in fp32.

Source: the-database/traiNNer-redux, traiNNer/losses (focal_frequency 071c4b5d).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint_zoo.redux.recipes.losses import InFp32

RECIPES: dict[str, str] = {}


class FocalFrequency(InFp32):
    """Distance of the spectra, weighted by itself; by default of the batch's mean spectrum; fp32."""

    factor = 50
    """By how much the loss is raised to the size of others."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.parts = int(loss.get("patch_factor", 1))
        self.average = bool(loss.get("ave_spectrum", True))
        if loss.get("log_matrix") or loss.get("batch_matrix") or loss.get("alpha", 1.0) != 1.0:
            raise CannotTraceError("ffloss with alpha, log_matrix or batch_matrix is not modeled")

    def spectrum(self, x: Tensor) -> Tensor:
        """Return (n, patches, c, h, w, 2)."""
        h, w = x.shape[2] // self.parts, x.shape[3] // self.parts
        cells = [(i, j) for i in range(self.parts) for j in range(self.parts)]
        y = torch.stack([x[:, :, i * h : (i + 1) * h, j * w : (j + 1) * w] for i, j in cells], 1)
        freq = torch.fft.fft2(y, norm="ortho")
        return torch.stack([freq.real, freq.imag], -1)

    @staticmethod
    def scaled(weight: Tensor) -> Tensor:
        """Divide by the largest weight of each image and channel."""
        return weight / weight.max(-1).values.max(-1).values[:, :, :, None, None]

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted distance."""
        ours, theirs = self.spectrum(x), self.spectrum(y)
        if self.average:
            ours, theirs = torch.mean(ours, 0, keepdim=True), torch.mean(theirs, 0, keepdim=True)
        weight = (ours - theirs) ** 2
        weight = torch.sqrt(weight[..., 0] + weight[..., 1]) ** 1.0
        weight = self.scaled(weight)
        weight.masked_fill_(torch.isnan(weight), 0.0)
        weight = torch.clamp(weight, min=0.0, max=1.0)
        matrix = weight.clone().detach()
        difference = (ours - theirs) ** 2
        distance = difference[..., 0] + difference[..., 1]
        return self.factor * torch.mean(matrix * distance)
