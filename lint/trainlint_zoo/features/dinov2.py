# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: Meta Platforms, Inc. and affiliates (DINOv2)
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DINOv2's ViT-B/14 as a frozen feature extractor: neosr's loss network.

Images are padded by reflection to whole patches; the first eight blocks' normalized patch features are
returned as maps, yet all twelve blocks run.
Source: neosr's fdl_loss (pokepress/neosr 00cb24c2, neosr/losses/fdl_loss.py), facebookresearch/dinov2
027a9ac3 (dinov2/models/vision_transformer.py, vit_base with patch 14 and 518 px). Attention is fused, as in
the code that torch.hub fetches today (main of 2025), or with xformers before.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.features.vgg import image_statistic

BUILDERS: dict[str, str] = {}

WIDTH, HEADS, DEPTH, PATCH, GRID = 768, 12, 12, 14, 37


class Scale(nn.Module):
    """LayerScale: one factor per channel."""

    def __init__(self) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class Attention(nn.Module):
    """Fused attention over all tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, WIDTH * 3)
        self.proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        q, k, v = (t.transpose(1, 2) for t in self.qkv(x).reshape(b, n, 3, HEADS, c // HEADS).unbind(2))
        x = F.scaled_dot_product_attention(q, k, v)
        return cast("Tensor", self.proj(x.transpose(1, 2).reshape(b, n, c)))


class Block(nn.Module):
    """Attention and MLP, each normalized before and scaled after."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.attn, self.ls1 = nn.LayerNorm(WIDTH, eps=1e-6), Attention(), Scale()
        self.norm2, self.ls2 = nn.LayerNorm(WIDTH, eps=1e-6), Scale()
        self.mlp = nn.Sequential(nn.Linear(WIDTH, WIDTH * 4), nn.GELU(), nn.Linear(WIDTH * 4, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + cast("Tensor", self.ls2(self.mlp(self.norm2(x))))


class DinoV2(nn.Module):
    """x (n, 3, h, w) -> eight maps (n, 768, ceil(h / 14), ceil(w / 14))."""

    def __init__(self, layers: int = 8, norm: bool = False) -> None:
        super().__init__()
        self.layers, self.normalize = layers, norm
        self.widths = [WIDTH] * layers
        self.cls_token = nn.Parameter(torch.empty(1, 1, WIDTH))
        self.pos_embed = nn.Parameter(torch.empty(1, GRID**2 + 1, WIDTH))
        self.mask_token = nn.Parameter(torch.empty(1, WIDTH))
        self.patch_embed = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.register_buffer("layer_weights", torch.empty(layers, 1, 1))
        if norm:
            self.register_buffer("mean", image_statistic())
            self.register_buffer("std", image_statistic())
        self.requires_grad_(False).eval()

    def forward(self, x: Tensor) -> list[Tensor]:
        if self.normalize:
            x = (x - self.get_buffer("mean")) / self.get_buffer("std")
        high, wide = -x.shape[2] % PATCH, -x.shape[3] % PATCH
        if high or wide:
            x = F.pad(x, (wide // 2, wide - wide // 2, high // 2, high - high // 2), mode="reflect")
        rows, columns = x.shape[2] // PATCH, x.shape[3] // PATCH
        x, taken = self.tokens(x), []
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index < self.layers:
                taken.append(x)
        outputs = [self.norm(out) for out in taken]
        maps = [
            out[:, 1:].reshape(len(out), rows, columns, WIDTH).permute(0, 3, 1, 2).contiguous()
            for out in outputs
        ]
        weights = self.get_buffer("layer_weights")
        return [out * weight for out, weight in zip(maps, weights, strict=True)]

    def tokens(self, x: Tensor) -> Tensor:
        """Return the patches with their class token and the positions, interpolated to this size."""
        rows, columns = x.shape[2] // PATCH, x.shape[3] // PATCH
        x = self.patch_embed(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls_token.expand(len(x), -1, -1), x), dim=1)
        grid = self.pos_embed[:, 1:].reshape(1, GRID, GRID, WIDTH).permute(0, 3, 1, 2)
        patches = F.interpolate(grid, size=(rows, columns), mode="bicubic").permute(0, 2, 3, 1)
        return x + torch.cat((self.pos_embed[:, :1], patches.reshape(1, -1, WIDTH)), dim=1)
