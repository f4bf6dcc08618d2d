# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: NVIDIA Corporation (pix2pixHD)
# SPDX-License-Identifier: MIT AND Apache-2.0 AND BSD-3-Clause

"""traiNNer-redux's other discriminators: PatchGAN on one scale or three, MetaGAN 2.

Source: the-database/traiNNer-redux, traiNNer/archs (patchgan a5eb04ea, metagan2 18368f45).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.utils import spectral_norm

from trainlint.catalogue.signature import Positive

BUILDERS = {
    "trainner-redux:patchgandiscriminatorsn": "PatchGAN",
    "trainner-redux:multiscalepatchgandiscriminatorsn": "MultiscalePatchGAN",
    "trainner-redux:metagan2": "MetaGan2",
}


class PatchGAN(nn.Module):
    """Strided 4x4 convolutions to a map of logits."""

    def __init__(
        self,
        input_nc: Positive = 3,
        ndf: Positive = 64,
        n_layers: Positive = 3,
        use_sigmoid: bool = False,
    ) -> None:
        super().__init__()
        widths = [ndf]
        for _ in range(n_layers):
            widths.append(min(widths[-1] * 2, 512))
        rows: list[nn.Module] = []
        for index, (cin, cout) in enumerate(pairwise([input_nc, *widths])):
            conv = nn.Conv2d(cin, cout, 4, 2 if index < n_layers else 1, 2)
            rows += [spectral_norm(conv), nn.LeakyReLU(0.2, inplace=True)]
        rows.append(spectral_norm(nn.Conv2d(widths[-1], 1, 4, 1, 2)))
        if use_sigmoid:
            rows.append(nn.Sigmoid())
        self.model = nn.Sequential(*rows)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out


class MultiscalePatchGAN(nn.Module):
    """PatchGANs on the image and its halves; returns one mean logit."""

    def __init__(
        self,
        input_nc: Positive = 3,
        ndf: Positive = 64,
        n_layers: Positive = 3,
        use_sigmoid: bool = False,
        num_d: Positive = 3,
    ) -> None:
        super().__init__()
        self.scales = num_d
        for index in range(num_d):
            self.add_module(f"layer{index}", PatchGAN(input_nc, ndf, n_layers, use_sigmoid).model)
        self.downsample = nn.AvgPool2d(3, stride=2, padding=(1, 1), count_include_pad=False)

    def forward(self, x: Tensor) -> Tensor:
        part = dict(self.named_children())
        scores = []
        small = x
        for index in reversed(range(self.scales)):
            scores.append(part[f"layer{index}"](small).mean())
            if index:
                small = self.downsample(small)
        return torch.mean(torch.stack(scores, dim=0), dim=0)


def _strided(cin: int, cout: int) -> nn.Module:
    return spectral_norm(nn.Conv2d(cin, cout, 3, 2, 1))


class Inception(nn.Module):
    """Depthwise convolutions, square and in two bands, on three eighths of the channels."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        width = int(dim * 0.125)
        self.dwconv_hw = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.dwconv_w = nn.Conv2d(width, width, (1, 11), padding=(0, 5), groups=width)
        self.dwconv_h = nn.Conv2d(width, width, (11, 1), padding=(5, 0), groups=width)
        self.split = [dim - 3 * width, width, width, width]

    def forward(self, x: Tensor) -> Tensor:
        whole, square, wide, high = torch.split(x.permute(0, 3, 1, 2), self.split, dim=1)
        parts = (whole, self.dwconv_hw(square), self.dwconv_w(wide), self.dwconv_h(high))
        return torch.cat(parts, dim=1).permute(0, 2, 3, 1)


class GatedBlock(nn.Module):
    """A gated block of (n, h, w, c) with a scale."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        hidden = int(8 / 3 * dim)
        self.norm = nn.RMSNorm(dim, eps=1e-6)
        self.fc1 = spectral_norm(nn.Linear(dim, hidden * 2))
        self.act = nn.SiLU()
        self.split = [hidden, hidden - dim, dim]
        self.conv = Inception(dim)
        self.fc2 = spectral_norm(nn.Linear(hidden, dim))
        self.gamma = nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x
        x = self.norm(x)
        gate, kept, mixed = torch.split(self.fc1(x), self.split, dim=-1)
        mixed = self.conv(mixed)
        x = self.fc2(self.act(gate) * torch.cat((kept, mixed), dim=-1)) * self.gamma
        return x + shortcut


class Stem(nn.Module):
    """A quarter of the side, then RMSNorm over channels in the last place."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.conv1 = _strided(cin, cout // 2)
        self.act = nn.SiLU()
        self.conv2 = _strided(cout // 2, cout)
        self.norm2 = nn.RMSNorm(cout, eps=1e-6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv1(x)
        x = self.act(x)
        x = self.conv2(x)
        x = x.permute(0, 2, 3, 1)
        out: Tensor = self.norm2(x)
        return out


class Halving(nn.Module):
    """RMSNorm, then half the side, of (n, h, w, c)."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(cin)
        self.conv = _strided(cin, cout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norm(x)
        x = x.permute(0, 3, 1, 2)
        x = self.conv(x)
        return x.permute(0, 2, 3, 1)


class MetaGan2(nn.Module):
    """Four stages of gated blocks; returns (n, h / 32, w / 32, c) logits."""

    def __init__(
        self,
        in_ch: Positive = 3,
        n_class: Positive = 1,
        dims: Sequence[int] = (32, 64, 128, 192),
        blocks: Sequence[int] = (3, 3, 15, 3),
        downs: Sequence[int] = (4, 2, 2, 2),
    ) -> None:
        super().__init__()
        del n_class
        stages = []
        for cin, cout, count, down in zip([in_ch, *dims][:-1], dims, blocks, downs, strict=False):
            entry = Halving(cin, cout) if down == 2 else Stem(cin, cout)
            stages.append(nn.Sequential(entry, *[GatedBlock(cout) for _ in range(count)]))
        self.stages = nn.Sequential(*stages)
        last = dims[len(blocks) - 1]
        self.head = nn.Sequential(
            spectral_norm(nn.Linear(last, last * 4)), nn.Mish(inplace=True), nn.Linear(last * 4, last)
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.stages(x))
        return out
