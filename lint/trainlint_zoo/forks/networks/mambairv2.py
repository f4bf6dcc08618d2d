# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: MambaIR authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""MambaIRv2 and its light version: window attention, then a scan over tokens sorted by what they resemble.

Source: csguoh/MambaIR dfb6653d and 1509232d, basicsr/archs/mambairv2_arch.py and mambairv2light_arch.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
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
from trainlint_zoo.blocks.feed_forwards import ConvFFN, GatedMLP
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean
from trainlint_zoo.blocks.selective_scan import ScanParameters, rank_of

BUILDERS = {"MambaIRv2": "MambaIRv2", "MambaIRv2Light": "MambaIRv2Light"}


@dataclass(frozen=True, slots=True)
class Options:
    """What every layer shares; `heads` alone differs from group to group."""

    dim: int
    state: int
    heads: int
    side: int
    rank: int
    words: int
    ratio: float
    qkv_bias: bool

    @property
    def hidden(self) -> int:
        """Channels inside the scan and the feed-forwards."""
        return int(self.dim * self.ratio)


class WindowAttention(nn.Module):
    """Attention inside windows on ready queries, keys and values; scores are materialized."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.heads, self.side = options.heads, options.side
        self.scale = (options.dim // options.heads) ** -0.5
        self.relative_position_bias_table = nn.Parameter(
            torch.empty((2 * options.side - 1) ** 2, options.heads)
        )
        self.proj = nn.Linear(options.dim, options.dim)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, qkv: Tensor, index: Tensor, mask: Tensor | None) -> Tensor:
        b, n, c3 = qkv.shape
        c = c3 // 3
        qkv = qkv.reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).contiguous()
        q, k, v = qkv[0], qkv[1], qkv[2]
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        bias = self.relative_position_bias_table[index.view(-1)].view(n, n, -1)
        bias = bias.permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            windows = mask.shape[0]
            attn = attn.view(b // windows, windows, self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = self.softmax(attn)
        x = (attn @ v).transpose(1, 2).reshape(b, n, c)
        out: Tensor = self.proj(x)
        return out


class Scan(ScanParameters):
    """One scan over tokens in their order, with a prompt added to its output matrix."""

    def __init__(self, inner: int, state: int) -> None:
        super().__init__(inner, state, rank_of(inner), 1)

    def forward(self, x: Tensor, prompt: Tensor) -> Tensor:
        b, length, c = x.shape
        prompt = prompt.permute(0, 2, 1).contiguous().view(b, 1, self.state, length)
        xs = x.permute(0, 2, 1).view(b, 1, c, length).contiguous()
        y = self.scan(xs, prompt)[0][:, 0]
        return y.permute(0, 2, 1).contiguous()


class AttentiveScan(nn.Module):
    """Sort the tokens by the word of a dictionary that each is routed to, scan them, and put them back."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        dim, hidden = options.dim, options.hidden
        self.selectiveScan = Scan(hidden, options.state)
        self.out_norm = nn.LayerNorm(hidden)
        self.act = nn.SiLU()
        self.out_proj = nn.Linear(hidden, dim)
        self.in_proj = nn.Sequential(nn.Conv2d(dim, hidden, 1))
        self.CPE = nn.Sequential(nn.Conv2d(hidden, hidden, 3, 1, 1, groups=hidden))
        self.embeddingB = nn.Embedding(options.words, options.rank)
        self.route = nn.Sequential(
            nn.Linear(dim, dim // 3), nn.GELU(), nn.Linear(dim // 3, options.words), nn.LogSoftmax(dim=-1)
        )

    def forward(self, x: Tensor, size: tuple[int, int], token: nn.Embedding) -> Tensor:
        b, n, c = x.shape
        full = self.embeddingB.weight @ token.weight
        policy = F.gumbel_softmax(self.route(x), hard=True, dim=-1)
        prompt = torch.matmul(policy, full).view(b, n, full.shape[1])
        word = torch.argmax(policy.detach(), dim=-1, keepdim=False).view(b, n)
        _, order = torch.sort(word, dim=-1, stable=False)
        back = inverse(order)
        x = x.permute(0, 2, 1).reshape(b, c, *size).contiguous()
        x = self.in_proj(x)
        x = x * torch.sigmoid(self.CPE(x))
        x = x.view(b, x.shape[1], -1).contiguous().permute(0, 2, 1)
        semantic = gather_tokens(x, order)
        y = self.selectiveScan(semantic, prompt)
        y = self.out_proj(self.out_norm(y))
        return gather_tokens(y, back)


class Layer(nn.Module):
    """Window attention and the scan, each with a feed-forward and a scaled shortcut."""

    def __init__(self, options: Options, shift: int, feed_forward: Callable[[], nn.Module]) -> None:
        super().__init__()
        dim = options.dim
        self.side, self.shift = options.side, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.norm3, self.norm4 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.scale1, self.scale2 = nn.Parameter(torch.empty(dim)), nn.Parameter(torch.empty(dim))
        self.wqkv = nn.Linear(dim, 3 * dim, bias=options.qkv_bias)
        self.win_mhsa = WindowAttention(options)
        self.assm = AttentiveScan(options)
        self.convffn1, self.convffn2 = feed_forward(), feed_forward()
        self.embeddingA = nn.Embedding(options.rank, options.state)

    def forward(self, x: Tensor, size: tuple[int, int], index: Tensor, mask: Tensor) -> Tensor:
        shortcut = x
        attended, _named = self.attend(self.norm1(x), size, index, mask)
        x_win = attended + shortcut
        x_win = self.convffn1(self.norm2(x_win), size) + x_win
        x = shortcut * self.scale1 + x_win
        shortcut = x
        x_aca = self.assm(self.norm3(x), size, self.embeddingA) + x
        x = x_aca + self.convffn2(self.norm4(x_aca), size)
        return shortcut * self.scale2 + x

    def attend(
        self, x: Tensor, size: tuple[int, int], index: Tensor, mask: Tensor
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Attend inside (shifted) windows; tokens in, tokens out, and what the published code still names."""
        b, n, c = x.shape
        qkv = self.wqkv(x)
        qkv = qkv.reshape(b, *size, 3 * c)
        shifted = torch.roll(qkv, (-self.shift, -self.shift), (1, 2)) if self.shift else qkv
        windows = partition(shifted, self.side)
        windows = windows.view(-1, self.side**2, 3 * c)
        attended = self.win_mhsa(windows, index, mask if self.shift else None)
        attended = attended.view(-1, self.side, self.side, c)
        whole = reverse(attended, self.side, *size)
        back = torch.roll(whole, (self.shift, self.shift), (1, 2)) if self.shift else whole
        return back.view(b, n, c), (shifted, windows, attended, whole)


class Layers(nn.Module):
    """A group's layers (its `residual_group`): every second one shifts its windows."""

    def __init__(self, options: Options, depth: int, feed_forward: Callable[[], nn.Module]) -> None:
        super().__init__()
        shifts = [options.side // 2 if i % 2 else 0 for i in range(depth)]
        self.layers = nn.ModuleList(Layer(options, shift, feed_forward) for shift in shifts)

    def forward(self, x: Tensor, size: tuple[int, int], index: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, size, index, mask)
        return x


class Group(nn.Module):
    """Layers and a convolution in a residual."""

    def __init__(self, layers: Layers, dim: int, resi_connection: str) -> None:
        super().__init__()
        self.residual_group = layers
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int], index: Tensor, mask: Tensor) -> Tensor:
        return tokens(self.conv(image(self.residual_group(x, size, index, mask), size))) + x


class MambaIRv2(Reconstruction):
    """Convolution, groups, one of four upsamplers; the image is mirrored up to whole windows."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        patch_size: Positive = 1,
        in_chans: Positive = 3,
        embed_dim: Positive = 48,
        d_state: Positive = 8,
        depths: Sequence[int] = (6, 6, 6, 6),
        num_heads: Sequence[int] = (4, 4, 4, 4),
        window_size: Positive = 16,
        inner_rank: Positive = 32,
        num_tokens: Positive = 64,
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
        del use_checkpoint  # accepted and never used
        self.img_range, self.side, self.upscale = img_range, window_size, upscale
        self.kernel = convffn_kernel_size
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.patch_embed = TokenNorm(embed_dim, patch_norm)
        if ape:
            self.absolute_pos_embed = nn.Parameter(torch.empty(1, (img_size // patch_size) ** 2, embed_dim))
        index = torch.empty(window_size**2, window_size**2, dtype=torch.int64)
        self.register_buffer("relative_position_index_SA", index)
        self.layers = nn.ModuleList()
        rest = (window_size, inner_rank, num_tokens, mlp_ratio, qkv_bias)
        for i, depth in enumerate(depths):
            options = Options(embed_dim, d_state, num_heads[i], *rest)
            layers = Layers(options, depth, partial(self.feed_forward, options))
            self.layers.append(Group(layers, embed_dim, resi_connection))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, upsampler or "")

    def feed_forward(self, options: Options) -> nn.Module:
        """Return a layer's feed-forward."""
        return ConvFFN(options.dim, options.hidden, self.kernel)

    def deep(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        x = self.patch_embed(x)
        if hasattr(self, "absolute_pos_embed"):
            x = x + self.absolute_pos_embed
        index = self.get_buffer("relative_position_index_SA")
        for layer in self.layers:
            x = layer(x, size, index, self.shift_mask)
        x = self.norm(x)
        return image(x, size)

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[-2:]
        x = torch.cat([x, torch.flip(x, [2])], 2)[:, :, : h - h % -self.side, :]
        x = torch.cat([x, torch.flip(x, [3])], 3)[:, :, :, : w - w % -self.side]
        self.mean = self.mean.type_as(x)
        x = (x - self.mean) * self.img_range
        windows = (x.shape[2] // self.side) * (x.shape[3] // self.side)
        self.shift_mask = torch.empty(windows, self.side**2, self.side**2, device="cpu").to(x.device)
        x = self.reconstruct(x, self.conv_first, self.conv_after_body)
        del self.shift_mask
        x = x / self.img_range + self.mean
        return x[..., : h * self.upscale, : w * self.upscale]


class MambaIRv2Light(MambaIRv2):
    """The same with gated feed-forwards."""

    def feed_forward(self, options: Options) -> nn.Module:
        return GatedMLP(options.dim, options.hidden)
