# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2019 Kai Zhang
# SPDX-License-Identifier: MIT

"""KAIR's spellings: RRDBNet, MSRResNet1, SwinIR that pads its image, and its discriminators.

Source: cszn/KAIR fc1732f, models/{network_rrdbnet,network_msrresnet,network_swinir,network_discriminator}.py.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import spectral_norm

from trainlint.catalogue.signature import Positive
from trainlint_zoo.basicsr.networks.msrresnet import MSRResNet
from trainlint_zoo.basicsr.networks.swinir import SwinIR
from trainlint_zoo.basicsr.networks.unet_discriminator import UNetDiscriminatorSN
from trainlint_zoo.blocks.dense import RESIDUAL, DenseBlock
from trainlint_zoo.blocks.letters import layers

BUILDERS = {
    "kair:rrdbnet": "RRDBNet",
    "kair:msrresnet1": "msrresnet1",
    "kair:swinir": "swinir",
    "kair:discriminator_unet": "discriminator_unet",
    "kair:discriminator_vgg_96": "discriminator_vgg_96",
    "kair:discriminator_vgg_128": "discriminator_vgg_128",
    "kair:discriminator_vgg_192": "discriminator_vgg_192",
    "kair:discriminator_vgg_128_SN": "DiscriminatorVGGSpectral",
    "kair:discriminator_patchgan": "discriminator_patchgan",
}


class RRDB(nn.Module):
    """Three dense blocks in a residual, under KAIR's names."""

    def __init__(self, nf: int, gc: int) -> None:
        super().__init__()
        self.RDB1 = DenseBlock(nf, gc)
        self.RDB2 = DenseBlock(nf, gc)
        self.RDB3 = DenseBlock(nf, gc)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.RDB1(x)
        out = self.RDB2(out)
        out = self.RDB3(out)
        return out * RESIDUAL + x


class RRDBNet(nn.Module):
    """x2 or x4; no pixel-unshuffle."""

    def __init__(
        self,
        *,
        in_nc: Positive = 3,
        out_nc: Positive = 3,
        nf: Positive = 64,
        nb: Positive = 23,
        gc: Positive = 32,
        sf: Positive = 4,
    ) -> None:
        super().__init__()
        self.sf = sf
        self.conv_first = nn.Conv2d(in_nc, nf, 3, 1, 1)
        self.RRDB_trunk = nn.Sequential(*(RRDB(nf, gc) for _ in range(nb)))
        self.trunk_conv = nn.Conv2d(nf, nf, 3, 1, 1)
        self.upconv1 = nn.Conv2d(nf, nf, 3, 1, 1)
        if sf == 4:
            self.upconv2 = nn.Conv2d(nf, nf, 3, 1, 1)
        self.HRconv = nn.Conv2d(nf, nf, 3, 1, 1)
        self.conv_last = nn.Conv2d(nf, out_nc, 3, 1, 1)
        self.lrelu = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        fea = self.conv_first(x)
        trunk = self.trunk_conv(self.RRDB_trunk(fea))
        fea = fea + trunk
        fea = self.lrelu(self.upconv1(F.interpolate(fea, scale_factor=2, mode="nearest")))
        if self.sf == 4:
            fea = self.lrelu(self.upconv2(F.interpolate(fea, scale_factor=2, mode="nearest")))
        out: Tensor = self.conv_last(self.lrelu(self.HRconv(fea)))
        return out


def msrresnet1(
    *,
    in_nc: Positive = 3,
    out_nc: Positive = 3,
    nc: Positive = 64,
    nb: Positive = 16,
    upscale: Literal[2, 3, 4] = 4,
    act_mode: str = "R",  # noqa: ARG001  ignored there too
    upsample_mode: str = "upconv",  # noqa: ARG001  ignored there too
) -> nn.Module:
    """Return the network that BasicSR calls MSRResNet."""
    return MSRResNet(in_nc, out_nc, nc, nb, upscale)


class PaddedSwinIR(SwinIR):
    """Pads an image to whole windows by reflection, and crops what comes out."""

    def __init__(self, *, window_size: int, upscale: int, **options: Any) -> None:
        super().__init__(window_size=window_size, upscale=upscale, **options)
        self.window, self.scale = window_size, upscale

    def forward(self, x: Tensor) -> Tensor:
        height, width = x.shape[2:]
        x = F.pad(x, (0, -width % self.window, 0, -height % self.window), "reflect")
        return super().forward(x)[:, :, : height * self.scale, : width * self.scale]


