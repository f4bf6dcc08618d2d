# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 Jeongsoo Kim
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""LMLT: low-to-high window attention on four levels of a pyramid of channels.

Source: the-database/traiNNer-redux, traiNNer/archs/lmlt_arch.py (330de267).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.window_vit import WINDOW_SIDE, WindowViT
from trainlint_zoo.blocks.attention.windows import UpsampleOneStep
from trainlint_zoo.blocks.sampling import PlainNorm, cropped, padded

BUILDERS = {
    "trainner-redux:lmlt": "LMLT",
    "trainner-redux:lmlt_tiny": ("LMLT", {"dim": 36}),
    "trainner-redux:lmlt_base": ("LMLT", {"dim": 60}),
    "trainner-redux:lmlt_large": ("LMLT", {"dim": 84}),
}

LEVELS = 4


class LHSB(nn.Module):
    """A quarter of the channels per level, from the coarsest up; each hands its result to the next."""

    def __init__(self, dim: int, attn_drop: float, drop: float) -> None:
        super().__init__()
        self.mfr = nn.ModuleList(WindowViT(dim // LEVELS, attn_drop, drop) for _ in range(LEVELS))
        self.aggr = nn.Conv2d(dim, dim, 1)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2:]
        parts = x.chunk(LEVELS, dim=1)
        levels = [parts[0]]
        levels += [F.adaptive_max_pool2d(parts[i], (h // 2**i, w // 2**i)) for i in range(1, LEVELS)]
        out = []
        for i in reversed(range(LEVELS)):
            s = self.mfr[i](levels[i])
            larger = F.interpolate(s, size=(s.shape[2] * 2, s.shape[3] * 2), mode="nearest")
            if i > 0:
                levels[i - 1] = levels[i - 1] + larger
            out.append(F.interpolate(s, size=(h, w), mode="nearest"))
        mixed = self.aggr(torch.cat(out, dim=1))
        result: Tensor = self.act(mixed) * x
        return result


class AttBlock(nn.Module):
    """The pyramid and a convolutional feed-forward network after channel norms."""

    def __init__(self, dim: int, scale: float, attn_drop: float, drop: float) -> None:
        super().__init__()
        self.norm1 = PlainNorm(dim)
        self.norm2 = PlainNorm(dim)
        self.lhsb = LHSB(dim, attn_drop, drop)
        hidden = int(dim * scale)
        self.ccm = nn.Sequential(nn.Conv2d(dim, hidden, 3, 1, 1), nn.GELU(), nn.Conv2d(hidden, dim, 1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.lhsb(self.norm1(x)) + x
        out: Tensor = self.ccm(self.norm2(x)) + x
        return out


class LMLT(nn.Module):
    """Blocks in a long residual on an image padded to multiples of 64."""

    def __init__(
        self,
        *,
        dim: Positive,
        n_blocks: Positive = 8,
        ffn_scale: float = 2.0,
        scale: Positive = 4,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,  # noqa: ARG002  the published blocks ignore it too
    ) -> None:
        super().__init__()
        self.to_feat = nn.Conv2d(3, dim, 3, 1, 1)
        self.feats = nn.Sequential(
            *(AttBlock(dim, ffn_scale, attn_drop_rate, drop_rate) for _ in range(n_blocks))
        )
        self.to_img = UpsampleOneStep(scale, dim, 3)

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, WINDOW_SIDE * 2 ** (LEVELS - 1))
        x = self.to_feat(x)
        x = self.feats(x) + x
        out: Tensor = self.to_img(cropped(x, height, width))
        return out
