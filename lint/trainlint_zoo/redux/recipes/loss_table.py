# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The names of traiNNer-redux's losses, as its configs write them in any case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from trainlint.errors import CannotTraceError
from trainlint_zoo.redux.recipes import colours, edges, similarity
from trainlint_zoo.redux.recipes import losses as plain
from trainlint_zoo.redux.recipes.convnext import ConvNeXtPerceptual
from trainlint_zoo.redux.recipes.dists import DISTS
from trainlint_zoo.redux.recipes.hsluv import HSLuv
from trainlint_zoo.redux.recipes.ldl import LDL
from trainlint_zoo.redux.recipes.spectrum import FocalFrequency

RECIPES: dict[str, str] = {}

LOSSES: Mapping[str, Callable[[Mapping[str, Any]], nn.Module]] = {
    **plain.LOSSES,
    **similarity.LOSSES,
    "hsluvloss": HSLuv,
    "ffloss": FocalFrequency,
    "cosimloss": lambda _: colours.Cosine(),
    "ldlloss": LDL,
    "distsloss": DISTS,
    "consistencyloss": colours.Consistency,
    "tvloss": lambda _: edges.TotalVariation(),
    "adaptiveblocktvloss": edges.BlockVariation,
    "hfenloss": edges.HighFrequency,
    "laplacianpyramidloss": edges.Laplacian,
    "gradientvarianceloss": edges.GradientVariance,
    "convnextperceptualloss": ConvNeXtPerceptual,
}


def build_loss(loss: Mapping[str, Any]) -> nn.Module:
    """Build a loss from its mapping; CannotTraceError names one that is not modeled."""
    kind = str(loss.get("type")).lower()
    if kind not in LOSSES:
        raise CannotTraceError(f"unknown loss {loss.get('type')}")
    return LOSSES[kind](loss)
