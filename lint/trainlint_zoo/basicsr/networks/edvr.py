# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""EDVR: deformable alignment of a window of frames to its centre, fused by attention or one convolution.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/edvr_arch.py.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.alignment.frame_alignment import (
    WIDTH,
    Aligned,
    TSAFusion,
    conv,
    doubled,
    lrelu,
    refuse,
    trunk,
)
from trainlint_zoo.blocks.residual import ResidualBlockNoBN

BUILDERS = {"EDVR": "EDVR"}


class PredeblurModule(nn.Module):
    """A pyramid of three levels that deblurs; a full-size input is first made four times smaller."""

    def __init__(self, num_feat: int, hr_in: bool) -> None:
        super().__init__()
        self.hr_in = hr_in
        self.conv_first = conv(3, num_feat)
        if hr_in:
            self.stride_conv_hr1 = conv(num_feat, num_feat, 2)
            self.stride_conv_hr2 = conv(num_feat, num_feat, 2)
        self.stride_conv_l2, self.stride_conv_l3 = conv(num_feat, num_feat, 2), conv(num_feat, num_feat, 2)
        self.resblock_l3 = ResidualBlockNoBN(num_feat)
        self.resblock_l2_1, self.resblock_l2_2 = ResidualBlockNoBN(num_feat), ResidualBlockNoBN(num_feat)
        self.resblock_l1 = nn.ModuleList([ResidualBlockNoBN(num_feat) for _ in range(5)])
        self.upsample, self.lrelu = doubled(), lrelu()

    def forward(self, x: Tensor) -> Tensor:
        feat: Tensor = self.lrelu(self.conv_first(x))
        if self.hr_in:
            feat = self.lrelu(self.stride_conv_hr1(feat))
            feat = self.lrelu(self.stride_conv_hr2(feat))
        level2 = self.lrelu(self.stride_conv_l2(feat))
        level3 = self.lrelu(self.stride_conv_l3(level2))
        level3 = self.upsample(self.resblock_l3(level3))
        level2 = self.resblock_l2_1(level2) + level3
        level2 = self.upsample(self.resblock_l2_2(level2))
        for index, block in enumerate(self.resblock_l1):
            feat = block(feat)
            if index == 1:
                feat = feat + level2
        return feat


class EDVR(Aligned):
    """(b, num_frame, 3, h, w) -> the centre frame, (b, 3, 4h, 4w), or (b, 3, h, w) with `hr_in`."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,  # noqa: ARG002  three channels come out, whatever it says
        num_feat: Positive = 64,
        num_frame: Positive = 5,
        deformable_groups: Positive = 8,
        num_extract_block: int = 5,
        num_reconstruct_block: int = 10,
        center_frame_idx: int | None = None,
        hr_in: bool = False,
        with_predeblur: bool = False,
        with_tsa: bool = True,
        scale: int | None = None,
    ) -> None:
        super().__init__()
        refuse(scale, "EDVR")
        self.center = num_frame // 2 if center_frame_idx is None else center_frame_idx
        self.hr_in, self.with_predeblur, self.with_tsa = hr_in, with_predeblur, with_tsa
        if with_predeblur:
            self.predeblur, self.conv_1x1 = PredeblurModule(num_feat, hr_in), nn.Conv2d(num_feat, num_feat, 1)
        else:
            self.conv_first = conv(num_in_ch, num_feat)
        self.add_pyramid(num_feat, num_extract_block, deformable_groups)
        self.fusion: nn.Module = (
            TSAFusion(num_feat, num_frame, self.center)
            if with_tsa
            else nn.Conv2d(num_frame * num_feat, num_feat, 1)
        )
        self.reconstruction = trunk(num_reconstruct_block, num_feat)
        self.upconv1, self.upconv2 = conv(num_feat, num_feat * 4), conv(num_feat, WIDTH * 4)
        self.pixel_shuffle = nn.PixelShuffle(2)
        self.conv_hr, self.conv_last = conv(WIDTH, WIDTH), conv(WIDTH, 3)
        self.lrelu = lrelu()

    def forward(self, x: Tensor) -> Tensor:
        b, _, c, h, w = x.shape
        multiple = 16 if self.hr_in else 4
        if h % multiple or w % multiple:
            raise ValueError(f"height and width must be multiples of {multiple}")
        center = x[:, self.center].contiguous()
        levels = self.pyramid(self._first(x.view(-1, c, h, w)), b)
        aligned, _clones = self.align(levels)
        if not self.with_tsa:
            aligned = aligned.view(b, -1, *aligned.shape[3:])
        return self._reconstruct(self.fusion(aligned), center)

    def _first(self, frames: Tensor) -> Tensor:
        out: Tensor
        if self.with_predeblur:
            out = self.conv_1x1(self.predeblur(frames))
        else:
            out = self.lrelu(self.conv_first(frames))
        return out

    def _reconstruct(self, feat: Tensor, center: Tensor) -> Tensor:
        out: Tensor = self.reconstruction(feat)
        out = self.lrelu(self.pixel_shuffle(self.upconv1(out)))
        out = self.lrelu(self.pixel_shuffle(self.upconv2(out)))
        out = self.lrelu(self.conv_hr(out))
        out = self.conv_last(out)
        out += (
            center
            if self.hr_in
            else F.interpolate(center, scale_factor=4, mode="bilinear", align_corners=False)
        )
        return out
