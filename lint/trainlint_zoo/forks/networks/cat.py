# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 CAT Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""CAT: attention inside rectangles, half of the channels in upright and half in lying ones.

Source: zhengchen1999/CAT 89cbfc88, basicsr/archs/cat_arch.py (CAT-A: axial, CAT-R: regular).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.checkpoint import checkpoint

from trainlint.signature import Positive
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean
from trainlint_zoo.blocks.windows import (
    BernoulliDropPath,
    Mlp,
    Reconstruction,
    connection,
    image,
    rising,
    tokens,
)

BUILDERS = {"CAT": "CAT"}

AXIAL, REGULAR = "CATB_axial", "CATB_regular"


@dataclass(frozen=True, slots=True)
class Options:
    """What one block is made of; a rectangle's long side of 0 is the image's."""

    dim: int
    heads: int
    side: int  # of the square image that masks are stored for
    short: int
    long: int
    shifted: bool
    ratio: float
    qkv_bias: bool
    qk_scale: float | None
    drop: float
    attn_drop: float
    drop_path: float

    def rectangle(self, branch: int, size: tuple[int, int]) -> tuple[int, int]:
        """Return (height, width) of a branch's windows; axial ones reach across the whole image."""
        if self.long == 0:
            return (size[0], self.short) if branch == 0 else (self.short, size[1])
        return (self.short, self.long) if branch == 0 else (self.long, self.short)

    def shift(self, branch: int) -> tuple[int, int]:
        """Return by how much a branch's windows move down and right."""
        if not self.shifted:
            return 0, 0
        if self.long == 0:
            return (0, self.short // 2) if branch == 0 else (self.short // 2, 0)
        down, right = self.short // 2, self.long // 2
        return (down, right) if branch == 0 else (right, down)

    def _moves(self, branch: int) -> dict[int, int]:
        """Return dimension -> shift of (b, h, w, c); axial windows move one way only."""
        return {dim: by for dim, by in enumerate(self.shift(branch), start=1) if by or self.long}

    def rolled(self, qkv: Tensor, branch: int) -> Tensor:
        """Move a branch's half of the channels up and left: (3, b, h, w, c) -> (3, b, h w, c)."""
        moves = self._moves(branch)
        moved = torch.roll(qkv, [-by for by in moves.values()], [dim + 1 for dim in moves])
        return moved.view(3, qkv.shape[1], -1, qkv.shape[4])

    def unrolled(self, x: Tensor, branch: int) -> Tensor:
        """Move a branch's result back: (b, h, w, c)."""
        moves = self._moves(branch)
        return torch.roll(x, list(moves.values()), list(moves))

    def mask(self, branch: int, size: tuple[int, int]) -> Tensor:
        """Return room for a branch's mask, (windows, n, n); built on the CPU and copied over."""
        high, wide = self.rectangle(branch, size)
        if high > size[0] or wide > size[1]:
            raise ValueError(f"windows of {high}x{wide} do not fit into an image of {size[0]}x{size[1]}")
        windows = (size[0] // high) * (size[1] // wide)
        return torch.empty(windows, high * wide, high * wide)


class PositionBias(nn.Module):
    """A small network that turns every relative position into a bias per head."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        width = dim // 4
        self.pos_proj = nn.Linear(2, width)
        self.pos1 = self._layer(width, width)
        self.pos2 = self._layer(width, width)
        self.pos3 = self._layer(width, heads)

    @staticmethod
    def _layer(width: int, out: int) -> nn.Sequential:
        return nn.Sequential(nn.LayerNorm(width), nn.ReLU(inplace=True), nn.Linear(width, out))

    def forward(self, biases: Tensor) -> Tensor:
        return self.pos3(self.pos2(self.pos1(self.pos_proj(biases))))  # type: ignore[no-any-return]


def positions(h: int, w: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return all relative positions in a window (floats) and, for each pair of tokens, which it is."""
    span = torch.arange(1 - h, h, device=device), torch.arange(1 - w, w, device=device)
    biases = torch.stack(torch.meshgrid(*span, indexing="ij"))
    biases = biases.flatten(1).transpose(0, 1).contiguous().float()
    span = torch.arange(h, device=device), torch.arange(w, device=device)
    coords = torch.flatten(torch.stack(torch.meshgrid(*span, indexing="ij")), 1)
    relative = coords[:, :, None] - coords[:, None, :]
    relative = relative.permute(1, 2, 0).contiguous()
    relative[:, :, 0] += h - 1
    relative[:, :, 1] += w - 1
    relative[:, :, 0] *= 2 * w - 1
    return biases, relative.sum(-1)


class RectangleAttention(nn.Module):
    """Attention of one branch; scores are materialised."""

    def __init__(self, options: Options, branch: int) -> None:
        super().__init__()
        self.options, self.branch = options, branch
        self.dim, self.heads = options.dim // 2, options.heads // 2
        self.scale = options.qk_scale or (self.dim // self.heads) ** -0.5
        self.pos = PositionBias(self.dim // 4, self.heads)
        if options.long:
            h, w = options.rectangle(branch, (0, 0))
            biases, index = positions(h, w, torch.device("meta"))
            self.register_buffer("rpe_biases", biases)
            self.register_buffer("relative_position_index", index)
        self.attn_drop = nn.Dropout(options.attn_drop)

    def windows(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        """(b, h w, c) -> (b x windows, heads, n, c / heads)."""
        b, _, c = x.shape
        (h, w), (high, wide) = size, self.options.rectangle(self.branch, size)
        x = x.transpose(-2, -1).contiguous().view(b, c, h, w)
        x = x.view(b, c, h // high, high, w // wide, wide)
        x = x.permute(0, 2, 4, 3, 5, 1).contiguous().reshape(-1, high * wide, c)
        return x.reshape(-1, high * wide, self.heads, c // self.heads).permute(0, 2, 1, 3).contiguous()

    def forward(self, qkv: Tensor, size: tuple[int, int], mask: Tensor | None) -> Tensor:
        """(3, b, h w, c) -> (b, h, w, c)."""
        q, k, v = qkv[0], qkv[1], qkv[2]
        b, _, c = q.shape
        (h, w), (high, wide) = size, self.options.rectangle(self.branch, size)
        q, k, v = self.windows(q, size), self.windows(k, size), self.windows(v, size)
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        biases, index = self._positions(high, wide, attn.device)
        pos = self.pos(biases)
        n = high * wide
        bias = pos[index.view(-1)].view(n, n, -1)
        bias = bias.permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            attn = attn.view(b, mask.shape[0], self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        attn = F.softmax(attn, dim=-1, dtype=attn.dtype)
        attn = self.attn_drop(attn)
        x = attn @ v
        x = x.transpose(1, 2).reshape(-1, n, c)
        x = x.view(b, h // high, w // wide, high, wide, -1)
        return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)  # type: ignore[no-any-return]

    def _positions(self, high: int, wide: int, device: torch.device) -> tuple[Tensor, Tensor]:
        if self.options.long:
            return self.get_buffer("rpe_biases"), self.get_buffer("relative_position_index")
        return positions(high, wide, device)


class Block(nn.Module):
    """Both branches, a depthwise convolution of the values beside them, and an MLP.

    What `forward` names lives until it returns: at the peak of CAT-R, in the last block's MLP, that is 0.5 %.
    """

    def __init__(self, options: Options) -> None:
        super().__init__()
        dim = options.dim
        self.options = options
        self.qkv = nn.Linear(dim, dim * 3, bias=options.qkv_bias)
        self.norm1 = nn.LayerNorm(dim)
        self.proj = nn.Linear(dim, dim)
        self.attns = nn.ModuleList(RectangleAttention(options, branch) for branch in range(2))
        self.drop_path = BernoulliDropPath(options.drop_path)
        self.mlp = Mlp(dim, int(dim * options.ratio), options.drop)
        self.norm2 = nn.LayerNorm(dim)
        self.get_v = nn.Conv2d(dim, dim, 3, 1, 1, groups=dim)
        for branch in range(2):
            size = (options.side, options.side)
            mask = options.mask(branch, size) if options.shifted else None
            self.register_buffer(f"attn_mask_{branch}", mask)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        b, length, c = x.shape
        img = self.norm1(x)
        qkv = self.qkv(img).reshape(b, -1, 3, c).permute(2, 0, 1, 3)
        v = qkv[2].transpose(-2, -1).contiguous().view(b, c, *size)
        options = self.options
        if options.shifted:
            qkv = qkv.view(3, b, *size, c)
            halves = [options.rolled(qkv[..., : c // 2], 0), options.rolled(qkv[..., c // 2 :], 1)]
            found = [self.attns[n](halves[n], size, self.stored(n, size, x.device)) for n in range(2)]
            back = [options.unrolled(each, n) for n, each in enumerate(found)]
            parts = [each.view(b, length, c // 2).contiguous() for each in back]
        else:
            back = [
                self.attns[0](qkv[..., : c // 2], size, None),
                self.attns[1](qkv[..., c // 2 :], size, None),
            ]
            parts = [each.view(b, length, c // 2).contiguous() for each in back]
        attended = torch.cat(parts, dim=2)
        lcm = self.get_v(v)
        lcm = lcm.permute(0, 2, 3, 1).contiguous().view(b, length, c)
        attended = attended + lcm
        attended = self.proj(attended)
        x = x + self.drop_path(attended)
        return x + self.drop_path(self.mlp(self.norm2(x)))  # type: ignore[no-any-return]

    def stored(self, branch: int, size: tuple[int, int], device: torch.device) -> Tensor:
        """Return the branch's mask: the stored one, or a new one where the image has another size."""
        if size == (self.options.side, self.options.side):
            return self.get_buffer(f"attn_mask_{branch}")
        return self.options.mask(branch, size).to(device)


class Group(nn.Module):
    """Blocks and a convolution in a residual."""

    def __init__(self, blocks: Iterable[nn.Module], dim: int, resi_connection: str, use_chk: bool) -> None:
        super().__init__()
        self.use_chk = use_chk
        self.blocks = nn.ModuleList(blocks)
        self.conv = connection(dim, resi_connection)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        res = x
        for block in self.blocks:
            x = checkpoint(block, x, size, use_reentrant=True) if self.use_chk else block(x, size)
        x = image(x, size)
        x = self.conv(x)
        x = tokens(x)
        return res + x


class Tokens(nn.Module):
    """An image as tokens."""

    def forward(self, x: Tensor) -> Tensor:
        return tokens(x)


class Grouped(Reconstruction):
    """Tokens, groups, and an image again."""

    before_RG: nn.Module  # noqa: N815  the published name
    layers: nn.ModuleList
    norm: nn.Module

    def deep(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        x = self.before_RG(x)
        for layer in self.layers:
            x = layer(x, size)
        x = self.norm(x)
        return image(x, size)


class CAT(Grouped):
    """Convolution, groups of rectangle attention, pixel shuffle or none."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        in_chans: Positive = 3,
        embed_dim: Positive = 180,
        depth: list[int] = (2, 2, 2, 2),  # type: ignore[assignment]
        split_size_0: list[int] = (0, 0, 0, 0),  # type: ignore[assignment]
        split_size_1: list[int] = (0, 0, 0, 0),  # type: ignore[assignment]
        num_heads: list[int] = (2, 2, 2, 2),  # type: ignore[assignment]
        mlp_ratio: float = 4.0,
        qkv_bias: bool = True,
        qk_scale: float | None = None,
        drop_rate: float = 0.0,
        attn_drop_rate: float = 0.0,
        drop_path_rate: float = 0.1,
        use_chk: bool = False,
        upscale: Positive = 2,
        img_range: float = 1.0,
        resi_connection: str = "1conv",
        upsampler: str | None = "",
        block_name: str = AXIAL,
        **_: object,
    ) -> None:
        super().__init__()
        if block_name not in {AXIAL, REGULAR}:
            raise ValueError(f'block_name must be {AXIAL} or {REGULAR}, is "{block_name}"')
        self.img_range = img_range
        self.mean = image_mean(RGB_MEAN if in_chans == 3 else None)
        self.conv_first = nn.Conv2d(in_chans, embed_dim, 3, 1, 1)
        self.before_RG = nn.Sequential(Tokens(), nn.LayerNorm(embed_dim))
        self.layers = nn.ModuleList()
        rest = (mlp_ratio, qkv_bias, qk_scale, drop_rate, attn_drop_rate)
        for i, rates in enumerate(rising(drop_path_rate, depth)):
            short, long = split_size_0[i], split_size_1[i] if block_name == REGULAR else 0
            if short < 1 or (block_name == REGULAR and long < 1):
                raise ValueError(f"the windows of group {i} are {short}x{split_size_1[i]}")
            shape = (embed_dim, num_heads[i], img_size, short, long)
            blocks = [Block(Options(*shape, bool(n % 2), *rest, rate)) for n, rate in enumerate(rates)]
            self.layers.append(Group(blocks, embed_dim, resi_connection, use_chk))
        self.norm = nn.LayerNorm(embed_dim)
        self.conv_after_body = connection(embed_dim, resi_connection)
        self.add_head(embed_dim, in_chans, upscale, "pixelshuffle" if upsampler == "pixelshuffle" else "")
