# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step whose gradients are zeroed and not freed, so that they lie on the card in the next forward too.

Read: bghira/SimpleTuner bc8e6ab, helpers/training/trainer.py (zero_grad with config.set_grads_to_none).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from trainlint.trace.stage import Stage
from trainlint_zoo.diffusers.recipes.denoiser import Denoiser

RECIPES = {"diffusers.ZeroedGradients": "ZeroedGradients"}


class ZeroedGradients(Denoiser):
    """Denoiser that keeps its gradients."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        keep_gradients(self.optimizer)


def keep_gradients(optimizer: Any) -> None:
    """Have an optimizer fill its gradients with zeros and not free them."""
    optimizer.zero_grad = partial(optimizer.zero_grad, set_to_none=False)
