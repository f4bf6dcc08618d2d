# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's training steps: image (paired data) and otf (degraded on the GPU, with a pool).

The versions differ in one thing that shapes memory: from 3fe001f4 on the generator's adversarial loss is
taken in inference mode (the discriminator's graph is not kept), before that it was not. A config shows its
version by the losses and discriminators that only the newer ones know; without a sign the older, larger step
is traced.
Source: neosr-project/neosr 3f185e34 and 3fe001f4, muslll/neosr c5d54ee4, ef7005da (neosr/models: image.py,
otf.py, base.py; neosr/data: prefetch_dataloader.py, otf_dataset.py; train.py).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import build
from trainlint.trace.stage import Stage
from trainlint.trace.torch_private import foreach_lerp_
from trainlint_zoo.basicsr.recipes.image import STATE_FILE, on_cpu
from trainlint_zoo.common import tiles
from trainlint_zoo.common.layout import in_format
from trainlint_zoo.common.pool import Pooled
from trainlint_zoo.neosr.recipes.loss_table import build_loss
from trainlint_zoo.neosr.recipes.losses import high_frequencies
from trainlint_zoo.neosr.recipes.optimizers import build_optimizer

RECIPES = {"neosr.image": "Image", "neosr.otf": "Otf", "neosr.default": "Default"}

LOSS_ORDER = (
    "pixel", "mssim", "ncc", "kl", "fdl", "consistency", "msswd", "perceptual", "dists", "ldl", "ff", "gw",
    "color", "luma",
)  # fmt: skip
"""The losses' places in the step; the adversarial one is the last."""
PIXEL, FEATURES = ("pixel", "mssim"), ("perceptual", "dists", "fdl")
MATCHED_LOSSES = ("consistency", "msswd", "color", "luma")
"""Losses that compare with the enlarged input where match_lq_colors is set."""
RECENT_LOSSES = {"fdl", "ncc", "kl", "msswd"}
"""Losses that only the versions with inference mode have."""
LOADED_SIDE = 512
"""Side of the images that the otf dataset hands over (otf_dataset.py: crop or pad to 512)."""


class Image:
    """Losses from a list, a discriminator, AMP with scaling, accumulation, averaged copies."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.accumulate = int(step.get("accumulate") or 1)
        self.losses = {str(loss.get("role")): loss for loss in step.get("losses") or ()}
        self.refuse()
        self.precision = str(step.get("precision", "fp32"))
        self.amp = self.precision != "fp32"
        self.format = torch.channels_last if self.amp else torch.preserve_format
        self.net = self._network("generator")
        self.net_g = stage.replicate("generator", self.net)
        self.gan = "networks.discriminator.arch" in step
        dis: Any = self._network("discriminator") if self.gan else None
        self.dis: Any = dis
        self.net_d: Any = stage.replicate("discriminator", dis) if self.gan else None
        self.averaged = self._averages() if float(step.get("ema") or 0) > 0 else {}
        self.optimizer_g = self._optimizer("generator", self.net)
        self.optimizer_d: Any = self._optimizer("discriminator", dis) if self.gan else None
        self.scaler_g, self.scaler_d = stage.scaler(enabled=self.amp), stage.scaler(enabled=self.amp)
        self.criteria = {role: self._criterion(role) for role in LOSS_ORDER if role in self.losses}
        self.cri_gan: Any = self._criterion("gan") if self.gan else None
        self.loaded: tuple[Tensor, ...] | None = None
        self.ahead: tuple[Tensor, ...] | None = None

    def refuse(self) -> None:
        """Say what the trainer refuses and what is not modeled."""
        unknown = [role for role in self.losses if role not in (*LOSS_ORDER, "gan")]
        if unknown:
            raise CannotTraceError(f"unknown loss {self.losses[unknown[0]].get('type')}")
        if not any(role in self.losses for role in (*PIXEL, *FEATURES)):
            raise CannotTraceError("both pixel/mssim and perceptual losses are missing")
        if ("networks.discriminator.arch" in self.step) != ("gan" in self.losses):
            raise CannotTraceError("a discriminator needs a GAN loss, and the other way round")
        for name in ("sam", "eco"):
            if self.options.get(name):
                raise CannotTraceError(f"training with {name} is not modeled")

    @property
    def recent(self) -> bool:
        """Whether the config is one of the versions that take the generator's GAN loss in inference mode."""
        arch = self.step.get("networks.discriminator.arch")
        return bool(RECENT_LOSSES & self.losses.keys()) or arch == "metagan"

    def _network(self, role: str) -> nn.Module:
        arch = self.step.get(f"networks.{role}.arch")
        if not isinstance(arch, str):
            raise CannotTraceError(f"no {role} network is named")
        args = dict(self.step.get(f"networks.{role}.args") or {})
        if role == "generator":
            args["scale"] = int(self.step.get("scale", 1))
        net = in_format(build("neosr", arch, args), self.format)
        self.stage.register(role, net, arch=arch)
        return net

    def _averages(self) -> dict[str, nn.Module]:
        """Return the averaged copies; spectral normalization's plain weights are copied with them."""
        copies: dict[str, nn.Module] = {}
        for role, net in (("generator", self.net), ("discriminator", self.dis)):
            if net is None:
                continue
            average = copy.deepcopy(net).requires_grad_(False)
            self.stage.register(f"{role} (EMA)", average, kind="ema")
            for weight in _plain_weights(average):
                self.stage.ledger.adopt(weight, "ema", f"{role} (EMA):weight")
            copies[role] = average
        return copies

    def _criterion(self, role: str) -> nn.Module:
        loss = self.losses[role]
        criterion = in_format(build_loss(loss), torch.channels_last)
        if any(True for _ in criterion.parameters()) or any(True for _ in criterion.buffers()):
            self.stage.register(role, criterion, arch=str(loss.get("type")), kind="losses")
        return criterion

    def _optimizer(self, role: str, net: nn.Module) -> torch.optim.Optimizer:
        entries = [entry for entry in self.step.get("optimizers") or () if entry.get("role") == role]
        if not entries:
            raise CannotTraceError(f"no optimizer for the {role}")
        trained = [p for p in net.parameters() if p.requires_grad]
        return build_optimizer(self.stage, role, trained, entries[0])

    def train_step(self, batch: int) -> None:
        """Run as many micro-batches as one update takes, then step and average."""
        for number in range(1, self.accumulate + 1):
            self.feed(batch)
            self.closure(update=number == self.accumulate)
        with self.stage.phase("generator optimizer"):
            self.scaler_g.step(self.optimizer_g)
        if self.optimizer_d is not None:
            with self.stage.phase("discriminator optimizer"):
                self.scaler_d.step(self.optimizer_d)
                self.scaler_d.update()
        self.scaler_g.update()
        self.optimizer_g.zero_grad(set_to_none=True)
        if self.optimizer_d is not None:
            self.optimizer_d.zero_grad(set_to_none=True)
        if self.averaged:
            with self.stage.phase("EMA"):
                self.average()

    def average(self) -> None:
        """Move the averaged copies and copy the buffers."""
        for role, average in self.averaged.items():
            net = self.net if role == "generator" else self.dis
            parameters = [p.detach() for p in average.parameters()]
            foreach_lerp_(parameters, [p.detach() for p in net.parameters()], 0.001)
            for old, now in zip(average.buffers(), net.buffers(), strict=True):
                old.copy_(now)

    def feed(self, batch: int) -> None:
        """Receive a batch that was loaded one step earlier, while the next one is loaded."""
        self.loaded = self.ahead or self.load(batch)
        self.ahead = self.load(batch)
        self.lq, self.gt = self.loaded

    def load(self, batch: int) -> tuple[Tensor, ...]:
        """Return input and target of the prefetcher's stream."""
        lq, hr = int(self.step["crop.lq"]), int(self.step["crop.hr"])
        return self.image(batch, lq, lq, stream=1), self.image(batch, hr, hr, stream=1)

    def image(self, batch: int, height: int, width: int, stream: int = 0) -> Tensor:
        """Return images; channels last where the weights are, as the first convolution's result will be."""
        channels = int(self.step.get("channels", 3))
        if self.amp:
            return self.stage.input(batch, height, width, channels, stream=stream).permute(0, 3, 1, 2)
        return self.stage.input(batch, channels, height, width, stream=stream)

    def closure(self, *, update: bool) -> None:
        """Run the generator's half, then the discriminator's; local names live until both are done."""
        log: dict[str, Tensor] = {}
        bands = None
        if self.dis is not None:
            self.dis.requires_grad_(False)
        with self.stage.autocast(self.precision):
            with self.stage.phase("generator forward"):
                self.output = self.net_g(self.lq)
                if self.options.get("clamp", True) is not False:
                    self.output = torch.clamp(self.output, 1 / 255, 1)
            self.match()
            if self.wavelets():
                bands = high_frequencies(self.output, self.gt)
            with self.stage.phase("losses"):
                total = torch.zeros(1, device=self.output.device)
                kept = self.compare(total, log)
        total /= self.accumulate
        with self.stage.phase("generator backward"):
            self.scaler_g.scale(total).backward()
        if update:
            self.clip(self.scaler_g, self.optimizer_g, self.net)
        if self.dis is not None:
            with self.stage.phase("discriminator step"):
                kept += self.discriminate(log, bands, update=update)
        del kept

    def wavelets(self) -> bool:
        """Whether the discriminator sees high frequencies only, as it does from wavelet_init on."""
        return self.options.get("wavelet_guided") in (True, "on", "disc")

    def match(self) -> None:
        """Keep the enlarged input, to which the colours are matched."""
        if self.options.get("match_lq_colors"):
            with torch.no_grad():
                scale = int(self.step.get("scale", 1))
                enlarged = F.interpolate(self.lq, scale_factor=scale, mode="bicubic", antialias=True)
                self.lq_interp = torch.clamp(enlarged, 1 / 255, 1)

    def compare(self, total: Tensor, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Add every loss to the total; returns the local names."""
        matching = bool(self.options.get("match_lq_colors"))
        for role, criterion in self.criteria.items():
            target = self.lq_interp if matching and role in MATCHED_LOSSES else self.gt
            log[role] = criterion(self.output, target)
            total += log[role]
        if not self.gan:
            return ()
        self.dis.train(not self.recent)
        with torch.no_grad() if self.recent else nullcontext():
            pred = self.net_d(self.output)
        log["gan"] = self.cri_gan(pred, True, is_disc=False)
        total += log["gan"]
        return (pred,)

    def clip(self, scaler: Any, optimizer: torch.optim.Optimizer, net: nn.Module) -> None:
        """Unscale and clip the gradients."""
        if self.step.get("gradient_clip"):
            scaler.unscale_(optimizer)
            self.stage.clip_grad_norm(net.parameters(), 1.0)

    def discriminate(self, log: dict[str, Tensor], bands: Any, *, update: bool) -> tuple[Any, ...]:
        """Train the discriminator on real and fake: both graphs live until both backwards."""
        self.dis.requires_grad_(True)
        fake_image, real_image = bands or (self.output, self.gt)
        with self.stage.autocast(self.precision):
            real = self.net_d(real_image)
            of_real = self.cri_gan(real, True, is_disc=True)
            of_real /= self.accumulate
            log["out real"] = torch.mean(real.detach())
            fake = self.net_d(fake_image.detach())
            of_fake = self.cri_gan(fake, False, is_disc=True)
            of_fake /= self.accumulate
            log["out fake"] = torch.mean(fake.detach())
            log["d"] = (of_real + of_fake) / 2
            self.dis.train()
            self.scaler_d.scale(of_real).backward()
            self.scaler_d.scale(of_fake).backward()
        if update:
            self.clip(self.scaler_d, self.optimizer_d, self.dis)
        return real, fake, of_real, of_fake

    def validate(self, height: int, width: int) -> None:
        """Restore one image, in fp32 also where training is mixed, with the averaged copy if there is."""
        scale = int(self.step.get("scale", 1))
        self.lq = self.image(1, height, width)
        self.gt = self.image(1, height * scale, width * scale)
        net = self.averaged.get("generator", self.net)
        net.eval()
        tile = int(self.step.get("validation.tile") or 0)
        with torch.no_grad():
            self.output = tiles.apart(net, self.lq, tile) if tile else net(self.lq)
        net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return both networks' weights, averaged where they are, and the training state."""
        files = {"net_g_N.pth": {"params": on_cpu(self.averaged.get("generator", self.net))}}
        if self.gan:
            files["net_d_N.pth"] = {"params": on_cpu(self.averaged.get("discriminator", self.dis))}
        optimizers = [o for o in (self.optimizer_g, self.optimizer_d) if o is not None]
        state = {
            "epoch": 0,
            "iter": 100,
            "optimizers": [o.state_dict() for o in optimizers],
            "schedulers": [],
        }
        return {**files, STATE_FILE: state}


def _plain_weights(net: nn.Module) -> list[Any]:
    """Return the weights that spectral normalization keeps next to parameters and buffers."""
    return [module.weight for module in net.modules() if hasattr(module, "weight_orig")]


class Default:
    """The step of the versions with YAML, of which hardly two are alike: refused."""

    def __init__(self, *_: object) -> None:
        raise CannotTraceError(
            "neosr's model_type default changed its step from version to version; image and otf are traced"
        )


class Otf(Pooled, Image):
    """Image on data degraded on the GPU and mixed in a pool; the degradation itself is not traced."""

    def load(self, batch: int) -> tuple[Tensor, ...]:
        """Return the targets, larger than the crop, and the three kernels of each."""
        side = max(LOADED_SIDE, int(self.step["crop.hr"]))
        images = self.image(batch, side, side, stream=1)
        return images, *(self.stage.input(batch, 21, 21, stream=1) for _ in range(3))

    def feed(self, batch: int) -> None:
        """Degrade, crop, put into the pool, take another batch out."""
        self.loaded = self.ahead or self.load(batch)
        self.ahead = self.load(batch)
        lq, hr = int(self.step["crop.lq"]), int(self.step["crop.hr"])
        self.lq, self.gt = self.image(batch, lq, lq), self.loaded[0][:, :, :hr, :hr]
        self.mix(batch)
