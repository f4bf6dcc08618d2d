# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""RVRT: clips of frames refined one after another, each aligned to the one before by deformable attention.

Source: cszn/KAIR fc1732f, models/network_rvrt.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.alignment.optical_flow import SpyNet, flow_warp
from trainlint_zoo.blocks.attention.deformable_attention import DeformAttention
from trainlint_zoo.blocks.attention.video_windows import (
    TO_LAST,
    TO_SECOND,
    Blocks,
    Masks,
    Permute,
    ResidualGroup,
    upsampler,
)

BUILDERS = {"kair:rvrt": "RVRT"}

BRANCHES = ("backward_1", "forward_1", "backward_2", "forward_2")
CHANNELS_FIRST = (0, 2, 1, 3, 4)
"""(n, d, c, h, w) -> (n, c, d, h, w), and back."""
FRAMES_LAST = (0, 1, 3, 4, 2)
FRAMES_SECOND = (0, 1, 4, 2, 3)
"""(n, d, c, h, w) -> (n, d, h, w, c), and back."""
OFFSET_REACH = 10
"""Pixels by which offsets may leave the flow."""
OFFSET_WIDTH = 64
WIDTH = 64

Moves = tuple[Tensor, Tensor]
"""The flows from both frames of a clip into the clip before."""


class Mlp(nn.Module):
    """Linear, GELU, linear."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.fc2(self.act(self.fc1(x)))
        return out


def on_channels(layer: nn.Module) -> nn.Sequential:
    """Return a layer of the last dimension for frames (n, d, c, h, w)."""
    return nn.Sequential(Permute(*FRAMES_LAST), layer, Permute(*FRAMES_SECOND))


class Alignment(nn.Module):
    """Guided deformable attention: the offsets start from the flows to both frames of the clip before."""

    def __init__(self, dim: int, window: Sequence[int], heads: int, groups: int, clip: int) -> None:
        super().__init__()
        self.wide = dim * 2
        self.layout = (heads, groups, clip, window[0] * window[1])
        point, around = nn.Conv3d, (1, 3, 3)
        layers: list[nn.Module] = [point(dim * (1 + clip) + clip * 2, OFFSET_WIDTH, 1)]
        for _ in range(4):
            layers += [
                nn.LeakyReLU(0.1, inplace=True),
                nn.Conv3d(OFFSET_WIDTH, OFFSET_WIDTH, around, padding=(0, 1, 1)),
            ]
        offsets = clip * groups * self.layout[3] * 2
        self.conv_offset = nn.Sequential(
            *layers, nn.LeakyReLU(0.1, inplace=True), point(OFFSET_WIDTH, offsets, 1)
        )
        self.proj_q = on_channels(nn.Linear(dim, self.wide))
        self.proj_k = on_channels(nn.Linear(dim, self.wide))
        self.proj_v = on_channels(nn.Linear(dim, self.wide))
        self.proj = on_channels(nn.Linear(self.wide, dim))
        self.mlp = on_channels(Mlp(dim, dim * 2))

    def forward(
        self, clips: tuple[Tensor, Tensor, Tensor], warped: list[Tensor], flows: Moves, *, update: bool
    ) -> tuple[Tensor, Moves]:
        """Align the features before by both clips' own; return with them the flows, updated if asked for.

        `clips`: this clip, the one before, and what was made of that one.
        """
        q, k, before = clips
        first, second = torch.chunk(OFFSET_REACH * torch.tanh(self._offsets(q, warped, flows)), 2, dim=2)
        first = first + flows[0].flip(2).repeat(1, 1, first.size(2) // 2, 1, 1)
        second = second + flows[1].flip(2).repeat(1, 1, second.size(2) // 2, 1, 1)
        offset = torch.cat([first, second], dim=2).flatten(0, 1)
        b, t, _, h, w = first.shape
        query = self.proj_q(q).reshape(b * t, 1, self.wide, h, w)
        kv = torch.cat([self.proj_k(k), self.proj_v(before)], 2)
        out = DeformAttention.apply(query, kv, offset, self.layout).view(b, t, self.wide, h, w)
        out = self.proj(out)
        out = out + self.mlp(out)
        return out, (updated(first), updated(second)) if update else flows

    def _offsets(self, q: Tensor, warped: list[Tensor], flows: Moves) -> Tensor:
        joined = torch.cat([q, *warped, *flows], 2)
        out: Tensor = self.conv_offset(joined.transpose(1, 2)).transpose(1, 2)
        return out


def updated(offset: Tensor) -> Tensor:
    """Return the mean of offsets as a flow (n, d, 2, h, w)."""
    b, t, c, h, w = offset.shape
    return offset.view(b, t, c // 2, 2, h, w).mean(2).flip(2)


class Refinement(nn.Module):
    """A convolution, residual groups and norms on frames (n, d, c, h, w)."""

    def __init__(self, cin: int, groups: int, count: int, depth: int, options: Blocks) -> None:
        super().__init__()
        stages = nn.Sequential(*(ResidualGroup(options, [0.0] * depth) for _ in range(count)))
        self.main = nn.Sequential(
            Permute(*CHANNELS_FIRST),
            nn.Conv3d(cin, options.dim, (1, 3, 3), padding=(0, 1, 1), groups=groups),
            Permute(*TO_LAST),
            nn.LayerNorm(options.dim),
            Permute(*TO_SECOND),
            stages,
            Permute(*TO_LAST),
            nn.LayerNorm(options.dim),
            Permute(0, 1, 4, 2, 3),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.main(x)
        return out


def shrinking(channels: int, dim: int) -> list[nn.Module]:
    """Return the layers that make features of a quarter of each side from frames."""
    return [
        Permute(*CHANNELS_FIRST),
        nn.Conv3d(channels, dim, (1, 3, 3), (1, 2, 2), (0, 1, 1)),
        nn.LeakyReLU(0.1, inplace=True),
        nn.Conv3d(dim, dim, (1, 3, 3), (1, 2, 2), (0, 1, 1)),
        nn.LeakyReLU(0.1, inplace=True),
        Permute(*CHANNELS_FIRST),
    ]


@dataclass(frozen=True)
class Stages:
    """How wide and deep the three stages are: features, the four branches, reconstruction."""

    dims: Sequence[int]
    heads: Sequence[int]
    counts: Sequence[int]
    depths: Sequence[int]
    window: Sequence[int]
    masks: Masks

    def refinement(
        self, stage: int, cin: int, groups: int, *, frames: int = 1, attn: bool = False, ffn: bool = False
    ) -> Refinement:
        """Return a stage's layers; `attn` and `ffn`: those parts of its blocks are checkpointed."""
        options = Blocks(
            self.dims[stage], self.heads[stage], (frames, self.window[1], self.window[2]), self.masks,
            mlp=Mlp, checkpoint_attn=attn, checkpoint_ffn=ffn,
        )  # fmt: skip
        return Refinement(cin, groups, self.counts[stage], self.depths[stage], options)


