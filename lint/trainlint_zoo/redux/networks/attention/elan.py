# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: ELAN authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ELAN: shifted convolutions and attention in windows of three sizes, without a key projection.

Source: the-database/traiNNer-redux, traiNNer/archs/elan_arch.py (28318b60).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.sampling import conv3, cropped, padded
from trainlint_zoo.blocks.shift_conv import ShiftConv2d

BUILDERS = {"trainner-redux:elan": "ELAN", "trainner-redux:elan_light": "elan_light"}

WINDOWS = (4, 8, 16)


class LFE(nn.Sequential):
    """Two shifted convolutions around an in-place ReLU."""

    def __init__(self, dim: int, ratio: int) -> None:
        super().__init__(ShiftConv2d(dim, dim * ratio), nn.ReLU(inplace=True), ShiftConv2d(dim * ratio, dim))


class GMSA(nn.Module):
    """Attention in windows of three sizes; a layer may take over the matrices of the one before."""

    def __init__(self, dim: int, shift: bool, windows: Sequence[int], *, own: bool) -> None:
        super().__init__()
        self.shift, self.windows, self.own = shift, windows, own
        wide = dim * 2 if own else dim
        self.parts = [wide // 3] * 3
        self.project_inp = nn.Sequential(nn.Conv2d(dim, wide, 1), nn.BatchNorm2d(wide))
        self.project_out = nn.Conv2d(dim, dim, 1)

    def forward(self, x: Tensor, attns: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        x = self.project_inp(x)
        ys, kept = [], []
        for index, (part, side) in enumerate(
            zip(torch.split(x, self.parts, dim=1), self.windows, strict=True)
        ):
            if self.shift:
                part = torch.roll(part, shifts=(-side // 2, -side // 2), dims=(2, 3))  # noqa: PLW2901 - `part` is what is attended to, shifted or not
            y, attn = self.attend(part, side, None if self.own else attns[index])
            if self.shift:
                y = torch.roll(y, shifts=(side // 2, side // 2), dims=(2, 3))
            ys.append(y)
            kept.append(attn)
        y = torch.cat(ys, dim=1)
        return self.project_out(y), kept

    def attend(self, x: Tensor, side: int, attn: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the mixed values of (b, c, h, w) and the matrices that mixed them."""
        b, c, h, w = x.shape
        halves = 2 if self.own else 1
        x = x.reshape(b, halves, c // halves, h // side, side, w // side, side)
        x = x.permute(1, 0, 3, 5, 4, 6, 2).reshape(halves, -1, side**2, c // halves)
        v = x[-1]
        if attn is None:
            q = x[0]
            attn = q @ q.transpose(-2, -1)
            attn = attn.softmax(dim=-1)
        y = attn @ v
        y = y.reshape(b, h // side, w // side, side, side, c // halves).permute(0, 5, 1, 3, 2, 4)
        return y.reshape(b, c // halves, h, w), attn


class ELAB(nn.Module):
    """A local and a global part, each in a residual, as often as matrices are shared."""

    def __init__(self, dim: int, ratio: int, shift: bool, windows: Sequence[int], shared: int) -> None:
        super().__init__()
        self.modules_lfe = nn.ModuleList(LFE(dim, ratio) for _ in range(1 + shared))
        self.modules_gmsa = nn.ModuleList(
            GMSA(dim, shift, windows, own=index == 0) for index in range(1 + shared)
        )

    def forward(self, x: Tensor) -> Tensor:
        attns: list[Tensor] = []
        for local, wide in zip(self.modules_lfe, self.modules_gmsa, strict=True):
            x = local(x) + x
            y, attns = wide(x, attns)
            x = y + x
        return x


class ELAN(nn.Module):
    """Blocks in a long residual on an image padded to the windows' least common multiple."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        colors: Positive = 3,
        rgb_range: float = 255,  # noqa: ARG002  a value, not a size
        norm: bool = False,
        window_sizes: list[int] | None = None,
        m_elan: Positive = 36,
        c_elan: Positive = 180,
        n_share: int = 0,
        r_expand: Positive = 2,
    ) -> None:
        super().__init__()
        if norm:
            raise CannotTraceError("ELAN with norm is not modeled")
        windows = window_sizes or WINDOWS
        self.scale, self.side = scale, math.lcm(*windows)
        self.head = conv3(colors, c_elan)
        self.body = nn.Sequential(
            *(
                ELAB(c_elan, r_expand, index % 2 == 1, windows, n_share)
                for index in range(m_elan // (1 + n_share))
            )
        )
        self.tail = nn.Sequential(conv3(c_elan, colors * scale**2), nn.PixelShuffle(scale))

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = padded(x, self.side)
        x = self.head(x)
        res = self.body(x)
        res = res + x
        x = self.tail(res)
        return cropped(x, height * self.scale, width * self.scale)


def elan_light(
    *,
    scale: Positive = 4,
    colors: Positive = 3,
    rgb_range: float = 255,
    norm: bool = False,
    window_sizes: list[int] | None = None,
    m_elan: Positive = 24,
    c_elan: Positive = 60,
    n_share: int = 1,
    r_expand: Positive = 2,
) -> nn.Module:
    """Return the light ELAN: every other layer takes over the matrices."""
    return ELAN(
        scale=scale, colors=colors, rgb_range=rgb_range, norm=norm, window_sizes=window_sizes, m_elan=m_elan,
        c_elan=c_elan, n_share=n_share, r_expand=r_expand,
    )  # fmt: skip
