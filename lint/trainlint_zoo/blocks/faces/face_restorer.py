# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2021 THL A29 Limited, a Tencent company
# SPDX-License-Identifier: MIT AND Apache-2.0

"""A U-Net whose finest features condition a generator of faces.

Source: TencentARC/GFPGAN (gfpgan 1.3.8), gfpgan/archs/gfpganv1_arch.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

from trainlint_zoo.blocks.faces.stylegan2 import EqualConv2d, ScaledLeakyReLU, Synthesis

WIDTH_RATIO = 0.5
"""The U-Net's width next to the decoder's."""


class Conditioned(Synthesis):
    """A generator with conditions: styles or latents, and a scale and a shift for every side; inherited."""

    style_mlp: nn.Sequential

    def decode(self, style: Tensor, conditions: Sequence[Tensor], latent: bool, half: bool) -> Tensor:
        """(b, styles) or (b, num_latent, styles) -> (b, 3, out_size, out_size)."""
        styles = style if latent else self.style_mlp(style)
        repeated = styles.unsqueeze(1).repeat(1, self.num_latent, 1) if styles.ndim < 3 else styles
        return self.synthesise(repeated, conditions, half)


def condition(cin: int, cout: int) -> nn.Sequential:
    """Return the layers that make a scale or a shift."""
    last = EqualConv2d(cin, cout, 3, bias=True)
    return nn.Sequential(EqualConv2d(cin, cin, 3, bias=True), ScaledLeakyReLU(), last)


@dataclass(frozen=True, slots=True)
class Kit:
    """The layers that a version is made of: each takes the channels it reads and makes."""

    conv: Callable[[int, int, int], nn.Module]  # and the kernel's side
    down: Callable[[int, int], nn.Module]
    up: Callable[[int, int], nn.Module]
    rgb: Callable[[int], nn.Module]
    linear: Callable[[int, int], nn.Module]
    condition: Callable[[int, int], nn.Module]


class FaceRestorer(nn.Module):
    """(b, 3, out_size, out_size) -> the same, and an image of every side with `return_rgb`; inherited."""

    latent: bool
    different: bool
    sft_half: bool

    def assemble(self, kit: Kit, out_size: int, channels: Mapping[int, int], styles: int) -> None:
        """Register the U-Net; `styles` numbers make one style."""
        sides = [2**level for level in range(3, int(math.log2(out_size)) + 1)]
        self.style = styles
        self.conv_body_first = kit.conv(3, channels[sides[-1]], 1)
        self.conv_body_down, self.conv_body_up = nn.ModuleList(), nn.ModuleList()
        for side in reversed(sides):
            self.conv_body_down.append(kit.down(channels[side], channels[side // 2]))
        self.final_conv = kit.conv(channels[4], channels[4], 3)
        for side in sides:
            self.conv_body_up.append(kit.up(channels[side // 2], channels[side]))
        self.toRGB = nn.ModuleList([kit.rgb(channels[side]) for side in sides])
        outputs = styles * ((len(sides) + 2) * 2 - 2 if self.different else 1)
        self.final_linear = kit.linear(channels[4] * 4 * 4, outputs)

    def add_decoder(
        self, decoder: Conditioned, fixed: bool, kit: Kit, out_size: int, channels: Mapping[int, int]
    ) -> None:
        """Register the decoder and its conditions."""
        self.stylegan_decoder = decoder
        self.stylegan_decoder.requires_grad_(not fixed)
        sides = [2**level for level in range(3, int(math.log2(out_size)) + 1)]
        wide = 1 if self.sft_half else 2
        self.condition_scale, self.condition_shift = (
            nn.ModuleList([kit.condition(channels[s], channels[s] * wide) for s in sides]) for _ in range(2)
        )

    def forward(self, x: Tensor, return_rgb: bool = True) -> tuple[Tensor, list[Tensor]]:
        conditions: list[Tensor] = []
        skips: list[Tensor] = []
        images: list[Tensor] = []
        feat = self.conv_body_first(x)
        for down in self.conv_body_down:
            feat = down(feat)
            skips.insert(0, feat)
        feat = self.final_conv(feat)
        style = self.final_linear(feat.view(feat.size(0), -1))
        if self.different:
            style = style.view(style.size(0), -1, self.style)
        for index, up in enumerate(self.conv_body_up):
            feat = feat + skips[index]
            feat = up(feat)
            scale = self.condition_scale[index](feat)
            conditions.append(scale.clone())
            shift = self.condition_shift[index](feat)
            conditions.append(shift.clone())
            if return_rgb:
                images.append(self.toRGB[index](feat))
        return self.stylegan_decoder.decode(style, conditions, self.latent, self.sft_half), images
