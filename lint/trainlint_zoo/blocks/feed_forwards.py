# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: MambaIR authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Feed-forwards on tokens that convolve between their linear layers: ConvFFN, and a gated one.

Source: csguoh/MambaIR dfb6653d and 1509232d, basicsr/archs/mambairv2_arch.py and mambairv2light_arch.py;
those of ATD, DAT and DCT are the same.
"""

from __future__ import annotations

from torch import Tensor, nn

from trainlint_zoo.blocks.attention.windows import image

BUILDERS: dict[str, str] = {}

GATE_KERNEL = 5


class DepthwiseTokens(nn.Module):
    """A depthwise convolution over tokens."""

    def __init__(self, hidden: int, kernel: int) -> None:
        super().__init__()
        conv = nn.Conv2d(hidden, hidden, kernel, padding=(kernel - 1) // 2, groups=hidden)
        self.depthwise_conv = nn.Sequential(conv, nn.GELU())

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = image(x, size).contiguous()
        x = self.depthwise_conv(x)
        return x.flatten(2).transpose(1, 2).contiguous()


class ConvFFN(nn.Module):
    """Linear, GELU, a depthwise convolution next to it, linear."""

    def __init__(self, dim: int, hidden: int, kernel: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.dwconv = DepthwiseTokens(hidden, kernel)
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        x = x + self.dwconv(x, size)
        out: Tensor = self.fc2(x)
        return out


class Gate(nn.Module):
    """One half of the channels, convolved depthwise, scales the other."""

    def __init__(self, dim: int, kernel: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.conv = nn.Conv2d(dim, dim, kernel, padding=kernel // 2, groups=dim)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x1, x2 = x.chunk(2, dim=-1)
        shape = (x.shape[0], x.shape[2] // 2, *size)
        x2 = self.conv(self.norm(x2).transpose(1, 2).contiguous().view(shape))
        x2 = x2.flatten(2).transpose(-1, -2).contiguous()
        out: Tensor = x1 * x2
        return out


class GatedMLP(nn.Module):
    """The light version's feed-forward: linear, GELU, gate, linear."""

    def __init__(self, dim: int, hidden: int, kernel: int = GATE_KERNEL) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.sg = Gate(hidden // 2, kernel)
        self.fc2 = nn.Linear(hidden // 2, dim)

    def forward(self, x: Tensor, size: tuple[int, int]) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        x = self.sg(x, size)
        out: Tensor = self.fc2(x)
        return out