def swinir(
    *,
    upscale: Positive,
    in_chans: Positive,
    img_size: Positive,
    window_size: Positive,
    img_range: float,
    depths: list[int],
    embed_dim: Positive,
    num_heads: list[int],
    mlp_ratio: float,
    upsampler: str | None,
    resi_connection: str,
    **_: object,
) -> nn.Module:
    """Return SwinIR with the arguments that define_G passes on; others are ignored."""
    return PaddedSwinIR(
        upscale=upscale, in_chans=in_chans, img_size=img_size, window_size=window_size, img_range=img_range,
        depths=depths, embed_dim=embed_dim, num_heads=num_heads, mlp_ratio=mlp_ratio, upsampler=upsampler,
        resi_connection=resi_connection,
    )  # fmt: skip


def discriminator_unet(*, input_nc: Positive = 3, ndf: Positive = 64) -> nn.Module:
    """Return the U-shaped discriminator with spectral normalization."""
    return UNetDiscriminatorSN(input_nc, ndf)


class VGGDiscriminator(nn.Module):
    """Pairs of a 3x3 and a halving 4x4 convolution down to a few pixels, two linear layers."""

    def __init__(self, in_nc: int, base_nc: int, ac_type: str, widths: tuple[int, ...], side: int) -> None:
        super().__init__()
        features, previous = [*layers("C", in_nc, base_nc)], base_nc
        for index, factor in enumerate(widths):
            width = base_nc * factor
            if index:
                features += layers(f"C{ac_type}", previous, width)
            features += layers(f"C{ac_type}", width, width, 4, 2)
            previous = width
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(
            nn.Linear(512 * side**2, 100), nn.LeakyReLU(0.2, inplace=True), nn.Linear(100, 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x)
        x = x.view(x.size(0), -1)
        out: Tensor = self.classifier(x)
        return out


def discriminator_vgg_96(*, in_nc: Positive = 3, base_nc: Positive = 64, ac_type: str = "BL") -> nn.Module:
    """Return the one for crops of 96 pixels."""
    return VGGDiscriminator(in_nc, base_nc, ac_type, (1, 2, 4, 8, 8), 3)


def discriminator_vgg_128(*, in_nc: Positive = 3, base_nc: Positive = 64, ac_type: str = "BL") -> nn.Module:
    """Return the one for crops of 128 pixels."""
    return VGGDiscriminator(in_nc, base_nc, ac_type, (1, 2, 4, 8, 8), 4)


def discriminator_vgg_192(*, in_nc: Positive = 3, base_nc: Positive = 64, ac_type: str = "BL") -> nn.Module:
    """Return the one for crops of 192 pixels."""
    return VGGDiscriminator(in_nc, base_nc, ac_type, (1, 2, 4, 8, 8, 8), 3)


class DiscriminatorVGGSpectral(nn.Module):
    """The one for crops of 128 pixels with spectral norms in place of batch norms; no arguments."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 64, 64, 128, 128, 256, 256, 512, 512, 512, 512)
        self.lrelu = nn.LeakyReLU(0.2, inplace=True)
        for i, (cin, cout) in enumerate(pairwise(widths)):
            conv = nn.Conv2d(cin, cout, 4, 2, 1) if i % 2 else nn.Conv2d(cin, cout, 3, 1, 1)
            self.add_module(f"conv{i}", spectral_norm(conv))
        self.linear0 = spectral_norm(nn.Linear(512 * 4 * 4, 100))
        self.linear1 = spectral_norm(nn.Linear(100, 1))

    def forward(self, x: Tensor) -> Tensor:
        for i in range(10):
            x = self.lrelu(self.get_submodule(f"conv{i}")(x))
        x = x.view(x.size(0), -1)
        out: Tensor = self.linear1(self.lrelu(self.linear0(x)))
        return out


def discriminator_patchgan(
    *,
    input_nc: Positive = 3,
    ndf: Positive = 64,
    n_layers: Positive = 3,
    norm_type: Literal["batch", "instance", "spectral", "batchspectral", "none"] = "batch",
) -> nn.Module:
    """Return the patch discriminator: 4x4 convolutions with padding 2, the last two without stride."""
    spectral = norm_type.endswith("spectral")
    biased = norm_type in {"instance", "spectral", "none"}

    def conv(cin: int, cout: int, stride: int, *, bias: bool = True) -> nn.Module:
        made = nn.Conv2d(cin, cout, 4, stride, 2, bias=bias)
        return spectral_norm(made) if spectral else made

    model: list[nn.Module] = [conv(input_nc, ndf, 2), nn.LeakyReLU(0.2)]
    widths = [ndf * min(2**n, 8) for n in range(n_layers + 1)]
    for n in range(1, n_layers + 1):
        model.append(conv(widths[n - 1], widths[n], 2 if n < n_layers else 1, bias=biased))
        if norm_type.startswith("batch"):
            model.append(nn.BatchNorm2d(widths[n]))
        elif norm_type == "instance":
            model.append(nn.InstanceNorm2d(widths[n], affine=False, track_running_stats=False))
        model.append(nn.LeakyReLU(0.2))
    model.append(conv(widths[-1], 1, 1))
    return nn.Sequential(*model)
