# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-FileCopyrightText: 2021 SwinIR Authors
# SPDX-FileCopyrightText: 2019 Ross Wightman
# SPDX-License-Identifier: MIT AND Apache-2.0

"""Parts of window-attention networks: token layout, MLP, stochastic depth, the four reconstruction heads.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/swinir_arch.py (shared by SwinIR and SRFormer).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.blocks.residual import Upsample

LEAK = 0.2


class DropPath(nn.Module):
    """Drop whole residual branches at random, one draw per sample."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        keep = 1 - self.rate
        mask = keep + torch.rand((x.shape[0],) + (1,) * (x.ndim - 1), dtype=x.dtype, device=x.device)
        mask.floor_()
        return x.div(keep) * mask


class BernoulliDropPath(nn.Module):
    """The same as timm draws it: one Bernoulli value per sample; nothing at rate 0."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if self.rate == 0 or not self.training:
            return x
        keep = 1 - self.rate
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * mask.div_(keep)


def drop_path(rate: float) -> nn.Module:
    """Return stochastic depth, or the identity where the rate is 0."""
    return DropPath(rate) if rate > 0 else nn.Identity()


def rising(rate: float, depths: Sequence[int]) -> list[list[float]]:
    """Return the drop rates per layer and block: from 0 to `rate` over all blocks."""
    total = sum(depths)
    rates = [rate * i / max(total - 1, 1) for i in range(total)]
    starts = [sum(depths[:i]) for i in range(len(depths))]
    return [rates[start : start + depth] for start, depth in zip(starts, depths, strict=True)]


class Mlp(nn.Module):
    """Linear, GELU, dropout, linear, dropout."""

    def __init__(self, dim: int, hidden: int, drop: float) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, hidden)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(hidden, dim)
        self.drop = nn.Dropout(drop)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        x = self.drop(x)
        x = self.fc2(x)
        out: Tensor = self.drop(x)
        return out


def partition(x: Tensor, side: int) -> Tensor:
    """(b, h, w, c) -> (b x windows, side, side, c), copied."""
    b, h, w, c = x.shape
    x = x.view(b, h // side, side, w // side, side, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, side, side, c)


def reverse(windows: Tensor, side: int, h: int, w: int) -> Tensor:
    """Undo `partition`."""
    b = int(windows.shape[0] / (h * w / side / side))
    x = windows.view(b, h // side, w // side, side, side, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)


def tokens(x: Tensor) -> Tensor:
    """(b, c, h, w) -> (b, h w, c), a view."""
    return x.flatten(2).transpose(1, 2)


def image(x: Tensor, size: tuple[int, int]) -> Tensor:
    """(b, h w, c) -> (b, c, h, w), a view."""
    return x.transpose(1, 2).view(x.shape[0], x.shape[2], size[0], size[1])


def inverse(order: Tensor) -> Tensor:
    """Return each row's inverse permutation; `order` is (samples, tokens) of int64.

    Published code loops over the samples, which would tie a tape to its batch; the result is the same.
    """
    positions = torch.arange(order.shape[-1], device=order.device).expand_as(order)
    return torch.zeros_like(order).scatter_(-1, order, positions)


class TokenNorm(nn.Module):
    """The patch embedding's normalization (BasicSR's `patch_embed.norm`)."""

    def __init__(self, dim: int, wanted: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim) if wanted else None

    def forward(self, x: Tensor) -> Tensor:
        x = tokens(x)
        return self.norm(x) if self.norm is not None else x


def connection(dim: int, kind: str) -> nn.Module:
    """Return the convolution before a residual connection: one, or three in a bottleneck."""
    if kind == "1conv":
        return nn.Conv2d(dim, dim, 3, 1, 1)
    return nn.Sequential(
        nn.Conv2d(dim, dim // 4, 3, 1, 1),
        nn.LeakyReLU(LEAK, inplace=True),
        nn.Conv2d(dim // 4, dim // 4, 1, 1, 0),
        nn.LeakyReLU(LEAK, inplace=True),
        nn.Conv2d(dim // 4, dim, 3, 1, 1),
    )


class UpsampleOneStep(nn.Sequential):
    """One convolution and one pixel shuffle straight to the image."""

    def __init__(self, scale: int, dim: int, num_out_ch: int) -> None:
        super().__init__(nn.Conv2d(dim, scale**2 * num_out_ch, 3, 1, 1), nn.PixelShuffle(scale))


class Reconstruction(nn.Module):
    """An image network, to be inherited: shallow features, `deep`, then one of four upsamplers."""

    upsampler: str
    mean: Tensor
    img_range: float
    conv_first: nn.Module
    conv_after_body: nn.Module

    def add_head(self, dim: int, channels: int, upscale: int, upsampler: str, width: int = 64) -> None:
        """Register the layers of the upsampler under their published names."""
        self.upsampler = upsampler
        if upsampler == "pixelshuffledirect":
            self.upsample: nn.Module = UpsampleOneStep(upscale, dim, channels)
            return
        if upsampler not in {"pixelshuffle", "nearest+conv"}:
            self.conv_last = nn.Conv2d(dim, channels, 3, 1, 1)
            return
        self.conv_before_upsample = nn.Sequential(nn.Conv2d(dim, width, 3, 1, 1), nn.LeakyReLU(inplace=True))
        if upsampler == "pixelshuffle":
            self.upsample = Upsample(upscale, width)
        else:
            if upscale != 4:
                raise ValueError(f'upsampler "nearest+conv" needs upscale 4, is {upscale}')
            self.conv_up1 = nn.Conv2d(width, width, 3, 1, 1)
            self.conv_up2 = nn.Conv2d(width, width, 3, 1, 1)
            self.conv_hr = nn.Conv2d(width, width, 3, 1, 1)
        self.conv_last = nn.Conv2d(width, channels, 3, 1, 1)
        if upsampler == "nearest+conv":
            self.lrelu = nn.LeakyReLU(LEAK, inplace=True)

    def deep(self, x: Tensor) -> Tensor:
        """Return the features of all layers; a subclass gives it."""
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        self.mean = self.mean.type_as(x)
        x = self.reconstruct((x - self.mean) * self.img_range, self.conv_first, self.conv_after_body)
        return x / self.img_range + self.mean

    def reconstruct(self, x: Tensor, first: nn.Module, after: nn.Module) -> Tensor:
        """Run the whole network on a normalized image."""
        if self.upsampler not in {"pixelshuffle", "pixelshuffledirect", "nearest+conv"}:
            shallow = first(x)
            res = after(self.deep(shallow)) + shallow
            restored: Tensor = x + self.conv_last(res)
            return restored
        x = first(x)
        x = after(self.deep(x)) + x
        if self.upsampler == "pixelshuffledirect":
            out: Tensor = self.upsample(x)
            return out
        x = self.conv_before_upsample(x)
        if self.upsampler == "pixelshuffle":
            out = self.conv_last(self.upsample(x))
        else:
            x = self.lrelu(self.conv_up1(F.interpolate(x, scale_factor=2, mode="nearest")))
            x = self.lrelu(self.conv_up2(F.interpolate(x, scale_factor=2, mode="nearest")))
            out = self.conv_last(self.lrelu(self.conv_hr(x)))
        return out


class TokenReconstruction(Reconstruction):
    """One whose layers work on tokens, with absolute positions where there is a parameter for them."""

    patch_embed: nn.Module
    absolute_pos_embed: Tensor
    pos_drop: nn.Module
    layers: nn.ModuleList
    norm: nn.Module

    def deep(self, x: Tensor) -> Tensor:
        size = (x.shape[2], x.shape[3])
        x = self.patch_embed(x)
        if hasattr(self, "absolute_pos_embed"):
            x = x + self.absolute_pos_embed
        x = self.pos_drop(x)
        for layer in self.layers:
            x = layer(x, size)
        x = self.norm(x)
        return image(x, size)
