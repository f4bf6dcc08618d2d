# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's training steps without a discriminator: SRModel, SwinIRModel, HATModel, RealESRNetModel.

What the trainer keeps in attributes and local names is kept here as long, and no longer.
Source: XPixelGroup/BasicSR 8d56e3a, basicsr/models.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import signature
from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.losses import build_loss
from trainlint_zoo.common.pool import Pooled

RECIPES = {
    "basicsr.SRModel": "SRModel",
    "basicsr.SwinIRModel": "PaddedModel",
    "basicsr.ATDModel": "PaddedModel",
    "basicsr.RealESRNetModel": "RealESRNetModel",
}

STATE_FILE = "1000000.state"
"""A training state's name: torch.save repeats it in every record, so its length counts in tiny files."""
OUTPUT_ARGUMENTS = ("num_out_ch", "out_channels", "out_chans")
"""What networks call the channels of their result; without it they are the input's."""
FREQUENCY_ROLES = ("freq", "fft")
"""Roles of losses on the Fourier transform: ShuffleMixer's and PLKSR's forks."""
OPTIMIZERS = ("Adam", "AdamW", "Adamax", "SGD", "ASGD", "RMSprop", "Rprop")
"""What BaseModel.get_optimizer knows."""


class SRModel:
    """Generator, pixel and perceptual loss, one optimizer, EMA.

    Forks that keep the name add a loss on frequencies (`freq_opt`, `fft_opt`): it is counted wherever it is
    configured, though upstream's own class would pass it over.
    """

    losses: tuple[str, ...] = ("pixel", "freq", "fft", "perceptual")

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.channels = int(step.get("channels", 3))
        self.target_channels = self.channels_of_targets()
        self.decay = float(step.get("ema") or 0)
        self.net, self.arch = network(step, "generator")
        stage.register("generator", self.net, arch=self.arch)
        self.net_g = stage.replicate("generator", self.net)
        if self.decay > 0:
            self.net_ema = copy.deepcopy(self.net).eval()
            stage.register("generator (EMA)", self.net_ema, arch=self.arch, kind="ema")
        self.build_discriminator()
        self.criteria = self._criteria()
        self.check_losses()
        self.build_optimizers()
        self.prefetched: tuple[Tensor, ...] | None = None

    def channels_of_targets(self) -> int:
        """Return what the network gives, written or by its default; else as many channels as it takes."""
        arch = self.step.get("networks.generator.arch")
        known = signature(str(self.step.get("dialect", "")), str(arch))
        args = {**(known.defaults if known else {}), **(self.step.get("networks.generator.args") or {})}
        return int(
            next((args[name] for name in OUTPUT_ARGUMENTS if isinstance(args.get(name), int)), self.channels)
        )

    def build_discriminator(self) -> None:
        """Build what else is trained; nothing here."""

    def build_optimizers(self) -> None:
        """Build the generator's optimizer."""
        self.optimizer_g = self.optimizer("generator", self.net)

    def check_losses(self) -> None:
        """Refuse what the trainer refuses."""
        if not self.criteria["pixel"] and not self.criteria["perceptual"]:
            raise CannotTraceError("both pixel and perceptual loss are missing")

    def _criteria(self) -> dict[str, Any]:
        """Build the losses in the trainer's order; a loss this trainer has no place for is not guessed at."""
        losses = self.step.get("losses") or ()
        for loss in losses:
            if loss.get("role") not in self.losses:
                raise CannotTraceError(f"unknown loss {loss.get('type')} in the role {loss.get('role')}")
        return {role: self._criterion(role, [x for x in losses if x["role"] == role]) for role in self.losses}

    def _criterion(self, role: str, entries: list[Mapping[str, Any]]) -> Any:
        if not entries:
            return None
        criterion = build_loss(entries[0])
        if any(True for _ in criterion.parameters()):
            arch = str(entries[0].get("vgg_type", "vgg19")).upper()
            self.stage.register(role, criterion, arch=arch, kind="losses")
        return criterion

    def optimizer(self, role: str, net: nn.Module) -> torch.optim.Optimizer:
        """Build a network's optimizer; the learning rate's value does not matter."""
        entries = [entry for entry in self.step.get("optimizers") or () if entry.get("role") == role]
        if not entries:
            raise CannotTraceError(f"no optimizer for the {role}")
        kind = entries[0].get("type")
        if kind not in OPTIMIZERS:
            raise CannotTraceError(f"unknown optimizer {kind}")
        options = {name: value for name, value in entries[0].items() if name not in ("role", "type", "lr")}
        trained = [p for p in net.parameters() if p.requires_grad]
        return self.stage.optimizer(role, trained, kind, lr=1e-4, **options)

    def train_step(self, batch: int) -> None:
        """One iteration of the training loop."""
        self.feed(batch)
        self.optimize()

    def feed(self, batch: int) -> None:
        """Receive a batch; the previous one dies name by name."""
        self.lq, self.gt = self.batch(batch)

    def batch(self, batch: int) -> tuple[Tensor, Tensor]:
        """Return input and target; `prefetch_mode: cuda` has loaded them one step earlier."""
        if self.step.get("prefetch.mode") != "cuda":
            return self._load(batch, 0)
        ready = self.prefetched or self._load(batch, 1)
        self.prefetched = self._load(batch, 1)
        return ready[0], ready[1]

    def _load(self, batch: int, stream: int) -> tuple[Tensor, Tensor]:
        lq, hr = int(self.step["crop.lq"]), int(self.step["crop.hr"])
        return (
            self.stage.input(batch, self.channels, lq, lq, stream=stream),
            self.stage.input(batch, self.target_channels, hr, hr, stream=stream),
        )

    def optimize(self) -> None:
        """zero_grad, forward, losses, backward, step, EMA."""
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.output = self.net_g(self.lq)
        log: dict[str, Tensor] = {}
        with self.stage.phase("losses"):
            total = self.compare(0, self.output, self.gt, self.gt, log)
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()
        self.follow()

    def compare(
        self, total: Any, output: Tensor, pixel: Tensor, percep: Tensor, log: dict[str, Tensor]
    ) -> Any:
        """Add pixel and perceptual loss to the total; `log` keeps each until the step ends."""
        if self.criteria["pixel"]:
            log["pixel"] = self.criteria["pixel"](output, pixel)
            total += log["pixel"]
        for role in FREQUENCY_ROLES:
            if self.criteria.get(role):
                log[role] = self.criteria[role](output, pixel)
                total += log[role]
        return self.perceive(total, output, percep, log)

    def perceive(self, total: Any, output: Tensor, target: Tensor, log: dict[str, Tensor]) -> Any:
        """Add perceptual and style loss to the total."""
        if self.criteria["perceptual"]:
            content, style = self.criteria["perceptual"](output, target)
            for name, loss in (("perceptual", content), ("style", style)):
                if loss is not None:
                    total += loss
                    log[name] = loss
        return total

    def follow(self) -> None:
        """Move the EMA copy, parameter by parameter."""
        if self.decay <= 0:
            return
        with self.stage.phase("EMA"), torch.no_grad():
            now = dict(self.net.named_parameters())
            for name, average in self.net_ema.named_parameters():
                average.mul_(self.decay).add_(now[name], alpha=1 - self.decay)

    def validate(self, height: int, width: int) -> None:
        """Restore one image with the EMA copy if there is one; the last batch's output is still alive."""
        scale = int(self.step.get("scale", 1))
        self.lq = self.stage.input(1, self.channels, height, width)
        self.gt = self.stage.input(1, self.target_channels, height * scale, width * scale)
        net = self.net_ema if self.decay > 0 else self.net
        net.eval()
        with torch.no_grad():
            self.test(net, scale)
        if self.decay <= 0:
            net.train()

    def test(self, net: nn.Module, scale: int) -> None:  # noqa: ARG002  a padded model crops by the scale
        """Run the network on the whole image."""
        self.output = net(self.lq)

    def checkpoint(self) -> dict[str, Any]:
        """Return the weights (with the EMA copy's) and the training state."""
        weights = {"params": on_cpu(self.net)}
        if self.decay > 0:
            weights["params_ema"] = on_cpu(self.net_ema)
        return {"net_g_N.pth": weights, STATE_FILE: self.state([self.optimizer_g])}

    def state(self, optimizers: list[torch.optim.Optimizer]) -> dict[str, Any]:
        """Return what save_training_state writes."""
        schedulers = [torch.optim.lr_scheduler.MultiStepLR(o, [1]).state_dict() for o in optimizers]
        states = [optimizer.state_dict() for optimizer in optimizers]
        return {"epoch": 0, "iter": 100, "optimizers": states, "schedulers": schedulers}


