# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's training step on clips: model "vrt", for VRT and RVRT.

For the first `fix_iter` iterations the parts that `fix_keys` names are frozen; the step after that, which
trains all and needs more, is traced.
Source: cszn/KAIR fc1732f, models/model_vrt.py and data/dataset_video_train.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint_zoo.kair.networks.rvrt import RVRT
from trainlint_zoo.kair.recipes.plain import Plain

RECIPES = {"kair.vrt": "Clips"}


class Clips(Plain):
    """Every frame has a target, or the one in the middle alone (`options.target_frames`)."""

    def trained(self, net: nn.Module) -> Iterable[Any]:
        """Return the parameters; what `fix_keys` names is a group where it learns at another rate."""
        keys = self.options.get("fix_keys") or ()
        if not (self.options.get("fix_iter") and keys) or self.options.get("fix_lr_mul") == 1:
            return super().trained(net)
        named = list(net.named_parameters())
        fixed = [any(key in name for key in keys) for name, _ in named]
        return [
            {"params": [p for (_, p), later in zip(named, fixed, strict=True) if later is group]}
            for group in (False, True)
        ]

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, then H; non-blind denoising has a noise map as L's last channel."""
        frames = self.step.get("frames")
        if not isinstance(frames, int):
            raise CannotTraceError("the number of frames in a clip is not known")
        self.clips(batch, (frames, height, width), target)

    def clips(self, batch: int, size: tuple[int, int, int], target: int | tuple[int, int]) -> None:
        """Make clips of (frames, height, width) and their targets."""
        channels = int(self.step.get("channels", 3))
        noise = bool((self.step.get("networks.generator.args") or {}).get("nonblind_denoising"))
        tall, wide = (target, target) if isinstance(target, int) else target
        self.low = self.stage.input(batch, size[0], channels + noise, *size[1:])
        wanted = int(self.options.get("target_frames") or size[0])
        self.high = self.stage.input(batch, wanted, channels, tall, wide)
        if isinstance(self.net, RVRT):
            self.net.mirrored = bool(self.options.get("mirror_sequence"))

    def validate(self, height: int, width: int) -> None:
        """Restore one part of a test clip, with E where there is one; parts are put together on the CPU."""
        frames = self.options.get("num_frame_testing")
        if not frames:
            raise CannotTraceError("whole clips are tested, and how long they are is not known")
        self.stage.note("the other frames of a test clip, which wait on the GPU, are not counted")
        side = int(self.options.get("size_patch_testing") or 0)
        tall, wide = (min(side, length) if side else length for length in (height, width))
        scale = int(self.step.get("scale", 1))
        net: nn.Module = self.net_e if self.decay > 0 else self.net
        self.clips(1, (int(frames), tall, wide), (tall * scale, wide * scale))
        net.eval()
        with torch.no_grad():
            part: Any = net(self.low)
        del part
        net.train(self.decay <= 0)
