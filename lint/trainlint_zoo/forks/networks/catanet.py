# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: CATANet authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""CATANet: tokens attend in groups of what they resemble and to learned centres, then in overlapping patches.

The centres are a buffer that every step moves; the first step's own, from the image itself, is not played.
Source: EquationWalker/CATANet as in liu-yii/HIMOSA fbb8b57d, basicsr/archs/catanet_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import image, tokens
from trainlint_zoo.blocks.feed_forwards import ConvFFN

BUILDERS = {"CATANet": "CATANet"}

DIM, KEYS, HIDDEN, HEADS = 40, 36, 96, 4
PATCH_SIDES = (16, 20, 24, 28, 16, 20, 24, 28)
"""Of the patches, block by block."""
OVERLAP = 2
KERNEL = 5


def moved(x: Tensor, centres: Tensor) -> Tensor:
    """Return the means of the (b, n, c) tokens, normalized, that are next to each of the (k, c) centres."""
    b, _, c = x.shape
    count = centres.shape[0]
    _scores = torch.einsum("bld,cd->blc", x, centres)
    _, nearest = torch.max(_scores, dim=-1)
    bins = nearest.new_zeros(b, count)
    bins.scatter_add_(-1, nearest, torch.ones_like(nearest))
    bins = bins.sum(0, keepdim=True)
    empty = bins.long() == 0
    means = nearest.new_zeros(b, count, c, dtype=x.dtype)
    means.scatter_add_(-2, nearest.unsqueeze(-1).expand(-1, -1, c), x)
    means = F.normalize(means.sum(0, keepdim=True), dim=-1).type(x.dtype)
    centres = torch.where(empty.unsqueeze(-1), centres, means)
    return centres.squeeze(0)


def heads_of(x: Tensor) -> Tensor:
    """(..., n, h d) -> (..., h, n, d)."""
    out: Tensor = x.unflatten(-1, (HEADS, -1)).transpose(-2, -3)
    return out


