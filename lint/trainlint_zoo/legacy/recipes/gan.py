# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The steps `srgan` of BasicSR before 1.0 (SRGAN's; with `gan_type: ragan` ESRGAN's) and `srragan` of 2018.

The discriminator's two predictions share one backward, the loss's network is replicated like the others, and
the target is on the GPU twice: the discriminator's reference is a copy of its own.
Source: hejingwenhejingwen/CResMD, codes/models/{SRGAN_model,loss,networks}.py, BasicSR's of 2020; srragan's
is XPixelGroup/BasicSR 9fd09d4 (January 2019), codes/models/SRRaGAN_model.py, whose step is that of dd057a0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import on_cpu
from trainlint_zoo.features.vgg import VGGFeatureExtractor

RECIPES = {"basicsr-legacy.srgan": "SRGANModel", "basicsr-legacy.srragan": "SRRaGANModel"}

FEATURE_LAYER: Final = "conv5_4"
"""Index 34 of VGG19's features: the last convolution, before its ReLU."""
PIXEL_LOSSES: Final = {"l1": nn.L1Loss, "l2": nn.MSELoss}
GAN_LOSSES: Final = {"gan": nn.BCEWithLogitsLoss, "ragan": nn.BCEWithLogitsLoss}
"""What `gan_type` may be: the step leaves its loss undefined for the others that GANLoss knows."""
RELATIVISTIC_LOSSES: Final = {"vanilla": nn.BCEWithLogitsLoss, "lsgan": nn.MSELoss}
"""The same of srragan, which is relativistic whatever its type; of wgan-gp the second graph is not played."""


class Features(nn.Module):
    """VGG19 up to one layer, without the copies that today's BasicSR makes."""

    def __init__(self) -> None:
        super().__init__()
        self.vgg = VGGFeatureExtractor([FEATURE_LAYER], copies=False)

    def forward(self, x: Tensor) -> Tensor:
        """(n, 3, h, w) in 0..1 -> (n, 512, h / 16, w / 16)."""
        features: Tensor = self.vgg(x)[FEATURE_LAYER]
        return features


