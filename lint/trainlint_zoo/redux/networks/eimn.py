# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2024 liux520
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""EIMN: multi-order large kernels, and a feed-forward network with a spatial gate and an attention.

Source: the-database/traiNNer-redux, traiNNer/archs/eimn_arch.py (6980a149).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.attention.windows import UpsampleOneStep, drop_path, rising
from trainlint_zoo.blocks.sampling import PlainNorm

BUILDERS = {
    "trainner-redux:eimn": "EIMN",
    "trainner-redux:eimn_l": "eimn_l",
    "trainner-redux:eimn_a": "eimn_a",
}


class DFFM(nn.Module):
    """A weight per pixel times a weight per channel."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        narrow = int(dim * 0.25)
        self.norm = PlainNorm(dim)
        self.global_reduce = nn.Conv2d(dim, narrow, 1)
        self.local_reduce = nn.Conv2d(dim, narrow, 1)
        self.act_fn = nn.GELU()
        self.channel_expand = nn.Conv2d(narrow, dim, 1)
        self.spatial_expand = nn.Conv2d(narrow * 2, 1, 1)
        self.gate_fn = nn.Sigmoid()

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        x = self.norm(x)
        x_global = self.act_fn(self.global_reduce(F.adaptive_avg_pool2d(x, 1)))
        x_local = self.act_fn(self.local_reduce(x))
        c_attn = self.gate_fn(self.channel_expand(x_global))
        spread = x_global.expand(len(x), -1, x.shape[2], x.shape[3])
        s_attn = self.gate_fn(self.spatial_expand(torch.cat([x_local, spread], dim=1)))
        attn = c_attn * s_attn
        out: Tensor = identity * attn
        return out


class SADFFM(nn.Module):
    """A gated feed-forward network and the attention above."""

    def __init__(self, dim: int, ratio: float, drop: float) -> None:
        super().__init__()
        hidden = int(dim * ratio)
        self.linear_in = nn.Conv2d(dim, hidden * 2, 1)
        self.SAL = nn.Conv2d(hidden * 2, hidden * 2, 3, 1, 1, groups=hidden * 2)
        self.linear_out = nn.Conv2d(hidden, dim, 1)
        self.DFFM = DFFM(dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x: Tensor) -> Tensor:
        x = self.linear_in(x)
        x1, x2 = self.SAL(x).chunk(2, dim=1)
        x = F.gelu(x1) * x2
        x = self.linear_out(x)
        x = self.DFFM(x)
        out: Tensor = self.drop(x)
        return out


class MOLRCM(nn.Module):
    """Three eighths, one eighth and half of the channels through kernels of three reaches."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.parts = first, _, last = [dim * 3 // 8, dim // 8, dim // 2]
        self.region = nn.Conv2d(dim, dim, 5, padding=2, groups=dim)
        self.spatial_1 = nn.Conv2d(first, first, 5, padding=4, groups=first, dilation=2)
        self.spatial_2 = nn.Conv2d(last, last, 7, padding=9, groups=last, dilation=3)
        self.fusion = nn.Conv2d(dim, dim, 1)
        self.proj_value = nn.Conv2d(dim, dim, 1)
        self.proj_query = nn.Sequential(nn.Conv2d(dim, dim, 1), nn.GELU())
        self.out = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        value = self.proj_value(x)
        query = self.proj_query(x)
        query = self.region(query)
        first, middle, last = torch.split(query, self.parts, dim=1)
        first, last = self.spatial_1(first), self.spatial_2(last)
        fused = self.fusion(torch.cat([first, middle, last], dim=1))
        out = fused.mul_(fused.sigmoid())
        result: Tensor = self.out(out * value)
        return result


class EIMNBlock(nn.Module):
    """Both parts after batch norms, each in a scaled residual."""

    def __init__(self, dim: int, ratio: float, drop: float, path: float) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(dim)
        self.attn = MOLRCM(dim)
        self.drop_path = drop_path(path)
        self.norm2 = nn.BatchNorm2d(dim)
        self.mlp = SADFFM(dim, ratio, drop)
        self.layer_scale_1 = nn.Parameter(torch.empty(dim))
        self.layer_scale_2 = nn.Parameter(torch.empty(dim))

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layer_scale_1[:, None, None], self.layer_scale_2[:, None, None]
        x = x + self.drop_path(first * self.attn(self.norm1(x)))
        out: Tensor = x + self.drop_path(second * self.mlp(self.norm2(x)))
        return out


class EIMN(nn.Module):
    """Stages with a layer norm after each, in a long residual."""

    def __init__(
        self,
        *,
        embed_dims: Positive = 64,
        scale: Positive = 2,
        depths: Positive = 1,
        mlp_ratios: float = 2.66,
        drop_rate: float = 0.0,
        drop_path_rate: float = 0.0,
        num_stages: Positive = 16,
        freeze_param: bool = False,
    ) -> None:
        super().__init__()
        rates = rising(drop_path_rate, [depths] * num_stages)
        self.head = nn.Sequential(nn.Conv2d(3, embed_dims, 3, 1, 1))
        self.tail = UpsampleOneStep(scale, embed_dims, 3)
        self.stages = nn.ModuleList(
            nn.Sequential(*(EIMNBlock(embed_dims, mlp_ratios, drop_rate, rate) for rate in stage))
            for stage in rates
        )
        self.norms = nn.ModuleList(nn.LayerNorm(embed_dims) for _ in rates)
        if freeze_param:
            self.requires_grad_(False)
            self.tail.requires_grad_(True)

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(x)
        identity = x
        for stage, norm in zip(self.stages, self.norms, strict=True):
            x = stage(x)
            x = x.permute(0, 2, 3, 1)
            x = norm(x)
            x = x.permute(0, 3, 1, 2).contiguous()
        out: Tensor = self.tail(identity + x)
        return out


def eimn_l(*, scale: Positive = 2) -> nn.Module:
    """Return EIMN with 16 stages."""
    return EIMN(scale=scale)


def eimn_a(*, scale: Positive = 2) -> nn.Module:
    """Return EIMN with 14 stages."""
    return EIMN(scale=scale, num_stages=14)
