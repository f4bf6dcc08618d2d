# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's training steps on clips: VideoBaseModel, EDVRModel, VideoRecurrentModel and their GAN versions.

The iterations at the start that train a part of the network only (tsa_iter, fix_flow) need less and are not
traced, nor are the parameter groups of dcn_lr_mul and flow_lr_mul, which move a few bytes.
Source: XPixelGroup/BasicSR 8d56e3a, basicsr/models and basicsr/data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.networks.basicvsrpp import BasicVSRPlusPlus
from trainlint_zoo.basicsr.recipes.gan import SRGANModel
from trainlint_zoo.basicsr.recipes.image import SRModel

RECIPES = {
    "basicsr.VideoBaseModel": "VideoBaseModel",
    "basicsr.EDVRModel": "VideoBaseModel",
    "basicsr.VideoGANModel": "VideoGANModel",
    "basicsr.VideoRecurrentModel": "VideoRecurrentModel",
    "basicsr.VideoRecurrentGANModel": "VideoRecurrentGANModel",
}

Size = tuple[int, int]


class VideoBaseModel(SRModel):
    """Clips of `frames` frames come in; the target is their centre frame."""

    every = False
    """Whether every frame has a target."""

    def _load(self, batch: int, stream: int) -> tuple[Tensor, Tensor]:
        lq, hr = int(self.step["crop.lq"]), int(self.step["crop.hr"])
        return self.clips(batch, self.step.get("frames"), (lq, lq), (hr, hr), stream)

    def clips(self, batch: int, frames: Any, lq: Size, hr: Size, stream: int = 0) -> tuple[Tensor, Tensor]:
        """Return clips and their targets."""
        if not isinstance(frames, int):
            raise CannotTraceError("the number of frames in a clip is not known")
        targets = (frames,) if self.every else ()
        return (
            self.stage.input(batch, frames, self.channels, *lq, stream=stream),
            self.stage.input(batch, *targets, self.channels, *hr, stream=stream),
        )

    def validate(self, height: int, width: int) -> None:
        """Restore one clip of the validation set's length."""
        scale = int(self.step.get("scale", 1))
        frames = self.options.get("validation_frames")
        self.lq, self.gt = self.clips(1, frames, (height, width), (height * scale, width * scale))
        with torch.no_grad():
            self.restore()

    def restore(self) -> None:
        """Run the EMA copy if there is one."""
        net = self.net_ema if self.decay > 0 else self.net
        net.eval()
        self.output = net(self.lq)
        net.train(self.decay <= 0)


class VideoGANModel(SRGANModel, VideoBaseModel):
    """SRGANModel's step on VideoBaseModel's data."""


class VideoRecurrentModel(VideoBaseModel):
    """Every frame has a target; validation runs the network itself on a whole clip, never the EMA copy."""

    every = True

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        if isinstance(self.net, BasicVSRPlusPlus):
            self.net.mirrored = bool(self.options.get("flip_sequence"))

    def restore(self) -> None:
        """Run the clip, or the clip and its mirror image, whose results are averaged."""
        frames = self.lq.size(1)
        self.net.eval()
        if self.options.get("flip_seq"):
            self.lq = torch.cat([self.lq, self.lq.flip(1)], dim=1)
        self.output = self.net(self.lq)
        if self.options.get("flip_seq"):
            there, back = self.output[:, :frames], self.output[:, frames:].flip(1)
            self.output = 0.5 * (there + back)
        self.net.train()


def joined(clips: Tensor) -> Tensor:
    """(b, t, c, h, w) -> (b x t, c, h, w), as loss networks and discriminators take them."""
    return clips.view(-1, *clips.shape[2:])


class VideoRecurrentGANModel(VideoRecurrentModel, SRGANModel):
    """SRGANModel's step with every frame of the clips judged on its own."""

    def perceive(self, total: Any, output: Tensor, target: Tensor, log: dict[str, Tensor]) -> Any:
        """Compare the frames' features."""
        return super().perceive(total, joined(output), joined(target), log)

    def real(self) -> Tensor:
        """Return the real frames."""
        return joined(self.gt)

    def fake(self) -> Tensor:
        """Return the fake frames, cut off from the generator."""
        return joined(self.output).detach()

    def deceive(self, total: Any, log: dict[str, Tensor]) -> tuple[Any, tuple[Any, ...]]:
        """Add the adversarial loss of the fake frames."""
        pred = self.net_d(joined(self.output))
        log["gan"] = self.criteria["gan"](pred, True, is_disc=False)
        total += log["gan"]
        return total, (pred,)