class SRGANModel:
    """A generator step with the discriminator frozen, then the discriminator on both images at once."""

    name = "srgan"
    types: Mapping[str, type[nn.Module]] = GAN_LOSSES

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.kinds = {loss.get("role"): loss.get("type") for loss in step.get("losses") or ()}
        self.pixel, self.feature = self._criterion("pixel"), self._criterion("perceptual")
        kind = str(self.kinds.get("gan"))
        if kind not in self.types:
            known = " or ".join(self.types)
            raise CannotTraceError(f"{self.name} trains with gan_type {known}, not {kind}")
        self.adversarial = self.types[kind]()
        self.relativistic = kind == "ragan"
        self.net, arch = network(step, "generator")
        stage.register("generator", self.net, arch=arch)
        self.net_g = stage.replicate("generator", self.net)
        self.dis, arch = network(step, "discriminator")
        stage.register("discriminator", self.dis, arch=arch)
        self.net_d = stage.replicate("discriminator", self.dis)
        self.net_f = self._features() if self.feature is not None else None
        self.optimizers = [self._optimizer("generator", self.net), self._optimizer("discriminator", self.dis)]

    def _criterion(self, role: str) -> nn.Module | None:
        kind = self.kinds.get(role)
        if kind is None:
            return None
        if kind not in PIXEL_LOSSES:
            raise CannotTraceError(f"the {role} criterion is l1 or l2, not {kind}")
        return PIXEL_LOSSES[kind]()

    def _features(self) -> Any:
        if self.step.get("parallel") == "ddp":
            raise CannotTraceError("DistributedDataParallel takes no network without trained parameters")
        features = Features().eval()
        self.stage.register("perceptual", features, arch="VGG19", kind="losses")
        return self.stage.replicate("perceptual", features)

    def _optimizer(self, role: str, net: nn.Module) -> torch.optim.Optimizer:
        given = self.step.get("optimizers") or ()
        options: Mapping[str, Any] = next((o for o in given if o.get("role") == role), {})
        decay = options.get("weight_decay") or 0
        trained = [p for p in net.parameters() if p.requires_grad]
        return self.stage.optimizer(role, trained, "Adam", lr=1e-4, weight_decay=decay)

    def train_step(self, batch: int) -> None:
        """Feed a batch, train the generator, then the discriminator."""
        self.feed(batch, int(self.step["crop.lq"]), int(self.step["crop.hr"]))
        kept = self.train_generator()
        with self.stage.phase("discriminator step"):
            self.train_discriminator()
        del kept

    def feed(self, samples: int, lq: int, hr: int) -> None:
        """Put the input, the target and the discriminator's reference on the GPU."""
        channels = int(self.step.get("channels", 3))
        self.var_l = self.stage.input(samples, channels, lq, lq)
        self.var_h = self.stage.input(samples, channels, hr, hr)
        self.var_ref = self.stage.input(samples, channels, hr, hr)

    def train_generator(self) -> tuple[Any, ...]:
        """Run the generator's half; returns the local names that live until the step ends."""
        self.dis.requires_grad_(False)
        self.optimizers[0].zero_grad()
        with self.stage.phase("generator forward"):
            self.fake_h = self.net_g(self.var_l)
        with self.stage.phase("losses"):
            total, *kept = self.losses()
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizers[0].step()
        return (total, *kept)

    def losses(self) -> tuple[Any, ...]:
        """Return the generator's loss and what its terms are made of."""
        total: Any = 0
        kept: list[Any] = []
        if self.pixel is not None:
            kept.append(0.01 * self.pixel(self.fake_h, self.var_h))
            total += kept[-1]
        if self.net_f is not None and self.feature is not None:
            real_features = self.net_f(self.var_h).detach()
            fake_features = self.net_f(self.fake_h)
            kept += [real_features, fake_features, self.feature(fake_features, real_features)]
            total += kept[-1]
        fake = self.net_d(self.fake_h)
        if self.relativistic:
            real = self.net_d(self.var_ref).detach()
            kept.append(real)
            gan = (self.judged(real - fake.mean(), False) + self.judged(fake - real.mean(), True)) / 2
        else:
            gan = self.judged(fake, True)
        return (total + gan, *kept, fake, gan)

    def train_discriminator(self) -> None:
        """Judge real and fake images, and go back through both."""
        self.dis.requires_grad_(True)
        self.optimizers[1].zero_grad()
        real, fake = self.net_d(self.var_ref), self.net_d(self.fake_h.detach())
        if self.relativistic:
            of_real, of_fake = self.judged(real - fake.mean(), True), self.judged(fake - real.mean(), False)
        else:
            of_real, of_fake = self.judged(real, True), self.judged(fake, False)
        (of_real + of_fake).backward()
        self.optimizers[1].step()

    def judged(self, prediction: Tensor, real: bool) -> Tensor:
        """Return the loss of a prediction that should look real or not."""
        loss: Tensor = self.adversarial(prediction, torch.empty_like(prediction).fill_(float(real)))
        return loss

    def validate(self, height: int, width: int) -> None:
        """Enlarge one whole image; its target is there twice, too."""
        channels, scale = int(self.step.get("channels", 3)), int(self.step.get("scale", 1))
        self.var_l = self.stage.input(1, channels, height, width)
        self.var_h = self.stage.input(1, channels, height * scale, width * scale)
        self.var_ref = self.stage.input(1, channels, height * scale, width * scale)
        self.net.eval()
        with torch.no_grad():
            self.fake_h = self.net(self.var_l)
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return both networks' files and the training state."""
        schedulers = [torch.optim.lr_scheduler.MultiStepLR(o, [1]).state_dict() for o in self.optimizers]
        states = [optimizer.state_dict() for optimizer in self.optimizers]
        state = {"epoch": 0, "iter": 100, "schedulers": schedulers, "optimizers": states}
        return {"2000_G.pth": on_cpu(self.net), "2000_D.pth": on_cpu(self.dis), "2000.state": state}


class SRRaGANModel(SRGANModel):
    """ESRGAN's own trainer of 2018: always relativistic."""

    name = "srragan"
    types = RELATIVISTIC_LOSSES

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        self.relativistic = True
