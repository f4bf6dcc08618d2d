"""traiNNer-redux's losses on structure: frequencies, gradients, colours, blocks, DISTS and ConvNeXt features.

Each returns its value unweighted; those built on InFp32 leave autocast.
Source: the-database/traiNNer-redux, traiNNer/losses (focal_frequency 071c4b5d, cosim 405ae70c, ldl 2c4ed582,
dists 0708929b, gradient_variance 05a29e54); Phhofm/traiNNer-redux 2f64430b and its history, traiNNer/losses
(consistency, chc, tv, adaptive_block_tv, hfen, laplacian, convnext_perceptual).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.errors import CannotTraceError
from trainlint.trace.networks.convnext import ConvNeXtTiny
from trainlint.trace.networks.vgg import image_statistic, vgg_layers
from trainlint.trace.recipes.losses import artifact_map
from trainlint.trace.recipes.redux_losses import InFp32, charbonnier

RECIPES: dict[str, str] = {}

KNEE = 0.04045  # where sRGB's curve begins to bend
VGG_SIDE = 256  # the width to which DISTS brings every image


def criterion_of(loss: Mapping[str, Any], default: str) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the mean distance that a loss names."""
    known: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "l1": F.l1_loss, "l2": F.mse_loss, "charbonnier": charbonnier,
    }  # fmt: skip
    name = str(loss.get("criterion", default))
    if name not in known:
        raise CannotTraceError(f"unknown criterion {name} of {loss.get('type')}")
    return known[name]


class FocalFrequency(InFp32):
    """Distance of the spectra, weighted by itself; by default of the batch's mean spectrum; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.parts = int(loss.get("patch_factor", 1))
        self.average = bool(loss.get("ave_spectrum", True))
        if loss.get("log_matrix") or loss.get("batch_matrix") or loss.get("alpha", 1.0) != 1.0:
            raise CannotTraceError("ffloss with alpha, log_matrix or batch_matrix is not modelled")

    def spectrum(self, x: Tensor) -> Tensor:
        """Return (n, patches, c, h, w, 2)."""
        h, w = x.shape[2] // self.parts, x.shape[3] // self.parts
        cells = [(i, j) for i in range(self.parts) for j in range(self.parts)]
        y = torch.stack([x[:, :, i * h : (i + 1) * h, j * w : (j + 1) * w] for i, j in cells], 1)
        freq = torch.fft.fft2(y, norm="ortho")
        return torch.stack([freq.real, freq.imag], -1)

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted distance."""
        ours, theirs = self.spectrum(x), self.spectrum(y)
        if self.average:
            ours, theirs = torch.mean(ours, 0, keepdim=True), torch.mean(theirs, 0, keepdim=True)
        weight = (ours - theirs) ** 2
        weight = torch.sqrt(weight[..., 0] + weight[..., 1]) ** 1.0
        weight = weight / weight.max(-1).values.max(-1).values[:, :, :, None, None]
        weight.masked_fill_(torch.isnan(weight), 0.0)
        weight = torch.clamp(weight, min=0.0, max=1.0)
        matrix = weight.clone().detach()
        difference = (ours - theirs) ** 2
        distance = difference[..., 0] + difference[..., 1]
        return 50 * torch.mean(matrix * distance)


class Cosine(InFp32):
    """Cosine distance of colours; fp32."""

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return five times the distance."""
        x, y = torch.clamp(x, 1e-12, 1), torch.clamp(y, 1e-12, 1)
        return 5 * (1 - torch.round(F.cosine_similarity(x, y, dim=1, eps=1e-20), decimals=20).mean())


class LDL(InFp32):
    """Distance where the EMA network does better; takes its output as a third image; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance = criterion_of(loss, "l1")

    def compare(self, output: Tensor, averaged: Tensor, gt: Tensor) -> Tensor:
        """Return the weighted distance."""
        weight = artifact_map(gt, output, averaged)
        return self.distance(torch.mul(weight, output), torch.mul(weight, gt))


