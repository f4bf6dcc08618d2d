# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Frames aligned to one of them by deformable convolutions and fused by attention, and plain trunks.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/edvr_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint_zoo.blocks.alignment.deformable import DCNv2Pack
from trainlint_zoo.blocks.residual import ResidualBlockNoBN

WIDTH = 64
"""Channels of the last two convolutions, whatever num_feat says."""


def conv(cin: int, cout: int, stride: int = 1) -> nn.Conv2d:
    """Return a 3x3 convolution."""
    return nn.Conv2d(cin, cout, 3, stride, 1)


def trunk(blocks: int, num_feat: int) -> nn.Sequential:
    """Return residual blocks in a row."""
    return nn.Sequential(*(ResidualBlockNoBN(num_feat) for _ in range(blocks)))


def lrelu() -> nn.LeakyReLU:
    """Return the in-place activation of these networks."""
    return nn.LeakyReLU(0.1, inplace=True)


def doubled() -> nn.Upsample:
    """Return the bilinear upsampling between a pyramid's levels."""
    return nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)


class PCDAlignment(nn.Module):
    """Aligns a neighbour's three levels to the reference's by a deformable convolution each, and one more."""

    def __init__(self, num_feat: int, groups: int) -> None:
        super().__init__()
        self.offset_conv1, self.offset_conv2 = nn.ModuleDict(), nn.ModuleDict()
        self.offset_conv3, self.dcn_pack, self.feat_conv = nn.ModuleDict(), nn.ModuleDict(), nn.ModuleDict()
        for level in ("l3", "l2", "l1"):
            coarsest = level == "l3"
            self.offset_conv1[level] = conv(2 * num_feat, num_feat)
            self.offset_conv2[level] = conv(num_feat if coarsest else 2 * num_feat, num_feat)
            if not coarsest:
                self.offset_conv3[level] = conv(num_feat, num_feat)
            self.dcn_pack[level] = DCNv2Pack(num_feat, groups)
            if not coarsest:
                self.feat_conv[level] = conv(2 * num_feat, num_feat)
        self.cas_offset_conv1 = conv(2 * num_feat, num_feat)
        self.cas_offset_conv2 = conv(num_feat, num_feat)
        self.cas_dcnpack = DCNv2Pack(num_feat, groups)
        self.upsample, self.lrelu = doubled(), lrelu()

    def _offset(self, level: str, offset: Tensor, coarser: Tensor | None) -> Tensor:
        offset = self.lrelu(self.offset_conv1[level](offset))
        if coarser is None:
            out: Tensor = self.lrelu(self.offset_conv2[level](offset))
        else:
            offset = self.lrelu(self.offset_conv2[level](torch.cat([offset, coarser], dim=1)))
            out = self.lrelu(self.offset_conv3[level](offset))
        return out

    def forward(self, neighbour: list[Tensor], reference: list[Tensor]) -> Tensor:
        up_offset: Tensor | None = None
        up_feat: Tensor | None = None
        for index in (2, 1, 0):
            level = f"l{index + 1}"
            offset = self._offset(level, torch.cat([neighbour[index], reference[index]], dim=1), up_offset)
            feat = self.dcn_pack[level](neighbour[index], offset)
            if up_feat is not None:
                feat = self.feat_conv[level](torch.cat([feat, up_feat], dim=1))
            if index:
                feat = self.lrelu(feat)
                up_offset, up_feat = self.upsample(offset) * 2, self.upsample(feat)
        offset = torch.cat([feat, reference[0]], dim=1)
        offset = self.lrelu(self.cas_offset_conv2(self.lrelu(self.cas_offset_conv1(offset))))
        out: Tensor = self.lrelu(self.cas_dcnpack(feat, offset))
        return out


