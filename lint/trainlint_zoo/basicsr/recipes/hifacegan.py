# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's HiFaceGANModel: fake and real images judged as one batch, next to the input.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/models/hifacegan_model.py and basicsr/losses/gan_loss.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.basicsr.recipes.gan import SRGANModel
from trainlint_zoo.basicsr.recipes.losses import build_loss

RECIPES = {"basicsr.HiFaceGANModel": "HiFaceGANModel"}

CRITERIA = {"l1": "L1Loss", "l2": "MSELoss", "charbonnier": "CharbonnierLoss"}
Scales = list[list[Tensor]]


class MultiScaleGANLoss(nn.Module):
    """The adversarial loss of every scale's last prediction, averaged."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__()
        self.gan = build_loss({**args, "type": "GANLoss"})

    def forward(self, preds: Scales, real: bool, is_disc: bool = False) -> Tensor:
        """Return the loss of predictions that should look `real` or not."""
        loss: Any = 0
        for pred in preds:
            loss += self.gan(pred[-1], real, is_disc).mean()
        out: Tensor = loss / len(preds)
        return out


class FeatureLoss(nn.Module):
    """The distance of fake and real features at every scale and depth but the last."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__()
        kind = CRITERIA.get(str(args.get("criterion", "l1")))
        if kind is None:
            raise CannotTraceError(f"unknown feature criterion {args.get('criterion')}")
        self.distance = build_loss({**args, "type": kind})

    def forward(self, fake: Scales, real: Scales) -> Tensor:
        """Return the loss, weighted twice as the original's."""
        loss: Any = 0
        for made, given in zip(fake, real, strict=True):
            for a, b in zip(made[:-1], given[:-1], strict=True):
                loss += self.distance(a, b.detach()) / len(fake)
        out: Tensor = loss * 1.0
        return out


OWN_LOSSES = {"MultiScaleGANLoss": MultiScaleGANLoss, "GANFeatLoss": FeatureLoss}


class HiFaceGANModel(SRGANModel):
    """Pixel, perceptual, multi-scale adversarial and feature matching loss; no EMA."""

    losses = ("pixel", "perceptual", "feature_matching", "gan")

    def check_losses(self) -> None:
        """Ask for an adversarial loss and one of the image; refuse EMA as the trainer does."""
        super().check_losses()
        if self.decay > 0:
            raise CannotTraceError("HiFaceGAN does not support EMA")
        if not self.criteria["pixel"] and not self.criteria["perceptual"]:
            raise CannotTraceError("both pixel and perceptual loss are missing")

    def _criterion(self, role: str, entries: list[Mapping[str, Any]]) -> Any:
        kind = str(entries[0].get("type")) if entries else ""
        return OWN_LOSSES[kind](entries[0]) if kind in OWN_LOSSES else super()._criterion(role, entries)

    def optimize(self) -> None:
        """Train both; the generator's predictions live until the discriminator's replace them."""
        super().optimize()
        del self.preds

    def judge(self, image: Tensor) -> tuple[Scales, Scales]:
        """Return the predictions of fake and real images, each next to the input."""
        lq, gt = self.lq, self.gt
        if image.shape[-2:] != lq.shape[-2:]:
            lq, gt = (F.interpolate(tensor, image.shape[-2:]) for tensor in (lq, gt))
        fake = torch.cat([lq, image], dim=1)
        real = torch.cat([lq, gt], dim=1)
        both = torch.cat([fake, real], dim=0)
        preds = self.net_d(both)
        if not isinstance(preds[0], list):
            raise CannotTraceError("HiFaceGANModel needs a discriminator that keeps its features")
        half = len(both) // 2
        return [[f[:half] for f in p] for p in preds], [[f[half:] for f in p] for p in preds]

    def deceive(self, total: Any, log: dict[str, Tensor]) -> tuple[Any, tuple[Any, ...]]:
        """Add the adversarial and the feature matching loss."""
        self.preds = fake, real = self.judge(self.output)
        log["gan"] = self.criteria["gan"](fake, True, is_disc=False)
        total += log["gan"]
        if self.criteria["feature_matching"]:
            log["features"] = self.criteria["feature_matching"](fake, real)
            total += log["features"]
        return total, ()

    def optimize_discriminator(self, log: dict[str, Tensor]) -> tuple[Any, ...]:
        """Judge the same fake images again, with one backward for both halves."""
        self.dis.requires_grad_(True)
        self.optimizer_d.zero_grad()
        self.preds = fake, real = self.judge(self.output.detach())
        log["d real"] = self.criteria["gan"](real, True, is_disc=True)
        log["d fake"] = self.criteria["gan"](fake, False, is_disc=True)
        total = (log["d real"] + log["d fake"]) / 2
        total.backward()
        self.optimizer_d.step()
        return (total,)
