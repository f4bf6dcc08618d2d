# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's StyleGAN2Model: the step in which both regularisations are due, the largest.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/models/stylegan2_model.py and basicsr/losses/gan_loss.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import STATE_FILE, SRModel, on_cpu

RECIPES = {"basicsr.StyleGAN2Model": "StyleGAN2Model"}

ANY_WEIGHT = 1.0
"""Any regularisation weight: one that is 0 is applied all the same."""
STYLE_SAMPLES = 16
"""Styles that the trainer keeps on the GPU for its validation."""
UNUSED = (
    "StyleGAN2Model stops at its path length regularisation under DataParallel: the slope is asked at "
    "latents that were gathered, from which the images were not made"
)
"""torch then says: One of the differentiated Tensors appears to not have been used in the graph."""


class RegularisedGAN(SRModel):
    """What StyleGAN2's and GFPGAN's trainers share: always an average, R1, optimizers without options."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        kinds = [{"role": entry["role"], "type": entry.get("type")} for entry in step.get("optimizers") or ()]
        super().__init__({**step, "ema": 1, "optimizers": kinds}, stage)

    def build_discriminator(self) -> None:
        """Build the discriminator."""
        self.dis, arch = network(self.step, "discriminator")
        self.stage.register("discriminator", self.dis, arch=arch)
        self.net_d = self.stage.replicate("discriminator", self.dis)

    def check_losses(self) -> None:
        """Ask for the adversarial loss."""
        if not self.criteria["gan"]:
            raise CannotTraceError("the GAN loss is missing")

    def build_optimizers(self) -> None:
        """Build both optimizers."""
        super().build_optimizers()
        self.optimizer_d = self.optimizer("discriminator", self.dis)

    def train_on(self, fake: Tensor, real: Tensor, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Train the discriminator on fake and real images, then on its slope at the real ones."""
        fake_pred = self.net_d(fake)
        real_pred = self.net_d(real)
        gan = self.criteria["gan"]
        log["d"] = gan(real_pred, True, is_disc=True) + gan(fake_pred, False, is_disc=True)
        log["d"].backward()
        real.requires_grad_(True)
        real_pred = self.net_d(real)
        slope = torch.autograd.grad(real_pred.sum(), real, create_graph=True)[0]
        penalty = slope.pow(2).view(slope.shape[0], -1).sum(1).mean()
        del slope
        penalty = penalty * ANY_WEIGHT + 0 * real_pred[0]
        penalty.backward()
        self.optimizer_d.step()
        return fake_pred, real_pred, penalty

    def checkpoint(self) -> dict[str, Any]:
        """Return the generator's files, the discriminator's weights and both optimizers' state."""
        files = super().checkpoint()
        return {
            "net_g_N.pth": files["net_g_N.pth"],
            "net_d_N.pth": {"params": on_cpu(self.dis)},
            STATE_FILE: self.state([self.optimizer_g, self.optimizer_d]),
        }


class StyleGAN2Model(RegularisedGAN):
    """Discriminator step with R1, generator step with path length regularisation, EMA.

    Images have the size of the discriminator. The D step's fake images hold the generator's graph until the
    G step's have been made.
    """

    losses = ("gan",)

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        if stage.layout.mode == "dp":
            raise CannotTraceError(UNUSED)
        super().__init__(step, stage)
        args = step.get("networks.generator.args") or {}
        self.styles = int(args["num_style_feat"])
        self.side = int((step.get("networks.discriminator.args") or {})["out_size"])
        self.path_length: Tensor | int = 0
        self.fixed: Tensor | None = None

    def feed(self, batch: int) -> None:
        """Receive real images."""
        if self.fixed is None:
            self.fixed = self.stage.input(STYLE_SAMPLES, self.styles, kind="other")
        self.real = self.stage.input(batch, 3, self.side, self.side)

    def noise(self, batch: int) -> tuple[Tensor, ...]:
        """Return two styles to mix, the likelier and larger case."""
        return torch.randn(2, batch, self.styles, device=self.stage.device).unbind(0)

    def optimize(self) -> None:
        """Train the discriminator, then the generator, then move the EMA copy."""
        log: dict[str, Tensor] = {}
        with self.stage.phase("discriminator step"):
            fake, *kept = self.train_discriminator(log)
        self.dis.requires_grad_(False)
        self.optimizer_g.zero_grad()
        batch = self.real.size(0)
        with self.stage.phase("generator forward"):
            noise = self.noise(batch)
            fake, _ = self.net_g(noise)
            pred = self.net_d(fake)
            log["g"] = self.criteria["gan"](pred, True, is_disc=False)
        with self.stage.phase("generator backward"):
            log["g"].backward()
        with self.stage.phase("path length regularisation"):
            noise = self.noise(max(1, batch // int(self.options.get("path_batch_shrink", 1))))
            fake, latents = self.net_g(noise, return_latents=True)
            lengths, penalty = self.path_penalty(fake, latents)
            penalty = penalty + 0 * fake[0, 0, 0, 0]
            penalty.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()
        self.follow()
        del kept, lengths

    def train_discriminator(self, log: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """Judge fake and real images, then the gradient of the real ones' score; returns what lives on."""
        self.dis.requires_grad_(True)
        self.optimizer_d.zero_grad()
        fake, _ = self.net_g(self.noise(self.real.size(0)))
        return fake, *self.train_on(fake.detach(), self.real, log)

    def path_penalty(self, fake: Tensor, latents: Tensor) -> tuple[Tensor, Tensor]:
        """Compare the lengths of the gradients of noisy images with their running mean."""
        noise = torch.randn_like(fake) / math.sqrt(fake.shape[2] * fake.shape[3])
        slope = torch.autograd.grad((fake * noise).sum(), latents, create_graph=True)[0]
        lengths = torch.sqrt(slope.pow(2).sum(2).mean(1))
        mean = self.path_length + 0.01 * (lengths.mean() - self.path_length)
        penalty = (lengths - mean).pow(2).mean()
        self.path_length = mean.detach()
        return lengths.detach().mean(), penalty

    def validate(self, height: int, width: int) -> None:  # noqa: ARG002  the size is the generator's own
        """Make the images of the kept styles with the EMA copy."""
        self.net_ema.eval()
        with torch.no_grad():
            self.output, _ = self.net_ema([self.fixed])
