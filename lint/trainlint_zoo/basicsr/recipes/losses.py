# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's losses with their operators and lifetimes, and NAFNet's PSNR loss.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/losses; megvii-research/NAFNet 2b4af71, basicsr/models/losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.features.vgg import VGGFeatureExtractor

RECIPES: dict[str, str] = {}


def _l1(pred: Tensor, target: Tensor) -> Tensor:
    return F.l1_loss(pred, target, reduction="none")


def _mse(pred: Tensor, target: Tensor) -> Tensor:
    return F.mse_loss(pred, target, reduction="none")


def _charbonnier(pred: Tensor, target: Tensor) -> Tensor:
    return torch.sqrt((pred - target) ** 2 + 1e-12)


class PixelLoss(nn.Module):
    """An element-wise loss, reduced and weighted."""

    def __init__(self, elementwise: Callable[[Tensor, Tensor], Tensor], args: Mapping[str, Any]) -> None:
        super().__init__()
        self.elementwise = elementwise
        self.weight = number(args, "loss_weight", 1.0)
        self.total = args.get("reduction", "mean") == "sum"

    def forward(self, pred: Tensor, target: Tensor) -> Tensor:
        """Return the weighted loss."""
        loss = self.elementwise(pred, target)
        loss = loss.sum() if self.total else loss.mean()
        return self.weight * loss


class PSNRLoss(nn.Module):
    """NAFNet's negative PSNR, of the luma when `toY` is set."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__()
        self.weight = number(args, "loss_weight", 1.0)
        self.luma = bool(args.get("toY"))

    def forward(self, pred: Tensor, target: Tensor) -> Tensor:
        """Return the weighted loss."""
        if self.luma:
            pred, target = self._y(pred), self._y(target)
        error = ((pred - target) ** 2).mean(dim=(1, 2, 3)) + 1e-8
        return self.weight * (10 / math.log(10)) * torch.log(error).mean()

    def _y(self, x: Tensor) -> Tensor:
        coefficients = torch.empty(1, 3, 1, 1, device=x.device)
        x = (x * coefficients).sum(dim=1).unsqueeze(dim=1) + 16.0
        return x / 255.0


class PerceptualLoss(nn.Module):
    """Distance of VGG features, and of their Gram matrices when `style_weight` is set.

    The feature maps die when forward returns; only what backward needs stays.
    """

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__()
        layers = args.get("layer_weights")
        if not isinstance(layers, Mapping) or not layers:
            raise CannotTraceError("PerceptualLoss needs layer_weights")
        self.layers = {str(name): float(weight) for name, weight in layers.items()}
        self.vgg = VGGFeatureExtractor(
            list(self.layers),
            args.get("vgg_type", "vgg19"),
            args.get("use_input_norm", True),
            args.get("range_norm", False),
        )
        self.content = number(args, "perceptual_weight", 1.0)
        self.style = number(args, "style_weight", 0.0)
        kind = args.get("criterion", "l1")
        if kind not in {"l1", "l2", "fro"}:
            raise CannotTraceError(f"unknown perceptual criterion {kind}")
        self.criterion = {"l1": nn.L1Loss(), "l2": nn.MSELoss()}.get(kind, _frobenius)

    def forward(self, x: Tensor, gt: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return content and style loss; None for the one that is off."""
        features = self.vgg(x)
        targets = self.vgg(gt.detach())
        content: Any = 0
        for name in features if self.content > 0 else ():
            content += self.criterion(features[name], targets[name]) * self.layers[name]
        if self.content > 0:
            content *= self.content
        style: Any = 0
        for name in features if self.style > 0 else ():
            style += self.criterion(gram(features[name]), gram(targets[name])) * self.layers[name]
        if self.style > 0:
            style *= self.style
        return (content if self.content > 0 else None), (style if self.style > 0 else None)


def _frobenius(a: Tensor, b: Tensor) -> Tensor:
    distance: Tensor = torch.norm(a - b, p="fro")
    return distance


def gram(x: Tensor) -> Tensor:
    """(n, c, h, w) -> (n, c, c), divided by the features' number."""
    n, c, h, w = x.size()
    features = x.view(n, c, w * h)
    return features.bmm(features.transpose(1, 2)) / (c * h * w)


