# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""train_vae.py's step: MSE + KL + VGG16 perceptual loss, AdamW, optional fp16 autocast with a GradScaler.

Source: marduk191/ae_training_marduk191 14ad419.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.trace.stage import Stage
from trainlint_zoo.common.layout import in_format
from trainlint_zoo.systems.networks.vae import VAE

RECIPES = {"vae": "Vae"}

MAX_NORM = 1.0  # --gradient_clip's default
RELU3_3 = ((3, 64, 64), (64, 128, 128), (128, 256, 256, 256))  # VGG16 features[:16], torchvision's layout


def vgg16_relu3_3() -> nn.Sequential:
    """VGG16's features[:16]: seven convolutions with in-place ReLUs and two poolings, frozen (1,735,488)."""
    layers: list[nn.Module] = []
    for stage in RELU3_3:
        for cin, cout in pairwise(stage):
            layers += [nn.Conv2d(cin, cout, 3, padding=1), nn.ReLU(inplace=True)]
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*layers[:-1]).requires_grad_(requires_grad=False)


class Vae:
    """One step; the guide's --mixed_precision is fp16, bf16 is parsed but never reaches the run."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.stage, self.precision = stage, step.get("precision", "fp32")
        self.side = step["crop.hr"]
        self.net = VAE(**step.get("networks.generator.args", {}))
        in_format(self.net, torch.channels_last)
        stage.register("generator", self.net, arch="VAE")
        self.vgg = stage.register("perceptual", vgg16_relu3_3(), arch="VGG16", kind="losses")
        self.optimizer = stage.optimizer(
            "generator", self.net.parameters(), "AdamW", lr=1e-4, weight_decay=1e-5
        )
        self.scaler = stage.scaler(enabled=self.precision == "fp16")

    def _loss(self, images: Tensor, recon: Tensor, mean: Tensor, logvar: Tensor) -> Tensor:
        reconstruction = F.mse_loss(recon, images)
        kl = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
        kl = kl / (images.shape[0] * images.shape[2] * images.shape[3])
        perceptual = F.mse_loss(self.vgg(recon), self.vgg(images))
        return reconstruction + 1e-6 * kl + perceptual

    def train_step(self, batch: int) -> None:
        """zero_grad, forward and loss under autocast, scaled backward, unscale, clip, step."""
        with self.stage.label("inputs"):
            images = self.stage.input(batch, 3, self.side, self.side)
            self.images = images.contiguous(memory_format=torch.channels_last)
            del images
        self.optimizer.zero_grad()
        with self.stage.autocast(self.precision):
            with self.stage.phase("generator forward"):
                self.recon, self.mean, self.logvar = self.net(self.images)
            with self.stage.phase("loss"):
                self.loss = self._loss(self.images, self.recon, self.mean, self.logvar)
        with self.stage.phase("generator backward"):
            self.scaler.scale(self.loss).backward()
        with self.stage.phase("optimizer step"):
            self.scaler.unscale_(self.optimizer)
            self.stage.clip_grad_norm(self.net.parameters(), MAX_NORM)
            self.scaler.step(self.optimizer)
            self.scaler.update()

    def validate(self, height: int, width: int) -> None:
        """Run one image in fp32 without autocast, whatever training does."""
        with torch.no_grad():
            images = self.stage.input(1, 3, height, width)
            recon, mean, logvar = self.net(images)
            self._loss(images, recon, mean, logvar)

    def checkpoint(self) -> dict[str, Any]:
        """checkpoint_epoch_N.pt, every --checkpoint_freq epochs and on improvement; none is deleted."""
        state = {
            "epoch": 0, "model_state_dict": self.net.state_dict(),
            "optimizer_state_dict": self.optimizer.state_dict(), "best_loss": 0.0,
        }  # fmt: skip
        return {"checkpoint_epoch_N.pt": state}
