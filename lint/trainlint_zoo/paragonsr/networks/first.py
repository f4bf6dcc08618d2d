# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ParagonSR2 authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ParagonSR, the first generation: gated blocks with three-branch depthwise convolutions and Magic Kernel.

Source: Phhofm/traiNNer-redux up to 2f64430b, traiNNer/archs/paragonsr_arch.py in its last version (group
norms, layer scales, Magic Kernel Sharp 2021; earlier ones shuffled pixels) and resampler.py.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.gated_cnn import InceptionDWConv2d
from trainlint_zoo.blocks.magic_kernel import BLUR_TAPS, SHARPEN_TAPS, Separable
from trainlint_zoo.blocks.paragon import Group, LayerScale

BUILDERS = {
    "trainner-redux:paragonsr_anime": "anime",
    "trainner-redux:paragonsr_nano": "nano",
    "trainner-redux:paragonsr_tiny": "tiny",
    "trainner-redux:paragonsr_xs": "xs",
    "trainner-redux:paragonsr_s": "s",
    "trainner-redux:paragonsr_m": "m",
}


class ReparamConv(nn.Module):
    """Depthwise 3x3, 1x1 and once more 3x3, added; one fused kernel at inference."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv3x3 = nn.Conv2d(channels, channels, 3, 1, 1, groups=channels)
        self.conv1x1 = nn.Conv2d(channels, channels, 1, groups=channels)
        self.dw_conv3x3 = nn.Conv2d(channels, channels, 3, 1, 1, groups=channels)

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            weight = self.conv3x3.weight + F.pad(self.conv1x1.weight, (1, 1, 1, 1)) + self.dw_conv3x3.weight
            return F.conv2d(x, weight, self.conv3x3.bias, padding=1, groups=len(weight))
        out: Tensor = self.conv3x3(x) + self.conv1x1(x)
        out += self.dw_conv3x3(x)
        return out


class GatedFFN(nn.Module):
    """Two projections; one is convolved, activated and multiplies the other."""

    def __init__(self, dim: int, expansion: float) -> None:
        super().__init__()
        hidden = int(dim * expansion)
        self.project_in_g = nn.Conv2d(dim, hidden, 1)
        self.project_in_i = nn.Conv2d(dim, hidden, 1)
        self.spatial_mixer = ReparamConv(hidden)
        self.act = nn.Mish(inplace=True)
        self.project_out = nn.Conv2d(hidden, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        g, i = self.project_in_g(x), self.project_in_i(x)
        g = self.spatial_mixer(g)
        out: Tensor = self.project_out(self.act(g) * i)
        return out


class ParagonBlock(nn.Module):
    """Context and feed-forward network, each normalized before and scaled after, in a residual."""

    def __init__(self, dim: int, expansion: float) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(1, dim)
        self.context = InceptionDWConv2d(dim)
        self.norm2 = nn.GroupNorm(1, dim)
        self.transformer = GatedFFN(dim, expansion)
        self.ls1 = LayerScale(dim)
        self.ls2 = LayerScale(dim)

    def forward(self, x: Tensor) -> Tensor:
        residual = x
        normed = self.norm1(x)
        x = self.context(normed)
        x = residual + self.ls1(x)
        residual = x
        normed = self.norm2(x)
        x = self.transformer(normed)
        out: Tensor = residual + self.ls2(x)
        return out


class ParagonSR(nn.Module):
    """Groups in a long residual, the frozen upsampler on their features, two convolutions on the result."""

    def __init__(self, scale: int, dim: int, groups: int, blocks: int, expansion: float) -> None:
        super().__init__()
        self.scale = scale
        self.conv_in = nn.Conv2d(3, dim, 3, 1, 1)
        self.body = nn.Sequential(
            *(Group([ParagonBlock(dim, expansion) for _ in range(blocks)]) for _ in range(groups))
        )
        self.conv_fuse = nn.Conv2d(dim, dim, 3, 1, 1)
        self.sharpen = Separable(dim, SHARPEN_TAPS, buffer=False)
        self.resample = Separable(dim, BLUR_TAPS, buffer=False)
        self.upsampler = nn.Conv2d(dim, dim, 3, 1, 1)
        self.conv_out = nn.Conv2d(dim, 3, 3, 1, 1)

    def enlarge(self, x: Tensor) -> Tensor:
        """Sharpen, repeat pixels, blur."""
        sharpened = self.sharpen(x)
        upsampled = F.interpolate(sharpened, scale_factor=self.scale, mode="nearest")
        out: Tensor = self.resample(upsampled)
        return out

    def forward(self, x: Tensor) -> Tensor:
        shallow = self.conv_in(x)
        deep = self.body(shallow)
        fused = self.conv_fuse(deep) + shallow
        upsampled = self.enlarge(fused)
        out: Tensor = self.conv_out(self.upsampler(upsampled))
        return out


def anime(scale: Positive = 4, **_ignored: object) -> nn.Module:
    """Return the variant for line art."""
    return ParagonSR(scale, 28, 2, 3, 1.5)


def nano(scale: Positive = 4, **_ignored: object) -> nn.Module:
    """Return the smallest variant."""
    return ParagonSR(scale, 24, 3, 2, 1.5)


def tiny(scale: Positive = 4, **_ignored: object) -> nn.Module:
    """Return the variant of 3 x 2 blocks of 32 channels."""
    return ParagonSR(scale, 32, 3, 2, 2.0)


def xs(scale: Positive = 4, **_ignored: object) -> nn.Module:
    """Return the variant of 4 x 4 blocks of 48 channels."""
    return ParagonSR(scale, 48, 4, 4, 2.0)


def s(scale: Positive = 4, **_ignored: object) -> nn.Module:
    """Return the variant of 6 x 6 blocks of 64 channels."""
    return ParagonSR(scale, 64, 6, 6, 2.0)


def m(scale: Positive = 4, **_ignored: object) -> nn.Module:
    """Return the variant of 8 x 8 blocks of 96 channels."""
    return ParagonSR(scale, 96, 8, 8, 2.0)
