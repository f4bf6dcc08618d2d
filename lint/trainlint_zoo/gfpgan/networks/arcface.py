# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 THL A29 Limited, a Tencent company
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ResNetArcFace: the face recogniser whose features GFPGAN's identity loss compares.

Source: TencentARC/GFPGAN (gfpgan 1.3.8), gfpgan/archs/arcface_arch.py.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

BUILDERS = {"ResNetArcFace": "ResNetArcFace"}

FEATURES = 512
FEATURE_SIDE = 8
"""The side of the last features; the input has 128 pixels."""


def conv(cin: int, cout: int, kernel_size: int, stride: int = 1) -> nn.Conv2d:
    """Return a convolution without bias that keeps the side, or divides it by the stride."""
    return nn.Conv2d(cin, cout, kernel_size, stride, kernel_size // 2, bias=False)


class SEBlock(nn.Module):
    """A gate per channel from the features' mean."""

    def __init__(self, channel: int) -> None:
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            nn.Linear(channel, channel // 16), nn.PReLU(), nn.Linear(channel // 16, channel), nn.Sigmoid()
        )

    def forward(self, x: Tensor) -> Tensor:
        b, c, _, _ = x.size()
        gate = self.avg_pool(x).view(b, c)
        out: Tensor = x * self.fc(gate).view(b, c, 1, 1)
        return out


class IRBlock(nn.Module):
    """Batch norm, two convolutions and the residual; one PReLU serves twice."""

    def __init__(self, cin: int, cout: int, stride: int, use_se: bool) -> None:
        super().__init__()
        self.bn0, self.conv1, self.bn1 = nn.BatchNorm2d(cin), conv(cin, cin, 3), nn.BatchNorm2d(cin)
        self.prelu = nn.PReLU()
        self.conv2, self.bn2 = conv(cin, cout, 3, stride), nn.BatchNorm2d(cout)
        self.downsample = (
            nn.Sequential(conv(cin, cout, 1, stride), nn.BatchNorm2d(cout))
            if stride > 1 or cin != cout
            else None
        )
        self.se = SEBlock(cout) if use_se else None

    def forward(self, x: Tensor) -> Tensor:
        out = self.bn0(x)
        out = self.conv1(out)
        out = self.bn1(out)
        out = self.prelu(out)
        out = self.conv2(out)
        out = self.bn2(out)
        if self.se is not None:
            out = self.se(out)
        out += x if self.downsample is None else self.downsample(x)
        result: Tensor = self.prelu(out)
        return result


class ResNetArcFace(nn.Module):
    """(b, 1, 128, 128) -> (b, 512)."""

    def __init__(self, block: Literal["IRBlock"], layers: list[int], use_se: bool = True) -> None:  # noqa: ARG002 - configs name `block`, of which there is one kind
        super().__init__()
        self.conv1, self.bn1, self.prelu = conv(1, 64, 3), nn.BatchNorm2d(64), nn.PReLU()
        self.maxpool = nn.MaxPool2d(2, 2)
        previous = 64
        for index, (width, blocks) in enumerate(zip((64, 128, 256, 512), layers, strict=True), 1):
            first = IRBlock(previous, width, 1 if index == 1 else 2, use_se)
            rest = [IRBlock(width, width, 1, use_se) for _ in range(1, blocks)]
            self.add_module(f"layer{index}", nn.Sequential(first, *rest))
            previous = width
        self.bn4, self.dropout = nn.BatchNorm2d(FEATURES), nn.Dropout()
        self.fc5, self.bn5 = nn.Linear(FEATURES * FEATURE_SIDE**2, FEATURES), nn.BatchNorm1d(FEATURES)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.prelu(x)
        x = self.maxpool(x)
        for index in range(1, 5):
            x = self.get_submodule(f"layer{index}")(x)
        x = self.bn4(x)
        x = self.dropout(x)
        x = x.view(x.size(0), -1)
        out: Tensor = self.bn5(self.fc5(x))
        return out
