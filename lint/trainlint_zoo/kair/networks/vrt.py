# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""VRT: a U of attention stages over frames, with flow-guided parallel warping at every level.

Source: cszn/KAIR fc1732f, models/network_vrt.py. Without `pa_frames` it interpolates a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.alignment.flow_alignment import (
    NEIGHBOURS,
    Alignment,
    FlowPyramid,
    Flows,
    warp_corners,
)
from trainlint_zoo.blocks.alignment.optical_flow import flow_warp
from trainlint_zoo.blocks.attention.video_windows import (
    TO_LAST,
    TO_SECOND,
    Blocks,
    GatedMlp,
    Group,
    Masks,
    Permute,
    ResidualGroup,
    Triple,
    upsampler,
)
from trainlint_zoo.blocks.attention.windows import rising

BUILDERS = {"kair:vrt": "VRT"}

DROP_PATH = 0.2
MUTUAL_SHARE = 0.75
"""The share of a stage's blocks that attend between neighbouring frames."""
OFFSET_REACH = 10
"""Pixels by which offsets may leave the flow, at full size."""
STAGES = 7
HALVINGS = (0, 1, 2, 3, 2, 1, 0)
"""How often each stage's frames are halved."""
WIDTH = 64
CHANNELS = 3
"""Of an image: define_G hands no other number on, and none of the options it does not know."""


