# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The names of neosr's losses, as its configs write them in any case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError
from trainlint_zoo.neosr.recipes import losses as plain
from trainlint_zoo.neosr.recipes import structure_losses as structure

RECIPES: dict[str, str] = {}

LOSSES: Mapping[str, Callable[[Mapping[str, Any]], nn.Module]] = {
    "l1loss": lambda _: plain.Pixel(F.l1_loss),
    "mseloss": lambda _: plain.Pixel(F.mse_loss),
    "huberloss": lambda _: plain.Pixel(F.huber_loss),
    "chc_loss": lambda _: plain.Pixel(lambda x, y: plain.chc(x, y, 0.003921, 0.996078)),
    "mssim_loss": plain.MSSIM,
    "consistency_loss": plain.Consistency,
    "fdl_loss": plain.FDL,
    "ldl_loss": plain.LDL,
    "vgg_perceptual_loss": plain.Perceptual,
    "gan_loss": plain.Adversarial,
    "dists": structure.OldDISTS,
    "dists_loss": structure.DISTS,
    "gw_loss": structure.GradientWeighted,
    "ff_loss": structure.FocalSpectrum,
}


def build_loss(loss: Mapping[str, Any]) -> nn.Module:
    """Build a loss from its mapping; CannotTraceError names one that is not modeled."""
    kind = str(loss.get("type"))
    if kind.lower() not in LOSSES:
        raise CannotTraceError(f"unknown loss {kind}")
    return LOSSES[kind.lower()](loss)
