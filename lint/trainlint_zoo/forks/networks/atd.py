# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: Adaptive-Token-Dictionary authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ATD: window attention, attention to a dictionary of tokens, and attention inside its categories.

Source: LabShuHangGU/Adaptive-Token-Dictionary 6baf4429, basicsr/archs/atd_arch.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.attention_bias import bias_of
from trainlint_zoo.blocks.attention.token_order import gather_tokens
from trainlint_zoo.blocks.attention.windows import (
    Reconstruction,
    TokenNorm,
    connection,
    image,
    inverse,
    partition,
    reverse,
    tokens,
)
from trainlint_zoo.blocks.feed_forwards import ConvFFN
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean

BUILDERS = {"ATD": "ATD"}

RECOMPUTED_GROUPS = 4
"""With use_checkpoint the layers of this many groups are recomputed (fairscale's wrapper where `idx < 4`)."""


Context = tuple[Tensor, Tensor]
"""Index of relative positions and mask of shifted windows; recomputed layers hold on to it as a whole."""


@dataclass(frozen=True, slots=True)
class Options:
    """What every layer shares; `heads` alone differs from group to group."""

    dim: int
    heads: int
    side: int
    category: int
    words: int
    reduced: int
    kernel: int
    ratio: float
    qkv_bias: bool


class WindowAttention(nn.Module):
    """Attention inside windows on ready queries, keys and values; scores are materialized."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.heads = options.heads
        self.scale = (options.dim // options.heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(
            torch.empty((2 * options.side - 1) ** 2, options.heads)
        )
        self.proj = nn.Linear(options.dim, options.dim)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, qkv: Tensor, index: Tensor, mask: Tensor | None) -> Tensor:
        b, n, c3 = qkv.shape
        c = c3 // 3
        qkv = qkv.reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        bias = bias_of(self.relative_position_bias_table, index)
        attn = attn + bias
        if mask is not None:
            windows = mask.shape[0]
            attn = attn.view(b // windows, windows, self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = self.softmax(attn)
        x = (attn @ v).transpose(1, 2).reshape(b, n, c)
        out: Tensor = self.proj(x)
        return out


class DictionaryAttention(nn.Module):
    """Every token attends to the dictionary; returns the result and the similarities."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        dim, bias = options.dim, options.qkv_bias
        self.words = options.words
        self.wq = nn.Linear(dim, options.reduced, bias=bias)
        self.wk = nn.Linear(dim, options.reduced, bias=bias)
        self.wv = nn.Linear(dim, dim, bias=bias)
        self.scale = nn.Parameter(torch.empty(options.words))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x: Tensor, td: Tensor) -> tuple[Tensor, Tensor]:
        b, n, c = x.shape
        q = self.wq(x)
        k = self.wk(td)
        v = self.wv(td)
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        scale = torch.clamp(self.scale, 0, 1)
        attn = attn * (1 + scale * math.log(self.words))
        attn = self.softmax(attn)
        x = (attn @ v).reshape(b, n, c)
        return x, attn


class CategoryAttention(nn.Module):
    """Attention in groups of tokens that are most similar to the same word of the dictionary."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.heads, self.category = options.heads, options.category
        self.proj = nn.Linear(options.dim, options.dim, bias=options.qkv_bias)
        self.logit_scale = nn.Parameter(torch.empty(1, 1))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, qkv: Tensor, similarity: Tensor) -> Tensor:
        b, n, c3 = qkv.shape
        c = c3 // 3
        size = min(n, self.category)
        groups = (n + size - 1) // size
        word = torch.argmax(similarity, dim=-1, keepdim=False)
        values, order = torch.sort(word, dim=-1, stable=False)
        back = inverse(order)
        shuffled = gather_tokens(qkv, order)
        pad = groups * size - n
        padded = torch.cat((shuffled, torch.flip(shuffled[:, n - pad : n, :], dims=[1])), dim=1)
        y = padded.reshape(b, -1, size, c3)
        qkv = y.reshape(b, groups, size, 3, self.heads, c // self.heads).permute(3, 0, 1, 4, 2, 5)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = q @ k.transpose(-2, -1)
        limit = torch.empty((), device="cpu").to(qkv.device)
        attn = attn * torch.clamp(self.logit_scale, max=limit).exp()
        attn = self.softmax(attn)
        y = (attn @ v).permute(0, 1, 3, 2, 4).reshape(b, n + pad, c)[:, :n, :]
        x: Tensor = gather_tokens(y, back)
        x = self.proj(x)
        del values  # as long as the published code names them
        return x


class Layer(nn.Module):
    """The three attentions side by side, a feed-forward, and a refined dictionary for the next layer."""

    def __init__(self, options: Options, shift: int, *, is_last: bool) -> None:
        super().__init__()
        dim = options.dim
        self.side, self.shift, self.is_last = options.side, shift, is_last
        self.softmax, self.sigmoid = nn.Softmax(dim=-1), nn.Sigmoid()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        if not is_last:
            self.norm3 = nn.InstanceNorm1d(options.words, affine=True)
            self.sigma = nn.Parameter(torch.empty(options.words, 1))
        self.wqkv = nn.Linear(dim, 3 * dim, bias=options.qkv_bias)
        self.attn_win = WindowAttention(options)
        self.attn_atd = DictionaryAttention(options)
        self.attn_aca = CategoryAttention(options)
        self.convffn = ConvFFN(dim, int(dim * options.ratio), options.kernel)

    def forward(
        self, x: Tensor, td: Tensor, size: tuple[int, int], context: Context
    ) -> tuple[Tensor, Tensor]:
        (h, w), (index, mask) = size, context
        b, n, c = x.shape
        shortcut = x
        x = self.norm1(x)
        qkv = self.wqkv(x)
        x_atd, similarity = self.attn_atd(x, td)
        x_aca = self.attn_aca(qkv, similarity)
        qkv = qkv.reshape(b, h, w, 3 * c)
        shifted = torch.roll(qkv, (-self.shift, -self.shift), (1, 2)) if self.shift else qkv
        windows = partition(shifted, self.side)
        windows = windows.view(-1, self.side**2, 3 * c)
        attended = self.attn_win(windows, index, mask if self.shift else None)
        attended = attended.view(-1, self.side, self.side, c)
        whole = reverse(attended, self.side, h, w)
        x_win = torch.roll(whole, (self.shift, self.shift), (1, 2)) if self.shift else whole
        x = shortcut + x_win.view(b, n, c) + x_atd + x_aca
        x = x + self.convffn(self.norm2(x), size)
        if not self.is_last:
            soft = self.softmax(self.norm3(similarity.transpose(-1, -2)))
            s = self.sigmoid(self.sigma)
            td = s * td + (1 - s) * torch.einsum("btn,bnc->btc", soft, x.reshape(b, n, c))
        return x, td


class Layers(nn.Module):
    """A group's layers and its dictionary (its `residual_group`); every second layer shifts its windows."""

    def __init__(self, options: Options, depth: int, *, recompute: bool) -> None:
        super().__init__()
        self.recompute = recompute
        half = options.side // 2
        self.layers = nn.ModuleList(
            Layer(options, half * (i % 2), is_last=i == depth - 1) for i in range(depth)
        )
        self.td = nn.Parameter(torch.empty(options.words, options.dim))

    def forward(self, x: Tensor, size: tuple[int, int], context: Context) -> Tensor:
        td = self.td.repeat([x.shape[0], 1, 1])
        for layer in self.layers:
            if self.recompute:
                x, td = checkpoint(layer, x, td, size, context, use_reentrant=True)
            else:
                x, td = layer(x, td, size, context)
        return x