class GroupAttention(nn.Module):
    """Sorted tokens attend to their own and the next group, and to the centres (IASA)."""

    def __init__(self, group: int) -> None:
        super().__init__()
        self.group = group
        self.to_q, self.to_k = nn.Linear(DIM, KEYS, bias=False), nn.Linear(DIM, KEYS, bias=False)
        self.to_v, self.proj = nn.Linear(DIM, DIM, bias=False), nn.Linear(DIM, DIM, bias=False)

    def forward(self, x: Tensor, order: Tensor, k_centres: Tensor, v_centres: Tensor) -> Tensor:
        b, n, _ = x.shape
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        q = torch.gather(q, dim=-2, index=order.expand(q.shape))
        k = torch.gather(k, dim=-2, index=order.expand(k.shape))
        v = torch.gather(v, dim=-2, index=order.expand(v.shape))
        side = min(n, self.group)
        groups = -(-n // side)
        rest = groups * side - n
        queries = torch.cat((q, torch.flip(q[:, n - rest : n, :], dims=[-2])), dim=-2)
        queries = heads_of(queries.unflatten(1, (groups, side)))
        keys = torch.cat((k, torch.flip(k[:, n - rest - side : n, :], dims=[-2])), dim=-2)
        keys = keys.unfold(-2, 2 * side, side)
        keys = heads_of(keys.transpose(-1, -2))
        values = torch.cat((v, torch.flip(v[:, n - rest - side : n, :], dims=[-2])), dim=-2)
        values = values.unfold(-2, 2 * side, side)
        values = heads_of(values.transpose(-1, -2))
        near = F.scaled_dot_product_attention(queries, keys, values)
        k_centres = k_centres.reshape(1, 1, *k_centres.shape).expand(b, groups, -1, -1, -1)
        v_centres = v_centres.reshape(1, 1, *v_centres.shape).expand(b, groups, -1, -1, -1)
        far = F.scaled_dot_product_attention(queries, k_centres, v_centres)
        out = near + far
        out = out.transpose(2, 3).reshape(b, groups * side, DIM)[:, :n, :]
        out = out.scatter(dim=-2, index=order.expand(out.shape), src=out)
        result: Tensor = self.proj(out)
        return result


class Centres(nn.Module):
    """Keys and values of the centres, moved once more with gradients (IRCA)."""

    def __init__(self) -> None:
        super().__init__()
        self.to_k, self.to_v = nn.Linear(DIM, KEYS, bias=False), nn.Linear(DIM, DIM, bias=False)

    def forward(self, x: Tensor, centres: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if self.training:
            centres = moved(F.normalize(x, dim=-1), F.normalize(centres, dim=-1))
        k, v = self.to_k(centres), self.to_v(centres)
        return heads_of(k), heads_of(v), centres.detach()


class PreNorm(nn.Module):
    """Layer normalization before a module."""

    def __init__(self, fn: nn.Module) -> None:
        super().__init__()
        self.norm, self.fn = nn.LayerNorm(DIM), fn

    def forward(self, x: Tensor, *rest: tuple[int, int]) -> Tensor:
        out: Tensor = self.fn(self.norm(x), *rest)
        return out


class AggregationBlock(nn.Module):
    """Tokens are sorted by their nearest centre, attend, and pass a feed-forward (TAB)."""

    def __init__(self, iterations: int, count: int, group: int) -> None:
        super().__init__()
        self.iterations = iterations
        self.norm = nn.LayerNorm(DIM)
        self.mlp = PreNorm(ConvFFN(DIM, HIDDEN, KERNEL))
        self.irca_attn, self.iasa_attn = Centres(), GroupAttention(group)
        self.register_buffer("means", torch.empty(count, DIM))
        self.register_buffer("initted", torch.empty((), dtype=torch.bool))
        self.conv1x1 = nn.Conv2d(DIM, DIM, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        x = tokens(x)
        residual = x
        x = self.norm(x)
        b, n, _ = x.shape
        order = torch.arange(n, device=x.device).reshape(1, n).expand(b, -1)
        centres = self.get_buffer("means").detach()
        if self.training:
            with torch.no_grad():
                for _ in range(self.iterations - 1):
                    centres = moved(F.normalize(x, dim=-1), F.normalize(centres, dim=-1))
        k_centres, v_centres, centres = self.irca_attn(x, centres)
        with torch.no_grad():
            scores = torch.einsum("b i c,j c->b i j", F.normalize(x, dim=-1), F.normalize(centres, dim=-1))
            nearest = torch.argmax(scores, dim=-1)
            index = torch.argsort(nearest, dim=-1)
            order = torch.gather(order, dim=-1, index=index).unsqueeze(-1)
        y = self.iasa_attn(x, order, k_centres, v_centres)
        y = image(y, size).contiguous()
        y = self.conv1x1(y)
        x = residual + tokens(y)
        x = self.mlp(x, size) + x
        if self.training:
            with torch.no_grad():
                self.get_buffer("means").mul_(0.999).add_(centres, alpha=0.001)
        return image(x, size)


class Attention(nn.Module):
    """Attention of all tokens of a patch."""

    def __init__(self) -> None:
        super().__init__()
        self.to_q, self.to_k = nn.Linear(DIM, KEYS, bias=False), nn.Linear(DIM, KEYS, bias=False)
        self.to_v, self.proj = nn.Linear(DIM, DIM, bias=False), nn.Linear(DIM, DIM, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (heads_of(projected) for projected in (self.to_q(x), self.to_k(x), self.to_v(x)))
        out = F.scaled_dot_product_attention(q, k, v)
        out = out.transpose(1, 2).flatten(2)
        result: Tensor = self.proj(out)
        return result


def starts(length: int, side: int) -> list[int]:
    """Return where patches begin: overlapping, the last one at the border."""
    step = side if length == side else side - OVERLAP
    return [min(start, length - side) for start in range(0, length + step - side, step)]


class PatchAttention(nn.Module):
    """Attention in overlapping patches, whose sum is averaged, and a feed-forward (LRSA)."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ModuleList([PreNorm(Attention()), PreNorm(ConvFFN(DIM, HIDDEN, KERNEL))])

    def forward(self, x: Tensor, side: int) -> Tensor:
        b, c, h, w = x.shape
        size = (h, w)
        places = [(top, left) for top in starts(h, side) for left in starts(w, side)]
        cut = torch.stack([x[:, :, top : top + side, left : left + side] for top, left in places], dim=0)
        cut = cut.permute(1, 0, 2, 3, 4).contiguous()
        patches = cut.permute(0, 1, 3, 4, 2).reshape(-1, side**2, c)
        del cut
        attention, feed = self.layer
        patches = attention(patches) + patches
        patches = patches.view(b, len(places), side, side, c).permute(0, 1, 4, 2, 3)
        x = averaged(patches, x, places, side)
        x = tokens(x)
        x = feed(x, size) + x
        return image(x, size)


def averaged(patches: Tensor, x: Tensor, places: list[tuple[int, int]], side: int) -> Tensor:
    """Add (b, n, c, side, side) patches up where they were cut; halve what two of them share."""
    h, w = x.shape[2:]
    step = side - OVERLAP
    out = torch.zeros_like(x)
    for index, (top, left) in enumerate(places):
        out[:, :, top : top + side, left : left + side] += patches[:, index]
    for start in range(step, h + step - side, step):
        out[:, :, min(start, h - side) : start + OVERLAP, :] /= 2
    for start in range(step, w + step - side, step):
        out[:, :, :, min(start, w - side) : start + OVERLAP] /= 2
    return out


class CATANet(nn.Module):
    """Convolution, blocks of both attentions, pixel shuffle, and the enlarged image added."""

    def __init__(
        self,
        *,
        in_chans: Positive = 3,
        n_iters: Sequence[int] = (5, 5, 5, 5, 5, 5, 5, 5),
        num_tokens: Sequence[int] = (16, 32, 64, 128, 16, 32, 64, 128),
        group_size: Sequence[int] = (256, 128, 64, 32, 256, 128, 64, 32),
        upscale: Positive = 4,
        visual_config: object = None,  # noqa: ARG002  cyy1231/BasicSR-Enhanced takes it out before building
    ) -> None:
        super().__init__()
        self.upscale = upscale
        self.first_conv = nn.Conv2d(in_chans, DIM, 3, 1, 1)
        self.blocks, self.mid_convs = nn.ModuleList(), nn.ModuleList()
        for i in range(len(PATCH_SIDES)):
            block = AggregationBlock(n_iters[i], num_tokens[i], group_size[i])
            self.blocks.append(nn.ModuleList([block, PatchAttention()]))
            self.mid_convs.append(nn.Conv2d(DIM, DIM, 3, 1, 1))
        if upscale == 4:
            self.upconv1, self.upconv2 = (nn.Conv2d(DIM, DIM * 4, 3, 1, 1) for _ in range(2))
            self.pixel_shuffle = nn.PixelShuffle(2)
        elif upscale in {2, 3}:
            self.upconv = nn.Conv2d(DIM, DIM * upscale**2, 3, 1, 1)
            self.pixel_shuffle = nn.PixelShuffle(upscale)
        elif upscale != 1:
            raise ValueError(f"upscale {upscale} has no layers, expected 1, 2, 3 or 4")
        self.last_conv = nn.Conv2d(DIM, in_chans, 3, 1, 1)
        self.lrelu = nn.LeakyReLU(0.1, inplace=True)

    def deep(self, x: Tensor) -> Tensor:
        """Return the features of all blocks."""
        for block, conv, side in zip(self.blocks, self.mid_convs, PATCH_SIDES, strict=True):
            aggregation, patches = block.children()
            residual = x
            x = aggregation(x)
            x = patches(x, side)
            x = residual + conv(x)
        return x

    def forward(self, x: Tensor) -> Tensor:
        base = x
        if self.upscale != 1:
            base = F.interpolate(x, scale_factor=self.upscale, mode="bilinear", align_corners=False)
        x = self.first_conv(x)
        x = self.deep(x) + x
        if self.upscale == 4:
            out = self.lrelu(self.pixel_shuffle(self.upconv1(x)))
            out = self.lrelu(self.pixel_shuffle(self.upconv2(out)))
        elif self.upscale == 1:
            out = x
        else:
            out = self.lrelu(self.pixel_shuffle(self.upconv(x)))
        result: Tensor = self.last_conv(out) + base
        return result
