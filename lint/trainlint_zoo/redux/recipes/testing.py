# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's test.py: the generator alone, under autocast where AMP is on, on one whole image.

Between two images input, output and target are let go and the cache is emptied: each is the first.
Source: the-database/traiNNer-redux 68629319, test.py, traiNNer/models/sr_model.py (test, nondist_validation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.redux.recipes.image import SRModel

RECIPES = {"trainner-redux.Testing": "Testing"}


class Testing(SRModel):
    """SRModel as `is_train: false` leaves it; `options.targets` says whether its sets have targets."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        if self.options.get("tested") != "trainner-redux.SRModel":
            raise CannotTraceError("what a model other than SRModel does in a test is not known")
        self.channels = int(step.get("channels", 3))
        self.precision = self._precision()
        last = self.precision != "fp32" and bool(step.get("channels_last"))
        self.format = torch.channels_last if last else torch.preserve_format
        self.net = self._network("generator")
        self.net_g = stage.replicate("generator", self.net)

    def train_step(self, batch: int) -> None:
        """Do nothing: there is no training."""

    def validate(self, height: int, width: int) -> None:
        """Restore one image, whole or in tiles, with the target next to it where there is one."""
        scale = int(self.step.get("scale", 1))
        self.lq = self.clip(1, height, width)
        if self.options.get("targets"):
            self.gt = self.image(1, height * scale, width * scale)
        self.net.eval()
        with self.stage.autocast(self.precision), torch.no_grad():
            self.output = self.restored(self.net, scale)

    def checkpoint(self) -> dict[str, Any]:
        """Return nothing: a test saves no weights."""
        return {}
