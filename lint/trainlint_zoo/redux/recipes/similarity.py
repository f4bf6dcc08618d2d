# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's structural similarity: of luma, at one scale and at five; until May 2025 of all colours.

Source: the-database/traiNNer-redux 6862931 and 7258da45, traiNNer/losses/mssim_loss.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.redux.recipes.losses import InFp32

RECIPES: dict[str, str] = {}

SCALE_EXPONENTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)  # MS-SSIM's exponents
EPSILON = 1e-12
WINDOW = 11
"""Side of the Gaussian window."""
OF_ALL_COLOURS = (
    "window_size", "in_channels", "sigma", "k1", "k2", "L", "l", "padding", "cosim", "cosim_lambda",
    "scale_weights",
)  # fmt: skip
"""Arguments of mssimloss until 59c4c590 (May 2025): a config that has one trains with the older loss."""
SIDE_OF_FULL_DETAIL = 256
"""`downsample` brings images near to this side."""


def multiscale(loss: Mapping[str, Any]) -> nn.Module:
    """Build mssimloss, the older one where its arguments are given."""
    return MSSSIM(loss) if any(name in loss for name in OF_ALL_COLOURS) else LumaMSSSIM(loss)


class SSIM(InFp32):
    """Structural similarity of the luma, or of RGB; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        self.space = str(loss.get("color_space", "yiq")).lower()
        self.luma, self.smaller = bool(loss.get("test_y_channel", True)), bool(loss.get("downsample"))
        self.border = int(loss.get("crop_border", 0))
        self.luminance = True

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the mean similarity."""
        if self.border:
            inside = slice(self.border, -self.border)
            x, y = x[..., inside, inside], y[..., inside, inside]
        x, y = self.prepared(x), self.prepared(y)
        return self.similarity(x, y)[0].mean()

    def prepared(self, x: Tensor) -> Tensor:
        """Return the image within [0, 1], or its luma."""
        x = x.clamp(0, 1)
        return _first_channel(x, self.space) * 1.0 if self.luma and x.shape[1] == len("RGB") else x * 1.0

    def similarity(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return each sample's similarity and contrast."""
        window = torch.empty(x.shape[1], 1, WINDOW, WINDOW).to(x)
        factor = max(1, round(min(x.shape[-2:]) / SIDE_OF_FULL_DETAIL))
        if self.smaller and factor > 1:
            x, y = F.avg_pool2d(x, factor), F.avg_pool2d(y, factor)
        mu_x, mu_y = _filtered(x, window), _filtered(y, window)
        square_x, square_y, product = mu_x.pow(2), mu_y.pow(2), mu_x * mu_y
        sigma_x = _filtered(x * x, window) - square_x
        sigma_y = _filtered(y * y, window) - square_y
        sigma_xy = _filtered(x * y, window) - product
        contrast = (2 * sigma_xy + 9e-4) / (sigma_x + sigma_y + 9e-4)
        contrast = F.relu(contrast)
        if self.luminance:
            luminance = (2 * product + 1e-4) / (square_x + square_y + 1e-4)
        else:
            luminance = torch.full_like(contrast, 1.0)
        both = luminance * contrast
        return both.mean([1, 2, 3]), contrast.mean([1, 2, 3])


class LumaMSSSIM(SSIM):
    """Structural similarity of the luma over five scales, of contrast alone by default; fp32."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__(loss)
        self.luminance = bool(loss.get("include_luminance"))

    def compare(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 1 - similarity."""
        x, y = self.prepared(x), self.prepared(y)
        return 1 - self.over_scales(x, y).mean().clamp(0, 1)

    def over_scales(self, x: Tensor, y: Tensor) -> Tensor:
        """Multiply contrast of four scales and similarity of the fifth, after which images are halved too."""
        exponents = torch.tensor(SCALE_EXPONENTS).to(x)
        contrasts = []
        for _ in SCALE_EXPONENTS:
            similar, contrast = self.similarity(x, y)
            contrasts.append(contrast)
            padding = (x.shape[2] % 2, x.shape[3] % 2)
            x = F.avg_pool2d(x, kernel_size=2, padding=padding)
            y = F.avg_pool2d(y, kernel_size=2, padding=padding)
        stacked = torch.stack(contrasts)
        whole: Tensor = (
            torch.prod(stacked[:-1] ** exponents[:-1].unsqueeze(1), dim=0) * similar ** exponents[-1]
        )
        return whole


def _filtered(x: Tensor, window: Tensor) -> Tensor:
    """Filter each channel: within the image, or over its border where it is narrower than the window."""
    if x.shape[-1] < WINDOW:
        x = F.pad(x, (WINDOW // 2,) * 4)
    return F.conv2d(x, window, groups=x.shape[1])


def _first_channel(x: Tensor, space: str) -> Tensor:
    """Return the first channel in a colour space (yiq, lhm, ycbcr), of an unknown one the red."""
    if space in {"yiq", "lhm", "ycbcr"}:
        x = torch.matmul(x.permute(0, 2, 3, 1), torch.empty(3, 3).t().to(x)).permute(0, 3, 1, 2)
        if space == "ycbcr":
            x = (x + torch.empty(1, 3, 1, 1).to(x)) / 255.0
    return x[:, [0], :, :]


class MSSSIM(InFp32):
    """Structural similarity of all colours over five scales, with a cosine penalty on them; fp32."""

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


LOSSES: Mapping[str, Callable[[Mapping[str, Any]], nn.Module]] = {"mssimloss": multiscale, "ssimloss": SSIM}
