# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 megvii-model
# SPDX-License-Identifier: MIT

"""NAFNet and its Baseline, with the "Local" variants that pool over windows of the training size.

Source: megvii-research/NAFNet 2b4af71, basicsr/models/archs/{NAFNet,Baseline,local}_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.errors import CannotTraceError
from trainlint.signature import Positive

BUILDERS = {
    "NAFNet": "NAFNet",
    "NAFNetLocal": "NAFNetLocal",
    "Baseline": "Baseline",
    "BaselineLocal": "BaselineLocal",
}


class ChannelNorm(torch.autograd.Function):
    """Layer normalisation over channels that keeps the normalised map, the variance and the weight."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        ctx.eps = eps
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        y = (x - mean) / (variance + eps).sqrt()
        ctx.save_for_backward(y, variance, weight)
        return weight.view(1, -1, 1, 1) * y + bias.view(1, -1, 1, 1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        y, variance, weight = ctx.saved_tensors
        g = grad * weight.view(1, -1, 1, 1)
        mean_g = g.mean(dim=1, keepdim=True)
        mean_gy = (g * y).mean(dim=1, keepdim=True)
        gx = 1.0 / torch.sqrt(variance + ctx.eps) * (g - y * mean_gy - mean_g)
        gw = (grad * y).sum(dim=3).sum(dim=2).sum(dim=0)
        return gx, gw, grad.sum(dim=3).sum(dim=2).sum(dim=0), None


class LayerNorm2d(nn.Module):
    """Channel normalisation with weight and bias."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels))
        self.bias = nn.Parameter(torch.empty(channels))

    def forward(self, x: Tensor) -> Tensor:
        return ChannelNorm.apply(x, self.weight, self.bias, 1e-6)  # type: ignore[no-any-return]


class Block(nn.Module):
    """What both blocks share: layers are registered in the published order, forward by the subclass."""

    def __init__(self, c: int, wide: int, gated: int, ffn: int, *, name: str, attention: nn.Module) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c, wide, 1)
        self.conv2 = nn.Conv2d(wide, wide, 3, padding=1, groups=wide)
        self.conv3 = nn.Conv2d(wide // gated, c, 1)
        self.add_module(name, attention)
        self.conv4 = nn.Conv2d(c, ffn, 1)
        self.conv5 = nn.Conv2d(ffn // gated, c, 1)
        self.norm1 = LayerNorm2d(c)
        self.norm2 = LayerNorm2d(c)
        self.beta = nn.Parameter(torch.empty(1, c, 1, 1))
        self.gamma = nn.Parameter(torch.empty(1, c, 1, 1))


class NAFBlock(Block):
    """Gates instead of activations, attention by channel means."""

    sca: nn.Sequential

    def __init__(self, c: int) -> None:
        attention = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, c, 1))
        super().__init__(c, 2 * c, 2, 2 * c, name="sca", attention=attention)

    @staticmethod
    def gate(x: Tensor) -> Tensor:
        a, b = x.chunk(2, dim=1)
        return a * b

    def forward(self, inp: Tensor) -> Tensor:
        x = inp
        x = self.norm1(x)
        x = self.conv1(x)
        x = self.conv2(x)
        x = self.gate(x)
        x = x * self.sca(x)
        x = self.conv3(x)
        y = inp + x * self.beta
        x = self.conv4(self.norm2(y))
        x = self.gate(x)
        x = self.conv5(x)
        return y + x * self.gamma  # type: ignore[no-any-return]


class BaselineBlock(Block):
    """GELU and squeeze-and-excitation."""

    se: nn.Sequential

    def __init__(self, c: int, dw_expand: int, ffn_expand: int) -> None:
        wide = c * dw_expand
        attention = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(wide, wide // 2, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(wide // 2, wide, 1),
            nn.Sigmoid(),
        )
        super().__init__(c, wide, 1, ffn_expand * c, name="se", attention=attention)
        self.gelu = nn.GELU()

    def forward(self, inp: Tensor) -> Tensor:
        x = inp
        x = self.norm1(x)
        x = self.conv1(x)
        x = self.conv2(x)
        x = self.gelu(x)
        x = x * self.se(x)
        x = self.conv3(x)
        y = inp + x * self.beta
        x = self.conv4(self.norm2(y))
        x = self.gelu(x)
        x = self.conv5(x)
        return y + x * self.gamma  # type: ignore[no-any-return]


class UNet(nn.Module):
    """Encoder, middle and decoder of blocks; sides are padded to a multiple of 2^levels."""

    def __init__(
        self, img_channel: int, width: int, middle: int, encoder: Sequence[int], decoder: Sequence[int]
    ) -> None:
        super().__init__()
        self.intro = nn.Conv2d(img_channel, width, 3, padding=1)
        self.ending = nn.Conv2d(width, img_channel, 3, padding=1)
        self.encoders, self.decoders = nn.ModuleList(), nn.ModuleList()
        self.ups, self.downs = nn.ModuleList(), nn.ModuleList()
        chan = width
        for count in encoder:
            self.encoders.append(self._blocks(chan, count))
            self.downs.append(nn.Conv2d(chan, 2 * chan, 2, 2))
            chan *= 2
        self.middle_blks = self._blocks(chan, middle)
        for count in decoder:
            self.ups.append(nn.Sequential(nn.Conv2d(chan, chan * 2, 1, bias=False), nn.PixelShuffle(2)))
            chan //= 2
            self.decoders.append(self._blocks(chan, count))

    def block(self, chan: int) -> nn.Module:
        raise NotImplementedError

    def _blocks(self, chan: int, count: int) -> nn.Sequential:
        return nn.Sequential(*(self.block(chan) for _ in range(count)))

    def forward(self, inp: Tensor) -> Tensor:
        _, _, height, width = inp.shape
        multiple = 2 ** len(self.encoders)
        inp = F.pad(inp, (0, -width % multiple, 0, -height % multiple))
        x = self.intro(inp)
        skips = []
        for encoder, down in zip(self.encoders, self.downs, strict=True):
            x = encoder(x)
            skips.append(x)
            x = down(x)
        x = self.middle_blks(x)
        for decoder, up, skip in zip(self.decoders, self.ups, skips[::-1], strict=True):
            x = up(x)
            x = x + skip
            x = decoder(x)
        x = self.ending(x)
        x = x + inp
        return x[:, :, :height, :width]  # type: ignore[no-any-return]


class NAFNet(UNet):
    """The network without non-linear activations."""

    def __init__(
        self,
        *,
        img_channel: Positive = 3,
        width: Positive = 16,
        middle_blk_num: Positive = 1,
        enc_blk_nums: list[int] = (),  # type: ignore[assignment]
        dec_blk_nums: list[int] = (),  # type: ignore[assignment]
    ) -> None:
        super().__init__(img_channel, width, middle_blk_num, enc_blk_nums, dec_blk_nums)

    def block(self, chan: int) -> nn.Module:
        return NAFBlock(chan)


class Baseline(UNet):
    """The plain network that NAFNet was derived from."""

    def __init__(
        self,
        *,
        img_channel: Positive = 3,
        width: Positive = 16,
        middle_blk_num: Positive = 1,
        enc_blk_nums: list[int] = (),  # type: ignore[assignment]
        dec_blk_nums: list[int] = (),  # type: ignore[assignment]
        dw_expand: Positive = 1,
        ffn_expand: Positive = 2,
    ) -> None:
        self._expand = (dw_expand, ffn_expand)
        super().__init__(img_channel, width, middle_blk_num, enc_blk_nums, dec_blk_nums)

    def block(self, chan: int) -> nn.Module:
        return BaselineBlock(chan, *self._expand)


class LocalPool(nn.Module):
    """Mean over a window, by integral images; over the whole map where the window covers it."""

    def __init__(self, kernel: tuple[int, int]) -> None:
        super().__init__()
        self.kernel = kernel

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2:]
        if self.kernel[0] >= h and self.kernel[1] >= w:
            return F.adaptive_avg_pool2d(x, 1)
        sums = x.cumsum(dim=-1).cumsum_(dim=-2)
        sums = F.pad(sums, (1, 0, 1, 0))
        a, b = min(h, self.kernel[0]), min(w, self.kernel[1])
        corners = sums[:, :, :-a, :-b], sums[:, :, :-a, b:], sums[:, :, a:, :-b], sums[:, :, a:, b:]
        out = corners[3] + corners[0] - corners[1] - corners[2]
        out = out / (a * b)
        dh, dw = h - out.shape[2], w - out.shape[3]
        return F.pad(out, (dw // 2, (dw + 1) // 2, dh // 2, (dh + 1) // 2), mode="replicate")


def refuse_fast(fast_imp: bool) -> None:
    """Say that the approximate pooling is not modelled."""
    if fast_imp:
        raise CannotTraceError("fast_imp pooling is not modelled")


def refuse_dropout(rate: float) -> None:
    """Say that dropout inside the blocks is not modelled."""
    if rate:
        raise CannotTraceError("drop_out_rate is not modelled")


def localise(net: UNet, train_size: Sequence[int]) -> None:
    """Replace every global pooling by one over 1.5 times the training size at its level."""
    levels = len(net.encoders)
    groups = [*enumerate(net.encoders), (levels, net.middle_blks)]
    groups += [(levels - 1 - depth, blocks) for depth, blocks in enumerate(net.decoders)]
    for level, blocks in groups:
        sides = [(side >> level) * int(side * 1.5) // side for side in train_size[-2:]]
        for pool in [m for m in blocks.modules() if isinstance(m, nn.Sequential) and len(m)]:
            if isinstance(pool[0], nn.AdaptiveAvgPool2d):
                pool[0] = LocalPool((sides[0], sides[1]))


class NAFNetLocal(NAFNet):
    """NAFNet that pools locally on images larger than the training crop."""

    def __init__(
        self,
        *,
        img_channel: Positive = 3,
        width: Positive = 16,
        middle_blk_num: Positive = 1,
        enc_blk_nums: list[int] = (),  # type: ignore[assignment]
        dec_blk_nums: list[int] = (),  # type: ignore[assignment]
        train_size: list[int] = (1, 3, 256, 256),  # type: ignore[assignment]
        fast_imp: bool = False,
    ) -> None:
        super().__init__(
            img_channel=img_channel,
            width=width,
            middle_blk_num=middle_blk_num,
            enc_blk_nums=enc_blk_nums,
            dec_blk_nums=dec_blk_nums,
        )
        refuse_fast(fast_imp)
        localise(self, train_size)


class BaselineLocal(Baseline):
    """Baseline that pools locally on images larger than the training crop."""

    def __init__(
        self,
        *,
        img_channel: Positive = 3,
        width: Positive = 16,
        middle_blk_num: Positive = 1,
        enc_blk_nums: list[int] = (),  # type: ignore[assignment]
        dec_blk_nums: list[int] = (),  # type: ignore[assignment]
        dw_expand: Positive = 1,
        ffn_expand: Positive = 2,
        train_size: list[int] = (1, 3, 256, 256),  # type: ignore[assignment]
        fast_imp: bool = False,
    ) -> None:
        super().__init__(
            img_channel=img_channel,
            width=width,
            middle_blk_num=middle_blk_num,
            enc_blk_nums=enc_blk_nums,
            dec_blk_nums=dec_blk_nums,
            dw_expand=dw_expand,
            ffn_expand=ffn_expand,
        )
        refuse_fast(fast_imp)
        localise(self, train_size)
