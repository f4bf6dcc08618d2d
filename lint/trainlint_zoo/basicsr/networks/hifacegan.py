# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: 2018-2022 BasicSR Authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""HiFaceGAN: a pooling encoder and SPADE blocks that see the input at every size; its discriminator.

Source: XPixelGroup/BasicSR 8d56e3a, basicsr/archs/hifacegan_arch.py and hifacegan_util.py.
"""

from __future__ import annotations

import re

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils import spectral_norm

from trainlint.signature import Positive

BUILDERS = {"HiFaceGAN": "HiFaceGAN", "HiFaceGANDiscriminator": "HiFaceGANDiscriminator"}

HALVINGS = 5
WIDEST = 16
"""The largest multiple of num_feat."""
HIDDEN = 128
GATE = 12.0


class SPADE(nn.Module):
    """A norm without parameters, scaled and shifted by what three convolutions make of the input image."""

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        parsed = re.fullmatch(r"spade(\D+)(\d)x\d", kind)
        if parsed is None or parsed[1] not in {"instance", "syncbatch", "batch"}:
            raise ValueError(f"{kind} is not a recognized param-free norm type in SPADE")
        self.param_free_norm: nn.Module = (
            nn.BatchNorm2d(width, affine=False) if parsed[1] == "batch" else nn.InstanceNorm2d(width)
        )
        side, hidden = int(parsed[2]), min(width, HIDDEN)
        self.mlp_shared = nn.Sequential(nn.Conv2d(3, hidden, side, padding=side // 2), nn.ReLU())
        self.mlp_gamma = nn.Conv2d(hidden, width, side, padding=side // 2, bias=False)
        self.mlp_beta = nn.Conv2d(hidden, width, side, padding=side // 2, bias=False)

    def forward(self, x: Tensor, image: Tensor) -> Tensor:
        normalized = self.param_free_norm(x)
        image = F.interpolate(image, size=x.shape[2:], mode="nearest")
        hidden = self.mlp_shared(image)
        gamma = self.mlp_gamma(hidden)
        beta = self.mlp_beta(hidden)
        return normalized * gamma + beta  # type: ignore[no-any-return]


class SPADEResnetBlock(nn.Module):
    """Two SPADE norms with convolutions, a third one around them where the width changes."""

    def __init__(self, cin: int, cout: int, norm: str) -> None:
        super().__init__()
        middle, kind = min(cin, cout), norm.replace("spectral", "")
        self.conv_0: nn.Module = nn.Conv2d(cin, middle, 3, padding=1)
        self.conv_1: nn.Module = nn.Conv2d(middle, cout, 3, padding=1)
        self.conv_s: nn.Module | None = nn.Conv2d(cin, cout, 1, bias=False) if cin != cout else None
        if "spectral" in norm:
            self.conv_0, self.conv_1 = spectral_norm(self.conv_0), spectral_norm(self.conv_1)
            self.conv_s = None if self.conv_s is None else spectral_norm(self.conv_s)
        self.norm_0, self.norm_1 = SPADE(kind, cin), SPADE(kind, middle)
        self.norm_s = SPADE(kind, cin) if cin != cout else None

    def forward(self, x: Tensor, image: Tensor) -> Tensor:
        around = self._around(x, image)
        dx = self.conv_0(F.leaky_relu(self.norm_0(x, image), 0.2))
        dx = self.conv_1(F.leaky_relu(self.norm_1(dx, image), 0.2))
        return around + dx  # type: ignore[no-any-return]

    def _around(self, x: Tensor, image: Tensor) -> Tensor:
        if self.conv_s is None or self.norm_s is None:
            return x
        return self.conv_s(self.norm_s(x, image))  # type: ignore[no-any-return]


class SoftGate(nn.Module):
    """A scaled sigmoid."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(x).mul(GATE)


class SimplifiedLIP(nn.Module):
    """Halves by an average that learned weights importance by."""

    def __init__(self, width: int) -> None:
        super().__init__()
        conv = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.logit = nn.Sequential(conv, nn.InstanceNorm2d(width, affine=True), SoftGate())

    def forward(self, x: Tensor) -> Tensor:
        logit = self.logit(x)
        weight = logit.exp()
        return F.avg_pool2d(x * weight, 3, 2, 1) / F.avg_pool2d(weight, 3, 2, 1)


class LIPEncoder(nn.Module):
    """A convolution, then halvings that double the width up to WIDEST."""

    def __init__(self, cin: int, num_feat: int) -> None:
        super().__init__()
        first = nn.Conv2d(cin, num_feat, 3, padding=1, bias=False)
        layers: list[nn.Module] = [first, nn.InstanceNorm2d(num_feat), nn.ReLU()]
        ratio = 1
        for index in range(HALVINGS):
            width, ratio = num_feat * ratio, min(ratio * 2, WIDEST)
            layers += [SimplifiedLIP(width), nn.Conv2d(width, num_feat * ratio, 3, padding=1)]
            layers += [nn.InstanceNorm2d(num_feat * ratio)]
            layers += [nn.ReLU(inplace=True)] if index < HALVINGS - 1 else []
        self.model = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)  # type: ignore[no-any-return]


