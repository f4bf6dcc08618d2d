# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""KAIR's training step of model "plain4": USRNet's four inputs.

Source: cszn/KAIR fc1732f, models/model_plain4.py and data/dataset_usrnet.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from trainlint.trace.stage import Stage
from trainlint_zoo.kair.recipes.plain import Plain

RECIPES = {"kair.plain4": "Plain4"}

KERNEL = 25
"""Side of the blur kernels that the data set draws."""
SCALES = (1, 2, 3, 4)
SCALE_OF_VALIDATION = 3
"""The data set's own where the options name none (scales, sf_validation)."""


class Plain4(Plain):
    """Four inputs for USRNet: image, blur kernel, scale, noise level. The scale is drawn for each batch.

    The smallest scale has the largest input, and its spectra are folded least: it needs the most.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        scales = self.options.get("scales") or SCALES
        self.scale = min(int(scale) for scale in scales)
        stage.note(
            f"every batch draws its scale from {', '.join(map(str, scales))}; scale {self.scale}, "
            "which needs the most, is traced"
        )
        stage.note(
            "USRNet as network_usrnet_v1 has it; the other file calls torch.rfft, gone since torch 1.8"
        )

    def train_step(self, batch: int) -> None:
        """Run one iteration at the scale that needs the most."""
        side = int(self.step["crop.hr"])
        low = -(-side // self.scale)
        self.feed(batch, low, low, side)
        self.optimize()
        self.follow()

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, k, sigma, then H."""
        self.kernel = self.stage.input(batch, 1, KERNEL, KERNEL)
        self.sigma = self.stage.input(batch, 1, 1, 1)
        super().feed(batch, height, width, target)

    def inputs(self) -> tuple[Any, ...]:
        """Return image, kernel, scale and noise level."""
        return self.low, self.kernel, self.scale, self.sigma

    def validate(self, height: int, width: int) -> None:
        """Restore one image of that target at the data set's validation scale."""
        train, self.scale = self.scale, int(self.options.get("sf_validation") or SCALE_OF_VALIDATION)
        ratio = int(self.step.get("scale", 1))
        tall, wide = (-(-side * ratio // self.scale) for side in (height, width))
        self.feed(1, tall, wide, (height * ratio, width * ratio))
        self.net.eval()
        with torch.no_grad():
            self.out = self.net(*self.inputs())
        self.net.train()
        self.scale = train
