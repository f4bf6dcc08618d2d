# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PLKSR's fork of BasicSR: ESRModel, which can train in mixed precision.

Source: dslisleedh/PLKSR 917bb3a4, plksr/models/esr_model.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import SRModel

RECIPES = {"basicsr.ESRModel": "ESRModel"}


class ESRModel(SRModel):
    """SRModel with autocast around forward and losses; nothing is unscaled before the optimizer's step."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        self.precision = str(step.get("precision", "fp32"))
        self.scaler = stage.scaler(enabled=self.precision != "fp32")

    def optimize(self) -> None:
        """zero_grad, forward and losses under autocast, scaled backward, step, EMA."""
        with self.stage.autocast(self.precision):
            self.optimizer_g.zero_grad()
            with self.stage.phase("generator forward"):
                self.output = self.net_g(self.lq)
            log: dict[str, Tensor] = {}
            with self.stage.phase("losses"):
                total = self.compare(0, self.output, self.gt, self.gt, log)
        with self.stage.phase("generator backward"):
            self.scaler.scale(total).backward()  # type: ignore[no-untyped-call, unused-ignore]  # untyped in some versions of torch
        with self.stage.phase("generator optimizer"):
            self.scaler.step(self.optimizer_g)
            self.scaler.update()
        self.follow()
