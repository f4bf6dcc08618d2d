# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""KAIR's building blocks: a layer per letter, residuals, the three ways up and the three ways down.

Source: cszn/KAIR fc1732f, models/basicblock.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

NEAREST_LETTERS = {2: "U", 3: "u", 4: "v"}
"""The letter of a nearest up-sampling by so much."""


def layers(mode: str, cin: int, cout: int, kernel: int = 3, stride: int = 1, **conv: Any) -> list[nn.Module]:
    """Return KAIR's B.conv: one layer per letter of `mode` (C convolution, B norm, R ReLU ...)."""
    padding, bias = conv.get("padding", 1), conv.get("bias", True)
    made: list[nn.Module] = []
    for letter in mode:
        match letter:
            case "C":
                made.append(nn.Conv2d(cin, cout, kernel, stride, padding, bias=bias))
            case "T":
                made.append(nn.ConvTranspose2d(cin, cout, kernel, stride, padding, bias=bias))
            case "B":
                made.append(nn.BatchNorm2d(cout, momentum=0.9, eps=1e-04))
            case "I":
                made.append(nn.InstanceNorm2d(cout, affine=True))
            case "R" | "r":
                made.append(nn.ReLU(inplace=letter == "R"))
            case "L" | "l":
                made.append(nn.LeakyReLU(0.2, inplace=letter == "L"))
            case "2" | "3" | "4":
                made.append(nn.PixelShuffle(int(letter)))
            case "U" | "u" | "v":
                made.append(nn.Upsample(scale_factor={"U": 2, "u": 3, "v": 4}[letter], mode="nearest"))
            case _:
                raise NotImplementedError(f'layer "{letter}" in mode "{mode}"')
    return made


def conv_act(cin: int, cout: int, act: str) -> nn.Module:
    """Return a 3x3 convolution and what follows it: bare where nothing does."""
    made = layers(f"C{act}", cin, cout)
    return nn.Sequential(*made) if act else made[0]


def activated(mode: str) -> str:
    """Return an activation mode that has an activation; ValueError for another."""
    if "R" not in mode and "L" not in mode:
        raise ValueError(f'act_mode "{mode}" has no activation, expected R, L, BR, BL, IR or IL')
    return mode


class ResBlock(nn.Module):
    """Layers in a residual."""

    def __init__(self, nc: int, mode: str, *, bias: bool = True) -> None:
        super().__init__()
        self.res = nn.Sequential(*layers(mode, nc, nc, bias=bias))

    def forward(self, x: Tensor) -> Tensor:
        res: Tensor = self.res(x)
        return x + res


class Shortcut(nn.Module):
    """A module's output added to its input."""

    def __init__(self, sub: nn.Module) -> None:
        super().__init__()
        self.sub = sub

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.sub(x)
        return out


def up(kind: str, cin: int, cout: int, step: int, act: str = "", *, bias: bool = True) -> list[nn.Module]:
    """Return the layers that enlarge an image `step` times."""
    match kind:
        case "upconv":
            return layers(f"{NEAREST_LETTERS[step]}C{act}", cin, cout, bias=bias)
        case "pixelshuffle":
            return layers(f"C{step}{act}", cin, cout * step**2, bias=bias)
        case "convtranspose":
            return layers(f"T{act}", cin, cout, step, step, padding=0, bias=bias)
    raise NotImplementedError(f'upsample mode "{kind}"')


def ups(kind: str, nc: int, upscale: int, act: str) -> list[nn.Module]:
    """Return the layers that enlarge by 3 once, or by 2 as often as a power of two asks for."""
    steps = [3] if upscale == 3 else [2] * (upscale.bit_length() - 1)
    return [layer for step in steps for layer in up(kind, nc, nc, step, act)]


def down(kind: str, cin: int, cout: int, *, bias: bool = True) -> list[nn.Module]:
    """Return the layers that halve an image; the one behind a maximum is not padded."""
    match kind:
        case "strideconv":
            return layers("C", cin, cout, 2, 2, padding=0, bias=bias)
        case "maxpool":
            return [nn.MaxPool2d(2, 2), *layers("C", cin, cout, padding=0, bias=bias)]
        case "avgpool":
            return [nn.AvgPool2d(2, 2), *layers("C", cin, cout, bias=bias)]
    raise NotImplementedError(f'downsample mode "{kind}"')


class ResUNet(nn.Module):
    """Three levels of residual blocks down, as many up; a level's input is added to what comes back."""

    def __init__(
        self,
        in_nc: int,
        out_nc: int,
        *,
        nc: Sequence[int],
        nb: int,
        act_mode: str,
        downsample_mode: str,
        upsample_mode: str,
        bias: bool,
    ) -> None:
        super().__init__()

        def blocks(width: int) -> list[nn.Module]:
            return [ResBlock(width, f"C{act_mode}C", bias=bias) for _ in range(nb)]

        def below(wide: int, narrow: int) -> nn.Module:
            return nn.Sequential(*blocks(wide), *down(downsample_mode, wide, narrow, bias=bias))

        def above(narrow: int, wide: int) -> nn.Module:
            return nn.Sequential(*up(upsample_mode, narrow, wide, 2, bias=bias), *blocks(wide))

        self.m_head = layers("C", in_nc, nc[0], bias=bias)[0]
        self.m_down1 = below(nc[0], nc[1])
        self.m_down2 = below(nc[1], nc[2])
        self.m_down3 = below(nc[2], nc[3])
        self.m_body = nn.Sequential(*blocks(nc[3]))
        self.m_up3 = above(nc[3], nc[2])
        self.m_up2 = above(nc[2], nc[1])
        self.m_up1 = above(nc[1], nc[0])
        self.m_tail = layers("C", nc[0], out_nc, bias=bias)[0]

    def forward(self, x0: Tensor) -> Tensor:
        x1 = self.m_head(x0)
        x2 = self.m_down1(x1)
        x3 = self.m_down2(x2)
        x4 = self.m_down3(x3)
        x = self.m_body(x4)
        x = self.m_up3(x + x4)
        x = self.m_up2(x + x3)
        x = self.m_up1(x + x2)
        out: Tensor = self.m_tail(x + x1)
        return out
