# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DUnet: traiNNer-redux's discriminator, a U-Net with dynamic sampling and spectral normalization.

Source: the-database/traiNNer-redux 6862931, traiNNer/archs/dunet_arch.py; DySample as in spandrel 0.4.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.sampling import DySample

BUILDERS = {"trainner-redux:dunet": "DUnet"}


def _normed(cin: int, cout: int, stride: int = 1, *, bias: bool = True) -> nn.Module:
    return spectral_norm(nn.Conv2d(cin, cout, 3, stride, 1, bias=bias))


class DUnet(nn.Module):
    """Three halvings, three doublings; returns one logit per pixel."""

    def __init__(self, *, num_in_ch: Positive = 3, num_feat: Positive = 64) -> None:
        super().__init__()
        self.in_to_dim = nn.Conv2d(num_in_ch, num_feat, 3, 1, 1)
        for index, width in enumerate((num_feat, num_feat * 2, num_feat * 4), 1):
            self.add_module(f"e_x{index}", nn.Sequential(_normed(width, width * 2, 2), nn.Mish(inplace=True)))
        for index, width in enumerate((num_feat * 8, num_feat * 4, num_feat * 2), 1):
            self.add_module(f"up{index}", nn.Sequential(DySample(width, 2, 4), _normed(width, width // 2)))
        self.end_conv = nn.Sequential(
            _normed(num_feat, num_feat, bias=False),
            nn.Mish(inplace=True),
            _normed(num_feat, num_feat, bias=False),
            nn.Mish(inplace=True),
            nn.Conv2d(num_feat, 1, 3, 1, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        part = dict(self.named_children())
        x0 = self.in_to_dim(x)
        x1 = part["e_x1"](x0)
        x2 = part["e_x2"](x1)
        x3 = part["e_x3"](x2)
        x = part["up1"](x3) + x2
        x = part["up2"](x) + x1
        x = part["up3"](x) + x0
        out: Tensor = self.end_conv(x)
        return out
