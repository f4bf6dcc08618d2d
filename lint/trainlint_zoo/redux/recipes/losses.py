# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's losses: pixel losses, MS-SSIM, VGG features without in-place ReLU, HSLuv.

Each returns its value unweighted; the trainer multiplies by `loss_weight`. Those marked fp32 leave autocast.
Source: the-database/traiNNer-redux 6862931, traiNNer/losses and traiNNer/utils/hsluv.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.features.vgg import vgg_layers
from trainlint_zoo.redux.recipes.hsluv import rgb_to_hsluv

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


SCALE_EXPONENTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)  # MS-SSIM's exponents
EPSILON = 1e-12


class MSSSIM(InFp32):
    """Structural similarity over five scales, with a cosine penalty on colours; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.register_buffer("gaussian_window", torch.empty(3, 1, 11, 11))
        self.cosine = bool(loss.get("cosim", True))

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 - similarity."""
        loss = 1 - self.similarity(x, y)
        return loss + self.penalty(x, y) if self.cosine else loss

    def similarity(self, x: Tensor, y: Tensor) -> Tensor:
        """Multiply contrast over four scales and similarity at the fifth."""
        x, y = torch.clamp(x, 1e-12, 1), torch.clamp(y, 1e-12, 1)
        total = torch.tensor(1.0, device=x.device)
        for scale, weight in enumerate(SCALE_EXPONENTS):
            ssim, contrast = self.ssim(x, y)
            ssim, contrast = ssim.mean(), contrast.mean()
            if scale == len(SCALE_EXPONENTS) - 1:
                total = total * ssim**weight
            else:
                total = total * contrast**weight
                padding = [side % 2 for side in x.shape[2:]]
                x = F.avg_pool2d(x, 2, 2, padding=padding)
                y = F.avg_pool2d(y, 2, 2, padding=padding)
        return total

    def ssim(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return similarity and contrast maps of one scale."""
        mu_x, mu_y = self.blur(x), self.blur(y)
        sigma2_x = self.blur(x * x) - mu_x * mu_x
        sigma2_y = self.blur(y * y) - mu_y * mu_y
        sigma_xy = self.blur(x * y) - mu_x * mu_y
        a1 = 2 * mu_x * mu_y + 1e-4
        a2 = 2 * sigma_xy + 9e-4
        b1 = mu_x.pow(2) + mu_y.pow(2) + 1e-4
        b2 = sigma2_x + sigma2_y + 9e-4
        luminance = a1 / b1
        contrast = a2 / b2
        return luminance * contrast, contrast

    def blur(self, x: Tensor) -> Tensor:
        """Filter each channel with the Gaussian window."""
        return F.conv2d(x, self.get_buffer("gaussian_window"), padding=5, groups=x.shape[1])

    def penalty(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the cosine distance of colours."""
        x = torch.where(torch.abs(x) < EPSILON, EPSILON, x)
        y = torch.where(torch.abs(y) < EPSILON, EPSILON, y)
        return 5 * (1 - torch.round(F.cosine_similarity(x, y, dim=1, eps=1e-20), decimals=20).mean())


class SSIM(InFp32):
    """Structural similarity of the luma by an 11x11 window, as the fork of ParagonSR has it; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        if loss.get("color_space", "yiq") != "yiq" or loss.get("downsample"):
            raise CannotTraceError("ssimloss with downsample or another color space is not modeled")
        self.luma = bool(loss.get("test_y_channel", True))
        self.border = int(loss.get("crop_border", 0))

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the mean similarity."""
        if self.border:
            inside = slice(self.border, -self.border)
            x, y = x[..., inside, inside], y[..., inside, inside]
        x, y = self.prepared(x), self.prepared(y)
        window = torch.empty(x.shape[1], 1, 11, 11, device=x.device)
        if min(x.shape[-2:]) < window.shape[-1]:
            raise CannotTraceError("ssimloss on crops below 11 pixels is not modeled")
        mu_x, mu_y = self.blur(x, window), self.blur(y, window)
        square_x, square_y, product = mu_x.pow(2), mu_y.pow(2), mu_x * mu_y
        sigma_x = self.blur(x * x, window) - square_x
        sigma_y = self.blur(y * y, window) - square_y
        sigma_xy = self.blur(x * y, window) - product
        contrast = (2 * sigma_xy + 9e-4) / (sigma_x + sigma_y + 9e-4)
        contrast = F.relu(contrast)
        luminance = (2 * product + 1e-4) / (square_x + square_y + 1e-4)
        similarity = luminance * contrast
        return similarity.mean([1, 2, 3]).mean()

    def prepared(self, x: Tensor) -> Tensor:
        """Return the image within [0, 1], or its luma."""
        x = x.clamp(0, 1)
        if not self.luma:
            return x * 1.0
        yiq = torch.matmul(x.permute(0, 2, 3, 1), torch.empty(3, 3, device=x.device)).permute(0, 3, 1, 2)
        return yiq[:, [0], :, :] * 1.0

    @staticmethod
    def blur(x: Tensor, window: Tensor) -> Tensor:
        """Filter each channel, without padding."""
        return F.conv2d(x, window, groups=x.shape[1])


class Perceptual(InFp32):
    """Charbonnier or L1 distance of VGG19 features before ReLU; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        kind = loss.get("criterion", "charbonnier")
        if kind not in {"charbonnier", "l1"}:
            raise CannotTraceError(f"unknown perceptual criterion {kind}")
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


class HSLuv(InFp32):
    """Hue, saturation and lightness in HSLuv; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        kind = loss.get("criterion", "l1")
        if kind not in {"charbonnier", "l1", "l2"} or loss.get("downscale_factor", 1) != 1:
            raise CannotTraceError(f"unknown HSLuv criterion {kind}, or a downscaled one")
        self.kind = kind

    def distance(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the distance per pixel."""
        if self.kind == "charbonnier":
            return charbonnier(x, y, "none")
        return F.l1_loss(x, y, reduction="none") if self.kind == "l1" else F.mse_loss(x, y, reduction="none")

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the three distances."""
        x_hue, x_sat, x_light = _thirds(x)
        y_hue, y_sat, y_light = _thirds(y)
        eps = 0.1
        hue = torch.min(torch.abs(x_hue - y_hue), 1 - torch.abs(x_hue - y_hue)) * 2
        hue = torch.where((x_sat < eps) & (y_sat < eps), 0, hue)
        mixed = ((x_sat < eps) & (y_sat > eps)) | ((x_sat > eps) & (y_sat < eps))
        hue = torch.where(mixed, torch.max(x_sat, y_sat), hue)
        hue = torch.where((x_light < eps) & (y_light < eps), 0, hue)
        hue = torch.where((x_light > 1 - eps) & (y_light > eps - 1), 0, hue)
        hue_loss = torch.mean(hue) * (1 / 3)
        sat = self.distance(x_sat, y_sat)
        weight = torch.min(x_light, 1 - x_light).clamp(0, 0.5) + torch.min(y_light, 1 - y_light).clamp(0, 0.5)
        sat_loss = torch.mean(sat * weight) * (1 / 3)
        return hue_loss + sat_loss + self.distance(x_light, y_light).mean() * (1 / 3)


def _thirds(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    hsluv = rgb_to_hsluv(x)
    return hsluv[:, 0, :, :] / 360, hsluv[:, 1, :, :] / 100, hsluv[:, 2, :, :] / 100


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
    "mssimloss": MSSSIM,
    "ssimloss": SSIM,
    "perceptualloss": Perceptual,
    "hsluvloss": HSLuv,
    "ganloss": Adversarial,
}
