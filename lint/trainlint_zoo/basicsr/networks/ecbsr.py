# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: ECBSR authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ECBSR: edge-oriented blocks, five parallel branches in training, one convolution at inference.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/ecbsr_arch.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive

BUILDERS = {"ECBSR": "ECBSR"}


class Branch(nn.Module):
    """A 1x1 convolution, padding with its own bias, then a 3x3 filter that a subclass gives."""

    def __init__(self, cin: int, cmid: int) -> None:
        super().__init__()
        first = nn.Conv2d(cin, cmid, 1)
        self.k0, self.b0 = first.weight, first.bias

    def forward(self, x: Tensor) -> Tensor:
        y = F.conv2d(x, self.k0, self.b0)
        y = F.pad(y, (1, 1, 1, 1), "constant", 0)
        assert self.b0 is not None  # noqa: S101  the convolution has a bias
        border = self.b0.view(1, -1, 1, 1)
        y[:, :, 0:1, :] = border
        y[:, :, -1:, :] = border
        y[:, :, :, 0:1] = border
        y[:, :, :, -1:] = border
        return self.filter(y)

    def filter(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def dense(self) -> tuple[Tensor, Tensor]:
        """Return the 3x3 filter as (out, mid, 3, 3) and its bias."""
        raise NotImplementedError

    def fused(self) -> tuple[Tensor, Tensor]:
        """Return the weight and bias of the one 3x3 convolution that equals this branch."""
        assert self.b0 is not None  # noqa: S101 - for mypy: the convolution has a bias
        k1, b1 = self.dense()
        weight = F.conv2d(k1, self.k0.permute(1, 0, 2, 3))
        bias = torch.ones(1, k1.shape[1], 3, 3, device=k1.device) * self.b0.view(1, -1, 1, 1)
        return weight, F.conv2d(bias, k1).view(-1) + b1


class ConvBranch(Branch):
    """The branch with a learnt 3x3 convolution."""

    def __init__(self, cin: int, cout: int, cmid: int) -> None:
        super().__init__(cin, cmid)
        second = nn.Conv2d(cmid, cout, 3)
        self.k1, self.b1 = second.weight, second.bias

    def filter(self, y: Tensor) -> Tensor:
        return F.conv2d(y, self.k1, self.b1)

    def dense(self) -> tuple[Tensor, Tensor]:
        assert self.b1 is not None  # noqa: S101 - for mypy: the convolution has a bias
        return self.k1, self.b1


class EdgeBranch(Branch):
    """The branch with a fixed edge mask per channel (Sobel, Laplace), scaled."""

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__(cin, cout)
        self.scale = nn.Parameter(torch.empty(cout, 1, 1, 1))
        self.bias = nn.Parameter(torch.empty(cout))
        self.mask = nn.Parameter(torch.empty(cout, 1, 3, 3), requires_grad=False)

    def filter(self, y: Tensor) -> Tensor:
        return F.conv2d(y, self.scale * self.mask, self.bias, groups=len(self.bias))

    def dense(self) -> tuple[Tensor, Tensor]:
        kernel = self.scale * self.mask
        return torch.diag_embed(kernel.permute(1, 2, 3, 0)).permute(3, 4, 0, 1, 2).squeeze(2), self.bias


class ECB(nn.Module):
    """A plain 3x3 convolution and four branches, summed."""

    def __init__(self, cin: int, cout: int, act_type: str, with_idt: bool) -> None:
        super().__init__()
        self.identity = with_idt and cin == cout
        self.conv3x3 = nn.Conv2d(cin, cout, 3, padding=1)
        self.conv1x1_3x3 = ConvBranch(cin, cout, 2 * cout)
        self.conv1x1_sbx = EdgeBranch(cin, cout)
        self.conv1x1_sby = EdgeBranch(cin, cout)
        self.conv1x1_lpl = EdgeBranch(cin, cout)
        if act_type != "linear":
            self.act = _activation(act_type, cout)

    def forward(self, x: Tensor) -> Tensor:
        y = self._train(x) if self.training else self._infer(x)
        return self.act(y) if hasattr(self, "act") else y

    def _train(self, x: Tensor) -> Tensor:
        y: Tensor = self.conv3x3(x) + self.conv1x1_3x3(x) + self.conv1x1_sbx(x)
        y = y + self.conv1x1_sby(x) + self.conv1x1_lpl(x)
        if self.identity:
            y += x
        return y

    def _infer(self, x: Tensor) -> Tensor:
        weight: Tensor = self.conv3x3.weight
        bias: Any = self.conv3x3.bias
        for branch in (self.conv1x1_3x3, self.conv1x1_sbx, self.conv1x1_sby, self.conv1x1_lpl):
            more, offset = branch.fused()
            weight, bias = weight + more, bias + offset
        return F.conv2d(x, weight, bias, padding=1)


def _activation(name: str, channels: int) -> nn.Module:
    match name:
        case "prelu":
            return nn.PReLU(num_parameters=channels)
        case "relu":
            return nn.ReLU(inplace=True)
        case "rrelu":
            return nn.RReLU(lower=-0.05, upper=0.05)
        case _:
            return nn.Softplus()


class ECBSR(nn.Module):
    """Blocks at input size, the input added to every sub-pixel, one pixel shuffle."""

    def __init__(
        self,
        *,
        num_in_ch: Positive,
        num_out_ch: Positive,
        num_block: Positive,
        num_channel: Positive,
        with_idt: bool,
        act_type: Literal["prelu", "relu", "rrelu", "softplus", "linear"],
        scale: Positive,
    ) -> None:
        super().__init__()
        self.num_in_ch, self.scale = num_in_ch, scale
        widths = [num_in_ch, *[num_channel] * (num_block + 1)]
        blocks = [ECB(a, b, act_type, with_idt) for a, b in pairwise(widths)]
        blocks.append(ECB(num_channel, num_out_ch * scale**2, "linear", with_idt))
        self.backbone = nn.Sequential(*blocks)
        self.upsampler = nn.PixelShuffle(scale)

    def forward(self, x: Tensor) -> Tensor:
        shortcut = torch.repeat_interleave(x, self.scale**2, dim=1) if self.num_in_ch > 1 else x
        y = self.backbone(x) + shortcut
        out: Tensor = self.upsampler(y)
        return out
