# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2023 NTIRE 2023 Challenge on Efficient SR Organizers
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""PlainUSR: expanded convolutions that can be merged, and attention by local importance.

While training the image is split by channels; otherwise parts of it are overwritten in place.
Source: muslll/neosr 5c75907e, neosr/archs/plainusr_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.attention.windows import UpsampleOneStep
from trainlint_zoo.blocks.sampling import conv3

BUILDERS = {"neosr:plainusr": "PlainUSR", "neosr:plainusr_large": "plainusr_large"}

MERGED_FROM = 80  # from this many channels on a block has three convolutions


class ASR(nn.Module):
    """Weights that depend on no input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.tensor = nn.Parameter(torch.empty(1, width, 1, 1))
        self.first = nn.Linear(width, width // 4, bias=False)
        self.second = nn.Linear(width // 4, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        attn = torch.sigmoid(self.second(F.silu(self.first(self.tensor[..., 0, 0]))))
        return attn[..., None, None] * x


class MBConv(nn.Module):
    """A 3x3 convolution between a widening and a narrowing one; its border is the first one's bias."""

    def __init__(self, width: int) -> None:
        super().__init__()
        wide = width * 2
        self.expand_conv, self.reduce_conv = nn.Conv2d(width, wide, 1), nn.Conv2d(wide, width, 1)
        self.fea_conv = nn.Conv2d(wide, wide, 3)
        self.se = ASR(wide)

    def forward(self, x: Tensor) -> Tensor:
        out = self.expand_conv(x)
        out_identity = out
        out = F.pad(out, (1, 1, 1, 1), "constant", 0)
        assert self.expand_conv.bias is not None  # noqa: S101  for the type checker
        pattern = self.expand_conv.bias.view(1, -1, 1, 1)
        out[:, :, 0:1, :] = pattern
        out[:, :, -1:, :] = pattern
        out[:, :, :, 0:1] = pattern
        out[:, :, :, -1:] = pattern
        out = self.fea_conv(out)
        out = self.se(out) + out_identity
        out = self.reduce_conv(out)
        result: Tensor = out + x
        return result


class PConv(nn.Module):
    """Replace the first channel by a mix of all."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(width, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.conv(x)
        x2 = x[:, 1:].clone()
        return torch.cat([x1, x2], dim=1)


class SoftPooling(nn.Module):
    """A mean weighted by exponentials."""

    def __init__(self) -> None:
        super().__init__()
        self.avgpool = nn.AvgPool2d(7, 3, 0, count_include_pad=False)

    def forward(self, x: Tensor) -> Tensor:
        x_exp = torch.exp(x)
        x_exp_pool = self.avgpool(x_exp)
        x = self.avgpool(x_exp * x)
        out: Tensor = x / x_exp_pool
        return out


class LocalAttention(nn.Module):
    """A heat map from pooled importance, and a gate from the first channel."""

    def __init__(self, width: int, narrow: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, narrow, 1),
            SoftPooling(),
            nn.Conv2d(narrow, narrow, 3, stride=2, padding=1),
            conv3(narrow, width),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        g = torch.sigmoid(x[:, :1].clone())
        w = F.interpolate(self.body(x), x.shape[2:], mode="bilinear", align_corners=False)
        return x * w * g


def _block(width: int, narrow: int, convolutions: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for _ in range(convolutions):
        layers += [MBConv(width), nn.LeakyReLU(0.05, inplace=True)]
    return nn.Sequential(*layers[:-1], PConv(width), LocalAttention(width, narrow))


class PlainUSR(nn.Module):
    """Five blocks on fewer and fewer, then more channels; three channels carry the image through."""

    def __init__(
        self,
        *,
        n_feat: Positive = 64,
        im_feat: Sequence[int] = (64, 48, 32),
        attn_feat: Positive = 16,
        scale: Positive = 4,
    ) -> None:
        super().__init__()
        if n_feat <= 32 or len(im_feat) != 3:
            raise CannotTraceError("plainusr with 32 channels or fewer")
        self.parts = tuple(im_feat)
        count = 3 if n_feat >= MERGED_FROM else 2
        large, middle, small = self.parts
        self.head = conv3(3, n_feat + 3)
        widths = (large, middle, small, middle, large)
        self.block1, self.block2, self.blockm, self.block3, self.block4 = (
            _block(width, attn_feat, count) for width in widths
        )
        self.tail = UpsampleOneStep(scale, n_feat + 3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.split(x) if self.training else self.overwrite(x)

    def overwrite(self, x: Tensor) -> Tensor:
        """Run the blocks on parts of the head's result, in place."""
        large, middle, small = self.parts
        x = self.head(x)
        x[:, :large] = self.block1(x[:, :large])
        x[:, :middle] = self.block2(x[:, :middle])
        x[:, :small] = self.blockm(x[:, :small])
        x[:, :middle] = self.block3(x[:, :middle])
        x[:, :large] = self.block4(x[:, :large])
        out: Tensor = self.tail(x)
        return out

    def split(self, x: Tensor) -> Tensor:
        """Run the blocks on parts that are concatenated again."""
        large, middle, small = self.parts
        x = self.head(x)
        x, pic = x.split([large, 3], 1)
        x = self.block1(x)
        x1, x2 = x.split([middle, large - middle], 1)
        x1 = self.block2(x1)
        x11, x12 = x1.split([small, middle - small], 1)
        x11 = self.blockm(x11)
        x1 = torch.cat([x11, x12], 1)
        x1 = self.block3(x1)
        x = torch.cat([x1, x2], 1)
        x = self.block4(x)
        x = torch.cat([x, pic], 1)
        out: Tensor = self.tail(x)
        return out


def plainusr_large(*, scale: Positive = 4) -> nn.Module:
    """Return the large PlainUSR."""
    return PlainUSR(n_feat=80, im_feat=[80, 64, 48], attn_feat=16, scale=scale)
