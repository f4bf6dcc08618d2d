# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-FileCopyrightText: NVIDIA Corporation (pix2pixHD)
# SPDX-FileCopyrightText: 2024 umzi
# SPDX-License-Identifier: MIT AND Apache-2.0 AND BSD-3-Clause

"""neosr's discriminators: metagan, ea2fpn and patchgan.

Source (neosr/archs): metagan as in 0ZL0/neosr bfe1e4d5, ea2fpn as in umzi2/neosr 441fa3cd, patchgan
of muslll/neosr 0199ef57; all with torch.nn.utils.spectral_norm.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.utils import spectral_norm

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import BernoulliDropPath
from trainlint_zoo.blocks.sampling import DySample

BUILDERS = {
    "neosr:metagan": "MetaGan",
    "neosr:ea2fpn": "EA2FPN",
    "neosr:patchgan": "PatchGan",
}


class PatchGan(nn.Module):
    """Strided convolutions to a map of logits."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_feat: Positive = 64,
        num_layers: Positive = 3,
        max_nf_mult: Positive = 8,
        norm_type: Literal["none", "batch", "batchnorm2d", "instance"] = "none",
        use_sigmoid: bool = False,
        use_sn: bool = True,
        **_: object,
    ) -> None:
        super().__init__()
        batch = norm_type in {"batch", "batchnorm2d"}
        normal = nn.BatchNorm2d if batch else nn.InstanceNorm2d if norm_type == "instance" else nn.Identity

        def conv(cin: int, cout: int, stride: int, bias: bool = True) -> nn.Module:
            layer = nn.Conv2d(cin, cout, 4, stride, 1, bias=bias)
            return spectral_norm(layer) if use_sn else layer

        layers: list[nn.Module] = [conv(num_in_ch, num_feat, 2), nn.LeakyReLU(0.2, inplace=True)]
        width = num_feat
        for index in range(1, num_layers + 1):
            wider = num_feat * min(2**index, max_nf_mult)
            layers += [
                conv(width, wider, 2 if index < num_layers else 1, not batch),
                normal(wider),
                nn.LeakyReLU(0.2, inplace=True),
            ]
            width = wider
        layers.append(conv(width, 1, 1))
        if use_sigmoid:
            layers.append(nn.Sigmoid())
        self.model = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out