class L2Pooling(nn.Module):
    """The root of blurred squares, at half the size."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.register_buffer("filter", torch.empty(channels, 1, 3, 3))

    def forward(self, x: Tensor) -> Tensor:
        """Return (n, c, h / 2, w / 2)."""
        x = x**2
        out = F.conv2d(x, self.get_buffer("filter"), stride=2, padding=1, groups=x.shape[1])
        return (out + 1e-12).sqrt()


class DISTS(InFp32):
    """Structure and texture of VGG16's five stages, pooled by L2Pooling; fp32."""

    widths = (3, 64, 128, 256, 512, 512)

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        if loss.get("resize_input"):
            raise CannotTraceError("distsloss with resize_input is not modelled")
        self.stages = nn.ModuleList(nn.Sequential(*stage) for stage in _dists_stages())
        self.requires_grad_(False)
        self.norm = bool(loss.get("use_input_norm", True))
        if self.norm:
            self.register_buffer("mean", image_statistic())
            self.register_buffer("std", image_statistic())
        self.alpha = nn.Parameter(torch.empty(1, sum(self.widths), 1, 1))
        self.beta = nn.Parameter(torch.empty(1, sum(self.widths), 1, 1))

    def features(self, x: Tensor) -> list[Tensor]:
        """Return the image and its five feature maps."""
        h = x
        if x.shape[3] != VGG_SIDE:  # the published condition asks for the width alone
            h = F.interpolate(x, size=(VGG_SIDE, VGG_SIDE), mode="bicubic", antialias=True)
        if self.norm:
            h = (h - self.get_buffer("mean")) / self.get_buffer("std")
        found = [x]
        for stage in self.stages:
            h = stage(h)
            found.append(h)
        return found

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 - similarity."""
        ours, theirs = self.features(x), self.features(y)
        total = self.alpha.sum() + self.beta.sum()
        alphas = torch.split(self.alpha / total, self.widths, dim=1)  # type: ignore[arg-type]
        betas = torch.split(self.beta / total, self.widths, dim=1)  # type: ignore[arg-type]
        texture: Any = 0
        structure: Any = 0
        for fx, fy, alpha, beta in zip(ours, theirs, alphas, betas, strict=True):
            x_mean, y_mean = fx.mean([2, 3], keepdim=True), fy.mean([2, 3], keepdim=True)
            s1 = (2 * x_mean * y_mean + 1e-6) / (x_mean**2 + y_mean**2 + 1e-6)
            texture = texture + (alpha * s1).sum(1, keepdim=True)
            x_var = ((fx - x_mean) ** 2).mean([2, 3], keepdim=True)
            y_var = ((fy - y_mean) ** 2).mean([2, 3], keepdim=True)
            covariance = (fx * fy).mean([2, 3], keepdim=True) - x_mean * y_mean
            s2 = (2 * covariance + 1e-6) / (x_var + y_var + 1e-6)
            structure = structure + (beta * s2).sum(1, keepdim=True)
        return torch.clamp(1 - (texture + structure).mean(), 0)


def _dists_stages() -> Iterator[list[nn.Module]]:
    stage: list[nn.Module] = []
    width = 3
    for name, layer in vgg_layers("vgg16"):
        if name.startswith("pool"):
            yield stage
            stage = [L2Pooling(width)]
        else:
            stage.append(layer)
            width = layer.out_channels if isinstance(layer, nn.Conv2d) else width


class Consistency(nn.Module):
    """Distance of luma and of Oklab's chroma, clipped, with cosine terms; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        if loss.get("blur", True) or loss.get("criterion", "chc") != "chc":
            raise CannotTraceError("consistencyloss with blur or another criterion than chc is not modelled")
        self.cosine = bool(loss.get("cosim", True))
        self.register_buffer("chroma_mean", torch.empty(1, 2, 1, 1))
        self.register_buffer("rgb2y", torch.empty(3))

    @staticmethod
    def linear(x: Tensor) -> Tensor:
        """Undo sRGB's curve."""
        return torch.where(x <= KNEE, x / 12.92, ((x + 0.055) / 1.055).clamp(min=1e-8).pow(2.4))

    def chroma(self, x: Tensor) -> Tensor:
        """Return Oklab's two colour axes."""
        linear = self.linear(x)
        r, g, b = linear[:, 0], linear[:, 1], linear[:, 2]
        cones = [0.4 * r + 0.5 * g + 0.1 * b for _ in range(3)]
        long, medium, short = (cone.sign() * cone.abs().clamp(min=1e-8).pow(1 / 3) for cone in cones)
        green = 1.9 * long - 2.4 * medium + 0.4 * short
        blue = 0.02 * long + 0.7 * medium - 0.8 * short
        return torch.stack([green, blue], dim=1)

    def luma(self, x: Tensor) -> Tensor:
        """Return L*, between 0 and 1."""
        linear = self.linear(x.permute(0, 2, 3, 1))
        y = torch.tensordot(linear, self.get_buffer("rgb2y"), dims=([-1], [0]))
        y = torch.where(y <= 216 / 24389, y * (24389 / 27), y.clamp(min=1e-8).pow(1 / 3) * 116 - 16)
        return torch.clamp(y / 100, 0, 1)

    @staticmethod
    def clipped(x: Tensor, y: Tensor) -> Tensor:
        """Return the clipped pseudo-Huber distance with a little of the cosine's."""
        cosine = (1 - F.cosine_similarity(x, y, dim=1, eps=1e-20)).mean()
        base = torch.sqrt((x - y) ** 2 + 1e-12)
        combined = base + 0.012 * cosine
        return torch.clamp(combined, 1 / 255, 254 / 255).mean() * 1.0

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss."""
        x, y = torch.clamp(x, 1 / 255, 1), torch.clamp(y, 1 / 255, 1)
        x_luma, y_luma = self.luma(x), self.luma(y) * 0.9
        mean = self.get_buffer("chroma_mean")
        x_chroma, y_chroma = self.chroma(x), self.chroma(y) * 1.0
        x_chroma, y_chroma = torch.clamp(x_chroma + mean, 0, 1), torch.clamp(y_chroma + mean, 0, 1)
        loss = self.clipped(x_luma, y_luma) + self.clipped(x_chroma, y_chroma)
        if self.cosine:
            of_luma = 1 - F.cosine_similarity(x_luma[:, None], y_luma[:, None], dim=1, eps=1e-12).mean()
            of_chroma = 1 - F.cosine_similarity(x_chroma, y_chroma, dim=1, eps=1e-12).mean()
            loss = loss + 0.5 * (of_luma + of_chroma)
        return loss


def variation(x: Tensor) -> Tensor:
    """Return the length of each pixel's gradient."""
    dx, dy = x[:, :, :, 1:] - x[:, :, :, :-1], x[:, :, 1:, :] - x[:, :, :-1, :]
    dx = torch.cat([dx, torch.zeros_like(x[:, :, :, :1])], dim=3)
    dy = torch.cat([dy, torch.zeros_like(x[:, :, :1, :])], dim=2)
    return torch.sqrt(dx * dx + dy * dy + 1e-6)


