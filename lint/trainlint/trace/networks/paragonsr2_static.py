"""ParagonSR2 static (history version 4): fixed kernels and channel gates, Magic Kernel on features, HR head.

Source: Phhofm/ParagonSR2 921e57d1, history version 4 (layers and parameter counts); the fast body, which
halves groups and blocks, is on by default up to `s`.
"""

from __future__ import annotations

from torch import Tensor, nn

from trainlint.signature import Positive
from trainlint.trace.networks.magic_kernel import MagicUpsample
from trainlint.trace.networks.paragonsr2_dynamic import ChannelGate, Group, HighResBlock, InceptionDepthwise
from trainlint.trace.networks.paragonsr2_hybrid import LayerScale

BUILDERS = {
    "trainner-redux:paragonsr2_static_micro": "micro",
    "trainner-redux:paragonsr2_static_nano": "nano",
    "trainner-redux:paragonsr2_static_s": "s",
}


class Block(nn.Module):
    """Context, then pointwise and depthwise mixing with a channel gate; GroupNorm without parameters."""

    def __init__(self, dim: int, ffn: float, band: int, *, norm: bool) -> None:
        super().__init__()
        hidden = int(dim * ffn)
        self.context, self.ls1 = InceptionDepthwise(dim, band), LayerScale(dim)
        self.transformer = nn.Sequential(
            nn.Conv2d(dim, hidden, 1), nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden),
            nn.LeakyReLU(0.1, inplace=True), nn.Conv2d(hidden, hidden, 1), ChannelGate(hidden),
            nn.Conv2d(hidden, dim, 1),
        )  # fmt: skip
        self.ls2 = LayerScale(dim)
        self.norm = nn.GroupNorm(1, dim, affine=False) if norm else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.ls1(self.context(x))
        result: Tensor = self.norm(x + self.ls2(self.transformer(x)))
        return result


class ParagonStatic(nn.Module):
    """(batch, 3, h, w) -> (batch, 3, h x scale, w x scale)."""

    def __init__(  # noqa: PLR0917 - the published order
        self, scale: int, dim: int, groups: int, blocks: int, ffn: float, band: int, alpha: float,
        hr_blocks: int, *, norm: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.conv_in = nn.Conv2d(3, dim, 3, padding=1)
        self.body = nn.Sequential(
            *(Group([Block(dim, ffn, band, norm=norm) for _ in range(blocks)]) for _ in range(groups))
        )
        self.conv_fuse = nn.Conv2d(dim, dim, 3, padding=1)
        self.magic_upsampler = MagicUpsample(dim, scale, alpha)
        self.hr_conv_in = nn.Conv2d(dim, dim, 3, padding=1)
        self.hr_head = nn.Sequential(*(HighResBlock(dim, norm=norm) for _ in range(hr_blocks)))
        self.conv_out = nn.Conv2d(dim, 3, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        shallow = self.conv_in(x)
        fused = self.conv_fuse(self.body(shallow)) + shallow
        result: Tensor = self.conv_out(self.hr_head(self.hr_conv_in(self.magic_upsampler(fused))))
        return result


def micro(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """12,019 parameters at scale 2."""
    return ParagonStatic(scale, 16, 1, 1, 1.2, 7, upsampler_alpha, hr_blocks, norm=False)


def nano(
    scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 1, **_ignored: object
) -> nn.Module:
    """27,042 parameters at scale 2."""
    return ParagonStatic(scale, 24, 1, 1, 1.5, 9, upsampler_alpha, hr_blocks, norm=True)


def s(scale: Positive = 4, upsampler_alpha: float = 0.5, hr_blocks: int = 2, **_ignored: object) -> nn.Module:
    """177,819 parameters at scale 2."""
    return ParagonStatic(scale, 48, 1, 2, 2.0, 11, upsampler_alpha, hr_blocks, norm=True)