class MetaAttention(nn.Module):
    """Attention over all pixels, heads of 32 channels; x is (n, h, w, c)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.heads = max(1, dim // 32)
        self.qkv = nn.Linear(dim, self.heads * 96, bias=False)
        self.proj = nn.Linear(self.heads * 32, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        b, h, w, _ = x.shape
        q, k, v = self.qkv(x).reshape(b, h * w, 3, self.heads, 32).permute(2, 0, 3, 1, 4).unbind(0)
        x = nn.functional.scaled_dot_product_attention(q, k, v)
        out: Tensor = self.proj(x.transpose(1, 2).reshape(b, h, w, self.heads * 32))
        return out


class Depthwise(nn.Module):
    """A 7x7 depthwise convolution of (n, h, w, c)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(dim, dim, 7, padding=3, groups=dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.conv(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return out


class GatedBlock(nn.Module):
    """A gated block whose last channels are convolved or attended."""

    def __init__(self, dim: int, *, attention: bool, drop: float) -> None:
        super().__init__()
        hidden = int((1.5 if attention else 8 / 3) * dim)
        self.norm = nn.RMSNorm(dim, eps=1e-6)
        self.fc1 = nn.Linear(dim, hidden * 2)
        self.act = nn.Mish()
        self.split = [hidden, hidden - dim, dim]
        self.conv = MetaAttention(dim) if attention else Depthwise(dim)
        self.fc2 = nn.Linear(hidden, dim)
        self.drop_path = BernoulliDropPath(drop) if drop > 0 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x
        x = self.norm(x)
        g, i, c = torch.split(self.fc1(x), self.split, dim=-1)
        c = self.conv(c)
        x = self.fc2(self.act(g) * torch.cat((i, c), dim=-1))
        out: Tensor = self.drop_path(x) + shortcut
        return out


class MetaStage(nn.Module):
    """One or two halvings, then gated blocks on (n, h, w, c)."""

    def __init__(self, cin: int, cout: int, down: int, drops: list[float], *, attention: bool) -> None:
        super().__init__()
        self.down = (
            _halve(cin, cout)
            if down == 2
            else nn.Sequential(_halve(cin, cout // 2), nn.Mish(inplace=True), _halve(cout // 2, cout))
        )
        self.blocks = nn.Sequential(*[GatedBlock(cout, attention=attention, drop=drop) for drop in drops])

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.blocks(self.down(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return out


def _halve(cin: int, cout: int) -> nn.Module:
    return nn.Sequential(spectral_norm(nn.Conv2d(cin, cout, 3, 2, 1)), nn.GroupNorm(4, cout))


class MetaGan(nn.Module):
    """Four stages of gated blocks to a map of logits, a 64th of the side."""

    def __init__(
        self,
        *,
        in_ch: Positive = 3,
        n_class: Positive = 1,
        dims: Sequence[int] = (48, 96, 192, 288),
        blocks: Sequence[int] = (3, 3, 9, 3),
        downs: Sequence[int] = (4, 4, 2, 2),
        drop_path: float = 0.02,
        end_drop: float = 0.0,
    ) -> None:
        super().__init__()
        last = max(sum(blocks) - 1, 1)
        rates = [drop_path * index / last for index in range(sum(blocks))]
        stages: list[nn.Module] = []
        for index, (width, count, down) in enumerate(zip(dims, blocks, downs, strict=True)):
            cin = dims[index - 1] if index else in_ch
            stages.append(MetaStage(cin, width, down, rates[:count], attention=index > 1))
            rates = rates[count:]
        self.stages = nn.Sequential(
            *stages,
            spectral_norm(nn.Conv2d(dims[-1], 100, 1)),
            nn.Mish(inplace=True),
            nn.Dropout(end_drop),
            spectral_norm(nn.Conv2d(100, n_class, 1)),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.stages(x)
        return out


class BasicBlock(nn.Module):
    """ResNet-18's block."""

    def __init__(self, cin: int, cout: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1, self.relu = nn.BatchNorm2d(cout), nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.downsample = (
            nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))
            if stride != 1 or cin != cout
            else None
        )

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        result: Tensor = self.relu(out)
        return result


class LinearAttention(nn.Module):
    """Attention linear in the pixels, gated by a scalar; x is (n, c, h, w)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(1))
        self.query_conv = nn.Conv2d(channels, channels // 8, 1)
        self.key_conv = nn.Conv2d(channels, channels // 8, 1)
        self.value_conv = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        b, c, h, w = x.shape
        q = self.query_conv(x).view(b, -1, w * h)
        k = self.key_conv(x).view(b, -1, w * h)
        v = self.value_conv(x).view(b, -1, w * h)
        q = _unit(q).permute(-3, -1, -2)
        k = _unit(k)
        share = 1 / (w * h + torch.einsum("bnc, bc->bn", q, torch.sum(k, dim=-1) + 1e-6))
        total = torch.einsum("bcn->bc", v).unsqueeze(-1).expand(-1, c, w * h)
        matrix = torch.einsum("bmn, bcn->bmc", k, v)
        matrix_sum = total + torch.einsum("bnm, bmc->bcn", q, matrix)
        weighted = torch.einsum("bcn, bn->bcn", matrix_sum, share).view(b, c, h, w)
        return (self.gamma * weighted).contiguous()


def _unit(x: Tensor) -> Tensor:
    return torch.einsum("bcn, bn->bcn", x, 1 / torch.linalg.vector_norm(x, ord=2, dim=-2))


class Segmentation(nn.Module):
    """A 3x3 block, doubled so many times. Its DySample is built even where it is not used."""

    def __init__(self, channels: int, doublings: int) -> None:
        super().__init__()
        count = max(1, doublings)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                spectral_norm(nn.Conv2d(channels, channels, 3, 1, 1, bias=False)),
                nn.GroupNorm(16, channels),
                nn.Mish(inplace=True),
            )
            for _ in range(count)
        )
        self.doubles = nn.ModuleList(DySample(64, 2, 4, 64) for _ in range(count))
        self.doublings = doublings

    def forward(self, x: Tensor) -> Tensor:
        for block, double in zip(self.blocks, self.doubles, strict=True):
            x = block(x)
            if self.doublings:
                x = double(x)
        return x


class EA2FPN(nn.Module):
    """A feature pyramid on ResNet-18 whose unused classifier stays among its parameters."""

    def __init__(
        self,
        *,
        class_num: Positive = 6,
        pyramid_channels: Positive = 64,
        segmentation_channels: Positive = 64,
        dropout: float = 0.0,
        **_: object,
    ) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)
        )
        self.pool = nn.MaxPool2d(3, 2, 1)
        widths = (64, 64, 128, 256, 512)
        self.layers = nn.ModuleList(
            nn.Sequential(BasicBlock(cin, cout, 1 if cout == 64 else 2), BasicBlock(cout, cout, 1))
            for cin, cout in pairwise(widths)
        )
        self.fc = nn.Linear(512, 1000)
        pyramid, segments = pyramid_channels, segmentation_channels
        self.conv1 = spectral_norm(nn.Conv2d(512, pyramid, 1))
        self.skips = nn.ModuleList(nn.Conv2d(width, pyramid, 1) for width in (256, 128, 64))
        self.doubles = nn.ModuleList(DySample(pyramid, 2, 4) for _ in range(3))
        self.segments = nn.ModuleList(Segmentation(segments, doublings) for doublings in (3, 2, 1, 0))
        self.convblk = nn.Sequential(
            spectral_norm(nn.Conv2d(segments * 4, segments * 4, 1, bias=False)),
            nn.GroupNorm(8, segments * 4),
            nn.Mish(inplace=True),
        )
        self.attention = LinearAttention(segments * 4)
        self.final_conv = spectral_norm(nn.Conv2d(segments * 4, class_num, 1))
        self.dropout = nn.Dropout2d(dropout, inplace=True)
        self.dysample: Any = DySample(6, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        c1 = self.stem(x)
        c2 = self.layers[0](self.pool(c1))
        c3 = self.layers[1](c2)
        c4 = self.layers[2](c3)
        c5 = self.layers[3](c4)
        levels = [self.conv1(c5)]
        for double, conv, skip in zip(self.doubles, self.skips, (c4, c3, c2), strict=True):
            x = double(levels[-1])
            levels.append(x + conv(skip))
        parts = [segment(level) for segment, level in zip(self.segments, levels, strict=True)]
        feat = self.convblk(torch.cat(parts, dim=1))
        out = self.dropout(self.attention(feat) + feat)
        result: Tensor = self.dysample(self.final_conv(out))
        return result