class TSAFusion(nn.Module):
    """Weighs the frames by their correlation with the centre, fuses them, and attends over a pyramid."""

    def __init__(self, num_feat: int, num_frame: int, center: int) -> None:
        super().__init__()
        self.center = center
        self.temporal_attn1, self.temporal_attn2 = conv(num_feat, num_feat), conv(num_feat, num_feat)
        self.feat_fusion = nn.Conv2d(num_frame * num_feat, num_feat, 1)
        self.max_pool, self.avg_pool = nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(3, 2, 1)
        self.spatial_attn1 = nn.Conv2d(num_frame * num_feat, num_feat, 1)
        self.spatial_attn2 = nn.Conv2d(num_feat * 2, num_feat, 1)
        self.spatial_attn3 = conv(num_feat, num_feat)
        self.spatial_attn4 = nn.Conv2d(num_feat, num_feat, 1)
        self.spatial_attn5 = conv(num_feat, num_feat)
        self.spatial_attn_l1 = nn.Conv2d(num_feat, num_feat, 1)
        self.spatial_attn_l2 = conv(num_feat * 2, num_feat)
        self.spatial_attn_l3 = conv(num_feat, num_feat)
        self.spatial_attn_add1 = nn.Conv2d(num_feat, num_feat, 1)
        self.spatial_attn_add2 = nn.Conv2d(num_feat, num_feat, 1)
        self.lrelu, self.upsample = lrelu(), doubled()

    def forward(self, aligned: Tensor) -> Tensor:
        b, t, c, h, w = aligned.shape
        reference = self.temporal_attn1(aligned[:, self.center].clone())
        embedding = self.temporal_attn2(aligned.view(-1, c, h, w)).view(b, t, -1, h, w)
        scores = [torch.sum(embedding[:, frame] * reference, 1).unsqueeze(1) for frame in range(t)]
        weights = torch.sigmoid(torch.cat(scores, dim=1)).unsqueeze(2).expand(b, t, c, h, w)
        weights = weights.contiguous().view(b, -1, h, w)
        aligned = aligned.view(b, -1, h, w) * weights
        feat = self.lrelu(self.feat_fusion(aligned))
        attn = self.lrelu(self.spatial_attn1(aligned))
        highest, mean = self.max_pool(attn), self.avg_pool(attn)
        attn = self.lrelu(self.spatial_attn2(torch.cat([highest, mean], dim=1)))
        level = self.lrelu(self.spatial_attn_l1(attn))
        highest, mean = self.max_pool(level), self.avg_pool(level)
        level = self.lrelu(self.spatial_attn_l2(torch.cat([highest, mean], dim=1)))
        level = self.upsample(self.lrelu(self.spatial_attn_l3(level)))
        attn = self.lrelu(self.spatial_attn3(attn)) + level
        attn = self.upsample(self.lrelu(self.spatial_attn4(attn)))
        attn = self.spatial_attn5(attn)
        added = self.spatial_attn_add2(self.lrelu(self.spatial_attn_add1(attn)))
        attn = torch.sigmoid(attn)
        out: Tensor = feat * attn * 2 + added
        return out


class Aligned(nn.Module):
    """What EDVR and IconVSR's extractor share: three levels of every frame, aligned to the centre's."""

    center: int
    lrelu: nn.Module

    def add_pyramid(self, num_feat: int, blocks: int, groups: int) -> None:
        """Add the layers, in the original's order."""
        self.feature_extraction = trunk(blocks, num_feat)
        self.conv_l2_1, self.conv_l2_2 = conv(num_feat, num_feat, 2), conv(num_feat, num_feat)
        self.conv_l3_1, self.conv_l3_2 = conv(num_feat, num_feat, 2), conv(num_feat, num_feat)
        self.pcd_align = PCDAlignment(num_feat, groups)

    def pyramid(self, feat: Tensor, b: int) -> list[Tensor]:
        """(b x t, c, h, w) -> three levels, (b, t, c, ...), each half as high and wide as the one before."""
        feat = self.feature_extraction(feat)
        level2 = self.lrelu(self.conv_l2_1(feat))
        level2 = self.lrelu(self.conv_l2_2(level2))
        level3 = self.lrelu(self.conv_l3_1(level2))
        level3 = self.lrelu(self.conv_l3_2(level3))
        return [level.view(b, -1, *level.shape[1:]) for level in (feat, level2, level3)]

    def align(self, levels: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """Return every frame aligned, (b, t, c, h, w), and the clones that the caller's frame keeps alive."""
        reference = [level[:, self.center].clone() for level in levels]
        aligned, neighbour = [], reference
        for frame in range(levels[0].shape[1]):
            neighbour = [level[:, frame].clone() for level in levels]
            aligned.append(self.pcd_align(neighbour, reference))
        return torch.stack(aligned, dim=1), reference + neighbour


def refuse(scale: int | None, arch: str) -> None:
    """Tell a fork's network from BasicSR's, whose factor is always 4 and has no argument."""
    if scale is not None:
        raise CannotTraceError(f'{arch} with the argument "scale" is a fork\'s, whose layers are not known')


class ConvResidualBlocks(nn.Module):
    """A convolution, in-place leaky ReLU and residual blocks."""

    def __init__(self, cin: int, cout: int, num_block: int) -> None:
        super().__init__()
        self.main = nn.Sequential(conv(cin, cout), lrelu(), trunk(num_block, cout))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.main(x)
        return out
