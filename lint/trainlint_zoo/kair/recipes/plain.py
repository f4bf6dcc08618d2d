# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's training steps: model "plain", and "plain2" with a second input.

Source: cszn/KAIR fc1732f, models/{model_plain,model_plain2,loss}.py and data/dataset_ffdnet.py.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import on_cpu
from trainlint_zoo.kair.recipes.ssim import Similarity

RECIPES = {"kair.plain": "Plain", "kair.plain2": "Plain2"}

EPSILON = 1e-9  # CharbonnierLoss's default


def _charbonnier(x: Tensor, y: Tensor) -> Tensor:
    diff = x - y
    return torch.mean(torch.sqrt(diff * diff + EPSILON))


def _l2sum(x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(x, y, reduction="sum")


PIXEL_LOSSES: Mapping[str, Callable[[], Callable[[Tensor, Tensor], Tensor]]] = {
    "l1": lambda: F.l1_loss,
    "l2": lambda: F.mse_loss,
    "l2sum": lambda: _l2sum,
    "charbonnier": lambda: _charbonnier,
    "ssim": Similarity,
}


class Plain:
    """Generator, pixel loss, Adam, EMA copy E.

    Not played, since they need less than this: the regularisers between steps (G_regularizer_orthstep: a
    few copies of one layer's weights, where the optimizer's lists are of all), and the steps after merge_bn.
    """

    roles: tuple[str, ...] = ("pixel",)

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.decay = float(step.get("ema") or 0)
        self.losses = {loss.get("role"): loss for loss in step.get("losses") or ()}
        self.net, self.arch = network(step, "generator")
        stage.register("generator", self.net, arch=self.arch)
        self.net_g = stage.replicate("generator", self.net)
        self.build_discriminator()
        if self.decay > 0:
            self.net_e = copy.deepcopy(self.net).eval()
            stage.register("generator (EMA)", self.net_e, arch=self.arch, kind="ema")
        self.pixel = self._pixel()
        self.build_losses()
        self.optimizer_g = self.optimizer("generator", self.net)

    def build_discriminator(self) -> None:
        """Build what else is trained; nothing here."""

    def build_losses(self) -> None:
        """Build further losses; nothing here."""

    def _pixel(self) -> Any:
        for role, loss in self.losses.items():
            if role not in self.roles:
                raise CannotTraceError(f"unknown loss {loss.get('type')} in the role {role}")
        kind = str(self.losses.get("pixel", {}).get("type"))
        if kind not in PIXEL_LOSSES:
            raise CannotTraceError(f"unknown loss {kind}")
        return PIXEL_LOSSES[kind]()

    def weight(self, role: str) -> float:
        """Return a loss's weight; a loss that weighs nothing is not computed."""
        value = self.losses.get(role, {}).get("loss_weight", 1)
        if not isinstance(value, int | float):
            raise CannotTraceError(f'the weight of the {role} loss must be a number, is "{value}"')
        return float(value)

    def optimizer(self, role: str, net: nn.Module) -> torch.optim.Optimizer:
        """Build Adam (or AdamW) as the step says."""
        entries = [entry for entry in self.step.get("optimizers") or () if entry.get("role") == role]
        kind = str(entries[0].get("type")).lower() if entries else "missing"
        if kind not in {"adam", "adamw"}:
            raise CannotTraceError(f"unknown optimizer {kind}")
        decay = entries[0].get("weight_decay") or 0
        name = {"adam": "Adam", "adamw": "AdamW"}[kind]
        return self.stage.optimizer(role, self.trained(net), name, lr=1e-4, weight_decay=decay)

    def trained(self, net: nn.Module) -> Iterable[Any]:
        """Return what an optimizer is given: parameters, or groups of them."""
        return net.parameters()

    def train_step(self, batch: int) -> None:
        """Run one iteration of the training loop."""
        self.feed(batch, int(self.step["crop.lq"]), int(self.step["crop.lq"]), int(self.step["crop.hr"]))
        self.optimize()
        self.follow()

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, then H."""
        channels = int(self.step.get("channels", 3))
        tall, wide = (target, target) if isinstance(target, int) else target
        self.low = self.stage.input(batch, channels, height, width)
        self.high = self.stage.input(batch, int(self.options.get("target_channels", channels)), tall, wide)

    def inputs(self) -> tuple[Any, ...]:
        """Return what the generator is called with."""
        return (self.low,)

    def optimize(self) -> None:
        """zero_grad, forward, loss, backward, clip, step."""
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.out = self.net_g(*self.inputs())
        with self.stage.phase("losses"):
            loss = self.weight("pixel") * self.pixel(self.out, self.high)
        with self.stage.phase("generator backward"):
            loss.backward()
        with self.stage.phase("generator optimizer"):
            if self.step.get("gradient_clip"):
                self.stage.clip_grad_norm(self.net.parameters(), 1.0)
            self.optimizer_g.step()

    def follow(self) -> None:
        """Move the EMA copy, parameter by parameter."""
        if self.decay <= 0:
            return
        with self.stage.phase("EMA"):
            now = dict(self.net.named_parameters())
            for name, average in self.net_e.named_parameters():
                average.data.mul_(self.decay).add_(now[name].data, alpha=1 - self.decay)

    def validate(self, height: int, width: int) -> None:
        """Restore one image with the generator itself; the EMA copy is only saved."""
        scale = int(self.step.get("scale", 1))
        self.feed(1, height, width, (height * scale, width * scale))
        self.net.eval()
        with torch.no_grad():
            self.out = self.net(*self.inputs())
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return <iteration>_G.pth, _E.pth and, where asked for, the optimizer's state."""
        files: dict[str, Any] = {"10000_G.pth": on_cpu(self.net)}
        if self.decay > 0:
            files["10000_E.pth"] = on_cpu(self.net_e)
        if self.options.get("save_optimizer_g"):
            files["10000_optimizerG.pth"] = self.optimizer_g.state_dict()
        return files


class Plain2(Plain):
    """A second input, C: FFDNet's noise level, one number per sample."""

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, C, then H."""
        self.level = self.stage.input(batch, 1, 1, 1)
        super().feed(batch, height, width, target)

    def inputs(self) -> tuple[Any, ...]:
        """Return the image and its noise level."""
        return self.low, self.level
