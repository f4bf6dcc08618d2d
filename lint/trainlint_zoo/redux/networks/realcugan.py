# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: Real-CUGAN authors
# SPDX-FileCopyrightText: spandrel authors
# SPDX-License-Identifier: MIT

"""Real-CUGAN: two cascaded U-Nets with squeeze-and-excitation; borders are cropped, not padded.

Source: chaiNNer-org/spandrel 0.4 (architectures/RealCUGAN), which traiNNer-redux trains.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError

BUILDERS = {"trainner-redux:realcugan": "realcugan"}

LEAK = 0.1


def _act(x: Tensor) -> Tensor:
    return F.leaky_relu(x, LEAK, inplace=True)


class SEBlock(nn.Module):
    """Scale every channel by a gate computed from its mean (in fp32 for half-precision input)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels // 8, 1)
        self.conv2 = nn.Conv2d(channels // 8, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        if x.dtype == torch.float16:
            gate = torch.mean(x.float(), dim=(2, 3), keepdim=True).half()
        else:
            gate = torch.mean(x, dim=(2, 3), keepdim=True)
        gate = self.conv1(gate)
        gate = F.relu(gate, inplace=True)
        gate = self.conv2(gate)
        gate = torch.sigmoid(gate)
        return torch.mul(x, gate)


class UNetConv(nn.Module):
    """Two unpadded convolutions, optionally with the gate."""

    def __init__(self, cin: int, mid: int, cout: int, *, se: bool) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(cin, mid, 3),
            nn.LeakyReLU(LEAK, inplace=True),
            nn.Conv2d(mid, cout, 3),
            nn.LeakyReLU(LEAK, inplace=True),
        )
        self.seblock = SEBlock(cout) if se else None

    def forward(self, x: Tensor) -> Tensor:
        z: Tensor = self.conv(x)
        return self.seblock(z) if self.seblock is not None else z


class UNet1(nn.Module):
    """One level; the last layer enlarges by 2 or 3."""

    def __init__(self, cin: int, cout: int, *, enlarge: int) -> None:
        super().__init__()
        self.conv1 = UNetConv(cin, 32, 64, se=False)
        self.conv1_down = nn.Conv2d(64, 64, 2, 2)
        self.conv2 = UNetConv(64, 128, 64, se=True)
        self.conv2_up = nn.ConvTranspose2d(64, 64, 2, 2)
        self.conv3 = nn.Conv2d(64, 64, 3)
        sizes = (5, 3, 2) if enlarge == 3 else (4, 2, 3)
        self.conv_bottom = nn.ConvTranspose2d(64, cout, *sizes)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.conv1(x)
        x2 = self.conv1_down(x1)
        x1 = F.pad(x1, (-4, -4, -4, -4))
        x2 = _act(x2)
        x2 = self.conv2(x2)
        x2 = self.conv2_up(x2)
        x2 = _act(x2)
        x3 = self.conv3(x1 + x2)
        x3 = _act(x3)
        out: Tensor = self.conv_bottom(x3)
        return out


class UNet2(nn.Module):
    """Two levels at the same size."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.conv1 = UNetConv(cin, 32, 64, se=False)
        self.conv1_down = nn.Conv2d(64, 64, 2, 2)
        self.conv2 = UNetConv(64, 64, 128, se=True)
        self.conv2_down = nn.Conv2d(128, 128, 2, 2)
        self.conv3 = UNetConv(128, 256, 128, se=True)
        self.conv3_up = nn.ConvTranspose2d(128, 128, 2, 2)
        self.conv4 = UNetConv(128, 64, 64, se=True)
        self.conv4_up = nn.ConvTranspose2d(64, 64, 2, 2)
        self.conv5 = nn.Conv2d(64, 64, 3)
        self.conv_bottom = nn.Conv2d(64, cout, 3)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.conv1(x)
        x2 = self.conv1_down(x1)
        x1 = F.pad(x1, (-16, -16, -16, -16))
        x2 = _act(x2)
        x2 = self.conv2(x2)
        x3 = self.conv2_down(x2)
        x2 = F.pad(x2, (-4, -4, -4, -4))
        x3 = _act(x3)
        x3 = self.conv3(x3)
        x3 = self.conv3_up(x3)
        x3 = _act(x3)
        x4 = self.conv4(x2 + x3)
        x4 *= 1
        x4 = self.conv4_up(x4)
        x4 = _act(x4)
        x5 = self.conv5(x1 + x4)
        x5 = _act(x5)
        out: Tensor = self.conv_bottom(x5)
        return out


class UpCunet(nn.Module):
    """The cascade for scales 2 and 3; `pro` squeezes the value range."""

    def __init__(self, scale: int, channels: int, *, pro: bool) -> None:
        super().__init__()
        self.scale = scale
        self.register_buffer("pro", torch.empty(1) if pro else None)
        self.unet1 = UNet1(channels, channels, enlarge=scale)
        self.unet2 = UNet2(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        if self._buffers["pro"] is not None:
            x = x * 0.7 + 0.15
        multiple, border = (2, 18) if self.scale == 2 else (4, 14)
        down, right = -height % multiple, -width % multiple
        x = F.pad(x, (border, border + right, border, border + down), "reflect")
        x = self.unet1(x)
        x0 = self.unet2(x)
        x = F.pad(x, (-20, -20, -20, -20))
        x = torch.add(x0, x)
        if down or right:
            x = x[:, :, : height * self.scale, : width * self.scale]
        if self._buffers["pro"] is not None:
            x = (x - 0.15) / 0.7
        return x


class UpCunet4x(nn.Module):
    """The cascade in 64 channels, a pixel shuffle, plus the nearest-upsampled input."""

    def __init__(self, channels: int, *, pro: bool) -> None:
        super().__init__()
        self.register_buffer("pro", torch.empty(1) if pro else None)
        self.unet1 = UNet1(channels, 64, enlarge=2)
        self.unet2 = UNet2(64, 64)
        self.ps = nn.PixelShuffle(2)
        self.conv_final = nn.Conv2d(64, 4 * channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        if self._buffers["pro"] is not None:
            x = x * 0.7 + 0.15
        x00 = x
        down, right = -height % 2, -width % 2
        x = F.pad(x, (19, 19 + right, 19, 19 + down), "reflect")
        x = self.unet1(x)
        x0 = self.unet2(x)
        x1 = F.pad(x, (-20, -20, -20, -20))
        x = torch.add(x0, x1)
        x = self.conv_final(x)
        x = F.pad(x, (-1, -1, -1, -1))
        x = self.ps(x)
        if down or right:
            x = x[:, :, : height * 4, : width * 4]
        x += F.interpolate(x00, scale_factor=4, mode="nearest")
        if self._buffers["pro"] is not None:
            x = (x - 0.15) / 0.7
        return x


def realcugan(
    *, scale: Positive = 4, pro: bool = False, fast: bool = False, in_channels: Positive = 3
) -> nn.Module:
    """Return the network of a scale."""
    if fast:
        raise CannotTraceError("the fast Real-CUGAN is not modeled")
    if scale == 4:
        return UpCunet4x(in_channels, pro=pro)
    if scale in (2, 3):
        return UpCunet(scale, in_channels, pro=pro)
    raise ValueError(f"scale must be 2, 3 or 4, is {scale}")
