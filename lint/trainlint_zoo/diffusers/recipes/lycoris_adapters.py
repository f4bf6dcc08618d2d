# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""LyCORIS' adapters on a UNet and CLIP, as sd-scripts trains them with lycoris.kohya.

Read: KohakuBlueleaf/LyCORIS 3.4 and 4.1, lycoris/kohya.py (create_network), lycoris/config.py (presets).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.common.language import default_dtype
from trainlint_zoo.diffusers.recipes.denoiser import Denoiser
from trainlint_zoo.diffusers.recipes.own_weights import FULL, add_changed_norms, add_whole_weights
from trainlint_zoo.diffusers.recipes.rebuilt_weights import IA3, LOCON, LOHA, LOKR, add_rebuilt_weights

RECIPES = {"diffusers.LycorisAdapters": "LycorisAdapters"}

TEXT_PARTS: Final = ("layers.",)
ATTENTION: Final = "attn1."
"""A part of a UNet that is named where the preset is attn-only."""
TEXT_ATTENTION: Final = ("self_attn.",)
NAMES: Final = {LOKR: "LoKr", LOHA: "LoHa", LOCON: "LoCon", IA3: "IA3", FULL: "whole weights"}


class LycorisAdapters(Denoiser):
    """Denoiser with such adapters. Reads options.{conv_rank,factor,full_matrix,norms} as well."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        stage.networks[:] = [
            replace(network, arch=NAMES[self.kind]) if network.role == "adapters" else network
            for network in stage.networks
        ]

    def _check(self) -> None:
        if self.kind not in NAMES or self.step.get("quant.kind"):
            raise CannotTraceError(
                f'what "{self.kind}" keeps is traced on weights that are not quantised alone'
            )

    @property
    def _parts(self) -> list[str]:
        return list(self.step.get("adapter.targets") or ())

    def _adapt(self, net: Any) -> None:
        self.adapters = self._adapted(net, self._parts)
        if self.options.get("norms"):
            self.adapters.extend(add_changed_norms(net, self._parts, self._adapter_dtype))

    def _adapted(self, net: Any, parts: list[str]) -> nn.ModuleList:
        wide = self.options.get("conv_rank")
        ranks = (self._rank, self._rank if wide is None else int(wide))
        if self.kind == FULL:
            return add_whole_weights(net, parts, ranks, self._adapter_dtype)
        return add_rebuilt_weights(
            net, self.kind, parts, ranks, self._adapter_dtype,
            factor=int(self.options.get("factor", -1)), full_matrix=bool(self.options.get("full_matrix")),
        )  # fmt: skip

    def _prepare_text(self, encoder: Any) -> None:
        if not self.trains_text:
            return
        encoder.train()
        if self.step.get("checkpointing"):
            encoder.gradient_checkpointing_enable({"use_reentrant": False})
        parts = TEXT_ATTENTION if ATTENTION in self._parts else TEXT_PARTS
        with default_dtype(torch.float32):
            self.adapters.extend(self._adapted(encoder, list(parts)))
