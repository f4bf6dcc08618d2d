# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""NAFNet's fork of BasicSR: ImageRestorationModel (mixup, a zero-weighted sum over all parameters, clipping).

Source: megvii-research/NAFNet 2b4af71, basicsr/models/image_restoration_model.py.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint_zoo.basicsr.recipes.image import SRModel
from trainlint_zoo.forks.networks.nafssr import RandomBlock

RECIPES = {"basicsr.ImageRestorationModel": "ImageRestorationModel"}

MAX_NORM = 0.01  # clip_grad_norm_, where the spec says that gradients are clipped


class ImageRestorationModel(SRModel):
    """Without EMA; a network may return a list of predictions, each of which is compared."""

    decay = 0.0

    def build_discriminator(self) -> None:
        """Build nothing; say what a random depth means for the figures."""
        blocks = [module for module in self.net.modules() if isinstance(module, RandomBlock) and module.rate]
        if blocks:
            kept = sum(not block.skipped for block in blocks)
            self.stage.note(f"stochastic depth: the deepest step keeps {kept} of {len(blocks)} blocks")

    def _load(self, batch: int, stream: int) -> tuple[Tensor, Tensor]:
        """Deliver square crops, or the stereo data set's, which are wider than high."""
        if "gt_size_h" not in self.options:
            if "crop.hr" not in self.step:
                raise CannotTraceError("the crop's size is not known")
            return super()._load(batch, stream)
        scale = int(self.step.get("scale", 1))
        sides = [int(self.options[name]) for name in ("gt_size_h", "gt_size_w")]
        lq = self.stage.input(batch, self.channels, *(side // scale for side in sides), stream=stream)
        return lq, self.stage.input(batch, self.target_channels, *sides, stream=stream)

    def optimize(self) -> None:
        """zero_grad, mixup, forward, losses, backward, clip, step."""
        self.optimizer_g.zero_grad()
        if self.options.get("mixup"):
            self._mix()
        with self.stage.phase("generator forward"):
            preds = self.net_g(self.lq)
            preds = preds if isinstance(preds, list) else [preds]
            self.output = preds[-1]
        log: dict[str, Tensor] = {}
        with self.stage.phase("losses"):
            total: Any = 0
            if self.criteria["pixel"]:
                pixel: Any = 0.0
                for pred in preds:
                    pixel += self.criteria["pixel"](pred, self.gt)
                total += pixel
                log["pixel"] = pixel
            total = self.perceive(total, self.output, self.gt, log)
            total = total + 0.0 * sum(p.sum() for p in self.net_g.parameters())
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            if self.step.get("gradient_clip"):
                self.stage.clip_grad_norm(self.net.parameters(), MAX_NORM)
            self.optimizer_g.step()

    def _mix(self) -> None:
        """Blend each sample with another one."""
        share = torch.empty(len(self.gt), 1, 1, 1, device=self.stage.device)
        order = torch.empty(len(self.gt), dtype=torch.int64, device=self.stage.device)
        self.gt = share * self.gt + (1 - share) * self.gt[order, :]
        self.lq = share * self.lq + (1 - share) * self.lq[order, :]

    def test(self, net: nn.Module, scale: int) -> None:  # noqa: ARG002 - SRModel's signature: nothing is cropped by the scale here
        """Run the image in one piece; the result goes to the CPU, in place of the last batch's output."""
        net(self.lq[0:1])
        self.output = torch.empty(0, device="cpu")