class FoldDown(nn.Module):
    """(n, c, d, h, w) -> (n, d, h / 2, w / 2, 4c)."""

    def forward(self, x: Tensor) -> Tensor:
        n, c, d, h, w = x.shape
        cells = x.reshape(n, c, d, h // 2, 2, w // 2, 2)
        return cells.permute(0, 2, 3, 5, 6, 4, 1).reshape(n, d, h // 2, w // 2, 4 * c)


class FoldUp(nn.Module):
    """(n, 4c, d, h, w) -> (n, d, 2h, 2w, c)."""

    def forward(self, x: Tensor) -> Tensor:
        n, c, d, h, w = x.shape
        cells = x.reshape(n, 2, 2, c // 4, d, h, w)
        return cells.permute(0, 4, 5, 2, 6, 1, 3).reshape(n, d, 2 * h, 2 * w, c // 4)


def refold(turn: int, before: int, dim: int) -> nn.Sequential:
    """Return what is before a stage: frames halved (1), doubled (-1) or kept (0), and normalized."""
    if turn == 0:
        return nn.Sequential(Permute(*TO_LAST), nn.LayerNorm(dim), Permute(*TO_SECOND))
    width = before * 4 if turn > 0 else before // 4
    fold = FoldDown() if turn > 0 else FoldUp()
    return nn.Sequential(fold, nn.LayerNorm(width), nn.Linear(width, dim), Permute(*TO_SECOND))


class Stage(nn.Module):
    """Mutual and self attention, self attention (always checkpointed), then warping of neighbours."""

    def __init__(
        self,
        reshape: nn.Module,
        groups: tuple[Group, Group],
        dim: int,
        *,
        pa_frames: int,
        deformable_groups: int,
        reach: float,
    ) -> None:
        super().__init__()
        self.pa_frames = pa_frames
        self.reshape = reshape
        self.residual_group1, self.residual_group2 = groups
        self.linear1 = nn.Linear(dim, dim)
        self.linear2 = nn.Linear(dim, dim)
        if pa_frames:
            self.pa_deform = Alignment(dim, deformable_groups, reach, pa_frames)
            self.pa_fuse = GatedMlp(dim * 3, dim * 3, dim)

    def forward(self, x: Tensor, back: Flows, forth: Flows) -> Tensor:
        x = self.reshape(x)
        x = self.linear1(self.residual_group1(x).transpose(1, 4)).transpose(1, 4) + x
        x = self.linear2(self.residual_group2(x).transpose(1, 4)).transpose(1, 4) + x
        if not self.pa_frames:
            return x
        x = x.transpose(1, 2)
        before = self.aligned(x, back, towards=-1)
        after = self.aligned(x, forth, towards=1)
        joined = torch.cat([x, before, after], 2).permute(0, 1, 3, 4, 2)
        out: Tensor = self.pa_fuse(joined).permute(0, 4, 1, 2, 3)
        return out

    def aligned(self, x: Tensor, flows: Flows, towards: int) -> Tensor:
        """Return (n, d, c, h, w): for each frame its neighbours warped to it; zeros where there is none.

        `flows` are those over one frame, two, three. `towards` -1: frames come from later ones.
        """
        count = x.size(1)
        made = [torch.zeros_like(x[:, -1 if towards < 0 else 0, ...])]
        order = range(count - 1, 0, -1) if towards < 0 else range(count - 1)
        for start in order:
            frames: list[Tensor] = []
            moves: Flows = []
            for reach in range(self.pa_frames // 2):
                frame, move = self.neighbour(x, flows, (start, towards), reach)
                frames.append(frame)
                moves.append(move)
            warped = [
                flow_warp(frame, move.permute(0, 2, 3, 1)) for frame, move in zip(frames, moves, strict=True)
            ]
            source = frames[0] if len(frames) == 1 else torch.cat(frames, 1)
            result = self.pa_deform(source, warped, x[:, start + towards, ...], moves)
            made.insert(0, result) if towards < 0 else made.append(result)
        return torch.stack(made, 1)

    def neighbour(self, x: Tensor, flows: Flows, place: tuple[int, int], reach: int) -> tuple[Tensor, Tensor]:
        """Return the frame `reach` further back than the start, and its flow; zeros beyond the clip."""
        start, towards = place
        source = start - towards * reach
        field = flows[reach]
        if 0 <= source < x.size(1):
            index = start + towards if towards < 0 else source
            return x[:, source, ...], field[:, index, ...]
        return torch.zeros_like(x[:, 0, ...]), torch.zeros_like(field[:, 0, ...])


def widening(narrow: int, wide: int) -> nn.Module:
    """Return the layers that bring the features to the last stage's width."""
    return nn.Sequential(
        Permute(*TO_LAST), nn.LayerNorm(narrow), nn.Linear(narrow, wide), Permute(*TO_SECOND)
    )


class VRT(nn.Module):
    """Frames (n, d, c, h, w) to (n, d, c, sh, sw); non-blind denoising has a noise map as another channel."""

    def __init__(
        self,
        *,
        upscale: Positive = 4,
        img_size: Sequence[int] = (6, 64, 64),
        window_size: Sequence[int] = (6, 8, 8),
        depths: Sequence[int] = (8, 8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4),
        indep_reconsts: Sequence[int] = (11, 12),
        embed_dims: Sequence[int] = (120,) * 7 + (180,) * 6,
        num_heads: Sequence[int] = (6,) * 13,
        spynet_path: str | None = None,  # noqa: ARG002  weights do not shape memory
        pa_frames: Literal[0, 2, 4, 6] = 2,
        deformable_groups: Positive = 16,
        nonblind_denoising: bool = False,
        use_checkpoint_attn: bool = False,
        use_checkpoint_ffn: bool = False,
        no_checkpoint_attn_blocks: Sequence[int] = (),
        no_checkpoint_ffn_blocks: Sequence[int] = (),
        **_: object,
    ) -> None:
        super().__init__()
        self.upscale, self.pa_frames = upscale, pa_frames
        self.nonblind = nonblind_denoising
        self.masks = Masks()
        self.window: Triple = (window_size[0], window_size[1], window_size[2])
        stretched = CHANNELS * (1 + 2 * NEIGHBOURS) + bool(nonblind_denoising) if pa_frames else CHANNELS
        self.conv_first = nn.Conv3d(stretched, embed_dims[0], (1, 3, 3), padding=(0, 1, 1))
        if pa_frames:
            self.spynet = FlowPyramid()
        drops = rising(DROP_PATH, depths)

        def blocks(i: int, window: Triple, *, mutual: bool = False, always: bool = False) -> Blocks:
            attn = always or (use_checkpoint_attn and i not in no_checkpoint_attn_blocks)
            ffn = use_checkpoint_ffn and i not in no_checkpoint_ffn_blocks
            return Blocks(
                embed_dims[i], num_heads[i], window, self.masks, mutual, checkpoint_attn=bool(attn),
                checkpoint_ffn=bool(ffn),
            )  # fmt: skip

        self._add_stages(blocks, embed_dims, drops, deformable_groups)
        alone = (1, *self.window[1:])
        windows = [alone if i in indep_reconsts else self.window for i in range(len(depths))]
        last = (ResidualGroup(blocks(i, windows[i]), drops[i]) for i in range(STAGES, len(depths)))
        self.stage8 = nn.ModuleList([widening(embed_dims[STAGES - 1], embed_dims[STAGES]), *last])
        self.norm = nn.LayerNorm(embed_dims[-1])
        self.conv_after_body = nn.Linear(embed_dims[-1], embed_dims[0])
        self._add_head(embed_dims[0], img_size[0])

    def _add_stages(
        self,
        blocks: Callable[..., Blocks],
        dims: Sequence[int],
        drops: list[list[float]],
        deformable_groups: int,
    ) -> None:
        pairs = (2, *self.window[1:])
        for i in range(STAGES):
            first = int(len(drops[i]) * MUTUAL_SHARE)
            groups = (
                Group(blocks(i, pairs, mutual=True), drops[i][:first]),
                Group(blocks(i, self.window, always=True), drops[i][: len(drops[i]) - first]),
            )
            turn = HALVINGS[i] - HALVINGS[i - 1] if i else 0
            stage = Stage(
                refold(turn, dims[i - 1], dims[i]), groups, dims[i], pa_frames=self.pa_frames,
                deformable_groups=deformable_groups, reach=OFFSET_REACH / 2 ** HALVINGS[i],
            )  # fmt: skip
            self.add_module(f"stage{i + 1}", stage)

    def _add_head(self, dim: int, frames: int) -> None:
        if not self.pa_frames:
            self.linear_fuse = nn.Conv2d(dim * frames, WIDTH, 1)
            self.conv_last: nn.Module = nn.Conv2d(WIDTH, CHANNELS, 7)
        elif self.upscale == 1:
            self.conv_last = nn.Conv3d(dim, CHANNELS, (1, 3, 3), padding=(0, 1, 1))
        else:
            self.conv_before_upsample = nn.Sequential(
                nn.Conv3d(dim, WIDTH, (1, 3, 3), padding=(0, 1, 1)), nn.LeakyReLU(inplace=True)
            )
            self.upsample = upsampler(self.upscale, WIDTH)
            self.conv_last = nn.Conv3d(WIDTH, CHANNELS, (1, 3, 3), padding=(0, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        if not self.pa_frames:
            return self.interpolated(x)
        if self.nonblind:
            x, level = x[:, :, :CHANNELS, :, :], x[:, :, CHANNELS:, :, :]
        low = x.clone()
        back, forth = self.flows(x)
        before, after = self.corners(x, back[0], -1), self.corners(x, forth[0], 1)
        x = torch.cat([x, before, after], 2)
        if self.nonblind:
            x = torch.cat([x, level], 2)
        x = self.conv_first(x.transpose(1, 2))
        deep = self.features(x, back, forth)
        x = x + self.conv_after_body(deep.transpose(1, 4)).transpose(1, 4)
        if self.upscale == 1:
            out: Tensor = self.conv_last(x).transpose(1, 2) + low
            return out
        x = self.conv_last(self.upsample(self.conv_before_upsample(x))).transpose(1, 2)
        return x + F.interpolate(low, size=x.shape[2:], mode="trilinear", align_corners=False)

    def interpolated(self, x: Tensor) -> Tensor:
        """Return the one frame (n, 1, c, h, w) in the middle of a clip of `img_size[0]` frames."""
        mean = x.mean([1, 3, 4], keepdim=True)
        x = x - mean
        x = self.conv_first(x.transpose(1, 2))
        x = x + self.conv_after_body(self.features(x, [], []).transpose(1, 4)).transpose(1, 4)
        x = torch.cat(torch.unbind(x, 2), 1)
        x = F.leaky_relu(self.linear_fuse(x), 0.2)
        for side in (2, 3):
            inner, outer = x.narrow(side, 1, 3), x.narrow(side, x.size(side) - 4, 3)
            x = torch.cat([torch.flip(inner, [side]), x, torch.flip(outer, [side])], side)
        x = self.conv_last(x)
        return torch.stack(torch.split(x, CHANNELS, dim=1), 1) + mean

    def flows(self, x: Tensor) -> tuple[Flows, Flows]:
        """Return the flows to earlier and to later frames: of four sizes over one frame, then two, three."""
        b, n, c, h, w = x.shape
        first, second = x[:, :-1].reshape(-1, c, h, w), x[:, 1:].reshape(-1, c, h, w)

        def shaped(levels: Flows) -> Flows:
            return [flow.view(b, n - 1, 2, h >> i, w >> i) for i, flow in enumerate(levels)]

        back = shaped(self.spynet(first, second))
        forth = shaped(self.spynet(second, first))
        near = (back, forth)
        all_back, all_forth = list(back), list(forth)
        for _ in range(self.pa_frames // 2 - 1):
            back = [self.further(long, short, -1) for long, short in zip(back, near[0], strict=True)]
            forth = [self.further(long, short, 1) for long, short in zip(forth, near[1], strict=True)]
            all_back += back
            all_forth += forth
        return all_back, all_forth

    def further(self, long: Tensor, short: Tensor, towards: int) -> Tensor:
        """Return the flows over one frame more than `long`'s, through those over one frame."""
        gap = short.shape[1] - long.shape[1] + 1
        made = []
        for i in range(long.shape[1] - 1):
            first, second = (long[:, i], short[:, i + gap]) if towards < 0 else (long[:, i + 1], short[:, i])
            made.append(first + flow_warp(second, first.permute(0, 2, 3, 1)))
        return torch.stack(made, 1)

    def corners(self, x: Tensor, flows: Tensor, towards: int) -> Tensor:
        """Return every frame's neighbour, four times, warped to it; zeros at the end."""
        made = [torch.zeros_like(x[:, 0, ...]).repeat(1, NEIGHBOURS, 1, 1)]
        for i in range(x.size(1) - 1):
            index = i + 1 if towards < 0 else i
            made.append(warp_corners(x[:, index, ...], flows[:, i, ...].permute(0, 2, 3, 1)))
        return torch.stack(made, 1)

    def features(self, x: Tensor, back: Flows, forth: Flows) -> Tensor:
        """Run the seven stages of the U, then the last one."""

        def stage(number: int, x: Tensor) -> Tensor:
            level = HALVINGS[number - 1]
            run = self.get_submodule(f"stage{number}")
            out: Tensor = run(x, back[level::NEIGHBOURS], forth[level::NEIGHBOURS])
            return out

        x1 = stage(1, x)
        x2 = stage(2, x1)
        x3 = stage(3, x2)
        x4 = stage(4, x3)
        x = stage(5, x4)
        x = stage(6, x + x3)
        x = stage(7, x + x2)
        x = x + x1
        for layer in self.stage8:
            x = layer(x)
        out: Tensor = self.norm(x.permute(TO_LAST)).permute(TO_SECOND)
        return out