class RVRT(nn.Module):
    """Frames (n, t, 3, h, w) to (n, t, 3, 4h, 4w); at upscale 1 the frames are first shrunk four times."""

    def __init__(
        self,
        *,
        upscale: Positive = 4,
        clip_size: Positive = 2,
        img_size: Sequence[int] = (2, 64, 64),  # noqa: ARG002 - the published constructor takes it too; no layer's size depends on it
        window_size: Sequence[int] = (2, 8, 8),
        num_blocks: Sequence[int] = (1, 2, 1),
        depths: Sequence[int] = (2, 2, 2),
        embed_dims: Sequence[int] = (144, 144, 144),
        num_heads: Sequence[int] = (6, 6, 6),
        inputconv_groups: Sequence[int] = (1,) * 6,
        spynet_path: str | None = None,  # noqa: ARG002  weights do not shape memory
        deformable_groups: Positive = 12,
        attention_heads: Positive = 12,
        attention_window: Sequence[int] = (3, 3),
        nonblind_denoising: bool = False,
        use_checkpoint_attn: bool = False,
        use_checkpoint_ffn: bool = False,
        no_checkpoint_attn_blocks: Sequence[int] = (),
        no_checkpoint_ffn_blocks: Sequence[int] = (),
        cpu_cache_length: int = 100,
        **_: object,
    ) -> None:
        super().__init__()
        self.upscale, self.clip, self.longest = upscale, clip_size, cpu_cache_length
        self.mirrored = False
        stages = Stages(embed_dims, num_heads, num_blocks, depths, window_size, Masks())
        self.spynet = SpyNet()
        first = embed_dims[0]
        extract = stages.refinement(0, 3 if upscale == 4 else first, inputconv_groups[0])
        self.feat_extract: nn.Module = extract
        if upscale != 4:
            self.feat_extract = nn.Sequential(*shrinking(4 if nonblind_denoising else 3, first), extract)
        self.backbone, self.deform_align = nn.ModuleDict(), nn.ModuleDict()
        for i, name in enumerate(BRANCHES):
            self.deform_align[name] = Alignment(
                embed_dims[1], attention_window, attention_heads, deformable_groups, clip_size
            )
            self.backbone[name] = stages.refinement(
                1, (2 + i) * first, inputconv_groups[i + 1], frames=window_size[0],
                attn=use_checkpoint_attn and i not in no_checkpoint_attn_blocks,
                ffn=use_checkpoint_ffn and i not in no_checkpoint_ffn_blocks,
            )  # fmt: skip
        self.reconstruction = stages.refinement(2, 5 * first, inputconv_groups[5])
        self.conv_before_upsampler = nn.Sequential(
            nn.Conv3d(embed_dims[-1], WIDTH, 1), nn.LeakyReLU(0.1, inplace=True)
        )
        self.upsampler = upsampler(4, WIDTH)
        self.conv_last = nn.Conv3d(WIDTH, 3, (1, 3, 3), padding=(0, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        n, t, _, h, w = x.shape
        if t > self.longest:
            raise NotImplementedError(f"{t} frames: beyond {self.longest} the features go to the host")
        if self.upscale == 4:
            low = x.clone()
        else:
            frames = x[:, :, :3, :, :].reshape(-1, 3, h, w)
            low = F.interpolate(frames, scale_factor=0.25, mode="bicubic").view(n, t, 3, h // 4, w // 4)
        self._compare_halves(x)
        feats = {"shallow": list(torch.chunk(self.feat_extract(x), t // self.clip, dim=1))}
        forth, back = self.flows(low)
        known: dict[str, list[Moves]] = {}
        for name in BRANCHES:
            feats[name] = []
            flows = back if name.startswith("backward") else forth if forth is not None else back.flip(1)
            self.propagate(feats, flows, name, known)
        return self.restored(x[:, :, :3, :, :], feats)

    def _compare_halves(self, x: Tensor) -> None:
        """Look whether the second half mirrors the first; the data set knows, so does `mirrored`."""
        if x.size(1) % 2 == 0:
            first, second = torch.chunk(x, 2, dim=1)
            torch.norm(first - second.flip(1))

    def flows(self, low: Tensor) -> tuple[Tensor | None, Tensor]:
        """Return the flows forward in time (none where a mirrored clip's are the others') and backward."""
        n, t, c, h, w = low.shape
        first, second = low[:, :-1].reshape(-1, c, h, w), low[:, 1:].reshape(-1, c, h, w)
        back = self.spynet(first, second).view(n, t - 1, 2, h, w)
        if self.mirrored:
            return None, back
        return self.spynet(second, first).view(n, t - 1, 2, h, w), back

    def propagate(
        self,
        feats: Mapping[str, list[Tensor]],
        flows: Tensor,
        name: str,
        known: dict[str, list[Moves]],
    ) -> None:
        """Refine the clips in one direction, each with what came of the clip before."""
        n, t = flows.shape[:2]
        back = name.startswith("backward")
        moves = range(t, -1, -1) if back else range(-1, t)
        count = (t + 1) // self.clip
        order = range(count - 1, -1, -1) if back else range(count)
        source = feats[list(feats)[-2]]

        def turned(x: Tensor) -> Tensor:
            return x.flip(1) if back else x

        prop = torch.zeros_like(feats["shallow"][0])
        for i, clip in enumerate(order):
            if i > 0:
                if name.endswith("_1"):
                    pair = self.moves(flows, [moves[self.clip * i + step] for step in (-1, 0, 1)])
                else:
                    pair = known[name.replace("_2", "_1")][i - 1]
                query, key = turned(source[clip]), turned(source[order[i - 1]])
                warped = [
                    flow_warp(x.flatten(0, 1), flow.permute(0, 1, 3, 4, 2).flatten(0, 1)).view(
                        n, *prop.shape[1:]
                    )
                    for x, flow in zip((prop, prop.flip(1)), pair, strict=True)
                ]
                update = name.endswith("_1")
                prop, pair = self.deform_align[name]((query, key, prop), warped, pair, update=update)
                known.setdefault(name, []).append(pair)
            joined = [turned(feats[k][clip]) for k in feats if k != name] + [prop]
            prop = prop + self.backbone[name](torch.cat(joined, dim=2))
            feats[name].append(prop)
        if back:
            feats[name][:] = [x.flip(1) for x in feats[name][::-1]]

    def moves(self, flows: Tensor, indices: Sequence[int]) -> Moves:
        """Return the flows from both frames of a clip to both of the one before, through one another."""
        first, second, third = (flows[:, i] for i in indices)

        def through(near: Tensor, far: Tensor) -> Tensor:
            return near + flow_warp(far, near.permute(0, 2, 3, 1))

        over_two = through(second, first)
        over_three = through(third, second)
        over_all = through(third, over_two)
        return torch.stack([over_two, over_three], 1), torch.stack([second, over_all], 1)

    def restored(self, x: Tensor, feats: dict[str, list[Tensor]]) -> Tensor:
        """Return the frames made of all branches' features."""
        joined = []
        for name in list(feats):
            joined.append(torch.cat(feats.pop(name), 1))  # noqa: PERF401  each list dies before the next joins
        out: Tensor = torch.cat(joined, dim=2)
        out = self.reconstruction(out)
        out = self.conv_last(self.upsampler(self.conv_before_upsampler(out.transpose(1, 2)))).transpose(1, 2)
        out += F.interpolate(x, size=out.shape[-3:], mode="trilinear", align_corners=False)
        return out
