# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 Gabriel Gouvine
# SPDX-FileCopyrightText: 2018 Sanghyun Son
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""NinaSR: residual blocks with a local squeeze-and-excite gate.

Source: 0ZL0/neosr 6c0333df, neosr/archs/ninasr_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive

BUILDERS = {"neosr:ninasr": "NinaSR", "neosr:ninasr_b0": "ninasr_b0", "neosr:ninasr_b2": "ninasr_b2"}

STRIDE = 16


class Gate(nn.Module):
    """A gate from local means, enlarged to the image."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.AvgPool2d(2 * STRIDE - 1, stride=STRIDE, padding=STRIDE - 1, count_include_pad=False),
            nn.Conv2d(width, width // 4, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(width // 4, width, 1),
            nn.Sigmoid(),
            nn.Upsample(scale_factor=STRIDE, mode="nearest"),
        )

    def forward(self, x: Tensor) -> Tensor:
        gate = self.body(x)
        if gate.shape != x.shape:
            gate = gate[:, :, : x.shape[2], : x.shape[3]]
        out: Tensor = gate * x
        return out


class Block(nn.Module):
    """Two convolutions with the gate between, in a scaled residual."""

    def __init__(self, width: int, middle: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, middle, 3, padding=1),
            nn.ReLU(inplace=True),
            Gate(middle),
            nn.Conv2d(middle, width, 3, padding=1, bias=False),
        )

    def forward(self, x: Tensor) -> Tensor:
        scale = torch.empty((), device=x.device)  # a tensor there, made with the network
        res: Tensor = self.body(x * scale) * 0.5
        res += x
        return res


class Rescale(nn.Module):
    """A trained number that is added."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(()))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.bias


class NinaSR(nn.Module):
    """Blocks in a long residual between two trained shifts."""

    def __init__(
        self,
        *,
        n_resblocks: Positive = 26,
        n_feats: Positive = 32,
        n_colors: Positive = 3,
        scale: Positive = 4,
        expansion: float = 2.0,
    ) -> None:
        super().__init__()
        middle = int(n_feats * expansion)
        self.head = nn.Sequential(Rescale(), nn.Conv2d(n_colors, n_feats, 3, padding=1, bias=False))
        self.body = nn.Sequential(*(Block(n_feats, middle) for _ in range(n_resblocks)))
        last = nn.Conv2d(n_feats, n_colors * scale**2, 3, padding=1)
        self.tail = nn.Sequential(last, nn.PixelShuffle(scale), Rescale())

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(x)
        res = self.body(x)
        res += x
        out: Tensor = self.tail(res)
        return out


def ninasr_b0(*, scale: Positive = 4, **_: object) -> nn.Module:
    """Return NinaSR-B0."""
    return NinaSR(n_resblocks=10, n_feats=16, scale=scale)


def ninasr_b2(*, scale: Positive = 4, **_: object) -> nn.Module:
    """Return NinaSR-B2."""
    return NinaSR(n_resblocks=84, n_feats=56, scale=scale)
