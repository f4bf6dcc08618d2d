# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""DAT as traiNNer-redux and neosr spell it: three sizes each, handed the run's scale.

Sources: the-database/traiNNer-redux e8943ed4, traiNNer/archs/dat_arch.py; muslll/neosr de9c33cc,
neosr/archs/dat_arch.py (there still dat_small and dat_medium). neosr's presets hand every further keyword to
the published network, which fails on those that the preset sets itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import nn

from trainlint.catalogue.signature import Positive
from trainlint.errors import CannotTraceError
from trainlint_zoo.forks.networks.dat import DAT

BUILDERS = {
    "trainner-redux:dat": "redux_m",
    "trainner-redux:dat_s": ("redux_m", {"split_size": (8, 16), "expansion_factor": 2.0}),
    "trainner-redux:dat_2": ("redux_m", {"expansion_factor": 2.0}),
    "neosr:dat_s": "neosr_s",
    "neosr:dat_m": "neosr_m",
    "neosr:dat_2": "neosr_2",
}

_NEOSR: dict[str, Any] = {
    "in_chans": 3, "img_range": 1.0, "depth": [6] * 6, "embed_dim": 180, "num_heads": [6] * 6,
    "resi_connection": "1conv",
}  # fmt: skip


def _redux(*, scale: int, unshuffle_mod: bool, **published: Any) -> DAT:
    if unshuffle_mod and scale < 3:
        raise CannotTraceError("DAT with unshuffle_mod, which replaces its own first layer, is not modeled")
    return DAT(upscale=scale, **published)


def redux_m(
    *,
    scale: Positive = 4,
    in_chans: Positive = 3,
    img_size: Positive = 64,
    img_range: float = 1.0,
    split_size: Sequence[int] = (8, 32),
    depth: Sequence[int] = (6, 6, 6, 6, 6, 6),
    embed_dim: Positive = 180,
    num_heads: Sequence[int] = (6, 6, 6, 6, 6, 6),
    expansion_factor: float = 4.0,
    resi_connection: str = "1conv",
    qkv_bias: bool = True,
    qk_scale: float | None = None,
    drop_rate: float = 0.0,
    attn_drop_rate: float = 0.0,
    drop_path_rate: float = 0.1,
    use_chk: bool = False,
    upsampler: str = "pixelshuffle",
    unshuffle_mod: bool = False,
) -> nn.Module:
    """Return redux's DAT."""
    return _redux(**locals())


def neosr_s(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's small DAT."""
    return DAT(upscale=scale, split_size=[8, 16], expansion_factor=2.0, **_NEOSR, **given)


def neosr_m(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's DAT."""
    return DAT(upscale=scale, split_size=[8, 32], expansion_factor=4.0, **_NEOSR, **given)


def neosr_2(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's DAT with half the feed-forward's width."""
    return DAT(upscale=scale, split_size=[8, 32], expansion_factor=2.0, **_NEOSR, **given)
