# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 Xintao Wang
# SPDX-License-Identifier: MIT AND BSD-3-Clause

"""UNetDiscriminatorSN: Real-ESRGAN's U-shaped discriminator with spectral normalization.

Source: xinntao/Real-ESRGAN a4abfb29, realesrgan/archs/discriminator_arch.py.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import spectral_norm

from trainlint.catalogue.signature import Positive

BUILDERS = {"UNetDiscriminatorSN": "UNetDiscriminatorSN"}


def _conv(cin: int, cout: int, kernel: int, stride: int) -> nn.Module:
    return spectral_norm(nn.Conv2d(cin, cout, kernel, stride, 1, bias=False))


def _act(x: Tensor) -> Tensor:
    return F.leaky_relu(x, negative_slope=0.2, inplace=True)


def _double(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


class UNetDiscriminatorSN(nn.Module):
    """Three halvings, three doublings; returns one logit per pixel. Sides must be multiples of 8."""

    def __init__(self, num_in_ch: Positive, num_feat: Positive = 64, skip_connection: bool = True) -> None:
        super().__init__()
        self.skip_connection = skip_connection
        self.conv0 = nn.Conv2d(num_in_ch, num_feat, 3, 1, 1)
        self.conv1 = _conv(num_feat, num_feat * 2, 4, 2)
        self.conv2 = _conv(num_feat * 2, num_feat * 4, 4, 2)
        self.conv3 = _conv(num_feat * 4, num_feat * 8, 4, 2)
        self.conv4 = _conv(num_feat * 8, num_feat * 4, 3, 1)
        self.conv5 = _conv(num_feat * 4, num_feat * 2, 3, 1)
        self.conv6 = _conv(num_feat * 2, num_feat, 3, 1)
        self.conv7 = _conv(num_feat, num_feat, 3, 1)
        self.conv8 = _conv(num_feat, num_feat, 3, 1)
        self.conv9 = nn.Conv2d(num_feat, 1, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        x0 = _act(self.conv0(x))
        x1 = _act(self.conv1(x0))
        x2 = _act(self.conv2(x1))
        x3 = _act(self.conv3(x2))
        x3 = _double(x3)
        x4 = _act(self.conv4(x3))
        if self.skip_connection:
            x4 = x4 + x2
        x4 = _double(x4)
        x5 = _act(self.conv5(x4))
        if self.skip_connection:
            x5 = x5 + x1
        x5 = _double(x5)
        x6 = _act(self.conv6(x5))
        if self.skip_connection:
            x6 = x6 + x0
        out = _act(self.conv7(x6))
        out = _act(self.conv8(out))
        result: Tensor = self.conv9(out)
        return result
