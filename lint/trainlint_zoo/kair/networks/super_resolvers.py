# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""KAIR's super-resolvers: MSRResNet0, SRMD, DPSR's prior, IMDN and RRDB.

Source: cszn/KAIR fc1732f, models/basicblock.py and
models/network_{msrresnet,srmd,dpsr,imdn,rrdb}.py.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.dense import RESIDUAL
from trainlint_zoo.blocks.letters import ResBlock, Shortcut, activated, conv_act, layers, up, ups

BUILDERS = {
    "kair:msrresnet0": "MSRResNet0",
    "kair:srmd": "SRMD",
    "kair:dpsr": "dpsr",
    "kair:imdn": "IMDN",
    "kair:rrdb": "RRDB",
}


class SRMD(nn.Module):
    """A chain of convolutions on an image stretched by its blur's and noise's maps; enlarged at the end."""

    def __init__(
        self,
        *,
        in_nc: Positive = 19,
        out_nc: Positive = 3,
        nc: Positive = 128,
        nb: Positive = 12,
        upscale: Literal[2, 3, 4] = 4,
        act_mode: str = "R",
        upsample_mode: Literal["upconv", "pixelshuffle", "convtranspose"] = "pixelshuffle",
    ) -> None:
        super().__init__()
        body = [layer for _ in range(nb - 2) for layer in layers(f"C{activated(act_mode)}", nc, nc)]
        self.model = nn.Sequential(
            *layers(f"C{act_mode[-1]}", in_nc, nc), *body, *up(upsample_mode, nc, out_nc, upscale)
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out


class MSRResNet0(nn.Module):
    """Residual blocks in one long shortcut, then upsampling."""

    def __init__(
        self,
        *,
        in_nc: Positive = 3,
        out_nc: Positive = 3,
        nc: Positive = 64,
        nb: Positive = 16,
        upscale: Positive = 4,
        act_mode: str = "R",
        upsample_mode: Literal["upconv", "pixelshuffle", "convtranspose"] = "upconv",
    ) -> None:
        super().__init__()
        body = [*(ResBlock(nc, f"C{act_mode}C") for _ in range(nb)), *layers("C", nc, nc)]
        upper = ups(upsample_mode, nc, upscale, act_mode)
        tail = [*layers(f"C{act_mode}", nc, nc), *layers("C", nc, out_nc, bias=False)]
        self.model = nn.Sequential(*layers("C", in_nc, nc), Shortcut(nn.Sequential(*body)), *upper, *tail)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out


def dpsr(
    *,
    in_nc: Positive = 4,
    out_nc: Positive = 3,
    nc: Positive = 96,
    nb: Positive = 16,
    upscale: Positive = 4,
    act_mode: str = "R",
    upsample_mode: Literal["upconv", "pixelshuffle", "convtranspose"] = "upconv",
) -> nn.Module:
    """Return DPSR's prior: MSRResNet0 on an image and its noise map."""
    return MSRResNet0(
        in_nc=in_nc, out_nc=out_nc, nc=nc, nb=nb, upscale=upscale, act_mode=act_mode,
        upsample_mode=upsample_mode,
    )  # fmt: skip


class IMDBlock(nn.Module):
    """Four convolutions; of the first three a quarter of the channels goes straight to the end."""

    def __init__(self, nc: int, act: str, share: float = 0.25) -> None:
        super().__init__()
        self.kept = int(nc * share)
        self.passed = nc - self.kept
        self.conv1 = conv_act(nc, nc, act)
        self.conv2 = conv_act(self.passed, nc, act)
        self.conv3 = conv_act(self.passed, nc, act)
        self.conv4 = conv_act(self.passed, self.kept, "")
        self.conv1x1 = nn.Conv2d(self.kept * 4, nc, 1)

    def forward(self, x: Tensor) -> Tensor:
        d1, r1 = torch.split(self.conv1(x), [self.kept, self.passed], dim=1)
        d2, r2 = torch.split(self.conv2(r1), [self.kept, self.passed], dim=1)
        d3, r3 = torch.split(self.conv3(r2), [self.kept, self.passed], dim=1)
        d4 = self.conv4(r3)
        res: Tensor = self.conv1x1(torch.cat((d1, d2, d3, d4), dim=1))
        return x + res


class IMDN(nn.Module):
    """Distillation blocks in one long shortcut; enlarged at once."""

    def __init__(
        self,
        *,
        in_nc: Positive = 3,
        out_nc: Positive = 3,
        nc: Positive = 64,
        nb: Positive = 8,
        upscale: Literal[2, 3, 4] = 4,
        act_mode: str = "L",
        upsample_mode: Literal["upconv", "pixelshuffle"] = "pixelshuffle",
    ) -> None:
        super().__init__()
        body = [*(IMDBlock(nc, activated(act_mode)) for _ in range(nb)), *layers("C", nc, nc)]
        self.model = nn.Sequential(
            *layers("C", in_nc, nc),
            Shortcut(nn.Sequential(*body)),
            *up(upsample_mode, nc, out_nc, upscale),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out


class DenseBlock(nn.Module):
    """Five convolutions, each on all before; the last one's output is scaled in place."""

    def __init__(self, nc: int, grow: int, act: str) -> None:
        super().__init__()
        self.conv1 = conv_act(nc, grow, act)
        self.conv2 = conv_act(nc + grow, grow, act)
        self.conv3 = conv_act(nc + 2 * grow, grow, act)
        self.conv4 = conv_act(nc + 3 * grow, grow, act)
        self.conv5 = conv_act(nc + 4 * grow, nc, act[:-1])

    def forward(self, x: Tensor) -> Tensor:
        x1 = self.conv1(x)
        x2 = self.conv2(torch.cat((x, x1), 1))
        x3 = self.conv3(torch.cat((x, x1, x2), 1))
        x4 = self.conv4(torch.cat((x, x1, x2, x3), 1))
        x5: Tensor = self.conv5(torch.cat((x, x1, x2, x3, x4), 1))
        return x5.mul_(RESIDUAL) + x


class DenseBlocks(nn.Module):
    """Three dense blocks in a residual, scaled in place."""

    def __init__(self, nc: int, grow: int, act: str) -> None:
        super().__init__()
        self.RDB1 = DenseBlock(nc, grow, act)
        self.RDB2 = DenseBlock(nc, grow, act)
        self.RDB3 = DenseBlock(nc, grow, act)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.RDB3(self.RDB2(self.RDB1(x)))
        return out.mul_(RESIDUAL) + x


class RRDB(nn.Module):
    """ESRGAN's generator as KAIR first wrote it; `gc` is read and not used (32 always)."""

    def __init__(
        self,
        *,
        in_nc: Positive = 3,
        out_nc: Positive = 3,
        nc: Positive = 64,
        nb: Positive = 23,
        gc: Positive = 32,  # noqa: ARG002 - the published network ignores it too
        upscale: Positive = 4,
        act_mode: str = "L",
        upsample_mode: Literal["upconv", "pixelshuffle", "convtranspose"] = "upconv",
    ) -> None:
        super().__init__()
        body = [*(DenseBlocks(nc, 32, activated(act_mode)) for _ in range(nb)), *layers("C", nc, nc)]
        self.model = nn.Sequential(
            *layers("C", in_nc, nc),
            Shortcut(nn.Sequential(*body)),
            *ups(upsample_mode, nc, upscale, act_mode),
            *layers(f"C{act_mode}", nc, nc),
            *layers("C", nc, out_nc),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.model(x)
        return out
