# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's pixel loss "ssim": structural similarity of all channels, in windows of 11 without padding.

Source: cszn/KAIR 4219f607, models/loss_ssim.py. Its sign is as published: it rises with the similarity.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from trainlint.errors import CannotTraceError

RECIPES: dict[str, str] = {}

WINDOW_SIDE = 11


class Similarity:
    """Compares two images; the window is made at the first call and kept."""

    def __init__(self) -> None:
        self.window: Tensor | None = None

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the mean similarity; every map that the published function names lives until then."""
        channels = x.shape[1]
        if channels == 1:
            raise CannotTraceError("KAIR's ssim loss fails on one channel: its window stays on the CPU")
        if self.window is None:
            self.window = x.new_empty(channels, 1, WINDOW_SIDE, WINDOW_SIDE)
        _range = torch.max(x).detach(), torch.min(x).detach()
        mu1, mu2 = self._blurred(x), self._blurred(y)
        mu1_sq, mu2_sq = mu1.pow(2), mu2.pow(2)
        mu1_mu2 = mu1 * mu2
        sigma1_sq = self._blurred(x * x) - mu1_sq
        sigma2_sq = self._blurred(y * y) - mu2_sq
        sigma12 = self._blurred(x * y) - mu1_mu2
        v1 = 2.0 * sigma12 + 9e-4
        v2 = sigma1_sq + sigma2_sq + 9e-4
        contrast = v1 / v2
        similarity = ((2 * mu1_mu2 + 1e-4) * v1) / ((mu1_sq + mu2_sq + 1e-4) * v2)
        contrast = contrast.mean()
        return similarity.mean()

    def _blurred(self, x: Tensor) -> Tensor:
        if self.window is None:
            raise AssertionError
        return F.conv2d(x, self.window, groups=x.shape[1])
