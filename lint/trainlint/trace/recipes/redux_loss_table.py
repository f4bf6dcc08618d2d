"""The names of traiNNer-redux's losses, as its configs write them in any case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.trace.recipes import redux_losses as plain
from trainlint.trace.recipes import redux_structure_losses as structure

RECIPES: dict[str, str] = {}

LOSSES: Mapping[str, Callable[[Mapping[str, Any]], nn.Module]] = {
    **plain.LOSSES,
    "ffloss": structure.FocalFrequency,
    "cosimloss": lambda _: structure.Cosine(),
    "ldlloss": structure.LDL,
    "distsloss": structure.DISTS,
    "consistencyloss": structure.Consistency,
    "tvloss": lambda _: structure.TotalVariation(),
    "adaptiveblocktvloss": structure.BlockVariation,
    "hfenloss": structure.HighFrequency,
    "laplacianpyramidloss": structure.Laplacian,
    "gradientvarianceloss": structure.GradientVariance,
    "convnextperceptualloss": structure.ConvNeXtPerceptual,
}


def build_loss(loss: Mapping[str, Any]) -> nn.Module:
    """Build a loss from its mapping; CannotTraceError names one that is not modelled."""
    kind = str(loss.get("type")).lower()
    if kind not in LOSSES:
        raise CannotTraceError(f"unknown loss {loss.get('type')}")
    return LOSSES[kind](loss)
