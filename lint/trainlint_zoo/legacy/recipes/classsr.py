# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""ClassSR's training step on BasicSR before 1.0: a classifier trained through three frozen networks.

Source: XPixelGroup/ClassSR 6c253b0, codes/models/{ClassSR_model,base_model,loss}.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import on_cpu

RECIPES = {"basicsr-legacy.ClassSR": "ClassSRModel"}

CLASSES = 3


def class_loss(classes: Tensor) -> Tensor:
    """Return how undecided the classifier is about (n, 3) probabilities.

    The trainer goes sample by sample; the three numbers that it keeps of each are three rows here.
    """
    first, second, third = classes[:, 0], classes[:, 1], classes[:, 2]
    spread = abs(first - second) + abs(first - third) + abs(second - third)
    return (CLASSES - 1 - spread).sum() / len(classes)


def average_loss(classes: Tensor) -> Tensor:
    """Return how unevenly the classes are used."""
    even = len(classes) / CLASSES
    used = classes.sum(0)
    return abs(used - even).sum() / (even * 4)


class ClassSRModel:
    """L1, class loss and average loss on all three outputs; Adam over what is not frozen."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        kinds = [loss.get("type") for loss in step.get("losses") or () if loss.get("role") == "pixel"]
        if kinds != ["ClassSR_loss"]:
            raise CannotTraceError("ClassSR trains with pixel_criterion: ClassSR_loss alone")
        self.net, arch = network(step, "generator")
        stage.register("generator", self.net, arch=arch)
        self.net_g = stage.replicate("generator", self.net)
        if self.options.get("fix_SR_module"):
            for name, parameter in self.net.named_parameters():
                parameter.requires_grad_("class" in name)
        trained = [p for p in self.net.parameters() if p.requires_grad]
        decay = next((o.get("weight_decay") for o in step.get("optimizers") or ()), 0) or 0
        self.optimizer_g = stage.optimizer("generator", trained, "Adam", lr=1e-4, weight_decay=decay)

    def train_step(self, batch: int) -> None:
        """zero_grad, forward, losses, backward, step."""
        channels = int(self.step.get("channels", 3))
        lq, hr = int(self.step["crop.lq"]), int(self.step["crop.hr"])
        self.var_l = self.stage.input(batch, channels, lq, lq)
        self.real_h = self.stage.input(batch, channels, hr, hr)
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.fake_h, self.classes = self.net_g(self.var_l, True)
        with self.stage.phase("losses"):
            pixel = F.l1_loss(self.fake_h, self.real_h)
            certain, average = class_loss(self.classes), average_loss(self.classes)
            loss = 1000 * pixel + 0.5 * certain + 3 * average
        with self.stage.phase("generator backward"):
            loss.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()

    def validate(self, height: int, width: int) -> None:  # noqa: ARG002  an image is cut into patches first
        """Enlarge one patch of an image; the patches wait on the CPU."""
        side = int(self.options.get("patch_size") or 32)
        patch = self.stage.input(1, int(self.step.get("channels", 3)), side, side)
        self.net.eval()
        with torch.no_grad():
            restored = self.net(patch, False)
        del restored
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return <iteration>_G.pth and the training state."""
        schedulers = [torch.optim.lr_scheduler.MultiStepLR(self.optimizer_g, [1]).state_dict()]
        states = [self.optimizer_g.state_dict()]
        state = {"epoch": 0, "iter": 100, "schedulers": schedulers, "optimizers": states}
        return {"2000_G.pth": on_cpu(self.net), "2000.state": state}
