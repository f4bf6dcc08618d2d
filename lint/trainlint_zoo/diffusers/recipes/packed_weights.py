# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Adapters beside a network whose frozen weights are packed in few bits: qtype uint2 to uint7 of ai-toolkit.

Read: ostris/ai-toolkit 27a03a9, toolkit/util/quantize.py (quantize), toolkit/stable_diffusion_model.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.blocks.uintx import in_few_bits
from trainlint_zoo.diffusers.recipes.denoiser import Denoiser

RECIPES = {"diffusers.PackedWeights": "PackedWeights"}


class PackedWeights(Denoiser):
    """Denoiser with frozen layers that restore their weights from a few bits of each."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.stored = str(step["quant.kind"])
        if step.get("text.embeddings") != "cached":
            raise CannotTraceError(f"text encoders in {self.stored} are not traced: cache their embeddings")
        super().__init__({key: value for key, value in step.items() if key != "quant.kind"}, stage)

    def _adapt(self, net: Any) -> None:
        in_few_bits(net, self.stored)
        super()._adapt(net)
