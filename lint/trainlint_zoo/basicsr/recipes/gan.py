# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's training steps with a discriminator: SRGANModel, ESRGANModel, RealESRGANModel.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/models; xinntao/Real-ESRGAN a4abfb29, realesrgan/models.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint_zoo.basicsr.recipes.image import STATE_FILE, Degrading, SRModel, on_cpu
from trainlint_zoo.basicsr.recipes.losses import artifact_map

RECIPES = {
    "basicsr.SRGANModel": "SRGANModel",
    "basicsr.ESRGANModel": "ESRGANModel",
    "basicsr.RealESRGANModel": "RealESRGANModel",
}


class SRGANModel(SRModel):
    """A generator step with the discriminator frozen, then the discriminator on real and on fake images."""

    losses: tuple[str, ...] = ("pixel", "perceptual", "gan")

    def build_discriminator(self) -> None:
        """Build the discriminator; its optimizer follows the generator's."""
        self.dis, arch = network(self.step, "discriminator")
        self.stage.register("discriminator", self.dis, arch=arch)
        self.net_d = self.stage.replicate("discriminator", self.dis)

    def check_losses(self) -> None:
        """Ask for the adversarial loss; pixel and perceptual are optional."""
        if not self.criteria["gan"]:
            raise CannotTraceError("the GAN loss is missing")

    def build_optimizers(self) -> None:
        """Build both optimizers."""
        super().build_optimizers()
        self.optimizer_d = self.optimizer("discriminator", self.dis)

    def optimize(self) -> None:
        """Train the generator, then the discriminator, then move the EMA copy."""
        log: dict[str, Tensor] = {}
        kept = self.optimize_generator(log)
        with self.stage.phase("discriminator step"):
            kept += self.optimize_discriminator(log)
        self.follow()
        del kept

    def optimize_generator(self, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Run the generator's half; returns the local names that outlive it."""
        self.dis.requires_grad_(False)
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.output = self.net_g(self.lq)
            self.refer()
        with self.stage.phase("losses"):
            total, kept = self.losses_of_generator(log)
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()
        return (total, *kept)

    def refer(self) -> None:
        """Run what else the losses need; nothing here."""

    def losses_of_generator(self, log: dict[str, Tensor]) -> tuple[Any, tuple[Any, ...]]:
        """Pixel, perceptual and adversarial loss."""
        total = self.compare(0, self.output, self.gt, self.gt, log)
        return self.deceive(total, log)

    def deceive(self, total: Any, log: dict[str, Tensor]) -> tuple[Any, tuple[Any, ...]]:
        """Add the adversarial loss of the fake image."""
        pred = self.net_d(self.output)
        log["gan"] = self.criteria["gan"](pred, True, is_disc=False)
        total += log["gan"]
        return total, (pred,)

    def optimize_discriminator(self, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Run the discriminator's half: real, then fake, each with its own backward."""
        self.dis.requires_grad_(True)
        self.optimizer_d.zero_grad()
        real = self._judge(self.real(), True, log)
        fake = self._judge(self.fake(), False, log)
        self.optimizer_d.step()
        return real, fake

    def real(self) -> Tensor:
        """Return the real images."""
        return self.gt

    def fake(self) -> Tensor:
        """Return the fake images, cut off from the generator."""
        detached: Tensor = self.output.detach()
        return detached

    def _judge(self, image: Tensor, real: bool, log: dict[str, Tensor]) -> Tensor:
        pred: Tensor = self.net_d(image)
        name = "real" if real else "fake"
        log[f"d {name}"] = self.criteria["gan"](pred, real, is_disc=True)
        log[f"out {name}"] = torch.mean(pred.detach())
        log[f"d {name}"].backward()
        return pred

    def checkpoint(self) -> dict[str, Any]:
        """Return the generator's files, the discriminator's weights and both optimizers' state."""
        files = super().checkpoint()
        return {
            "net_g_N.pth": files["net_g_N.pth"],
            "net_d_N.pth": {"params": on_cpu(self.dis)},
            STATE_FILE: self.state([self.optimizer_g, self.optimizer_d]),
        }


class ESRGANModel(SRGANModel):
    """The relativistic GAN: each prediction against the mean of the other kind."""

    def deceive(self, total: Any, log: dict[str, Tensor]) -> tuple[Any, tuple[Any, ...]]:
        """Add the relativistic loss; the real prediction needs no gradient but ran with a graph."""
        real = self.net_d(self.gt).detach()
        fake = self.net_d(self.output)
        gan = self.criteria["gan"]
        of_real = gan(real - torch.mean(fake), False, is_disc=False)
        of_fake = gan(fake - torch.mean(real), True, is_disc=False)
        log["gan"] = (of_real + of_fake) / 2
        total += log["gan"]
        return total, (real, fake, of_real, of_fake)

    def optimize_discriminator(self, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Real against the fake mean, then fake against the real mean; two backwards."""
        self.dis.requires_grad_(True)
        self.optimizer_d.zero_grad()
        gan = self.criteria["gan"]
        fake = self.net_d(self.output).detach()
        real = self.net_d(self.gt)
        log["d real"] = gan(real - torch.mean(fake), True, is_disc=True) * 0.5
        log["d real"].backward()
        fake = self.net_d(self.output.detach())
        log["d fake"] = gan(fake - torch.mean(real.detach()), False, is_disc=True) * 0.5
        log["d fake"].backward()
        self.optimizer_d.step()
        return real, fake


class RealESRGANModel(Degrading, SRGANModel):
    """Degraded data, sharpened targets per loss, and optionally LDL."""

    losses = ("pixel", "ldl", "perceptual", "gan")

    def check_losses(self) -> None:
        """LDL compares with the EMA network."""
        super().check_losses()
        if self.criteria["ldl"] and self.decay <= 0:
            raise CannotTraceError("the LDL loss needs ema_decay")

    def feed(self, batch: int) -> None:
        """Degrade, mix, sharpen."""
        self.take(batch, self.batch(batch))
        self.sharpen()

    def refer(self) -> None:
        """LDL runs the EMA generator with a graph, which lives until the next step's replaces it."""
        if self.criteria["ldl"]:
            self.output_ema = self.net_ema(self.lq)

    def losses_of_generator(self, log: dict[str, Tensor]) -> tuple[Any, tuple[Any, ...]]:
        """Pixel, LDL, perceptual, adversarial: the targets differ in sharpening."""
        total: Any = 0
        weight = None
        if self.criteria["pixel"]:
            log["pixel"] = self.criteria["pixel"](self.output, self.sharpened("l1_gt_usm"))
            total += log["pixel"]
        if self.criteria["ldl"]:
            weight = artifact_map(self.gt, self.output, self.output_ema)
            log["ldl"] = self.criteria["ldl"](torch.mul(weight, self.output), torch.mul(weight, self.gt))
            total += log["ldl"]
        total = self.perceive(total, self.output, self.sharpened("percep_gt_usm"), log)
        total, kept = self.deceive(total, log)
        return total, (weight, *kept)

    def real(self) -> Tensor:
        """Return the real images, plain by default."""
        return self.sharpened("gan_gt_usm", default=False)

    def fake(self) -> Tensor:
        """Return a copy of the fake images."""
        copied: Tensor = self.output.detach().clone()
        return copied
