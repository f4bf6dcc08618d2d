# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's losses of pixels, of VGG features without in-place ReLU, and adversarial ones.

Each returns its value unweighted; the trainer multiplies by `loss_weight`. Those marked fp32 leave autocast.
Source: the-database/traiNNer-redux 6862931, traiNNer/losses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.features.vgg import vgg_layers

RECIPES: dict[str, str] = {}


class InFp32(nn.Module):
    """A loss that leaves autocast: its inputs are cast to fp32 first (torch.amp.custom_fwd)."""

    def forward(self, x: Tensor, *rest: Any, **options: Any) -> Tensor:
        """Cast and compare."""
        with torch.autocast("cuda", enabled=False):
            cast = [part.float() if isinstance(part, Tensor) else part for part in rest]
            return self.compare(x.float(), *cast, **options)

    def compare(self, *args: Any, **options: Any) -> Tensor:
        """Return the loss; a subclass gives it."""
        raise NotImplementedError


def charbonnier(pred: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the smooth L1 distance."""
    loss = torch.sqrt((pred - target) ** 2 + 1e-12)
    return loss.mean() if reduction == "mean" else loss


def criterion_of(loss: Mapping[str, Any], default: str) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the mean distance that a loss names."""
    known: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "l1": F.l1_loss, "l2": F.mse_loss, "charbonnier": charbonnier,
    }  # fmt: skip
    name = str(loss.get("criterion", default))
    if name not in known:
        raise CannotTraceError(f"unknown criterion {name} of {loss.get('type')}")
    return known[name]


class Pixel(nn.Module):
    """L1, MSE or Charbonnier."""

    def __init__(self, compare: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.compare = compare

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the mean distance."""
        return self.compare(x, y)


def _l1(x: Tensor, y: Tensor) -> Tensor:
    return F.l1_loss(x, y, reduction="none").mean()


def _mse(x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(x, y, reduction="none").mean()


def _psnr(x: Tensor, y: Tensor) -> Tensor:
    return 4.34 * torch.log(((x - y) ** 2).mean(dim=(1, 2, 3)) + 1e-8).mean()


def _signal_to_noise(loss: Mapping[str, Any]) -> nn.Module:
    if loss.get("to_y"):
        raise CannotTraceError("psnrloss on luma is not modeled")
    return Pixel(_psnr)


class Perceptual(InFp32):
    """Charbonnier or L1 distance of VGG19 features before ReLU; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        kind = loss.get("criterion", "charbonnier")
        if kind not in {"charbonnier", "l1"}:
            raise CannotTraceError(f"unknown perceptual criterion {kind}")
        if loss.get("antialiased"):
            raise CannotTraceError("perceptualloss with antialiased pooling is not modeled")
        self.distance: Callable[[Tensor, Tensor], Tensor] = (
            charbonnier if kind == "charbonnier" else nn.L1Loss()
        )
        weights = loss.get("layer_weights") or dict.fromkeys(
            ("conv1_2", "conv2_2", "conv3_4", "conv4_4", "conv5_4")
        )
        self.stages = nn.ModuleDict()
        stage: list[nn.Module] = []
        for name, layer in vgg_layers("vgg19"):
            stage.append(nn.ReLU() if name.startswith("relu") else layer)
            if name == "conv1_1":
                stage[-1] = nn.Conv2d(3, 64, 3, padding=1, padding_mode="replicate")
            if name in weights:
                self.stages[name] = nn.Sequential(*stage)
                stage = []
        self.requires_grad_(False).eval()
        self.register_buffer("mean", torch.empty(1, 3, 1, 1))
        self.register_buffer("std", torch.empty(1, 3, 1, 1))

    def features(self, x: Tensor) -> dict[str, Tensor]:
        """Return the features of every stage."""
        h = (x - self.get_buffer("mean")) / self.get_buffer("std")
        features = {}
        for name, stage in self.stages.items():
            h = stage(h)
            features[name] = h
        return features

    def compare(self, x: Tensor, gt: Tensor) -> Tensor:
        """Return the weighted sum over the stages."""
        ours, theirs = self.features(x), self.features(gt.detach())
        score = torch.tensor(0.0, device=x.device)
        for name, feature in ours.items():
            part = torch.tensor(0.0, device=x.device)
            part += self.distance(feature, theirs[name]) * 1.0
            part *= 1.0
            score += part
        return score


class Adversarial(InFp32):
    """The GAN losses by name; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.kind = loss.get("gan_type", "vanilla")
        if self.kind not in {"vanilla", "lsgan", "wgan", "wgan_softplus", "hinge"}:
            raise CannotTraceError(f"unknown GAN loss {self.kind}")

    def compare(self, pred: Tensor, real: bool, is_disc: bool = False) -> Tensor:
        """Return the loss of a prediction that should look `real` or not."""
        if self.kind == "wgan":
            return -pred.mean() if real else pred.mean()
        if self.kind == "wgan_softplus":
            return F.softplus(-pred).mean() if real else F.softplus(pred).mean()
        if self.kind == "hinge":
            return F.relu(1 + (-pred if real else pred)).mean() if is_disc else -pred.mean()
        label = pred.new_ones(pred.size()) * float(real)
        return (
            F.mse_loss(pred, label)
            if self.kind == "lsgan"
            else F.binary_cross_entropy_with_logits(pred, label)
        )


LOSSES: Mapping[str, Callable[[Mapping[str, Any]], nn.Module]] = {
    "l1loss": lambda _: Pixel(_l1),
    "mseloss": lambda _: Pixel(_mse),
    "charbonnierloss": lambda _: Pixel(charbonnier),
    "psnrloss": _signal_to_noise,
    "perceptualloss": Perceptual,
    "ganloss": Adversarial,
}
