# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's training step of model "gan": features, an adversarial loss, the discriminator.

Source: cszn/KAIR fc1732f, models/model_gan.py and models/loss.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint_zoo.basicsr.recipes.image import on_cpu
from trainlint_zoo.features.vgg import VGGFeatureExtractor, vgg_layers
from trainlint_zoo.kair.recipes.plain import Plain

RECIPES = {"kair.gan": "Gan"}


class Features(nn.Module):
    """KAIR's perceptual loss: VGG19 features at layer numbers; one number alone is not cloned."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        numbers = loss.get("feature_layer", [2, 7, 16, 25, 34])
        self.several = isinstance(numbers, list | tuple)
        names = [name for name, _ in vgg_layers("vgg19")]
        wanted = [names[int(number)] for number in (numbers if self.several else [numbers])]
        normed, ranged = loss.get("use_input_norm", True), loss.get("use_range_norm", False)
        self.vgg = VGGFeatureExtractor(wanted, "vgg19", normed, ranged, copies=self.several)
        if loss.get("type") not in {"l1", "l2"}:
            raise CannotTraceError(f"unknown loss {loss.get('type')} of features")
        self.compare = nn.L1Loss() if loss.get("type") == "l1" else nn.MSELoss()

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Return the distance over all layers."""
        ours, theirs = self.vgg(x), self.vgg(target.detach())
        loss: Any = 0.0
        for name, feature in ours.items():
            loss += (
                1.0 * self.compare(feature, theirs[name])
                if self.several
                else self.compare(feature, theirs[name])
            )
        distance: Tensor = loss
        return distance


class Gan(Plain):
    """The generator with the discriminator frozen; then the discriminator on real and on fake."""

    roles = ("pixel", "perceptual", "gan")

    def build_discriminator(self) -> None:
        """Build the discriminator."""
        self.dis, arch = network(self.step, "discriminator")
        self.stage.register("discriminator", self.dis, arch=arch)
        self.net_d = self.stage.replicate("discriminator", self.dis)

    def build_losses(self) -> None:
        """Build the feature loss and the adversarial loss, and the discriminator's optimizer."""
        self.kind = self.losses.get("gan", {}).get("type")
        if self.kind not in {"gan", "ragan", "lsgan", "wgan", "softplusgan"}:
            raise CannotTraceError(f"unknown GAN loss {self.kind}")
        if self.weight("perceptual") > 0 and "perceptual" in self.losses:
            self.features = Features(self.losses["perceptual"])
            self.stage.register("perceptual", self.features, arch="VGG19", kind="losses")
        self.optimizer_d = self.optimizer("discriminator", self.dis)

    def adversarial(self, pred: Tensor, real: bool) -> Tensor:
        """Return the adversarial loss of a prediction."""
        if self.kind == "wgan":
            return -1 * pred.mean() if real else pred.mean()
        if self.kind == "softplusgan":
            return F.softplus(-pred).mean() if real else F.softplus(pred).mean()
        label = torch.empty_like(pred).fill_(float(real))
        if self.kind == "lsgan":
            return F.mse_loss(pred, label)
        return F.binary_cross_entropy_with_logits(pred, label)

    def optimize(self) -> None:
        """Train the generator, then the discriminator."""
        kept = self._generator()
        with self.stage.phase("discriminator step"):
            kept += self._discriminator()
        del kept

    def _generator(self) -> tuple[Any, ...]:
        self.dis.requires_grad_(False)
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.out = self.net_g(self.low)
        total: Any = 0
        kept: list[Any] = []
        with self.stage.phase("losses"):
            if self.weight("pixel") > 0:
                kept.append(self.weight("pixel") * self.pixel(self.out, self.high))
                total += kept[-1]
            if hasattr(self, "features"):
                kept.append(self.weight("perceptual") * self.features(self.out, self.high))
                total += kept[-1]
            loss, preds = self._deceive()
            total += loss
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()
        return total, *kept, loss, *preds

    def _deceive(self) -> tuple[Tensor, tuple[Tensor, ...]]:
        weight = self.weight("gan")
        if self.kind != "ragan":
            fake = self.net_d(self.out)
            return weight * self.adversarial(fake, True), (fake,)
        real = self.net_d(self.high).detach()
        fake = self.net_d(self.out)
        of_real = self.adversarial(real - torch.mean(fake, 0, True), False)
        of_fake = self.adversarial(fake - torch.mean(real, 0, True), True)
        return weight * (of_real + of_fake) / 2, (real, fake)

    def _discriminator(self) -> tuple[Any, ...]:
        self.dis.requires_grad_(True)
        self.optimizer_d.zero_grad()
        kept = self._relativistic() if self.kind == "ragan" else self._plain()
        self.optimizer_d.step()
        self.log = [torch.mean(pred.detach()) for pred in kept[:2]]
        return kept

    def _plain(self) -> tuple[Any, ...]:
        real = self.net_d(self.high)
        of_real = self.adversarial(real, True)
        of_real.backward()
        fake = self.net_d(self.out.detach().clone())
        of_fake = self.adversarial(fake, False)
        of_fake.backward()
        return real, fake, of_real, of_fake

    def _relativistic(self) -> tuple[Any, ...]:
        fake = self.net_d(self.out).detach()
        real = self.net_d(self.high)
        of_real = 0.5 * self.adversarial(real - torch.mean(fake, 0, True), True)
        of_real.backward()
        fake = self.net_d(self.out.detach())
        of_fake = 0.5 * self.adversarial(fake - torch.mean(real.detach(), 0, True), False)
        of_fake.backward()
        return real, fake, of_real, of_fake

    def checkpoint(self) -> dict[str, Any]:
        """Return the generator's files and the discriminator's."""
        files = super().checkpoint() | {"10000_D.pth": on_cpu(self.dis)}
        if self.options.get("save_optimizer_d"):
            files["10000_optimizerD.pth"] = self.optimizer_d.state_dict()
        return files
