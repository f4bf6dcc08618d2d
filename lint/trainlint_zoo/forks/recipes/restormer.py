# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Restormer's fork of BasicSR: ImageCleanModel (mixup, clipping, validation padded to whole windows).

The loader cuts each stage's batch and crop out of the largest one on the CPU, so only the stage's own reaches
the GPU (basicsr/train.py). Source: swz30/Restormer 861974ad, basicsr/models/image_restoration_model.py.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint_zoo.basicsr.recipes.image import SRModel, padded
from trainlint_zoo.forks.recipes.nafnet import MAX_NORM

RECIPES = {"basicsr.ImageCleanModel": "ImageCleanModel"}


class ImageCleanModel(SRModel):
    """A pixel loss alone; a network may return a list of predictions, each of which is compared."""

    losses = ("pixel",)

    def check_losses(self) -> None:
        """Refuse what the trainer refuses."""
        if not self.criteria["pixel"]:
            raise CannotTraceError("the pixel loss is missing")

    def feed(self, batch: int) -> None:
        """Receive a batch and blend each sample with another one."""
        super().feed(batch)
        if self.options.get("mixup"):
            order = torch.empty(batch, dtype=torch.int64, device=self.stage.device)
            share = 0.5
            self.gt = share * self.gt + (1 - share) * self.gt[order, :]
            self.lq = share * self.lq + (1 - share) * self.lq[order, :]

    def optimize(self) -> None:
        """zero_grad, forward, loss, backward, clip, step, EMA."""
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            preds = self.net_g(self.lq)
            preds = preds if isinstance(preds, list) else [preds]
            self.output: Tensor = preds[-1]
        with self.stage.phase("losses"):
            pixel: Any = 0.0
            for pred in preds:
                pixel += self.criteria["pixel"](pred, self.gt)
        with self.stage.phase("generator backward"):
            pixel.backward()
        with self.stage.phase("generator optimizer"):
            if self.step.get("gradient_clip"):
                self.stage.clip_grad_norm(self.net.parameters(), MAX_NORM)
            self.optimizer_g.step()
        self.follow()

    def test(self, net: nn.Module, scale: int) -> None:
        """Run the image in one piece, padded where `val.window_size` says so."""
        window = int(self.options.get("val_window_size") or 0)
        if window:
            self.output = padded(net, self.lq, window, scale)
            return
        pred = net(self.lq)
        self.output = pred[-1] if isinstance(pred, list) else pred
