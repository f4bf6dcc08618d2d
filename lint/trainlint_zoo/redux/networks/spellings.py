# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: spandrel authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""traiNNer-redux's spellings of ESRGAN, Compact and SwinIR, and of BasicSR's discriminators.

Source: the-database/traiNNer-redux 6862931, traiNNer/archs (discriminators at 0f1bc602);
chaiNNer-org/spandrel 0.4.
"""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.basicsr.networks.srvgg import SRVGGNetCompact
from trainlint_zoo.basicsr.networks.swinir import SwinIR
from trainlint_zoo.basicsr.networks.unet_discriminator import UNetDiscriminatorSN
from trainlint_zoo.basicsr.networks.vgg_discriminator import VGGStyleDiscriminator
from trainlint_zoo.blocks.dense import RESIDUAL, DenseBlock
from trainlint_zoo.blocks.letters import Shortcut, layers

BUILDERS = {
    "trainner-redux:esrgan": "esrgan",
    "trainner-redux:esrgan_lite": "esrgan_lite",
    "trainner-redux:compact": "compact",
    "trainner-redux:ultracompact": "ultracompact",
    "trainner-redux:superultracompact": "superultracompact",
    "trainner-redux:swinir_s": "swinir_s",
    "trainner-redux:swinir_m": "swinir_m",
    "trainner-redux:swinir_l": "swinir_l",
    "trainner-redux:unetdiscriminatorsn": "UNetDiscriminator",
    "trainner-redux:vggstylediscriminator": "VGGDiscriminator",
}


class ActiveDenseBlock(DenseBlock):
    """The dense block with each convolution in a sequence of its own (names end in conv1.0)."""

    def __init__(self, nf: int, gc: int) -> None:
        super().__init__(nf, gc)
        for index in range(1, 6):
            name = f"conv{index}"
            parts: list[nn.Module] = [self.get_submodule(name)]
            if index < 5:
                parts.append(nn.LeakyReLU(0.2, inplace=True))
            self._modules[name] = nn.Sequential(*parts)
        self.lrelu = nn.Identity()


class RRDB(nn.Module):
    """Three dense blocks in a residual, under the old architecture's names."""

    def __init__(self, nf: int, gc: int) -> None:
        super().__init__()
        self.RDB1 = ActiveDenseBlock(nf, gc)
        self.RDB2 = ActiveDenseBlock(nf, gc)
        self.RDB3 = ActiveDenseBlock(nf, gc)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.RDB1(x)
        out = self.RDB2(out)
        out = self.RDB3(out)
        return out * RESIDUAL + x


class RRDBNet(nn.Module):
    """spandrel's ESRGAN: one sequence; scales 1 and 2 may shrink the input by pixel-unshuffle."""

    def __init__(self, in_nc: int, out_nc: int, width: int, blocks: int, scale: int, *, shrink: int) -> None:
        super().__init__()
        self.shrink, self.scale = shrink, scale
        trunk = [*(RRDB(width, 32) for _ in range(blocks)), *layers("C", width, width)]
        up: list[nn.Module] = []
        for _ in range((4 if shrink > 1 else scale).bit_length() - 1 if scale != 3 else 1):
            up += layers("uCL" if scale == 3 else "UCL", width, width)
        head = layers("C", in_nc * shrink**2, width)
        tail = [*layers("CL", width, width), *layers("C", width, out_nc)]
        self.model = nn.Sequential(*head, Shortcut(nn.Sequential(*trunk)), *up, *tail)

    def forward(self, x: Tensor) -> Tensor:
        if self.shrink == 1:
            out: Tensor = self.model(x)
            return out
        height, width = x.shape[2:]
        x = F.pad(x, (0, -width % self.shrink, 0, -height % self.shrink), "reflect")
        x = F.pixel_unshuffle(x, self.shrink)
        x = self.model(x)
        return x[:, :, : height * self.scale, : width * self.scale]


