# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: MAN authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""MAN: multi-scale large kernel attention with plain channel norms.

Source: the-database/traiNNer-redux, traiNNer/archs/man_arch.py (433f1d9f).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.sampling import MeanShift, PlainNorm, conv3

BUILDERS = {
    "trainner-redux:man": "MAN",
    "trainner-redux:man_tiny": "man_tiny",
    "trainner-redux:man_light": "man_light",
}


def _depthwise(dim: int, kernel: int, dilation: int = 1) -> nn.Conv2d:
    half = kernel // 2 * dilation
    return nn.Conv2d(dim, dim, kernel, padding=half, groups=dim, dilation=dilation)


def _large(dim: int, first: int, second: int, dilation: int) -> nn.Sequential:
    return nn.Sequential(_depthwise(dim, first), _depthwise(dim, second, dilation), nn.Conv2d(dim, dim, 1))


class GroupGLKA(nn.Module):
    """Three large kernel attentions on a third of the channels each, gated."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        third = dim // 3
        self.norm = PlainNorm(dim)
        self.scale = nn.Parameter(torch.empty(1, dim, 1, 1))
        self.LKA7 = _large(third, 7, 9, 4)
        self.LKA5 = _large(third, 5, 7, 3)
        self.LKA3 = _large(third, 3, 5, 2)
        self.X3 = _depthwise(third, 3)
        self.X5 = _depthwise(third, 5)
        self.X7 = _depthwise(third, 7)
        self.proj_first = nn.Conv2d(dim, 2 * dim, 1)
        self.proj_last = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x.clone()
        x = self.norm(x)
        x = self.proj_first(x)
        a, x = torch.chunk(x, 2, dim=1)
        a_1, a_2, a_3 = torch.chunk(a, 3, dim=1)
        a = torch.cat(
            [self.LKA3(a_1) * self.X3(a_1), self.LKA5(a_2) * self.X5(a_2), self.LKA7(a_3) * self.X7(a_3)],
            dim=1,
        )
        out: Tensor = self.proj_last(x * a) * self.scale + shortcut
        return out


class SGAB(nn.Module):
    """A gate with a 7x7 depthwise convolution."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.Conv1 = nn.Conv2d(dim, 2 * dim, 1)
        self.DWConv1 = _depthwise(dim, 7)
        self.Conv2 = nn.Conv2d(dim, dim, 1)
        self.norm = PlainNorm(dim)
        self.scale = nn.Parameter(torch.empty(1, dim, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x.clone()
        x = self.Conv1(self.norm(x))
        a, x = torch.chunk(x, 2, dim=1)
        x = x * self.DWConv1(a)
        x = self.Conv2(x)
        return x * self.scale + shortcut


class LKAT(nn.Module):
    """The tail of a group: one large kernel attention between 1x1 convolutions."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv0 = nn.Sequential(nn.Conv2d(dim, dim, 1), nn.GELU())
        self.att = _large(dim, 7, 9, 3)
        self.conv1 = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv0(x)
        x = x * self.att(x)
        out: Tensor = self.conv1(x)
        return out


class ResGroup(nn.Module):
    """Blocks and a tail in a residual."""

    def __init__(self, blocks: int, dim: int) -> None:
        super().__init__()
        self.body = nn.ModuleList(nn.Sequential(GroupGLKA(dim), SGAB(dim)) for _ in range(blocks))
        self.body_t = LKAT(dim)

    def forward(self, x: Tensor) -> Tensor:
        res = x.clone()
        for block in self.body:
            res = block(res)
        out: Tensor = self.body_t(res) + x
        return out


class MAN(nn.Module):
    """Groups between mean shifts; with one group no residual goes around it."""

    def __init__(
        self,
        *,
        n_resblocks: Positive = 36,
        n_resgroups: Positive = 1,
        n_colors: Positive = 3,
        n_feats: Positive = 180,
        scale: Positive = 2,
        res_scale: float = 1.0,  # noqa: ARG002  the published network ignores it too
    ) -> None:
        super().__init__()
        self.sub_mean = MeanShift()
        self.head = conv3(n_colors, n_feats)
        self.body = nn.ModuleList(ResGroup(n_resblocks, n_feats) for _ in range(n_resgroups))
        self.body_t = conv3(n_feats, n_feats) if n_resgroups > 1 else None
        self.tail = nn.Sequential(conv3(n_feats, n_colors * scale**2), nn.PixelShuffle(scale))
        self.add_mean = MeanShift()

    def forward(self, x: Tensor) -> Tensor:
        x = self.sub_mean(x)
        x = self.head(x)
        res = x
        for group in self.body:
            res = group(res)
        if self.body_t is not None:
            res = self.body_t(res) + x
        x = self.tail(res)
        out: Tensor = self.add_mean(x)
        return out


def man_tiny(
    *, scale: Positive = 2, n_resgroups: Positive = 1, n_colors: Positive = 3, res_scale: float = 1.0
) -> nn.Module:
    """Return MAN with 5 blocks of 48 channels."""
    return MAN(
        n_resblocks=5, n_feats=48, scale=scale, n_resgroups=n_resgroups, n_colors=n_colors,
        res_scale=res_scale,
    )  # fmt: skip


def man_light(*, scale: Positive = 2, **_ignored: Any) -> nn.Module:
    """Return MAN with 24 blocks of 60 channels."""
    return MAN(n_resblocks=24, n_feats=60, scale=scale)
