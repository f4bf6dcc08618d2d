# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: rcan-it authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""traiNNer-redux's RCAN: in-place residual sums, optional mean shift and pixel-unshuffle.

Source: the-database/traiNNer-redux 6862931, traiNNer/archs/rcan_arch.py.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.residual import Upsample

BUILDERS = {
    "trainner-redux:rcan": "RCAN",
    "trainner-redux:rcan_unshuffle": "rcan_unshuffle",
    "trainner-redux:rcan_l": "rcan_l",
    "trainner-redux:rcan_xl": "rcan_xl",
    "trainner-redux:rcan_s": "rcan_s",
}


class CALayer(nn.Module):
    """Scale every channel by a gate computed from its mean."""

    def __init__(self, channel: int, reduction: int) -> None:
        super().__init__()
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.conv_du = nn.Sequential(
            nn.Conv2d(channel, channel // reduction, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channel // reduction, channel, 1),
            nn.Sigmoid(),
        )

    def forward(self, x: Tensor) -> Tensor:
        y = self.avg_pool(x)
        y = self.conv_du(y)
        out: Tensor = x * y
        return out


class Residual(nn.Module):
    """A body whose result takes the input in place."""

    def __init__(self, *body: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(*body)

    def forward(self, x: Tensor) -> Tensor:
        res: Tensor = self.body(x)
        res += x
        return res


def _conv(cin: int, cout: int, kernel: int = 3) -> nn.Conv2d:
    return nn.Conv2d(cin, cout, kernel, padding=kernel // 2)


def _block(width: int, kernel: int, reduction: int) -> nn.Module:
    first, second = _conv(width, width, kernel), _conv(width, width, kernel)
    return Residual(first, nn.ReLU(inplace=True), second, CALayer(width, reduction))


class RCAN(nn.Module):
    """Groups of blocks, one long skip connection, upsampling at the end."""

    def __init__(
        self,
        *,
        scale: Positive = 4,
        n_resgroups: Positive = 10,
        n_resblocks: Positive = 20,
        n_feats: Positive = 64,
        n_colors: Positive = 3,
        rgb_range: float = 255,
        norm: bool = False,
        kernel_size: Positive = 3,
        reduction: Positive = 16,
        res_scale: float = 1,  # noqa: ARG002  not used there either
        act_mode: str = "relu",
        unshuffle_mod: bool = False,
    ) -> None:
        super().__init__()
        if act_mode != "relu":
            raise CannotTraceError(f"RCAN with the activation {act_mode} is not modeled")
        self.scale = scale
        self.range = rgb_range if norm else 1
        self.sub_mean = nn.Conv2d(3, 3, 1) if norm else nn.Identity()
        self.add_mean = nn.Conv2d(3, 3, 1) if norm else nn.Identity()
        self.shrink = 4 // scale if unshuffle_mod and scale <= 2 else 1
        first = _conv(n_colors * self.shrink**2, n_feats, kernel_size)
        self.head = nn.Sequential(*([nn.PixelUnshuffle(self.shrink)] if self.shrink > 1 else []), first)
        groups = [
            Residual(
                *(_block(n_feats, kernel_size, reduction) for _ in range(n_resblocks)),
                _conv(n_feats, n_feats, kernel_size),
            )
            for _ in range(n_resgroups)
        ]
        self.body = nn.Sequential(*groups, _conv(n_feats, n_feats, kernel_size))
        up = Upsample(4 if self.shrink > 1 else scale, n_feats)
        self.tail = nn.Sequential(up, _conv(n_feats, n_colors, kernel_size))

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        right, down = -width % self.shrink, -height % self.shrink
        if right or down:
            x = F.pad(x, (0, right, 0, down), "reflect")
        x *= self.range
        x = self.sub_mean(x)
        x = self.head(x)
        res = self.body(x)
        res += x
        x = self.tail(res)
        x = self.add_mean(x)
        return (x / self.range)[:, :, : height * self.scale, : width * self.scale]


def rcan_unshuffle(*, scale: Positive = 4, norm: bool = False) -> nn.Module:
    """Return RCAN that shrinks its input at scales 1 and 2."""
    return RCAN(scale=scale, norm=norm, unshuffle_mod=True)


def rcan_l(*, scale: Positive = 4, norm: bool = False, unshuffle_mod: bool = True) -> nn.Module:
    """Return RCAN with 96 channels."""
    return RCAN(scale=scale, n_feats=96, norm=norm, unshuffle_mod=unshuffle_mod)


def rcan_xl(*, scale: Positive = 4, norm: bool = False, unshuffle_mod: bool = True) -> nn.Module:
    """Return RCAN with 96 channels, 12 groups of 24 blocks."""
    return RCAN(
        scale=scale, n_feats=96, n_resgroups=12, n_resblocks=24, norm=norm, unshuffle_mod=unshuffle_mod
    )


def rcan_s(*, scale: Positive = 4, norm: bool = False, unshuffle_mod: bool = True) -> nn.Module:
    """Return RCAN with 48 channels, 8 groups of 16 blocks."""
    return RCAN(
        scale=scale, n_feats=48, n_resgroups=8, n_resblocks=16, norm=norm, unshuffle_mod=unshuffle_mod
    )
