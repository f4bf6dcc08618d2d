"""MSDAN: distilled blueprint convolutions and a spatial attention on four scales.

Source: muslll/neosr 14e9db5b, neosr/archs/msdan_arch.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive

BUILDERS = {"neosr:msdan": "MSDAN"}

MIDDLE = 54


def blueprint(cin: int, cout: int, kernel: int) -> nn.Sequential:
    """Return a pointwise convolution followed by a depthwise one."""
    pointwise = nn.Conv2d(cin, cout, 1, bias=False)
    return nn.Sequential(pointwise, nn.Conv2d(cout, cout, kernel, padding=kernel // 2, groups=cout))


class EMSSA(nn.Module):
    """A weight per pixel and channel from the image and three halvings of it."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        quarter = channels // 4
        self.levels = nn.ModuleList(blueprint(quarter, quarter, kernel) for kernel in (7, 5, 3))
        self.conv1 = nn.Conv2d(channels, channels, 1)
        self.conv1_mid = nn.Conv2d(quarter, quarter, 1)
        self.conv1_down = nn.Conv2d(channels, quarter, 1)
        self.conv1_up = nn.Conv2d(quarter, channels, 1)

    def forward(self, x0: Tensor) -> Tensor:
        h, w = x0.shape[2:]
        x = self.conv1_down(x0)
        parts = [self.conv1_mid(x)]
        for index, level in enumerate(self.levels, 1):
            s = F.adaptive_max_pool2d(x, (h // 2**index, w // 2**index))
            s = level(s)
            parts.append(F.interpolate(s, size=(h, w), mode="nearest"))
        out = torch.add(self.conv1(torch.cat(parts, dim=1)), self.conv1_up(x))
        out = torch.sigmoid(self.conv1(out))
        return x0 * out


class EBFB(nn.Module):
    """Three gated convolutions with growing kernels; one 1x1 convolution is used nine times."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.kernels = nn.ModuleList(blueprint(channels, channels, kernel) for kernel in (3, 5, 7))
        self.conv1 = nn.Conv2d(channels, channels, 1)
        self.conv1_down = nn.Conv2d(channels * 4, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        parts = []
        for kernel in self.kernels:
            parts.append(self.conv1(x))
            gated = torch.mul(torch.sigmoid(self.conv1(x)), F.gelu(kernel(x)))
            x = torch.add(parts[-1], gated)
        first, second, third = parts
        return self.conv1_down(torch.cat((first, second, third, gated), 1))  # type: ignore[no-any-return]


class DFEB(nn.Module):
    """Both in a residual."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.EBFB = EBFB(channels)
        self.EMSSA = EMSSA(channels)

    def forward(self, x0: Tensor) -> Tensor:
        return torch.add(self.EMSSA(self.EBFB(x0)), x0)


class Enlarge(nn.Module):
    """Blueprint convolutions around pixel shuffles; those of the other scales are built and unused."""

    def __init__(self, channels: int, scale: int) -> None:
        super().__init__()
        self.BSConv_2 = blueprint(channels, channels, 3)
        self.BSConv1_2 = blueprint(channels // 4, channels, 3)
        self.BSConv_3 = blueprint(channels, MIDDLE, 3)
        self.BSConv1_3 = blueprint(MIDDLE // 9, channels, 3)
        self.scale = scale

    def forward(self, x: Tensor) -> Tensor:
        if self.scale == 3:
            return F.gelu(self.BSConv1_3(F.pixel_shuffle(self.BSConv_3(x), 3)))
        for _ in range(self.scale // 2):
            x = F.gelu(self.BSConv1_2(F.pixel_shuffle(self.BSConv_2(x), 2)))
        return x


class MSDAN(nn.Module):
    """Blocks in a long residual, plus the bicubic image."""

    def __init__(
        self,
        *,
        channels: Positive = 48,
        num_DFEB: Positive = 8,  # noqa: N803  the config's name
        scale: Positive = 4,
        upscale_factor: Positive | None = None,
    ) -> None:
        super().__init__()
        self.scale = upscale_factor or scale
        if self.scale not in (2, 3, 4):
            raise ValueError(f"scale {self.scale} is not supported, expected 2, 3 or 4")
        self.layers = nn.Sequential(*(DFEB(channels) for _ in range(num_DFEB)))
        self.BSConv_first = blueprint(3, channels, 3)
        self.upsampler = Enlarge(channels, self.scale)
        self.BSConv_last = blueprint(channels, 3, 3)

    def forward(self, x0: Tensor) -> Tensor:
        x1 = self.BSConv_first(x0)
        x = self.layers(x1)
        x = torch.add(x, x1)
        x = self.upsampler(x)
        x_up = F.interpolate(x0, scale_factor=self.scale, mode="bicubic")
        return torch.add(x_up, self.BSConv_last(x))
