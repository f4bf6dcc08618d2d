# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's losses: pixel losses, MS-SSIM, consistency, FDL, LDL, VGG features, adversarial; and its wavelets.

Source: neosr/losses as in muslll/neosr 47707712 (consistency, ldl, gan), umzi2/neosr 46ae1a7f, 5b9c2e95 and
aab625f1 (mssim, wavelet_guided, vgg_perceptual), pokepress/neosr 00cb24c2 (fdl), 0ZL0/neosr a9f7c844 (basic).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.basicsr.recipes.losses import local_variance
from trainlint_zoo.features.dinov2 import DinoV2
from trainlint_zoo.features.vgg import VGGFeatureExtractor, image_statistic, vgg_layers
from trainlint_zoo.redux.recipes.losses import InFp32
from trainlint_zoo.redux.recipes.similarity import MSSSIM, SCALE_EXPONENTS

RECIPES: dict[str, str] = {}


KNEE = 0.04045  # where sRGB's curve begins to bend


def chc(pred: Tensor, target: Tensor, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Return the clipped pseudo-Huber distance; its cosine term is computed even where it weighs nothing."""
    cosine = (1 - F.cosine_similarity(pred, target, dim=1, eps=1e-20)).mean()
    return torch.mean(torch.clamp(torch.sqrt((pred - target) ** 2 + 1e-12) + 0.0 * cosine, low, high))


CRITERIA: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {
    "l1": F.l1_loss,
    "l2": F.mse_loss,
    "huber": F.huber_loss,
    "chc": chc,
}


def criterion_of(loss: Mapping[str, Any], default: str) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the distance that a loss names."""
    name = str(loss.get("criterion", default))
    if name not in CRITERIA:
        raise CannotTraceError(f"unknown criterion {name} of {loss.get('type')}")
    return CRITERIA[name]


class Weighted(nn.Module):
    """A loss that is multiplied by its weight."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted loss."""
        return self.compare(x, y) * 1.0

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss; a subclass gives it."""
        raise NotImplementedError


class Pixel(Weighted):
    """A mean distance per pixel."""

    def __init__(self, distance: Callable[[Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.distance = distance

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the distance."""
        return self.distance(x, y)


class MSSIM(MSSSIM):
    """Multi-scale similarity as the product of five means; no clamping, no cosine term."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__({**loss, "cosim": False})

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted loss."""
        return 1.0 * (1.0 - self.similarity(x, y))

    def similarity(self, x: Tensor, y: Tensor) -> Tensor:
        """Multiply contrast over four scales and similarity at the fifth."""
        product: Any = 1
        for scale, weight in enumerate(SCALE_EXPONENTS):
            ssim, contrast = self.ssim(x, y)
            ssim, contrast = ssim.mean(), contrast.mean()
            if scale == len(SCALE_EXPONENTS) - 1:
                out: Tensor = product * ssim**weight
                return out
            product = product * contrast**weight
            padding = [side % 2 for side in x.shape[2:]]
            x = F.avg_pool2d(x, 2, 2, padding=padding)
            y = F.avg_pool2d(y, 2, 2, padding=padding)
        raise AssertionError


class Consistency(Weighted):
    """Distance of luma (L* of the blurred images) and of Oklab's chroma."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.blurs, self.cosine = bool(loss.get("blur", True)), bool(loss.get("cosim", True))
        self.distance = criterion_of(loss, "chc")

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the distances' sum, with the cosine terms of the first iterations."""
        x, y = torch.clamp(x, 1 / 255, 1), torch.clamp(y, 1 / 255, 1)
        if self.blurs:
            x_blur, y_blur = torch.clamp(_blur(x), 0, 1), torch.clamp(_blur(y), 0, 1)
            x_luma, y_luma = _luma(x_blur), _luma(y_blur) * 1.0
        else:
            x_luma, y_luma = _luma(x), _luma(y) * 1.0
        mean = torch.empty(1, 2, 1, 1, device=x.device)
        x_chroma, y_chroma = _chroma(x), _chroma(y) * 1.0
        x_chroma = torch.clamp(x_chroma + mean * 1, 0, 1)
        y_chroma = torch.clamp(y_chroma + mean * 1, 0, 1)
        loss = self.distance(x_luma, y_luma) + self.distance(x_chroma, y_chroma)
        if self.cosine:
            of_chroma = 1 - F.cosine_similarity(x_chroma, y_chroma, dim=1, eps=1e-20).mean()
            of_luma = 1 - F.cosine_similarity(x_luma, y_luma, dim=1, eps=1e-20).mean()
            loss = loss + (0.5 * of_chroma + 0.5 * of_luma)
        return loss


def _blur(x: Tensor) -> Tensor:
    """Filter with a Gaussian of 21 x 21 (torchvision's GaussianBlur: one kernel, expanded over channels)."""
    kernel = torch.empty(21, 21, dtype=x.dtype, device=x.device).expand(x.shape[1], 1, 21, 21)
    return F.conv2d(F.pad(x, [10] * 4, mode="reflect"), kernel, groups=x.shape[1])


def _linear(x: Tensor) -> Tensor:
    return torch.where(x <= KNEE, x / 12.92, torch.pow((x + 0.055) / 1.055, 2.4))


def _luma(x: Tensor) -> Tensor:
    x = _linear(x.permute(0, 2, 3, 1)) @ torch.empty(3, device=x.device)
    x = torch.where(x <= 216 / 24389, x * (24389 / 27), x.sign() * x.abs().pow(1 / 3) * 116 - 16)
    return torch.clamp(x / 100, 0, 1)


def _chroma(x: Tensor) -> Tensor:
    x = _linear(x)
    r, g, b = x[:, 0, :, :], x[:, 1, :, :], x[:, 2, :, :]
    cones = [0.4 * r + 0.5 * g + 0.1 * b for _ in range(3)]
    long, medium, short = (cone.sign() * cone.abs().pow(1 / 3) for cone in cones)
    lightness = 0.2 * long + 0.7 * medium - 0.004 * short  # computed, and kept while the chroma is made
    green = 1.9 * long - 2.4 * medium + 0.4 * short
    blue = 0.02 * long + 0.7 * medium - 0.8 * short
    stacked = torch.stack([green, blue], dim=1)
    del lightness
    return stacked


class FDLVGG(nn.Module):
    """VGG19's five stages after ReLU, each weighted."""

    widths = (64, 128, 256, 512, 512)

    def __init__(self) -> None:
        super().__init__()
        layers = [layer for _, layer in vgg_layers("vgg19")]
        ends = (0, 4, 9, 18, 27, 36)
        self.stages = nn.ModuleList(nn.Sequential(*layers[a:b]) for a, b in pairwise(ends))
        self.requires_grad_(False).eval()
        self.register_buffer("mean", image_statistic())
        self.register_buffer("std", image_statistic())

    def forward(self, x: Tensor) -> list[Tensor]:
        """Return five feature maps."""
        h = (x - self.get_buffer("mean")) / self.get_buffer("std")
        features = []
        for stage in self.stages:
            h = stage(h)
            features.append(h * 1.0)
        return features


class FDL(InFp32):
    """Sliced distance of the features' magnitudes and phases in Fourier space; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        model = str(loss.get("model", "vgg")).lower()
        if model not in {"dinov2", "vgg"}:
            raise CannotTraceError(f"fdl_loss with the network {model}")
        layers, weights = loss.get("dino_layers"), loss.get("dino_weights")
        if layers is not None or weights is not None:
            raise CannotTraceError("fdl_loss with dino_layers or dino_weights of its own")
        self.model = FDLVGG() if model == "vgg" else DinoV2(norm=bool(loss.get("dino_norm", False)))
        self.stride = int(loss.get("stride", 1))
        side, slices = int(loss.get("patch_size", 4)), int(loss.get("num_proj", 24))
        for index, width in enumerate(self.model.widths):
            self.register_buffer(f"rand_{index}", torch.empty(slices, width, side, side))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the mean over samples of all layers' distances; casts go when their features are there.

        Python 3.12, which the trainer asks for, keeps no tuple of the arguments while it calls a function.
        """
        with torch.autocast("cuda", enabled=False):
            x, y = x.float(), y.float()
            ours = self.model(x)
            del x
            theirs = self.model(y)
            del y
            return self.distance(ours, theirs)

    def distance(self, ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> Tensor:
        """Compare features in Fourier space."""
        scores = []
        for index in range(len(ours)):
            fft_x = torch.fft.fftn(ours[index], dim=(-2, -1))
            fft_y = torch.fft.fftn(theirs[index], dim=(-2, -1))
            x_mag, x_phase = torch.abs(fft_x), torch.angle(fft_x)
            y_mag, y_phase = torch.abs(fft_y), torch.angle(fft_y)
            amplitude = self.sliced(x_mag, y_mag, index)
            phase = self.sliced(x_phase, y_phase, index)
            scores.append(amplitude + phase * 1.0)
        return torch.stack(scores).sum(0).mean() * 1.0

    def sliced(self, x: Tensor, y: Tensor, index: int) -> Tensor:
        """Return the distance of sorted projections, per sample."""
        slices = self.get_buffer(f"rand_{index}")
        x = F.conv2d(x, slices, stride=self.stride).flatten(2)
        y = F.conv2d(y, slices, stride=self.stride).flatten(2)
        x, _ = torch.sort(x, dim=-1)
        y, _ = torch.sort(y, dim=-1)
        return torch.abs(x - y).mean([1, 2])


class LDL(Weighted):
    """Distance weighted by local variance. The weighted images stay as attributes until the next step's."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.side = criterion_of(loss, "l1"), int(loss.get("ksize", 7))

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted images' distance."""
        residual = torch.sum(torch.abs(y - x), 1, keepdim=True)
        patch = torch.var(residual.clone(), dim=(-1, -2, -3), keepdim=True) ** (1 / 5)
        weight = patch * local_variance(residual.clone(), self.side)
        del residual, patch
        self.output = torch.mul(weight, x)
        self.gt = torch.mul(weight, y)
        return self.distance(self.output, self.gt)


class Perceptual(Weighted):
    """Distance of VGG19's features, of which a tenth is taken."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        if loss.get("patchloss"):
            raise CannotTraceError("the perceptual loss with patchloss")
        layers = loss.get("layer_weights") or dict.fromkeys(
            ("conv1_2", "conv2_2", "conv3_4", "conv4_4", "conv5_4")
        )
        self.distance = criterion_of(loss, "chc")
        self.vgg = VGGFeatureExtractor(
            list(layers),
            str(loss.get("vgg_type", "vgg19")),
            bool(loss.get("use_input_norm", True)),
            bool(loss.get("range_norm", False)),
        )

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum over the layers."""
        ours, theirs = self.vgg(x), self.vgg(y.detach())
        total: Any = 0.0
        for name, feature in ours.items():
            total += self.distance(feature * 0.1, theirs[name] * 0.1) * 1.0
        distance: Tensor = total
        return distance


class Adversarial(nn.Module):
    """The GAN loss by name; the weight counts for the generator only."""

    kinds: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {
        "bce": F.binary_cross_entropy_with_logits,
        "mse": F.mse_loss,
        "huber": F.huber_loss,
        "chc": lambda x, y: chc(x, y, 0.003921, 0.996078),
    }

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        kind = str(loss.get("gan_type", "bce"))
        if kind not in self.kinds:
            raise CannotTraceError(f"unknown GAN loss {kind}")
        self.loss = self.kinds[kind]

    def forward(self, pred: Tensor, real: bool, is_disc: bool = False) -> Tensor:
        """Return the loss of a prediction that should look `real` or not."""
        label = pred.new_ones(pred.size()) * float(real)
        loss = self.loss(pred, label)
        return loss if is_disc else loss * 1.0


TAPS = 38
"""Length of the sym19 wavelet's filters."""


def high_frequencies(output: Tensor, gt: Tensor) -> tuple[Tensor, Tensor]:
    """Return the luma's three high bands of both images, (n, 3, h, w), undecimated, without gradient."""
    with torch.no_grad():
        bands = _transform(_luma_of(output))
        ours = _high(bands)
        bands_gt = _transform(_luma_of(gt))
        theirs = _high(bands_gt)
    return ours, theirs


def _luma_of(x: Tensor) -> Tensor:
    return 16.0 + (x[:, 0:1] * 65.481 + x[:, 1:2] * 128.553 + x[:, 2:] * 24.966)


def _transform(x: Tensor) -> Tensor:
    """Filter rows, then columns, each with a low and a high pass: (n, 1, h, w) -> (n, 4, h, w), fp32."""
    with torch.autocast("cuda", enabled=False):
        x = x.float()
        for side, shape in ((x.shape[3], (1, TAPS)), (x.shape[2], (TAPS, 1))):
            index = torch.empty(side + TAPS - 1, dtype=torch.int64, device=x.device)
            x = x[:, :, :, index] if shape[0] == 1 else x[:, :, index]
            x = F.conv2d(x, torch.empty(2 * x.shape[1], 1, *shape, device=x.device), groups=x.shape[1])
    return x


def _high(bands: Tensor) -> Tensor:
    horizontal, vertical, diagonal = bands[:, 1:2] * 0.025, bands[:, 2:3] * 0.025, bands[:, 3:] * 0.02
    return torch.cat((horizontal, vertical, diagonal), dim=1)
