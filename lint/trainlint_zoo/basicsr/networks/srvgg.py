# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 Xintao Wang
# SPDX-License-Identifier: MIT AND BSD-3-Clause

"""SRVGGNetCompact: a plain stack of convolutions at input size (Real-ESRGAN's small models).

Source: xinntao/Real-ESRGAN a4abfb29, realesrgan/archs/srvgg_arch.py.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"SRVGGNetCompact": "SRVGGNetCompact"}


class SRVGGNetCompact(nn.Module):
    """Convolutions with activations, one pixel shuffle, plus the nearest-upsampled input."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        num_feat: Positive = 64,
        num_conv: Positive = 16,
        upscale: Positive = 4,
        act_type: Literal["relu", "prelu", "leakyrelu"] = "prelu",
    ) -> None:
        super().__init__()
        self.upscale = upscale
        self.body = nn.ModuleList()
        for channels in (num_in_ch, *[num_feat] * num_conv):
            self.body.append(nn.Conv2d(channels, num_feat, 3, 1, 1))
            self.body.append(_activation(act_type, num_feat))
        self.body.append(nn.Conv2d(num_feat, num_out_ch * upscale**2, 3, 1, 1))
        self.upsampler = nn.PixelShuffle(upscale)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x
        for layer in self.body:
            out = layer(out)
        out = self.upsampler(out)
        out += F.interpolate(x, scale_factor=self.upscale, mode="nearest")
        return out


def _activation(name: str, channels: int) -> nn.Module:
    if name == "prelu":
        return nn.PReLU(num_parameters=channels)
    return nn.ReLU(inplace=True) if name == "relu" else nn.LeakyReLU(0.1, inplace=True)