class HiFaceGAN(nn.Module):
    """(b, 3, h, w) -> the same size, or smaller in an early phase of training."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_feat: Positive = 64,
        use_vae: bool = False,
        z_dim: Positive = 256,
        crop_size: Positive = 512,
        norm_g: str = "spectralspadesyncbatch3x3",
        is_train: bool = True,
        init_train_phase: int = 3,
    ) -> None:
        super().__init__()
        wide = WIDEST * num_feat
        self.phase = init_train_phase + 1 if is_train else 4
        side = crop_size // 2**HALVINGS
        self.fc = nn.Linear(z_dim, wide * side**2) if use_vae else nn.Conv2d(num_in_ch, wide, 3, padding=1)
        self.head_0 = SPADEResnetBlock(wide, wide, norm_g)
        self.g_middle_0, self.g_middle_1 = (SPADEResnetBlock(wide, wide, norm_g) for _ in range(2))
        outs = [num_feat * multiple for multiple in (8, 4, 2, 1)]
        self.ups = nn.ModuleList([SPADEResnetBlock(2 * out, out, norm_g) for out in outs])
        self.to_rgbs = nn.ModuleList([nn.Conv2d(out, 3, 3, padding=1) for out in outs])
        self.up = nn.Upsample(scale_factor=2)
        self.lip_encoder = LIPEncoder(num_in_ch, num_feat)

    def forward(self, x: Tensor) -> Tensor:
        image = x
        x = self.lip_encoder(x)
        x = self.head_0(x, image)
        x = self.up(x)
        x = self.g_middle_0(x, image)
        x = self.g_middle_1(x, image)
        for index in range(self.phase):
            x = self.up(x)
            x = self.ups[index](x, image)
        x = self.to_rgbs[self.phase - 1](F.leaky_relu(x, 0.2))
        return torch.tanh(x)


def normed(conv: nn.Conv2d, kind: str) -> nn.Module:
    """Return a convolution with spectral norm, if named, and the norm after it, which takes its bias away."""
    layer: nn.Module = spectral_norm(conv) if kind.startswith("spectral") else conv
    kind = kind.removeprefix("spectral")
    if kind in {"", "none"}:
        return layer
    if kind not in {"batch", "sync_batch", "instance"}:
        raise ValueError(f"normalization layer {kind} is not recognized")
    layer.register_parameter("bias", None)
    norm = nn.BatchNorm2d if kind == "batch" else nn.InstanceNorm2d
    return nn.Sequential(layer, norm(conv.out_channels))


class NLayerDiscriminator(nn.Module):
    """4x4 convolutions, the first ones halving; returns the features of every depth."""

    def __init__(self, cin: int, layers: int, num_feat: int, norm: str) -> None:
        super().__init__()
        self.model0 = nn.Sequential(nn.Conv2d(cin, num_feat, 4, 2, 2), nn.LeakyReLU(0.2))
        width = num_feat
        for index in range(1, layers):
            previous, width = width, min(width * 2, 512)
            conv = nn.Conv2d(previous, width, 4, 1 if index == layers - 1 else 2, 2)
            self.add_module(f"model{index}", nn.Sequential(normed(conv, norm), nn.LeakyReLU(0.2)))
        self.add_module(f"model{layers}", nn.Sequential(nn.Conv2d(width, 1, 4, 1, 2)))

    def forward(self, x: Tensor) -> list[Tensor]:
        results = [x]
        for part in self.children():
            results.append(part(results[-1]))
        return results[1:]


class HiFaceGANDiscriminator(nn.Module):
    """The same discriminator on the image and on the image made smaller: lists of features."""

    def __init__(
        self,
        *,
        num_in_ch: Positive = 3,
        num_out_ch: Positive = 3,
        conditional_d: bool = True,
        num_d: Positive = 2,
        n_layers_d: Positive = 4,
        num_feat: Positive = 64,
        norm_d: str = "spectralinstance",
        keep_features: bool = True,
    ) -> None:
        super().__init__()
        self.keep = keep_features
        cin = num_in_ch + (num_out_ch if conditional_d else 0)
        for index in range(num_d):
            part = NLayerDiscriminator(cin, n_layers_d, num_feat, norm_d)
            self.add_module(f"discriminator_{index}", part)

    def forward(self, x: Tensor) -> list[list[Tensor]] | list[Tensor]:
        results = []
        for part in self.children():
            out = part(x)
            results.append(out if self.keep else out[-1])
            x = F.avg_pool2d(x, kernel_size=3, stride=2, padding=1, count_include_pad=False)
        return results