class GANLoss(nn.Module):
    """The adversarial losses by name; the weight counts for the generator only."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__()
        self.kind = args.get("gan_type")
        self.weight = number(args, "loss_weight", 1.0)
        if self.kind not in {"vanilla", "lsgan", "wgan", "wgan_softplus", "hinge"}:
            raise CannotTraceError(f"unknown GAN loss {self.kind}")
        self.loss = {"vanilla": nn.BCEWithLogitsLoss(), "lsgan": nn.MSELoss()}.get(self.kind, nn.ReLU())

    def forward(self, pred: Tensor, real: bool, is_disc: bool = False) -> Tensor:
        """Return the loss of a prediction that should look `real` or not."""
        loss = self._loss(pred, real, is_disc)
        return loss if is_disc else loss * self.weight

    def _loss(self, pred: Tensor, real: bool, is_disc: bool) -> Tensor:
        if self.kind == "wgan":
            return -pred.mean() if real else pred.mean()
        if self.kind == "wgan_softplus":
            return F.softplus(-pred).mean() if real else F.softplus(pred).mean()
        label = pred.new_ones(pred.size()) * float(real)
        if self.kind == "hinge" and not is_disc:
            return -pred.mean()
        if self.kind == "hinge":
            distance: Tensor = self.loss(1 + (-pred if real else pred)).mean()
        else:
            distance = self.loss(pred, label)
        return distance


class FFTLoss(nn.Module):
    """Distance of the Fourier transforms (sunny2109/ShuffleMixer f9aa3a61, basicsr/losses/losses.py)."""

    def __init__(self, args: Mapping[str, Any]) -> None:
        super().__init__()
        self.weight = number(args, "loss_weight", 1.0)
        self.criterion = nn.L1Loss(reduction=str(args.get("reduction", "mean")))

    def forward(self, pred: Tensor, target: Tensor) -> Tensor:
        """Return the weighted loss."""
        pred_fft = torch.fft.rfft2(pred)
        target_fft = torch.fft.rfft2(target)
        pred_fft = torch.stack([pred_fft.real, pred_fft.imag], dim=-1)
        target_fft = torch.stack([target_fft.real, target_fft.imag], dim=-1)
        out: Tensor = self.weight * self.criterion(pred_fft, target_fft)
        return out


def artifact_map(gt: Tensor, output: Tensor, ema: Tensor, side: int = 7) -> Tensor:
    """Return LDL's weight per pixel: local variance of the residual where the EMA network does better."""
    residual_ema = torch.sum(torch.abs(gt - ema), 1, keepdim=True)
    residual = torch.sum(torch.abs(gt - output), 1, keepdim=True)
    patch = torch.var(residual.clone(), dim=(-1, -2, -3), keepdim=True) ** (1 / 5)
    weight = patch * local_variance(residual.clone(), side)
    return weight.masked_fill_(residual < residual_ema, 0)


def local_variance(residual: Tensor, side: int) -> Tensor:
    """Return the variance in each pixel's square of that side, reflected at the borders."""
    padded = F.pad(residual, [(side - 1) // 2] * 4, mode="reflect")
    windows = padded.unfold(2, side, 1).unfold(3, side, 1)
    return torch.var(windows, dim=(-1, -2), unbiased=True, keepdim=True).squeeze(-1).squeeze(-1)


_BUILDERS: Mapping[str, Callable[[Mapping[str, Any]], nn.Module]] = {
    "PSNRLoss": PSNRLoss, "PerceptualLoss": PerceptualLoss, "GANLoss": GANLoss, "FFTLoss": FFTLoss,
}  # fmt: skip
_PIXEL_LOSSES = {"L1Loss": _l1, "MSELoss": _mse, "CharbonnierLoss": _charbonnier}


def build_loss(loss: Mapping[str, Any]) -> nn.Module:
    """Build one loss from its mapping (`type` and the trainer's own arguments)."""
    kind = loss.get("type")
    if kind in _PIXEL_LOSSES:
        return PixelLoss(_PIXEL_LOSSES[str(kind)], loss)
    if kind in _BUILDERS:
        return _BUILDERS[str(kind)](loss)
    raise CannotTraceError(f"unknown loss {kind}")


def number(args: Mapping[str, Any], name: str, default: float) -> float:
    """Return a weight; one that is not a number (a string from YAML) cannot be traced."""
    value = args.get(name, default)
    if isinstance(value, int | float):
        return float(value)
    raise CannotTraceError(f'{name} must be a number, is "{value}"')
