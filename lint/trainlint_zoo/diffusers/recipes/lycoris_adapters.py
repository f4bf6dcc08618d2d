# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""LoKr and LoHa on a UNet and CLIP, as sd-scripts trains them with lycoris.kohya.

Read: KohakuBlueleaf/LyCORIS 3.4 and 4.1, lycoris/kohya.py (create_network, the preset "full").
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
from trainlint_zoo.diffusers.recipes.rebuilt_weights import LOHA, LOKR, add_rebuilt_weights

RECIPES = {"diffusers.LycorisAdapters": "LycorisAdapters"}

TEXT_PARTS: Final = ("layers.",)
NAMES: Final = {LOKR: "LoKr", LOHA: "LoHa"}


class LycorisAdapters(Denoiser):
    """Denoiser with rebuilt weights. Reads options.{factor,full_matrix} as well."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        stage.networks[:] = [
            replace(network, arch=NAMES[self.kind]) if network.role == "adapters" else network
            for network in stage.networks
        ]

    def _check(self) -> None:
        if self.kind not in {LOKR, LOHA} or self.step.get("quant.kind"):
            raise CannotTraceError(
                f'what "{self.kind}" keeps is traced on weights that are not quantised alone'
            )

    def _adapt(self, net: Any) -> None:
        self.adapters = self._rebuilt(net, list(self.step.get("adapter.targets") or ()))

    def _rebuilt(self, net: Any, parts: list[str]) -> nn.ModuleList:
        ranks = (self._rank, int(self.options.get("conv_rank") or self._rank))
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
        with default_dtype(torch.float32):
            self.adapters.extend(self._rebuilt(encoder, list(TEXT_PARTS)))
