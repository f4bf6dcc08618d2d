# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 CAT Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""CAT: attention inside rectangles, half of the channels in upright and half in lying ones.

Source: zhengchen1999/CAT 89cbfc88, basicsr/archs/cat_arch.py (CAT-A: axial, CAT-R: regular).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.rectangle_attention import (
    Group,
    Grouped,
    Options,
    RectangleAttention,
    Tokens,
)
from trainlint_zoo.blocks.attention.windows import (
    BernoulliDropPath,
    Mlp,
    connection,
    rising,
)
from trainlint_zoo.blocks.residual import RGB_MEAN, image_mean

BUILDERS = {"CAT": "CAT"}

AXIAL, REGULAR = "CATB_axial", "CATB_regular"


class Block(nn.Module):
    """Both branches, a depthwise convolution of the values next to them, and an MLP.

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
            outputs = [self.attns[n](halves[n], size, self.stored(n, size, x.device)) for n in range(2)]
            back = [options.unrolled(half, n) for n, half in enumerate(outputs)]
            parts = [half.view(b, length, c // 2).contiguous() for half in back]
        else:
            back = [
                self.attns[0](qkv[..., : c // 2], size, None),
                self.attns[1](qkv[..., c // 2 :], size, None),
            ]
            parts = [half.view(b, length, c // 2).contiguous() for half in back]
        attended = torch.cat(parts, dim=2)
        lcm = self.get_v(v)
        lcm = lcm.permute(0, 2, 3, 1).contiguous().view(b, length, c)
        attended = attended + lcm
        attended = self.proj(attended)
        x = x + self.drop_path(attended)
        out: Tensor = x + self.drop_path(self.mlp(self.norm2(x)))
        return out

    def stored(self, branch: int, size: tuple[int, int], device: torch.device) -> Tensor:
        """Return the branch's mask: the stored one, or a new one where the image has another size."""
        if size == (self.options.side, self.options.side):
            return self.get_buffer(f"attn_mask_{branch}")
        return self.options.mask(branch, size).to(device)


class CAT(Grouped):
    """Convolution, groups of rectangle attention, pixel shuffle or none."""

    def __init__(
        self,
        *,
        img_size: Positive = 64,
        in_chans: Positive = 3,
        embed_dim: Positive = 180,
        depth: Sequence[int] = (2, 2, 2, 2),
        split_size_0: Sequence[int] = (0, 0, 0, 0),
        split_size_1: Sequence[int] = (0, 0, 0, 0),
        num_heads: Sequence[int] = (2, 2, 2, 2),
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
