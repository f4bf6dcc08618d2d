# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2022 megvii-model
# SPDX-License-Identifier: MIT

"""NAFNet and its Baseline, with the "Local" variants that pool over windows of the training size.

Source: megvii-research/NAFNet 2b4af71, basicsr/models/archs/{NAFNet,Baseline,local}_arch.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.blocks.naf import Block, LocalPool, NAFBlock, refuse_fast

BUILDERS = {
    "NAFNet": "NAFNet",
    "NAFNetLocal": "NAFNetLocal",
    "Baseline": "Baseline",
    "BaselineLocal": "BaselineLocal",
}


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
        out: Tensor = y + x * self.gamma
        return out


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
        out: Tensor = x[:, :, :height, :width]
        return out


class NAFNet(UNet):
    """The network without non-linear activations."""

    def __init__(
        self,
        *,
        img_channel: Positive = 3,
        width: Positive = 16,
        middle_blk_num: Positive = 1,
        enc_blk_nums: Sequence[int] = (),
        dec_blk_nums: Sequence[int] = (),
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
        enc_blk_nums: Sequence[int] = (),
        dec_blk_nums: Sequence[int] = (),
        dw_expand: Positive = 1,
        ffn_expand: Positive = 2,
    ) -> None:
        self._expand = (dw_expand, ffn_expand)
        super().__init__(img_channel, width, middle_blk_num, enc_blk_nums, dec_blk_nums)

    def block(self, chan: int) -> nn.Module:
        return BaselineBlock(chan, *self._expand)


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
        enc_blk_nums: Sequence[int] = (),
        dec_blk_nums: Sequence[int] = (),
        train_size: Sequence[int] = (1, 3, 256, 256),
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
        enc_blk_nums: Sequence[int] = (),
        dec_blk_nums: Sequence[int] = (),
        dw_expand: Positive = 1,
        ffn_expand: Positive = 2,
        train_size: Sequence[int] = (1, 3, 256, 256),
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
