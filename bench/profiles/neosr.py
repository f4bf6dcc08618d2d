# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The jobs of neosr's templates whose profiles travel in the wheel; build.py traces them.

There is one for each architecture, alike but for its name and crop. Here is what of them shapes memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.profiles.templates import Job

NEOSR = (
    "atd", "catanet", "compact", "cugan", "dat_m", "ditn", "drct", "eimn", "esc", "esrgan", "flexnet",
    "hat_m", "hit_srf", "hma", "lmlt", "man", "moesr", "mosrv2", "ninasr", "omnisr", "plainusr", "plksr",
    "rcan", "realplksr", "safmn", "sebica", "span", "spanplus", "swinir_small",
)  # fmt: skip
SMALL_CROPS = ("atd", "dat_m", "drct", "hat_m", "hit_srf", "hma", "swinir_small")
"""Templates of neosr with input crops of 32 pixels; the others have 64."""
KINDS = ("image", "otf")
"""Of pairs, and with degradations made on the fly."""
UNCLAMPED = ("cugan", "esrgan", "ninasr")
UNCLIPPED = ("compact",)
COLORS = ("atd",)
"""Templates whose pairs are matched in color, and have no wavelets."""
OMNISR = {"upsampling": 4, "window_size": 8}
"""Arguments of OmniSR's template besides the name; none of the others has any."""
NEOSR_BEFORE = {
    48: (
        "compact", "cugan", "ditn", "esrgan", "man", "omnisr", "plksr", "realplksr", "safmn", "span",
        "spanplus",
    ),
    32: ("atd", "dat_m", "drct", "eimn", "hat_m", "hit_srf", "hma", "swinir_small"),
}  # fmt: skip
"""Architectures by input crop of neosr's templates before it took metagan, which name no precision."""


def neosr() -> Iterator[Job]:
    """Yield neosr's templates."""

    def optimizer(warmup: int) -> dict[str, Any]:
        shared = {"betas": [0.98, 0.92, 0.99], "weight_decay": 0.01, "schedule_free": True}
        return {"type": "adan_sf", "lr": 1e-4, **shared, "warmup_steps": warmup}

    for arch in NEOSR:
        for kind in KINDS:
            data = {
                "type": "paired" if kind == "image" else "otf", "dataroot_gt": "hr", "dataroot_lq": "lr",
                "patch_size": 32 if arch in SMALL_CROPS else 64, "batch_size": 8,
            }  # fmt: skip
            if kind == "otf":
                del data["dataroot_lq"]
            train: dict[str, Any] = {
                "ema": 0.999, "wavelet_guided": True, "wavelet_init": 80000,
                "optim_g": optimizer(1600), "optim_d": optimizer(600),
                "mssim_opt": {"type": "mssim_loss", "loss_weight": 1.0},
                "consistency_opt": {"type": "consistency_loss", "loss_weight": 1.0},
                "ldl_opt": {"type": "ldl_loss", "loss_weight": 1.0},
                "fdl_opt": {"type": "fdl_loss", "model": "dinov2", "loss_weight": 0.75},
                "gan_opt": {"type": "gan_loss", "gan_type": "bce", "loss_weight": 0.1},
            }  # fmt: skip
            if arch in UNCLAMPED:
                train["clamp"] = False
            if arch in UNCLIPPED:
                train["grad_clip"] = False
            if arch in COLORS and kind == "image":
                del train["wavelet_guided"]
                train["match_lq_colors"] = True
            yield f"neosr_{arch}_{kind}", {
                "name": "job", "model_type": kind, "scale": 4, "use_amp": True, "bfloat16": True,
                "fast_matmul": True, "datasets": {"train": data}, "path": {},
                "network_g": {"type": arch, **(OMNISR if arch == "omnisr" else {})},
                "network_d": {"type": "metagan"}, "train": train,
                "logger": {"total_iter": 100000, "save_checkpoint_freq": 1000},
            }  # fmt: skip


def neosr_before() -> Iterator[Job]:
    """Yield neosr's templates as its author's own fork has them, which is older."""
    optimizer = {
        "type": "adan_sf", "lr": 5e-4, "betas": [0.98, 0.92, 0.987], "weight_decay": 0.02,
        "schedule_free": True,
    }  # fmt: skip
    for crop, architectures in NEOSR_BEFORE.items():
        for arch in architectures:
            for kind in KINDS:
                data = {"type": "paired", "dataroot_gt": "hr", "dataroot_lq": "lr"}
                if kind == "otf":
                    data = {"type": "otf", "dataroot_gt": "hr"}
                train: dict[str, Any] = {
                    "ema": 0.999, "optim_g": {**optimizer, "warmup_steps": 1600}, "optim_d": optimizer,
                    "mssim_opt": {"type": "mssim_loss", "loss_weight": 1.0},
                    "consistency_opt": {"type": "consistency_loss", "loss_weight": 1.0},
                    "perceptual_opt": {"type": "vgg_perceptual_loss", "loss_weight": 0.5, "criterion": "chc"},
                    "gan_opt": {"type": "gan_loss", "gan_type": "bce", "loss_weight": 0.3},
                }  # fmt: skip
                if arch in UNCLIPPED:
                    train["grad_clip"] = False
                yield f"neosr_{arch}_{kind}_before", {
                    "name": "job", "model_type": kind, "scale": 4,
                    "datasets": {"train": {**data, "patch_size": crop, "batch_size": 8}}, "path": {},
                    "network_g": {"type": arch, **(OMNISR if arch == "omnisr" else {})},
                    "network_d": {"type": "ea2fpn"}, "train": train,
                    "logger": {"total_iter": 1000000, "save_checkpoint_freq": 1000},
                }  # fmt: skip
