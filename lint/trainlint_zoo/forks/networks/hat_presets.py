# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""HAT as traiNNer-redux and neosr spell it: three sizes, each handed the run's scale.

Sources: the-database/traiNNer-redux 25a45df8, traiNNer/archs/hat_arch.py; muslll/neosr de9c33cc,
neosr/archs/hat_arch.py. neosr's presets hand every further keyword to the published network, which fails on
those that the preset sets itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.catalogue.signature import Positive
from trainlint_zoo.forks.networks.hat import HAT, Blocks

BUILDERS = {
    "trainner-redux:hat_s": ("redux_m", {"embed_dim": 144, "compress_ratio": 24, "squeeze_factor": 24}),
    "trainner-redux:hat_m": "redux_m",
    "trainner-redux:hat_l": (
        "redux_m",
        {"depths": (6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6), "num_heads": (6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6)},
    ),
    "neosr:hat_s": "neosr_s",
    "neosr:hat_m": "neosr_m",
    "neosr:hat_l": "neosr_l",
}

_NEOSR: dict[str, Any] = {
    "in_chans": 3, "window_size": 16, "conv_scale": 0.01, "overlap_ratio": 0.5, "img_range": 1.0,
    "mlp_ratio": 2, "upsampler": "pixelshuffle", "resi_connection": "1conv",
}  # fmt: skip
_MEDIUM = {"embed_dim": 180, "compress_ratio": 3, "squeeze_factor": 30}


class PaddedHAT(HAT):
    """redux's copy: mirrors images up to whole windows; use_checkpoint and num_feat do what they say."""

    def __init__(self, *, scale: int, use_checkpoint: bool, num_feat: int, **published: Any) -> None:
        super().__init__(upscale=scale, **published)
        self.scale = scale
        self.add_head(published["embed_dim"], published["in_chans"], scale, self.upsampler, num_feat)
        for module in self.modules():
            if isinstance(module, Blocks):
                module.recompute = use_checkpoint

    def reconstruct(self, x: Tensor, first: nn.Module, after: nn.Module) -> Tensor:
        down, right = -x.shape[2] % self.side, -x.shape[3] % self.side
        padded = F.pad(x, (0, right, 0, down), "reflect") if down or right else x
        return super().reconstruct(padded, first, after)

    def forward(self, x: Tensor) -> Tensor:
        h, w = x.shape[2:]
        return super().forward(x)[:, :, : h * self.scale, : w * self.scale]


def redux_m(
    *,
    scale: Positive = 4,
    img_size: Positive = 64,
    patch_size: Positive = 1,
    in_chans: Positive = 3,
    embed_dim: Positive = 180,
    depths: Sequence[int] = (6, 6, 6, 6, 6, 6),
    num_heads: Sequence[int] = (6, 6, 6, 6, 6, 6),
    window_size: Positive = 16,
    compress_ratio: Positive = 3,
    squeeze_factor: Positive = 30,
    conv_scale: float = 0.01,
    overlap_ratio: float = 0.5,
    mlp_ratio: float = 2.0,
    qkv_bias: bool = True,
    qk_scale: float | None = None,
    drop_rate: float = 0.0,
    attn_drop_rate: float = 0.0,
    drop_path_rate: float = 0.1,
    ape: bool = False,
    patch_norm: bool = True,
    use_checkpoint: bool = False,
    img_range: float = 1.0,
    upsampler: str = "pixelshuffle",
    resi_connection: str = "1conv",
    num_feat: Positive = 64,
) -> nn.Module:
    """Return redux's HAT."""
    return PaddedHAT(**locals())


def _neosr(scale: int, groups: int, preset: dict[str, Any], given: dict[str, Any]) -> HAT:
    layers = [6] * groups
    return HAT(upscale=scale, depths=layers, num_heads=layers, **_NEOSR, **preset, **given)


def neosr_s(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's small HAT."""
    return _neosr(scale, 6, {"embed_dim": 144, "compress_ratio": 24, "squeeze_factor": 24}, given)


def neosr_m(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's HAT."""
    return _neosr(scale, 6, _MEDIUM, given)


def neosr_l(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's HAT with twice the groups."""
    return _neosr(scale, 12, _MEDIUM, given)
