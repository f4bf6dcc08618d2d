# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""BasicVSR++: four branches of propagation, each aligned by flow-guided deformable convolution.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/basicvsrpp_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.alignment.deformable import TAPS, ModulatedDeformConv
from trainlint_zoo.blocks.alignment.frame_alignment import WIDTH, ConvResidualBlocks, conv, lrelu
from trainlint_zoo.blocks.alignment.optical_flow import SpyNet, flow_warp

BUILDERS = {"BasicVSRPlusPlus": "BasicVSRPlusPlus"}

BRANCHES = ("backward_1", "forward_1", "backward_2", "forward_2")
GROUPS = 16
SMALLEST_SIDE = 64
"""The network asserts that its low-resolution input has at least so many pixels a side."""

Features = dict[str, list[Tensor]]


class SecondOrderAlignment(ModulatedDeformConv):
    """Offsets around two flows, predicted from warped features; they sample the last two frames' features."""

    def __init__(self, mid: int, magnitude: float) -> None:
        layers = [conv(3 * mid + 4, mid), lrelu(), conv(mid, mid), lrelu(), conv(mid, mid), lrelu()]
        super().__init__(2 * mid, mid, nn.Sequential(*layers, conv(mid, 3 * TAPS * GROUPS)))
        self.magnitude = magnitude

    def forward(self, x: Tensor, extra: Tensor, flow_1: Tensor, flow_2: Tensor) -> Tensor:
        extra = torch.cat([extra, flow_1, flow_2], dim=1)
        out = self.conv_offset(extra)
        first, second, mask = torch.chunk(out, 3, dim=1)
        offset = self.magnitude * torch.tanh(torch.cat((first, second), dim=1))
        offset_1, offset_2 = torch.chunk(offset, 2, dim=1)
        offset_1 = offset_1 + flow_1.flip(1).repeat(1, offset_1.size(1) // 2, 1, 1)
        offset_2 = offset_2 + flow_2.flip(1).repeat(1, offset_2.size(1) // 2, 1, 1)
        offset = torch.cat([offset_1, offset_2], dim=1)
        return self.sample(x, offset, torch.sigmoid(mask))


class BasicVSRPlusPlus(nn.Module):
    """(b, t, 3, h, w) -> (b, t, 3, 4h, 4w), or the input's size where `is_low_res_input` is off."""

    def __init__(
        self,
        *,
        mid_channels: Positive = 64,
        num_blocks: int = 7,
        max_residue_magnitude: float = 10,
        is_low_res_input: bool = True,
        spynet_path: str | None = None,
        cpu_cache_length: int = 100,
    ) -> None:
        super().__init__()
        self.mid, self.low, self.cache_above = mid_channels, is_low_res_input, cpu_cache_length
        self.mirrored = False
        """Whether the clips are mirror-extended (the trainer compares the halves); set by the recipe."""
        self.spynet = SpyNet(spynet_path)
        self.feat_extract = self._extractor()
        self.deform_align, self.backbone = nn.ModuleDict(), nn.ModuleDict()
        for index, branch in enumerate(BRANCHES):
            self.deform_align[branch] = SecondOrderAlignment(mid_channels, max_residue_magnitude)
            self.backbone[branch] = ConvResidualBlocks((2 + index) * mid_channels, mid_channels, num_blocks)
        self.reconstruction = ConvResidualBlocks(5 * mid_channels, mid_channels, 5)
        self.upconv1, self.upconv2 = conv(mid_channels, mid_channels * 4), conv(mid_channels, WIDTH * 4)
        self.pixel_shuffle = nn.PixelShuffle(2)
        self.conv_hr, self.conv_last = conv(WIDTH, WIDTH), conv(WIDTH, 3)
        self.img_upsample = nn.Upsample(scale_factor=4, mode="bilinear", align_corners=False)
        self.lrelu = lrelu()

    def _extractor(self) -> nn.Module:
        blocks = ConvResidualBlocks(3 if self.low else self.mid, self.mid, 5)
        if self.low:
            return blocks
        return nn.Sequential(conv(3, self.mid, 2), lrelu(), conv(self.mid, self.mid, 2), lrelu(), blocks)

    def forward(self, lqs: Tensor) -> Tensor:
        n, t, c, h, w = lqs.shape
        if t > self.cache_above:
            raise NotImplementedError(f"clips of more than {self.cache_above} frames go to host memory")
        small = self._small(lqs)
        self._compare_halves(lqs)
        spatial = self.feat_extract(lqs.view(-1, c, h, w))
        spatial = spatial.view(n, t, *spatial.shape[1:])
        feats: Features = {"spatial": [spatial[:, i] for i in range(t)]}
        if min(small.shape[3:]) < SMALLEST_SIDE:
            raise ValueError(
                f"the low-resolution input must be at least {SMALLEST_SIDE} pixels high and wide"
            )
        flows_forward, flows_backward = self._flows(small)
        for branch in BRANCHES:
            feats[branch] = []
            self._propagate(feats, flows_backward if "backward" in branch else flows_forward, branch)
        return self._upsample(lqs, feats)

    def _small(self, lqs: Tensor) -> Tensor:
        if self.low:
            return lqs.clone()
        n, t, c, h, w = lqs.shape
        small = F.interpolate(lqs.view(-1, c, h, w), scale_factor=0.25, mode="bicubic")
        return small.view(n, t, c, h // 4, w // 4)

    @staticmethod
    def _compare_halves(lqs: Tensor) -> None:
        if lqs.size(1) % 2 == 0:
            first, second = torch.chunk(lqs, 2, dim=1)
            torch.norm(first - second.flip(1))

    def _flows(self, lqs: Tensor) -> tuple[Tensor, Tensor]:
        n, t, c, h, w = lqs.shape
        first = lqs[:, :-1].reshape(-1, c, h, w)
        second = lqs[:, 1:].reshape(-1, c, h, w)
        backward = self.spynet(first, second).view(n, t - 1, 2, h, w)
        if self.mirrored:
            return backward.flip(1), backward
        return self.spynet(second, first).view(n, t - 1, 2, h, w), backward

    def _propagate(self, feats: Features, flows: Tensor, branch: str) -> None:
        """Carry features through the clip in the branch's direction; `feats[branch]` ends in clip order."""
        n, count, _, h, w = flows.shape
        frames = list(range(count + 1))
        steps = list(range(-1, count))
        if "backward" in branch:
            frames.reverse()
            steps = frames
        feat = flows.new_zeros(n, self.mid, h, w)
        for i, frame in enumerate(frames):
            current = feats["spatial"][frame]
            if i and branch in self.deform_align:
                flow_1 = flows[:, steps[i]]
                warped_1 = flow_warp(feat, flow_1.permute(0, 2, 3, 1))
                feat_2, flow_2 = torch.zeros_like(feat), torch.zeros_like(flow_1)
                warped_2 = torch.zeros_like(warped_1)
                if i > 1:
                    feat_2, flow_2 = feats[branch][-2], flows[:, steps[i - 1]]
                    flow_2 = flow_1 + flow_warp(flow_2, flow_1.permute(0, 2, 3, 1))
                    warped_2 = flow_warp(feat_2, flow_2.permute(0, 2, 3, 1))
                extra = torch.cat([warped_1, current, warped_2], dim=1)
                feat = torch.cat([feat, feat_2], dim=1)
                feat = self.deform_align[branch](feat, extra, flow_1, flow_2)
            others = [k for k in feats if k not in ("spatial", branch)]
            inputs = torch.cat([current, *(feats[k][frame] for k in others), feat], dim=1)
            feat = feat + self.backbone[branch](inputs)
            feats[branch].append(feat)
        if "backward" in branch:
            feats[branch].reverse()

    def _upsample(self, lqs: Tensor, feats: Features) -> Tensor:
        outputs = []
        for i in range(lqs.size(1)):
            hr = torch.cat([feats["spatial"][i], *(feats[branch].pop(0) for branch in BRANCHES)], dim=1)
            hr = self.reconstruction(hr)
            hr = self.lrelu(self.pixel_shuffle(self.upconv1(hr)))
            hr = self.lrelu(self.pixel_shuffle(self.upconv2(hr)))
            hr = self.lrelu(self.conv_hr(hr))
            hr = self.conv_last(hr)
            hr += self.img_upsample(lqs[:, i]) if self.low else lqs[:, i]
            outputs.append(hr)
        return torch.stack(outputs, dim=1)
