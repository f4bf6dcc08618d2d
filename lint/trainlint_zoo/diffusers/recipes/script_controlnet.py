# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""sd-scripts' ControlNet of Stable Diffusion 1 and 2: it and the UNet of 32 bits run under autocast.

Read: kohya-ss/sd-scripts 48d368f, train_control_net.py (train), library/original_unet.py
(UNet2DConditionModel.forward). Its UNet adds to what its blocks gave in place, so that the last block's
result, which goes into the middle, has a gradient: with diffusers' UNet the middle has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from trainlint.trace.building.torch_imports import library
from trainlint_zoo.common.language import DTYPES
from trainlint_zoo.diffusers.recipes.beside_unet import ControlNet
from trainlint_zoo.diffusers.recipes.frozen_parts import MISSING

RECIPES = {"diffusers.ScriptControlNet": "ScriptControlNet"}


class ScriptControlNet(ControlNet):
    """Both networks under autocast. Reads attention.implementation as well, which is the UNet's alone."""

    def _frozen(self) -> Any:
        unet = super()._frozen()
        if self.step.get("attention.implementation") == "eager":
            unet.set_attn_processor(library("diffusers.models.attention_processor", MISSING).AttnProcessor())
        return unet.train()

    @property
    def _computed(self) -> torch.dtype:
        return DTYPES[self.precision]

    def _predicted(self, given: dict[str, Any], encoded: list[Tensor]) -> Tensor:
        del encoded
        image = self.stage.input(len(given["sample"]), 3, self.height, self.width, dtype=self._computed)
        with self._cast():
            with self.stage.phase("controlnet forward"):
                down, middle = self.model(**given, controlnet_cond=image, return_dict=False)
            with self.stage.phase("model forward"):
                added = [residual.to(self._computed) for residual in down]
                with adding(self.unet, added, middle.to(self._computed)):
                    predicted: Tensor = self.unet(**given, return_dict=False)[0]
        return predicted


@contextmanager
def adding(unet: Any, down: Sequence[Tensor], middle: Tensor) -> Iterator[None]:
    """Have a UNet add residuals in place: to the results of its first half, and to its middle's."""
    results: list[Tensor] = []

    def note(_net: Any, _given: Any, made: Any) -> None:
        results.extend(made[1] if isinstance(made, tuple) else [made])

    def add_down(_net: Any, _given: Any) -> None:
        for result, residual in zip(results, down, strict=True):
            result.add_(residual)
        results.clear()

    def add_middle(_net: Any, _given: Any, made: Tensor) -> None:
        made.add_(middle)

    hooks = [net.register_forward_hook(note) for net in (unet.conv_in, *unet.down_blocks)]
    hooks.append(unet.mid_block.register_forward_pre_hook(add_down))
    hooks.append(unet.mid_block.register_forward_hook(add_middle))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
