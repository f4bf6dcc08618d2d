# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The presets of traiNNer-redux and neosr that are spandrel's networks with other defaults.

Sources: the-database/traiNNer-redux, traiNNer/archs (CRAFT 1c9c3bdc, GRL 19a202a0,
DCTLSA 8042a159, DITN 0d58829d, MoSR 2197fe46, Swin2SR 330de267); muslll/neosr at
de9c33cc, neosr/archs (MoSR as in pokepress/neosr 6a5654c5). Both hand the run's scale to the
network. Left out, because two published versions disagree: redux's rgt and rgt_s (does split_size arrive?)
and dat_light (which upsampler?).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainlint.catalogue.zoo.library_entry import Entry, extra, spandrel
from trainlint_zoo.libraries.published import GRL_ONLY

SCALE = {"scale": "upscale"}

_RGT = {
    "upscale": 4, "split_size": [8, 32], "depth": [6] * 8, "num_heads": [6] * 8, "mlp_ratio": 2.0,
}  # fmt: skip


def _redux() -> dict[str, Entry]:
    return {"craft": spandrel("CRAFT", renamed=SCALE)}


def _neosr() -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    entries["rgt"] = spandrel("RGT", defaults=_RGT, renamed=SCALE, open=True)
    entries["rgt_s"] = spandrel(
        "RGT", defaults={**_RGT, "depth": [6] * 6, "num_heads": [6] * 6}, renamed=SCALE, open=True
    )
    entries["craft"] = spandrel(
        "CRAFT", renamed=SCALE, ignored=("img_size",), only={"flash_attn": False}, open=True
    )
    # neosr's DCTLSA drops half of one feature map's channels, which the library's class leaves out
    entries["dctlsa"] = spandrel("DCTLSA", renamed=SCALE, open=True)
    for name, size in (("mosr", {}), ("mosr_t", {"n_block": 5, "dim": 48})):
        entries[name] = spandrel("MoSR", defaults={"upsampler": "dys", **size}, renamed=SCALE)
    for name, own in _SRFORMERS.items():
        entries[name] = extra(
            "SRFormer", defaults={"upscale": 4, **own}, renamed=SCALE, ignored=tuple(own), open=True
        )
    return entries


_SRFORMERS: Mapping[str, Mapping[str, Any]] = {
    "srformer_light": {
        "window_size": 16, "mlp_ratio": 2.0, "embed_dim": 60, "depths": [6] * 4, "num_heads": [6] * 4,
        "upsampler": "pixelshuffledirect",
    },
    "srformer_medium": {
        "img_size": 48, "window_size": 24, "mlp_ratio": 2.0, "embed_dim": 180, "depths": [6] * 6,
        "num_heads": [6] * 6, "upsampler": "pixelshuffle",
    },
}  # fmt: skip
_GRL = {
    "upscale": 4, "upsampler": "pixelshuffle", "window_size": 8, "stripe_size": [8, None],
    "stripe_groups": [None, 4], "stripe_shift": True, "mlp_ratio": 2.0, "anchor_window_down_factor": 4,
    "depths": [4] * 4, "num_heads_window": [2] * 4, "num_heads_stripe": [2] * 4,
}  # fmt: skip
_GRLS: Mapping[str, Mapping[str, Any]] = {
    "grl_b": {
        **_GRL, "embed_dim": 180, "depths": [4, 4, 8, 8, 8, 4, 4], "num_heads_window": [3] * 7,
        "num_heads_stripe": [3] * 7, "local_connection": True,
    },
    "grl_s": {**_GRL, "embed_dim": 128},
    "grl_t": {**_GRL, "embed_dim": 64, "upsampler": "pixelshuffledirect"},
}  # fmt: skip
_SWIN2SR = {"upscale": 4, "window_size": 8, "mlp_ratio": 2.0}
_SWIN2SRS: Mapping[str, Mapping[str, Any]] = {
    "swin2sr_s": {**_SWIN2SR, "embed_dim": 60, "upsampler": "pixelshuffledirect"},
    "swin2sr_m": {
        **_SWIN2SR, "embed_dim": 180, "depths": [6] * 6, "num_heads": [6] * 6, "upsampler": "pixelshuffle",
    },
    "swin2sr_l": {
        **_SWIN2SR, "embed_dim": 240, "depths": [6] * 9, "num_heads": [8] * 9, "upsampler": "nearest+conv",
        "resi_connection": "3conv",
    },
}  # fmt: skip
_MOSR_TAILS = {"pixelshuffle": "ps", "dysample": "dys", "geoensemblepixelshuffle": "gps"}


def _others() -> dict[str, Entry]:
    """Return the presets that redux takes from spandrel as they are."""
    entries = {
        name: spandrel("GRL", defaults=size, renamed=SCALE, only=GRL_ONLY) for name, size in _GRLS.items()
    }
    for name, size in _SWIN2SRS.items():
        entries[name] = spandrel("Swin2SR", defaults=size, renamed=SCALE)
    entries["dctlsa"] = spandrel("DCTLSA", renamed=SCALE)
    entries["ditn_real"] = spandrel("DITN", renamed=SCALE)
    entries["mosr"] = spandrel("MoSR", renamed=SCALE, spelled=_MOSR_TAILS)
    return entries


PRESETS: Mapping[str, Entry] = {
    **{f"trainner-redux:{name}": entry for name, entry in (_redux() | _others()).items()},
    **{f"neosr:{name}": entry for name, entry in _neosr().items()},
}
"""Dialect and preset -> the library's class with the preset's defaults."""
