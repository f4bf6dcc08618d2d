# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The zoom23 multispectral ViT autoencoder: cross-band attention, a post-norm transformer, a linear decoder.

Source: darknight-007/dreams-lab-portal, dreams_laboratory/scripts, d920523d (layers and parameter counts).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"zoom23:MultispectralAutoencoder": "MultispectralAutoencoder"}

DECODER_WIDTH = 512  # the script's hidden size is min(512, 512) whatever embed_dim says
TOKEN_WIDTH = 32  # features per token that the decoder's second linear layer predicts


class CrossBandAttention(nn.Module):
    """Self-attention over the patch tokens with a materialized (batch, heads, tokens, tokens) matrix."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.q, self.k, self.v, self.out = (nn.Linear(dim, dim) for _ in range(4))

    def _split(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        return x.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        y = self.norm(x)
        q, k, v = self._split(self.q(y)), self._split(self.k(y)), self._split(self.v(y))
        scores = torch.matmul(q, k.transpose(-2, -1)) / (d // self.heads) ** 0.5
        mixed = torch.matmul(F.softmax(scores, dim=-1), v)
        result: Tensor = x + self.out(mixed.transpose(1, 2).contiguous().view(b, n, d))
        return result


class Encoder(nn.Module):
    """Patch embedding, cross-band block, CLS token, transformer; returns the CLS row (batch, dim)."""

    def __init__(self, img_size: int, patch_size: int, dim: int, heads: int, layers: int) -> None:
        super().__init__()
        tokens = (img_size // patch_size) ** 2
        self.patch_embed = nn.Conv2d(3, dim, patch_size, patch_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, tokens, dim))
        self.cross_band = CrossBandAttention(dim, heads)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, 0.1, "gelu", batch_first=True)
        self.transformer = nn.TransformerEncoder(layer, layers)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x: Tensor) -> Tensor:
        x = self.cross_band(self.patch_embed(x).flatten(2).transpose(1, 2))
        x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], dim=1)
        row = torch.zeros(1, 1, x.shape[2], device=x.device)
        x = x + torch.cat([row, self.pos_embed], dim=1)
        result: Tensor = self.norm(self.transformer(x))[:, 0]
        return result


class Decoder(nn.Module):
    """Linear reconstruction from one CLS vector to (batch, 3, size, size)."""

    def __init__(self, img_size: int, patch_size: int, dim: int) -> None:
        super().__init__()
        self.side, self.patch = img_size // patch_size, patch_size
        self.expand = nn.Sequential(
            nn.Linear(dim, DECODER_WIDTH), nn.LayerNorm(DECODER_WIDTH), nn.GELU(), nn.Dropout(0.1),
            nn.Linear(DECODER_WIDTH, self.side**2 * TOKEN_WIDTH),
        )  # fmt: skip
        self.to_pixels = nn.Sequential(nn.Linear(TOKEN_WIDTH, patch_size * patch_size * 3), nn.GELU())

    def forward(self, x: Tensor) -> Tensor:
        b, n, p = x.shape[0], self.side, self.patch
        x = self.to_pixels(self.expand(x).view(b, n * n, TOKEN_WIDTH))
        x = x.view(b, n, n, p, p, 3).permute(0, 5, 1, 3, 2, 4).contiguous()
        x = x.view(b, 3, n, n, p, p).permute(0, 1, 2, 4, 3, 5).contiguous()
        return torch.sigmoid(x.view(b, 3, n * p, n * p))


class MultispectralAutoencoder(nn.Module):
    """decoder(encoder(x)); x is (batch, 3, img_size, img_size) in [0, 1]."""

    def __init__(
        self,
        img_size: Positive = 256,
        patch_size: Positive = 16,
        embed_dim: Positive = 512,
        num_heads: Positive = 8,
        num_layers: Positive = 6,
    ) -> None:
        super().__init__()
        self.encoder = Encoder(img_size, patch_size, embed_dim, num_heads, num_layers)
        self.decoder = Decoder(img_size, patch_size, embed_dim)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.decoder(self.encoder(x))
        return result