class TotalVariation(nn.Module):
    """The mean gradient of the prediction; under autocast."""

    def forward(self, x: Tensor, _y: Tensor) -> Tensor:
        """Return the mean."""
        return variation(x).mean()


class BlockVariation(nn.Module):
    """The same, weighted by how pixels stand out from their block; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.block, self.sharpness = int(loss.get("block_size", 2)), float(loss.get("sharpness", 4.0))

    def weight(self, x: Tensor) -> Tensor:
        """Return the weights."""
        n, c, side = *x.shape[:2], self.block
        h, w = x.shape[2] // side * side, x.shape[3] // side * side
        blocks = x[:, :, :h, :w].reshape(n, c, h // side, side, w // side, side)
        mean = blocks.mean(dim=(3, 5), keepdim=True)
        difference = (blocks - mean).abs()
        apart = difference.reshape(n, c, h, w)
        if apart.shape != x.shape:
            apart = F.pad(apart, (0, x.shape[3] - w, 0, x.shape[2] - h))
        normed = apart / (apart.mean() + 1e-6)
        return torch.sigmoid(self.sharpness * normed)

    def forward(self, x: Tensor, _y: Tensor) -> Tensor:
        """Return the weighted mean."""
        map_ = variation(x)
        return (map_ * self.weight(x)).mean()


class HighFrequency(nn.Module):
    """Distance of the images after a Laplacian of Gaussian; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.side = criterion_of(loss, "charbonnier"), int(loss.get("kernel_size", 7))
        self.register_buffer("kernel_placeholder", torch.empty(1))

    def filtered(self, x: Tensor) -> Tensor:
        """Return the high frequencies."""
        kernel = torch.empty(x.shape[1], 1, self.side, self.side, dtype=x.dtype, device=x.device)
        return F.conv2d(x, kernel, padding=self.side // 2, groups=x.shape[1])

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the distance."""
        return self.distance(self.filtered(x), self.filtered(y))


class Laplacian(nn.Module):
    """Distance of the levels of two pyramids; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.levels = criterion_of(loss, "charbonnier"), int(loss.get("levels", 4))

    def pyramid(self, x: Tensor) -> list[Tensor]:
        """Return the levels, the coarsest last."""
        blurred = [x]
        for _ in range(self.levels):
            smaller = F.interpolate(blurred[-1], scale_factor=0.5, mode="bilinear", align_corners=False)
            blurred.append(smaller)
        found = []
        for fine, coarse in pairwise(blurred):
            larger = F.interpolate(coarse, size=fine.shape[2:], mode="bilinear", align_corners=False)
            found.append(fine - larger)
        return [*found, blurred[-1]]

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum over all but the coarsest level."""
        ours, theirs = self.pyramid(x), self.pyramid(y)
        loss: Any = 0.0
        for level in range(self.levels):
            loss = loss + self.distance(ours[level], theirs[level])
        return loss  # type: ignore[no-any-return]


class GradientVariance(nn.Module):
    """Distance of the gradients' variances in patches; under autocast."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.distance, self.side = criterion_of(loss, "charbonnier"), int(loss.get("patch_size", 16))
        self.register_buffer("kernel_x", torch.empty(1, 1, 3, 3))
        self.register_buffer("kernel_y", torch.empty(1, 1, 3, 3))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum over both directions."""
        grey = [0.3 * image[:, 0:1] + 0.6 * image[:, 1:2] + 0.1 * image[:, 2:] for image in (x, y)]
        kernels = [self.get_buffer("kernel_x"), self.get_buffer("kernel_y")]
        edges = [F.conv2d(image, kernel, padding=1) for image in reversed(grey) for kernel in kernels]
        patches = [F.unfold(edge, self.side, stride=self.side) for edge in edges]
        spread = [torch.var(patch, dim=1) for patch in patches]
        return self.distance(spread[0], spread[2]) + self.distance(spread[1], spread[3])


class ConvNeXtPerceptual(InFp32):
    """Distance of ConvNeXt-Tiny's features, made without a graph: it trains nothing; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.layers = [int(layer) for layer in loss.get("layers") or (1, 2)]
        self.layer_weights = nn.Parameter(torch.empty(len(self.layers)), requires_grad=False)
        self.backbone = ConvNeXtTiny()
        self.register_buffer("mean", image_statistic())
        self.register_buffer("std", image_statistic())

    @torch.no_grad()
    def features(self, x: Tensor) -> list[Tensor]:
        """Return the features of the layers that were asked for."""
        x = x.clamp(0.0, 1.0)
        x = (x - self.get_buffer("mean")) / (self.get_buffer("std") + 1e-6)
        found = self.backbone(x)
        return [found[layer] for layer in self.layers]

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the weighted mean over the layers."""
        theirs, ours = self.features(y), self.features(x)
        loss = x.new_empty(())
        for weight, fx, fy in zip(self.layer_weights, ours, theirs, strict=True):
            loss = loss + weight * F.l1_loss(fx, fy)
        return loss
