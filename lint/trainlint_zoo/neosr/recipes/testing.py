# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's test.py: the generator alone, in fp32 whatever use_amp says, on one whole image.

With use_amp its weights are channels last all the same. Between two images input, output and target are
deleted and the cache is emptied: each is the first.
Source: neosr-project/neosr 31c7022, test.py, neosr/models/image.py (tile_val, nondist_validation), base.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.common import tiles
from trainlint_zoo.neosr.recipes.image import Image

RECIPES = {"neosr.Testing": "Testing"}


class Testing(Image):
    """Model `image` as `is_train: false` leaves it; `options.targets` says whether its sets have targets."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        if self.options.get("tested") != "neosr.image":
            raise CannotTraceError("what a model_type other than image does in a test is not known")
        self.amp = bool(step.get("channels_last"))
        self.format = torch.channels_last if self.amp else torch.preserve_format
        self.net = self._network("generator")
        self.net_g = stage.replicate("generator", self.net)

    def train_step(self, batch: int) -> None:
        """Do nothing: there is no training."""

    def validate(self, height: int, width: int) -> None:
        """Restore one image, whole or in tiles, with the target next to it where there is one."""
        scale, tile = int(self.step.get("scale", 1)), int(self.step.get("validation.tile") or 0)
        self.lq = self.image(1, height, width)
        if self.options.get("targets"):
            self.gt = self.image(1, height * scale, width * scale)
        self.net.eval()
        with torch.no_grad():
            self.output = tiles.apart(self.net, self.lq, tile) if tile else self.net(self.lq)

    def checkpoint(self) -> dict[str, Any]:
        """Return nothing: a test saves no weights."""
        return {}
