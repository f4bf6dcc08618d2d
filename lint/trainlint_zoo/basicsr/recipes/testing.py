# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""BasicSR's test.py: the generator alone, as `is_train: false` leaves it, on one whole image.

Between two images the trainer deletes input, output and target and empties the cache: each is the first.
Source: XPixelGroup/BasicSR 8d56e3a, basicsr/test.py, basicsr/models/sr_model.py (test, nondist_validation).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import network, recipe
from trainlint.trace.stage import Stage
from trainlint_zoo.basicsr.recipes.image import SRModel

RECIPES = {"basicsr.Testing": "Testing"}


class Testing:
    """The test of the model class that `options.tested` names by its recipe, with no training step at all."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.stage = stage
        options: Mapping[str, Any] = step.get("options") or {}
        self.targets = bool(options.get("targets"))
        self.model = _untrained(str(options.get("tested")), step, stage)
        self.net, arch = network(step, "generator")
        stage.register("generator", self.net, arch=arch)
        self.wrapped = stage.replicate("generator", self.net)
        self.scale = int(step.get("scale", 1))

    def train_step(self, batch: int) -> None:
        """Do nothing: there is no training."""

    def validate(self, height: int, width: int) -> None:
        """Restore one image as the model class does, with the target next to it where there is one."""
        model = self.model
        model.lq = self.stage.input(1, model.channels, height, width)
        if self.targets:
            sides = (height * self.scale, width * self.scale)
            model.gt = self.stage.input(1, model.target_channels, *sides)
        self.net.eval()
        with torch.no_grad():
            model.test(self.net, self.scale)

    def checkpoint(self) -> dict[str, Any]:
        """Return nothing: a test saves no weights."""
        return {}


def _untrained(name: str, step: Mapping[str, Any], stage: Stage) -> SRModel:
    """Return a model without its training settings; CannotTraceError where its test is not SRModel's."""
    known = recipe({**step, "recipe": name})
    if not (issubclass(known, SRModel) and known.validate is SRModel.validate):
        raise CannotTraceError(f"what {name.partition('.')[2]} does in a test is not known")
    model: SRModel = object.__new__(known)
    model.step, model.stage, model.options = step, stage, step.get("options") or {}
    model.channels, model.decay = int(step.get("channels", 3)), 0.0
    model.target_channels = model.channels_of_targets()  # as its constructor would
    return model
