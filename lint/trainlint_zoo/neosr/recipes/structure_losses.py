# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's losses on structure: DISTS, the gradient-weighted distance, the focal frequency loss.

Source: neosr 0.1.0 on PyPI, neosr/losses (dists_loss, ff_loss); muslll/neosr 0a580fa3 (`dists`, before it was
renamed); umzi2/neosr aab625f1 (gw_loss, the newest: it divides by its deviation, which older ones do not).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.neosr.recipes.losses import Weighted, criterion_of
from trainlint_zoo.redux.recipes import dists as redux_dists
from trainlint_zoo.redux.recipes.spectrum import FocalFrequency

RECIPES: dict[str, str] = {}


class OldDISTS(redux_dists.DISTS):
    """VGG16's features of the image as it is: neither normalized nor brought to another size."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__({"use_input_norm": False})
        if not loss.get("as_loss", True):
            raise CannotTraceError("neosr's dists with as_loss false, which gives a loss per image")

    def features(self, x: Tensor) -> list[Tensor]:
        """Return the image and its five feature maps."""
        features = [x]
        for stage in self.stages:
            features.append(stage(features[-1]))
        return features

    @staticmethod
    def score(texture: Tensor, structure: Tensor) -> Tensor:
        """Return 1 - similarity, weighted in place."""
        out = 1 - (texture + structure).mean()
        out *= 1.0
        return out


class DISTS(OldDISTS):
    """The same since it is called dists_loss: the sums begin again at every stage, the last one counts."""

    forgets = True


class FocalSpectrum(FocalFrequency):
    """The focal frequency loss, not raised; its weights are scaled in place."""

    factor = 1

    @staticmethod
    def scaled(weight: Tensor) -> Tensor:
        """Divide by the largest weight of each image and channel."""
        weight /= weight.max(-1).values.max(-1).values[:, :, :, None, None]
        return weight


class GradientWeighted(Weighted):
    """Distance that counts more where the gradients of both images differ.

    The filters are parameters that are made again at every step: both images' gradients stay for their sake.
    """

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.corner = bool(loss.get("corner", True))
        self.distance = criterion_of(loss, "chc")

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return half of the mean, after division by the deviation."""
        ours, theirs = torch.mean(x, dim=1, keepdim=True), torch.mean(y, dim=1, keepdim=True)
        sobel = [ours.new_empty(1, 1, 3, 3) for _ in range(2)]
        # the diagonals are filtered as the axes
        filters = [nn.Parameter(kernel) for kernel in (*sobel, *sobel)]
        edges = [
            (F.conv2d(ours, kernel, padding=1), F.conv2d(theirs, kernel, padding=1)) for kernel in filters
        ]
        apart = [torch.abs(a - b) for a, b in edges]
        reduction = self.distance(x, y)
        if self.corner:
            first, second, third, fourth = (edge.expand(x.shape) for edge in apart)
            loss = (1 + 4 * first) * (1 + 4 * second) * (1 + 4 * third) * (1 + 4 * fourth) * reduction
        else:
            largest = torch.cat(apart, dim=1)
            largest = torch.max(largest, dim=1, keepdim=True)[0]
            loss = (1 + 4 * largest.expand(x.shape)) * reduction
        loss = loss / torch.std(loss)
        return torch.mean(loss) * 0.5
