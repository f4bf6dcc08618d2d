# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GLF-CR's step: L1 loss, Adam, fp32, cuDNN disabled; the fork clips gradients and may run DataParallel.

Source: xufangchn/GLF-CR d55611a (upstream) and mohit-epic/glf-crP dd16b95 (the Kaggle fork).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional as F

from trainlint.trace.stage import Stage
from trainlint_zoo.systems.networks.glfcr import OPTICAL_BANDS, SAR_BANDS, RDN_residual_CR

RECIPES = {"glfcr": "GlfCr", "glfcr.upstream": "GlfCrUpstream"}

MAX_NORM = 1.0  # the fork's clip_grad_norm_


class GlfCr:
    """One step of the fork; `pred` and `loss` are attributes and live until the next step overwrites them."""

    clips = True

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.stage = stage
        self.args = dict(step["networks.generator.args"])
        self.net = RDN_residual_CR(**self.args)
        stage.register("generator", self.net, arch="RDN_residual_CR")
        self.model = stage.replicate("generator", self.net)
        self.optimizer = stage.optimizer("generator", self.net.parameters(), "Adam", lr=1e-4)

    def train_step(self, batch: int) -> None:
        """Forward, zero_grad, backward, clip, step: zero_grad comes after the forward pass."""
        side = self.args["crop"]
        self.cloudy = self.stage.input(batch, OPTICAL_BANDS, side, side)
        self.clear = self.stage.input(batch, OPTICAL_BANDS, side, side)
        self.sar = self.stage.input(batch, SAR_BANDS, side, side)
        with self.stage.phase("generator forward"):
            self.pred = self.model(self.cloudy, self.sar)
        with self.stage.phase("loss"):
            self.loss = F.l1_loss(self.pred, self.clear)
        self.optimizer.zero_grad()
        with self.stage.phase("generator backward"):
            self.loss.backward()
        with self.stage.phase("optimizer step"):
            if self.clips:
                self.stage.clip_grad_norm(self.net.parameters(), MAX_NORM)
            self.optimizer.step()

    def validate(self, height: int, width: int) -> None:
        """Restore one crop without gradients (the masks fix the size)."""
        with torch.no_grad():
            self.net(
                self.stage.input(1, OPTICAL_BANDS, height, width),
                self.stage.input(1, SAR_BANDS, height, width),
            )

    def checkpoint(self) -> dict[str, Any]:
        """checkpoint_epoch_N.pth, one more every epoch."""
        state = {
            "epoch": 0, "model_state_dict": self.net.state_dict(),
            "optimizer_state_dict": self.optimizer.state_dict(), "best_val_psnr": 0.0,
        }  # fmt: skip
        return {"checkpoint_epoch_N.pth": state}


class GlfCrUpstream(GlfCr):
    """Upstream: no clipping, and a save holds the weights alone."""

    clips = False

    def checkpoint(self) -> dict[str, Any]:
        """<epoch>_net_CR.pth."""
        return {"N_net_CR.pth": self.net.state_dict()}