class Group(nn.Module):
    """Layers and a convolution in a residual."""

    def __init__(self, layers: Layers, dim: int, resi_connection: str) -> None:
        super().__init__()
        self.residual_group = layers
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int], context: Context) -> Tensor:
        return tokens(self.conv(image(self.residual_group(x, size, context), size))) + x


class ATD(Reconstruction):
    """Convolution, groups, one of four upsamplers; the image is mirrored up to whole windows."""

    centred = True  # a mean color is taken off the image and put back; copies of ATD can leave that out

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 90,
        depths: Sequence[int] = (6, 6, 6, 6),
        num_heads: Sequence[int] = (6, 6, 6, 6),
        window_size: Positive = 8,
        category_size: Positive = 128,
        num_tokens: Positive = 64,
        reducted_dim: Positive = 4,
        convffn_kernel_size: Positive = 5,
        mlp_ratio: float = 2.0,
        qkv_bias: bool = True,
        ape: bool = False,
        patch_norm: bool = True,
        use_checkpoint: bool = False,
        upscale: Positive = 2,
        img_range: float = 1.0,
        upsampler: str | None = "",
        resi_connection: str = "1conv",
        **_: object,
    ) -> None:
        super().__init__()
        self.img_range, self.side, self.upscale = img_range, window_size, upscale
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, (img_size // patch_size) ** 2, embed_dim))
        index = torch.empty(window_size**2, window_size**2, dtype=torch.int64)
        self.register_buffer("relative_position_index_SA", index)
        self.layers = nn.ModuleList()
        shape = (window_size, category_size, num_tokens, reducted_dim, convffn_kernel_size)
        for i, depth in enumerate(depths):
            options = Options(embed_dim, num_heads[i], *shape, mlp_ratio, qkv_bias)
            layers = Layers(options, depth, recompute=use_checkpoint and i < RECOMPUTED_GROUPS)
            self.layers.append(Group(layers, embed_dim, resi_connection))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler or "")

    def deep(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        x = self.patch_embed(x)
        if hasattr(self, "absolute_pos_embed"):
            x = x + self.absolute_pos_embed
        context = (self.get_buffer("relative_position_index_SA"), self.shift_mask)
        for layer in self.layers:
            x = layer(x, size, context)
        x = self.norm(x)
        return image(x, size)

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[-2:]
        x = torch.cat([x, torch.flip(x, [2])], 2)[:, :, : h - h % -self.side, :]
        x = torch.cat([x, torch.flip(x, [3])], 3)[:, :, :, : w - w % -self.side]
        if self.centred:
            self.mean = self.mean.type_as(x)
            x = (x - self.mean) * self.img_range
        windows = (x.shape[2] // self.side) * (x.shape[3] // self.side)
        self.shift_mask = torch.empty(windows, self.side**2, self.side**2, device="cpu").to(x.device)
        x = self.reconstruct(x, self.conv_first, self.conv_after_body)
        if self.centred:
            x = x / self.img_range + self.mean
        del self.shift_mask
        return x[..., : h * self.upscale, : w * self.upscale]
