# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: traiNNer-redux authors
# SPDX-FileCopyrightText: neosr authors
# SPDX-License-Identifier: MIT AND Apache-2.0

"""ATD as traiNNer-redux and neosr spell it: neither recomputes layers; neosr takes no mean color off.

Sources: the-database/traiNNer-redux a876c7f5, traiNNer/archs/atd_arch.py; muslll/neosr de9c33cc,
neosr/archs/atd_arch.py, whose atd_light hands every further keyword to atd, which fails on those that the
preset sets itself. redux's atd_light is left out: two published versions disagree (4 heads or 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from trainlint.catalogue.signature import Positive
from trainlint_zoo.forks.networks.atd import ATD

BUILDERS = {"trainner-redux:atd": "redux", "neosr:atd": "neosr", "neosr:atd_light": "neosr_light"}


def redux(
    *,
    scale: Positive = 4,
    in_chans: Positive = 3,
    img_size: Positive = 96,
    embed_dim: Positive = 210,
    depths: Sequence[int] = (6, 6, 6, 6, 6, 6),
    num_heads: Sequence[int] = (6, 6, 6, 6, 6, 6),
    window_size: Positive = 16,
    category_size: Positive = 256,
    num_tokens: Positive = 128,
    reducted_dim: Positive = 20,
    convffn_kernel_size: Positive = 5,
    img_range: float = 1.0,
    mlp_ratio: float = 2.0,
    upsampler: str = "pixelshuffle",
    resi_connection: str = "1conv",
) -> nn.Module:
    """Return redux's ATD."""
    given = locals()
    return ATD(upscale=given.pop("scale"), **given)


def neosr(
    *,
    scale: Positive = 4,
    img_size: Positive = 96,
    patch_size: Positive = 1,
    in_chans: Positive = 3,
    embed_dim: Positive = 210,
    depths: Sequence[int] = (6, 6, 6, 6, 6, 6),
    num_heads: Sequence[int] = (6, 6, 6, 6, 6, 6),
    window_size: Positive = 16,
    category_size: Positive = 256,
    num_tokens: Positive = 128,
    reducted_dim: Positive = 20,
    convffn_kernel_size: Positive = 5,
    mlp_ratio: float = 2.0,
    qkv_bias: bool = True,
    ape: bool = False,
    patch_norm: bool = True,
    img_range: float = 1.0,
    upsampler: str = "pixelshuffle",
    resi_connection: str = "1conv",
    norm: bool = False,
    **_: object,
) -> nn.Module:
    """Return neosr's ATD; `norm` takes the mean color off and puts it back."""
    given = locals()
    del given["_"], given["norm"]
    network = ATD(upscale=given.pop("scale"), **given)
    network.centred = norm
    if not norm:
        network.register_buffer("no_norm", torch.zeros(1))
    return network


def neosr_light(*, scale: Positive = 4, **given: Any) -> nn.Module:
    """Return neosr's light ATD."""
    return neosr(
        scale=scale, img_size=64, embed_dim=48, depths=[6] * 4, num_heads=[4] * 4, category_size=128,
        num_tokens=64, reducted_dim=8, convffn_kernel_size=7, mlp_ratio=1.0,
        upsampler="pixelshuffledirect", **given,
    )  # fmt: skip