def on_cpu(net: nn.Module) -> dict[str, Tensor]:
    """Return a network's state as save_network writes it."""
    return {name: tensor.cpu() for name, tensor in net.state_dict().items()}


class PaddedModel(SRModel):
    """Validation pads the image to whole windows by reflection (SwinIRModel, HATModel)."""

    def test(self, net: nn.Module, scale: int) -> None:
        """Pad, run, crop."""
        args = self.step.get("networks.generator.args") or {}
        self.output = padded(net, self.lq, int(args.get("window_size", 1)), scale)


def padded(net: nn.Module, image: Tensor, window: int, scale: int) -> Tensor:
    """Run a network on an image whose sides are reflected up to multiples of `window`; crop the result."""
    down, right = -image.shape[2] % window, -image.shape[3] % window
    result = net(F.pad(image, (0, right, 0, down), "reflect"))
    height, width = result.shape[2:]
    out: Tensor = result[:, :, : height - down * scale, : width - right * scale]
    return out


DEGRADER_BYTES = 48640
"""Bytes of USMSharp's kernel and DiffJPEG's tables, each rounded to 512, that stay on the GPU."""


class Degrading(Pooled):
    """Real-ESRGAN's data: degraded on the GPU, mixed in a pool, the target sharpened.

    The degradation itself (its transients depend on random sizes) is not traced.
    """

    step: Mapping[str, Any]
    options: Mapping[str, Any]
    channels: int
    gt_usm: Tensor

    def take(self, batch: int, loaded: tuple[Tensor, Tensor]) -> None:
        """Receive a batch; a degraded one goes into the pool and another is taken out."""
        if not hasattr(self, "degrader"):
            self.degrader = self.stage.input(DEGRADER_BYTES // 4, kind="other")
        self.lq, self.gt = loaded
        del loaded
        if self.options.get("high_order_degradation", True):
            self.mix(batch)

    def sharpen(self) -> None:
        """Keep a sharpened copy of the target."""
        self.gt_usm = self.stage.input(*self.gt.shape)

    def sharpened(self, name: str, default: bool = True) -> Tensor:
        """Return the target that a loss uses: sharpened unless the option is off."""
        return self.gt_usm if self.options.get(name, default) is not False else self.gt


class RealESRNetModel(Degrading, SRModel):
    """Real-ESRGAN's first stage: SRModel on degraded data; the sharpened target replaces the plain one."""

    def feed(self, batch: int) -> None:
        """Degrade and mix; paired data keeps both targets."""
        self.take(batch, self.batch(batch))
        if not self.options.get("high_order_degradation", True):
            self.sharpen()