def esrgan(
    *,
    scale: Positive = 4,
    use_pixel_unshuffle: bool = False,
    in_nc: Positive = 3,
    out_nc: Positive = 3,
    num_filters: Positive = 64,
    num_blocks: Positive = 23,
    plus: bool = False,
    act: str = "leakyrelu",
    upsampler: str = "upconv",
) -> nn.Module:
    """Return ESRGAN's generator."""
    if plus or act != "leakyrelu" or upsampler != "upconv":
        raise CannotTraceError("this variant of ESRGAN (plus, act, upsampler) is not modeled")
    shrink = 4 // scale if use_pixel_unshuffle and scale in (1, 2) else 1
    return RRDBNet(in_nc, out_nc, num_filters, num_blocks, scale, shrink=shrink)


def esrgan_lite(
    *,
    scale: Positive = 4,
    use_pixel_unshuffle: bool = False,
    in_nc: Positive = 3,
    out_nc: Positive = 3,
    num_filters: Positive = 32,
    num_blocks: Positive = 12,
) -> nn.Module:
    """Return the smaller ESRGAN."""
    return esrgan(
        scale=scale, use_pixel_unshuffle=use_pixel_unshuffle, in_nc=in_nc, out_nc=out_nc,
        num_filters=num_filters, num_blocks=num_blocks,
    )  # fmt: skip


def compact(
    *,
    scale: Positive = 4,
    num_in_ch: Positive = 3,
    num_out_ch: Positive = 3,
    num_feat: Positive = 64,
    num_conv: Positive = 16,
    act_type: Literal["relu", "prelu", "leakyrelu"] = "prelu",
) -> nn.Module:
    """Return SRVGGNetCompact."""
    return SRVGGNetCompact(
        num_in_ch=num_in_ch, num_out_ch=num_out_ch, num_feat=num_feat, num_conv=num_conv, upscale=scale,
        act_type=act_type,
    )  # fmt: skip


def ultracompact(*, scale: Positive = 4, num_feat: Positive = 64, num_conv: Positive = 8) -> nn.Module:
    """Return SRVGGNetCompact with half the convolutions."""
    return compact(scale=scale, num_feat=num_feat, num_conv=num_conv)


def superultracompact(*, scale: Positive = 4, num_feat: Positive = 24, num_conv: Positive = 8) -> nn.Module:
    """Return SRVGGNetCompact with half the convolutions and 24 channels."""
    return compact(scale=scale, num_feat=num_feat, num_conv=num_conv)


def _swinir(scale: int, side: int, width: int, heads: list[int], **rest: Any) -> nn.Module:
    return SwinIR(
        upscale=scale, img_size=side, embed_dim=width, depths=[6] * len(heads), num_heads=heads,
        window_size=8, mlp_ratio=2, **rest,
    )  # fmt: skip


def swinir_s(*, scale: Positive = 4) -> nn.Module:
    """Return the light SwinIR."""
    return _swinir(scale, 64, 60, [6] * 4, upsampler="pixelshuffledirect", resi_connection="1conv")


def swinir_m(*, scale: Positive = 4) -> nn.Module:
    """Return the classical SwinIR."""
    return _swinir(scale, 48, 180, [6] * 6, upsampler="pixelshuffle", resi_connection="1conv")


def swinir_l(*, scale: Positive = 4) -> nn.Module:
    """Return the real-world SwinIR, large."""
    return _swinir(scale, 64, 240, [8] * 9, upsampler="nearest+conv", resi_connection="3conv")


class UNetDiscriminator(UNetDiscriminatorSN):
    """Real-ESRGAN's."""

    def __init__(self, num_in_ch: Positive, num_feat: Positive = 64, skip_connection: bool = True) -> None:
        super().__init__(num_in_ch, num_feat, skip_connection)


class VGGDiscriminator(VGGStyleDiscriminator):
    """BasicSR's; here the width has no default."""

    def __init__(self, num_in_ch: Positive, num_feat: Positive, input_size: Literal[128, 256] = 128) -> None:
        super().__init__(num_in_ch, num_feat, input_size)
