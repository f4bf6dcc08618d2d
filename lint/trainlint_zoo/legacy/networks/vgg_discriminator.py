# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""The discriminator of BasicSR in 2018, for crops of 128 pixels: ten convolutions, each with a bias.

Source: Wang et al., ESRGAN, arXiv 1809.00219; XPixelGroup/BasicSR 9fd09d4, codes/models/networks.py.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from trainlint.catalogue.signature import Positive

BUILDERS = {"basicsr-legacy:discriminator_vgg_128@2018": "VGG128"}


class VGG128(nn.Module):
    """Five times a 3x3 convolution and one that halves, all normalized but the first; two linear layers."""

    def __init__(
        self,
        in_nc: Positive,
        nf: Literal[64] = 64,  # the linear layers are made for 512 channels
        norm_type: Literal["batch"] = "batch",  # noqa: ARG002 - configs name these three, of which each has one value here
        act_type: Literal["leakyrelu"] = "leakyrelu",  # noqa: ARG002 - as above
        mode: Literal["CNA"] = "CNA",  # noqa: ARG002 - as above
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = in_nc
        for stage in range(5):
            width = nf * 2 ** min(stage, 3)
            layers += self._layer(nn.Conv2d(before, width, 3, 1, 1), normalized=stage > 0)
            layers += self._layer(nn.Conv2d(width, width, 4, 2, 1))
            before = width
        self.features = nn.Sequential(*layers)
        first, last = nn.Linear(nf * 8 * 4 * 4, 100), nn.Linear(100, 1)
        self.classifier = nn.Sequential(first, nn.LeakyReLU(0.2, inplace=True), last)

    @staticmethod
    def _layer(conv: nn.Conv2d, *, normalized: bool = True) -> list[nn.Module]:
        norm = [nn.BatchNorm2d(conv.out_channels)] if normalized else []
        return [conv, *norm, nn.LeakyReLU(0.2, inplace=True)]

    def forward(self, x: Tensor) -> Tensor:
        """(n, in_nc, 128, 128) -> (n, 1)."""
        out: Tensor = self.classifier(self.features(x).flatten(1))
        return out
