# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GFPGANModel's step when the discriminator's R1 is due and the image pyramid is compared: the largest.

Source: TencentARC/GFPGAN (gfpgan 1.3.8), gfpgan/models/gfpgan_model.py; pytorch/vision 0d7913d,
torchvision/csrc/ops/autograd/roi_align_kernel.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import build
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import STATE_FILE, on_cpu
from trainlint_zoo.basicsr.recipes.losses import gram
from trainlint_zoo.basicsr.recipes.stylegan2 import RegularisedGAN

RECIPES = {"basicsr.GFPGANModel": "GFPGANModel"}

PARTS = ("left_eye", "right_eye", "mouth")
EYE, MOUTH = 80, 120
"""Sides of the cut parts of a face of 512 pixels."""
FACE_SIDE = 512
GRAY_SIDE = 128
"""The side of the gray image that the recogniser takes."""


class RoIAlign(torch.autograd.Function):
    """torchvision's roi_align: keeps the boxes; the backward fills a whole image of zeros."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, boxes: Tensor, side: int) -> Tensor:
        """(b, c, h, w), (n, 5) boxes -> (n, c, side, side)."""
        ctx.save_for_backward(boxes)
        ctx.size = x.shape
        return x.contiguous().new_empty(len(boxes), x.size(1), side, side)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        """Spread the gradient over an image."""
        _ = ctx.saved_tensors
        return grad.contiguous().new_zeros(ctx.size), None, None


class GFPGANModel(RegularisedGAN):
    """Generator with seven kinds of losses, its discriminator, and one for each part of the face."""

    losses = ("gan_component", "pixel", "perceptual", "L1", "gan")

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        self.side = int(step["crop.hr"])
        self.recogniser = self._recogniser()

    def build_discriminator(self) -> None:
        """Build the discriminators; those of the parts are there only together."""
        super().build_discriminator()
        kind = self.options.get("component_discriminator")
        self.parts: dict[str, nn.Module] = {}
        self.judges: dict[str, Any] = {}
        for part in PARTS if kind else ():
            self.parts[part] = self.stage.register(part, build("basicsr", str(kind), {}), arch=str(kind))
            self.judges[part] = self.stage.replicate(part, self.parts[part])

    def check_losses(self) -> None:
        """Ask for what the trainer reads without looking whether it is there."""
        needed = ("gan", "L1", *(("gan_component",) if self.parts else ()))
        for role in needed:
            if not self.criteria[role]:
                raise CannotTraceError(f"the {role} loss is missing")

    def build_optimizers(self) -> None:
        """Build an optimizer for the generator and each discriminator."""
        super().build_optimizers()
        self.part_optimizers = {part: self.optimizer("component", net) for part, net in self.parts.items()}

    def _recogniser(self) -> nn.Module | None:
        args = dict(self.options.get("identity") or {})
        if not args:
            return None
        arch = str(args.pop("type"))
        net = build("basicsr", arch, args).eval().requires_grad_(False)
        return self.stage.register("identity", net, arch=arch, kind="losses")

    def feed(self, batch: int) -> None:
        """Receive degraded and real faces of one size."""
        self.lq, self.gt = self.batch(batch)

    def trained(self) -> Iterator[nn.Module]:
        """Return the discriminators, which are frozen in the generator's half."""
        yield self.dis
        yield from self.parts.values()

    def optimize(self) -> None:
        """Train the generator, move the EMA copy, train the discriminators."""
        log: dict[str, Tensor] = {}
        for net in self.trained():
            net.requires_grad_(False)
        self.optimizer_g.zero_grad()
        kept = self.optimize_generator(log)
        self.follow()
        for net in self.trained():
            net.requires_grad_(True)
        self.optimizer_d.zero_grad()
        for optimizer in self.part_optimizers.values():
            optimizer.zero_grad()
        with self.stage.phase("discriminator step"):
            kept += self.train_on(self.output.detach(), self.gt, log)
        with self.stage.phase("component discriminators"):
            kept += self.train_parts(log)
        del kept

    def optimize_generator(self, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Run the generator's half; returns the local names that outlive it."""
        pyramid = bool(self.options.get("pyramid"))
        with self.stage.phase("generator forward"):
            self.output, images = self.net_g(self.lq, return_rgb=pyramid)
            targets = self._pyramid(len(images)) if pyramid else []
        with self.stage.phase("losses"):
            if self.parts:
                self._cut()
            total = self.compare(0, self.output, self.gt, self.gt, log)
            for image, target in zip(images, targets, strict=True):
                total += self.criteria["L1"](image, target)
            pred = self.net_d(self.output)
            total += self.criteria["gan"](pred, True, is_disc=False)
            total, feats = self._judge_parts(total)
            total, faces = self._recognise(total)
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()
        return images, targets, pred, total, feats, faces

    def _pyramid(self, count: int) -> list[Tensor]:
        targets = [self.gt]
        for _ in range(count - 1):
            targets.insert(
                0, F.interpolate(targets[0], scale_factor=0.5, mode="bilinear", align_corners=False)
            )
        return targets

    def _cut(self) -> None:
        """Cut both eyes and the mouth out of the real and the made faces."""
        ratio, batch, device = self.side // FACE_SIDE, self.gt.size(0), self.stage.device
        eyes, mouths = torch.empty(2 * batch, 5, device=device), torch.empty(batch, 5, device=device)
        self.real = self._regions(self.gt, eyes, mouths, ratio)
        self.made = self._regions(self.output, eyes, mouths, ratio)

    @staticmethod
    def _regions(image: Tensor, eyes: Tensor, mouths: Tensor, ratio: int) -> dict[str, Tensor]:
        both = RoIAlign.apply(image, eyes, EYE * ratio) * ratio
        mouth = RoIAlign.apply(image, mouths, MOUTH * ratio) * ratio
        return dict(zip(PARTS, (both[0::2], both[1::2], mouth), strict=True))

    def _judge_parts(self, total: Any) -> tuple[Any, tuple[Any, ...]]:
        """Add the adversarial loss of each part and, where it weighs, the distance of Gram matrices."""
        made, real = [], []
        for part, judge in self.judges.items():
            pred, feats = judge(self.made[part], return_feats=True)
            total += self.criteria["gan_component"](pred, True, is_disc=False)
            made.append(feats)
        if self.options.get("component_style"):
            real = [judge(self.real[part], return_feats=True)[1] for part, judge in self.judges.items()]
            style: Any = 0
            for feats, targets in zip(made, real, strict=True):
                style += self._styles_apart(feats, targets)
            total += style * 1.0
        return total, (made, real)

    def _styles_apart(self, feats: list[Tensor], targets: list[Tensor]) -> Tensor:
        l1 = self.criteria["L1"]
        first = l1(gram(feats[0]), gram(targets[0].detach())) * 0.5
        out: Tensor = first + l1(gram(feats[1]), gram(targets[1].detach()))
        return out

    def _recognise(self, total: Any) -> tuple[Any, tuple[Any, ...]]:
        """Add the distance of the recogniser's features."""
        if self.recogniser is None:
            return total, ()
        made, real = gray(self.output), gray(self.gt)
        target = self.recogniser(real).detach()
        features = self.recogniser(made)
        loss = self.criteria["L1"](features, target) * 1.0
        total += loss
        return total, (made, real, target, features, loss)

    def train_parts(self, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Train the parts' discriminators; what is made of fake parts takes the main GAN loss."""
        for part, judge in self.judges.items():
            fake, _ = judge(self.made[part].detach())
            real, _ = judge(self.real[part])
            of_real = self.criteria["gan_component"](real, True, is_disc=True)
            log[part] = of_real + self.criteria["gan"](fake, False, is_disc=True)
            log[part].backward()
        for optimizer in self.part_optimizers.values():
            optimizer.step()
        return ()

    def validate(self, height: int, width: int) -> None:
        """Restore one face with the EMA copy."""
        self.lq = self.stage.input(1, self.channels, height, width)
        self.gt = self.stage.input(1, self.channels, height, width)
        self.net_ema.eval()
        with torch.no_grad():
            self.output, _ = self.net_ema(self.lq)

    def checkpoint(self) -> dict[str, Any]:
        """Add the parts' discriminators to the files and their optimizers to the state."""
        files = super().checkpoint()
        optimizers = [self.optimizer_g, self.optimizer_d, *self.part_optimizers.values()]
        parts = {f"net_d_{part}_N.pth": {"params": on_cpu(net)} for part, net in self.parts.items()}
        return {**files, **parts, STATE_FILE: self.state(optimizers)}


def gray(image: Tensor) -> Tensor:
    """Return a small gray image."""
    mixed = 0.2989 * image[:, 0] + 0.5870 * image[:, 1] + 0.1140 * image[:, 2]
    return F.interpolate(mixed.unsqueeze(1), (GRAY_SIDE, GRAY_SIDE), mode="bilinear", align_corners=False)
