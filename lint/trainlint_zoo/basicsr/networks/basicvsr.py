# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""BasicVSR and IconVSR: features carried through a clip backward and forward along the optical flow.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/basicvsr_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.alignment.frame_alignment import (
    WIDTH,
    Aligned,
    ConvResidualBlocks,
    TSAFusion,
    conv,
    lrelu,
    refuse,
)
from trainlint_zoo.blocks.alignment.optical_flow import SpyNet, flow_warp

BUILDERS = {"BasicVSR": "BasicVSR", "IconVSR": "IconVSR"}


class Recurrent(nn.Module):
    """What the recurrent networks share: flows between neighbours and the x4 reconstruction of a frame."""

    spynet: nn.Module
    lrelu: nn.Module

    def add_upsampler(self, num_feat: int) -> None:
        """Add the reconstruction's layers, in the original's order."""
        self.upconv1, self.upconv2 = conv(num_feat, num_feat * 4), conv(num_feat, WIDTH * 4)
        self.conv_hr, self.conv_last = conv(WIDTH, WIDTH), conv(WIDTH, 3)
        self.pixel_shuffle = nn.PixelShuffle(2)

    def get_flow(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(b, n, c, h, w) -> the forward and the backward flows, each (b, n - 1, 2, h, w)."""
        b, n, c, h, w = x.shape
        first = x[:, :-1].reshape(-1, c, h, w)
        second = x[:, 1:].reshape(-1, c, h, w)
        backward = self.spynet(first, second).view(b, n - 1, 2, h, w)
        forward = self.spynet(second, first).view(b, n - 1, 2, h, w)
        return forward, backward

    def enlarge(self, out: Tensor, frame: Tensor) -> tuple[Tensor, Tensor]:
        """Reconstruct one frame, (b, 3, 4h, 4w); also returns what was added, which lives as a local name."""
        out = self.lrelu(self.pixel_shuffle(self.upconv1(out)))
        out = self.lrelu(self.pixel_shuffle(self.upconv2(out)))
        out = self.lrelu(self.conv_hr(out))
        out = self.conv_last(out)
        base = F.interpolate(frame, scale_factor=4, mode="bilinear", align_corners=False)
        out += base
        return out, base


class BasicVSR(Recurrent):
    """(b, n, 3, h, w) -> (b, n, 3, 4h, 4w)."""

    def __init__(
        self,
        num_feat: Positive = 64,
        num_block: int = 15,
        spynet_path: str | None = None,
        scale: int | None = None,
    ) -> None:
        super().__init__()
        refuse(scale, "BasicVSR")
        self.num_feat = num_feat
        self.spynet = SpyNet(spynet_path)
        self.backward_trunk = ConvResidualBlocks(num_feat + 3, num_feat, num_block)
        self.forward_trunk = ConvResidualBlocks(num_feat + 3, num_feat, num_block)
        self.fusion = nn.Conv2d(num_feat * 2, num_feat, 1)
        self.add_upsampler(num_feat)
        self.lrelu = lrelu()

    def fuse(self, backward: Tensor, forward: Tensor) -> Tensor:
        """Join both branches' features of a frame."""
        out: Tensor = self.lrelu(self.fusion(torch.cat([backward, forward], dim=1)))
        return out

    def forward(self, x: Tensor) -> Tensor:
        flows_forward, flows_backward = self.get_flow(x)
        b, n, _, h, w = x.shape
        out: list[Tensor] = []
        feat = x.new_zeros(b, self.num_feat, h, w)
        for i in range(n - 1, -1, -1):
            if i < n - 1:
                feat = flow_warp(feat, flows_backward[:, i].permute(0, 2, 3, 1))
            feat = torch.cat([x[:, i], feat], dim=1)
            feat = self.backward_trunk(feat)
            out.insert(0, feat)
        feat = torch.zeros_like(feat)
        for i in range(n):
            if i > 0:
                feat = flow_warp(feat, flows_forward[:, i - 1].permute(0, 2, 3, 1))
            feat = torch.cat([x[:, i], feat], dim=1)
            feat = self.forward_trunk(feat)
            out[i], _base = self.enlarge(self.fuse(out[i], feat), x[:, i])
        return torch.stack(out, dim=1)


class EDVRFeatureExtractor(Aligned):
    """EDVR up to its fusion, for IconVSR's keyframes."""

    def __init__(self, num_frame: int, num_feat: int) -> None:
        super().__init__()
        self.center = num_frame // 2
        self.conv_first = conv(3, num_feat)
        self.add_pyramid(num_feat, 5, 8)
        self.fusion = TSAFusion(num_feat, num_frame, self.center)
        self.lrelu = lrelu()

    def forward(self, x: Tensor) -> Tensor:
        b, _, c, h, w = x.shape
        levels = self.pyramid(self.lrelu(self.conv_first(x.view(-1, c, h, w))), b)
        aligned, _clones = self.align(levels)
        out: Tensor = self.fusion(aligned)
        return out


class IconVSR(Recurrent):
    """BasicVSR with EDVR features at keyframes and the backward features fed to the forward branch."""

    def __init__(
        self,
        *,
        num_feat: Positive = 64,
        num_block: int = 15,
        keyframe_stride: Positive = 5,
        temporal_padding: int = 2,
        spynet_path: str | None = None,
        edvr_path: str | None = None,  # noqa: ARG002  weights do not shape memory
    ) -> None:
        super().__init__()
        self.num_feat, self.stride, self.padding = num_feat, keyframe_stride, temporal_padding
        self.edvr = EDVRFeatureExtractor(temporal_padding * 2 + 1, num_feat)
        self.spynet = SpyNet(spynet_path)
        self.backward_fusion = conv(2 * num_feat, num_feat)
        self.backward_trunk = ConvResidualBlocks(num_feat + 3, num_feat, num_block)
        self.forward_fusion = conv(2 * num_feat, num_feat)
        self.forward_trunk = ConvResidualBlocks(2 * num_feat + 3, num_feat, num_block)
        self.add_upsampler(num_feat)
        self.lrelu = lrelu()

    def _padded(self, x: Tensor) -> Tensor:
        """Reflect the right and lower borders up to a multiple of 4."""
        b, n, c, h, w = x.shape
        down, right = -h % 4, -w % 4
        x = F.pad(x.view(-1, c, h, w), [0, right, 0, down], mode="reflect")
        return x.view(b, n, c, h + down, w + right)

    def _keyframes(self, x: Tensor, keys: list[int]) -> dict[int, Tensor]:
        """Return the EDVR features of each keyframe, from a clip mirrored at both ends."""
        pad = self.padding
        if pad in {2, 3}:
            before, after = list(range(2 * pad, pad, -1)), list(range(-pad - 2, -2 * pad - 2, -1))
            x = torch.cat([x[:, before], x, x[:, after]], dim=1)
        return {i: self.edvr(x[:, i : i + 2 * pad + 1].contiguous()) for i in keys}

    def forward(self, x: Tensor) -> Tensor:
        b, n, _, h_in, w_in = x.shape
        x = self._padded(x)
        h, w = x.shape[3:]
        keys = list(range(0, n, self.stride))
        if keys[-1] != n - 1:
            keys.append(n - 1)
        flows_forward, flows_backward = self.get_flow(x)
        features = self._keyframes(x, keys)
        out: list[Tensor] = []
        feat = x.new_zeros(b, self.num_feat, h, w)
        for i in range(n - 1, -1, -1):
            if i < n - 1:
                feat = flow_warp(feat, flows_backward[:, i].permute(0, 2, 3, 1))
            if i in keys:
                feat = self.backward_fusion(torch.cat([feat, features[i]], dim=1))
            feat = torch.cat([x[:, i], feat], dim=1)
            feat = self.backward_trunk(feat)
            out.insert(0, feat)
        feat = torch.zeros_like(feat)
        for i in range(n):
            if i > 0:
                feat = flow_warp(feat, flows_forward[:, i - 1].permute(0, 2, 3, 1))
            if i in keys:
                feat = self.forward_fusion(torch.cat([feat, features[i]], dim=1))
            feat = torch.cat([x[:, i], out[i], feat], dim=1)
            feat = self.forward_trunk(feat)
            out[i], _base = self.enlarge(feat, x[:, i])
        return torch.stack(out, dim=1)[..., : 4 * h_in, : 4 * w_in]
