"""HASN: star operations with a spatial attention and a channel attention in every block.

Source: muslll/neosr c1ba6a0d, neosr/archs/hasn_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive
from trainlint_zoo.blocks.sampling import conv3
from trainlint_zoo.blocks.windows import UpsampleOneStep

BUILDERS = {"neosr:hasn": "HASN"}

NARROW, WIDE = 16, 156  # channels of the spatial attention, whatever the network's are
BLOCKS = 6


class ESA(nn.Module):
    """A weight per pixel and channel from a pooled copy."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv_f = nn.Conv2d(WIDE, NARROW, 1), nn.Conv2d(NARROW, NARROW, 1)
        self.conv2, self.conv3 = nn.Conv2d(NARROW, NARROW, 3, 2), conv3(NARROW, NARROW)
        self.conv4 = nn.Conv2d(NARROW, WIDE, 1)

    def forward(self, x: Tensor) -> Tensor:
        c1_ = self.conv1(x)
        c1 = self.conv2(c1_)
        v_max = F.max_pool2d(c1, kernel_size=7, stride=3)
        c3 = self.conv3(v_max)
        c3 = F.interpolate(c3, x.shape[2:], mode="bilinear", align_corners=False)
        cf = self.conv_f(c1_)
        c4 = self.conv4(c3 + cf)
        return x * torch.sigmoid(c4)


class Gate(nn.Module):
    """Scale every channel by a gate computed from its mean."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        narrow = dim // 30
        self.attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(dim, narrow, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(narrow, dim, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        y = self.attention(x)
        return x * y  # type: ignore[no-any-return]


class Block(nn.Module):
    """A product of projections in a residual, then convolutions with a gate."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dwconv, self.dwconv2 = (nn.Conv2d(dim, dim, 7, padding=3, groups=dim) for _ in range(2))
        self.ln = nn.LayerNorm(dim)
        self.f1, self.f2, self.f3 = (nn.Conv2d(dim, 3 * dim, 1) for _ in range(3))
        self.g = nn.Conv2d(3 * dim, dim, 1)
        self.act = nn.ReLU6()
        self.esa = ESA()
        self.cab = nn.Sequential(conv3(dim, dim // 3), nn.GELU(), conv3(dim // 3, dim), Gate(dim))

    def forward(self, x: Tensor) -> Tensor:
        x_orig = x
        x = self.dwconv(x)
        x = x.permute(0, 2, 3, 1).contiguous()
        x = self.ln(x)
        x = x.permute(0, 3, 1, 2).contiguous()
        x1, x2, x3 = self.f1(x), self.f2(x), self.f3(x)
        x = self.act(x1) * x2
        x3 = self.esa(x3)
        x = self.dwconv2(self.g(x + x3))
        x = x_orig + x
        return self.cab(x)  # type: ignore[no-any-return]


class HASN(nn.Module):
    """Six blocks whose results all live until the end."""

    def __init__(
        self,
        *,
        in_channels: Positive = 3,
        out_channels: Positive = 3,
        feature_channels: Positive = 52,
        scale: Positive = 4,
        upscale: Positive | None = None,
    ) -> None:
        super().__init__()
        self.conv_1, self.conv_2 = (conv3(cin, feature_channels) for cin in (in_channels, feature_channels))
        self.blocks = nn.ModuleList(Block(feature_channels) for _ in range(BLOCKS))
        self.upsampler = UpsampleOneStep(upscale or scale, feature_channels, out_channels)

    def forward(self, x: Tensor) -> Tensor:
        outs = [self.conv_1(x)]
        for block in self.blocks:
            outs.append(block(outs[-1]))
        return self.upsampler(self.conv_2(outs[-1]) + outs[0])  # type: ignore[no-any-return]
