# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""train_zoom23_autoencoder.py's step: MSE reconstruction, AdamW, clipped gradients, optional DataParallel.

Source: darknight-007/dreams-lab-portal, dreams_laboratory/scripts, d920523d.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F

from trainlint.trace.stage import Stage
from trainlint_zoo.systems.networks.zoom23 import MultispectralAutoencoder

RECIPES = {"zoom23": "Zoom23"}

MAX_NORM = 1.0  # torch.nn.utils.clip_grad_norm_(parameters, 1.0) in the script


class Zoom23:
    """One step of the autoencoder; everything is fp32."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.stage = stage
        self.args = dict(step["networks.generator.args"])
        self.net = MultispectralAutoencoder(**self.args)
        stage.register("generator", self.net, arch="MultispectralAutoencoder")
        self.model = stage.replicate("generator", self.net)
        self.optimizer = stage.optimizer(
            "generator", self.net.parameters(), "AdamW", lr=1e-4, weight_decay=0.01
        )

    def train_step(self, batch: int) -> None:
        """zero_grad, forward, loss, backward, clip, step; output and loss live until the next step."""
        side = self.args.get("img_size", 256)
        self.images = self.stage.input(batch, 3, side, side)
        self.optimizer.zero_grad()
        with self.stage.phase("generator forward"):
            self.output = self.model(self.images)
        with self.stage.phase("loss"):
            self.loss = F.mse_loss(self.output, self.images)
        with self.stage.phase("generator backward"):
            self.loss.backward()
        with self.stage.phase("optimizer step"):
            self.stage.clip_grad_norm(self.net.parameters(), MAX_NORM)
            self.optimizer.step()

    def validate(self, height: int, width: int) -> None:
        """Reconstruct one image without gradients (the position table fixes the size)."""
        with torch.no_grad():
            self.net(self.stage.input(1, 3, height, width))

    def checkpoint(self) -> dict[str, Any]:
        """latest_checkpoint.pth and, on improvement, best_checkpoint.pth: each overwritten."""
        state = {
            "epoch": 0, "encoder": self.net.encoder.state_dict(), "decoder": self.net.decoder.state_dict(),
            "optimizer": self.optimizer.state_dict(), "loss": 0.0,
        }  # fmt: skip
        return {"latest_checkpoint.pth": state, "best_checkpoint.pth": state}
