"""KRGN: groups of dilated and plain grouped convolutions, distilled and gated by contrast.

Source: muslll/neosr f3c3d92c, neosr/archs/krgn_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.signature import Positive
from trainlint_zoo.blocks.sampling import conv3
from trainlint_zoo.blocks.windows import UpsampleOneStep

BUILDERS = {"neosr:krgn": "KRGN"}

SPLIT, LEAK = 32, 0.05


def _leaky() -> nn.Module:
    return nn.LeakyReLU(LEAK, inplace=True)


class RCG(nn.Module):
    """Three sums of a plain and a dilated grouped convolution."""

    def __init__(self, dim: int, dilation: int) -> None:
        super().__init__()
        self.plain, self.dilated = (
            nn.ModuleList(nn.Conv2d(dim, dim, 3, 1, step, step, groups=SPLIT) for _ in range(3))
            for step in (1, dilation)
        )

    def forward(self, x: Tensor) -> Tensor:
        out = x
        for plain, dilated in zip(self.plain, self.dilated, strict=True):
            out = plain(out) + dilated(out)
        return out + x


class Contrast(nn.Module):
    """Scale every channel by a gate from its deviation and mean."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.conv_du = nn.Sequential(
            nn.Conv2d(dim, dim // 8, 1), _leaky(), nn.Conv2d(dim // 8, dim, 1), nn.Sigmoid()
        )

    def forward(self, x: Tensor) -> Tensor:
        area = x.shape[2] * x.shape[3]
        mean = x.sum(3, keepdim=True).sum(2, keepdim=True) / area
        variance = (x - mean).pow(2).sum(3, keepdim=True).sum(2, keepdim=True) / area
        y = variance.pow(0.5) + self.avg_pool(x)
        y = self.conv_du(y)
        return x * y  # type: ignore[no-any-return]


class PMRB(nn.Module):
    """Three groups; a half of the channels is kept before each and after the last."""

    def __init__(self, dim: int, dilation: int) -> None:
        super().__init__()
        half = dim // 2
        self.blocks = nn.ModuleList(RCG(dim, dilation) for _ in range(3))
        self.conv1x1s = nn.ModuleList(nn.Sequential(nn.Conv2d(dim, half, 1), _leaky()) for _ in range(3))
        self.conv3x3 = nn.Sequential(conv3(dim, half), _leaky())
        self.conv1x1_act = nn.Sequential(nn.Conv2d(dim * 2, dim, 1), _leaky())
        self.cca = Contrast(dim)

    def forward(self, x: Tensor) -> Tensor:
        now, features = x, []
        for narrow, block in zip(self.conv1x1s, self.blocks, strict=True):
            features.append(narrow(now))
            now = block(now)
        features.append(self.conv3x3(now))
        merged = torch.cat(features, 1)
        del features
        out = self.conv1x1_act(merged)
        out = self.cca(out)
        return out + x  # type: ignore[no-any-return]


class KRGN(nn.Module):
    """Blocks whose results are all concatenated, between mean shifts that are trained after all."""

    def __init__(
        self,
        *,
        n_colors: Positive = 3,
        n_feats: Positive = 64,
        n_resgroups: Positive = 9,
        act: str = "lrelu",
        scale: Positive = 4,
        rgb_range: float = 1.0,  # noqa: ARG002  a factor of the mean shift's values
        dilation: Positive = 3,
    ) -> None:
        super().__init__()
        if act != "lrelu":
            raise CannotTraceError(f"krgn with the activation {act}")
        self.sub_mean, self.add_mean = nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1)
        self.head_conv = conv3(n_colors, n_feats)
        self.body = nn.ModuleList(PMRB(n_feats, dilation) for _ in range(n_resgroups))
        self.features_fusion_module = nn.Sequential(
            nn.Conv2d(n_feats * (n_resgroups + 1), n_feats, 1), _leaky(), conv3(n_feats, n_feats)
        )
        self.upsampler = UpsampleOneStep(scale, n_feats, n_colors)

    def forward(self, x: Tensor) -> Tensor:
        x = self.sub_mean(x)
        x = self.head_conv(x)
        outs = [x]
        for block in self.body:
            outs.append(block(outs[-1]))
        merged = torch.cat(outs, 1)
        del outs
        y = self.features_fusion_module(merged) + x
        y = self.upsampler(y)
        return self.add_mean(y)  # type: ignore[no-any-return]
