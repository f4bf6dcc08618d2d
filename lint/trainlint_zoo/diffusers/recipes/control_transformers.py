# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""diffusers' ControlNets of Flux and Stable Diffusion 3: blocks like some of a transformer that stays.

Read: huggingface/diffusers 58eb52c, examples/controlnet/train_controlnet_flux.py, train_controlnet_sd3.py
(main). What guides is an image that the VAE encodes too.
"""

from __future__ import annotations

from typing import Any, Final

from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.building.torch_imports import library
from trainlint_zoo.diffusers.recipes.beside_unet import ControlNet
from trainlint_zoo.diffusers.recipes.frozen_parts import MISSING

RECIPES = {"diffusers.ControlTransformer": "ControlTransformer"}

CONTROLS: Final = {
    "FluxTransformer2DModel": (
        "FluxControlNetModel",
        {"num_layers": ("double_layers", 4), "num_single_layers": ("single_layers", 4)},
    ),
    "SD3Transformer2DModel": (
        "SD3ControlNetModel",
        {"num_layers": ("double_layers", 12), "extra_conditioning_channels": ("extra_channels", 0)},
    ),
}
"""Classes -> their ControlNets, and which numbers of these an option decides, or the script without one."""


TWO_LISTS: Final = ["controlnet_block_samples", "controlnet_single_block_samples"]
ONE_LIST: Final = ["block_controlnet_hidden_states"]
"""What a transformer calls the results of its ControlNet's blocks: Flux's two kinds, Stable Diffusion 3's."""


class ControlTransformer(ControlNet):
    """Read from the step: what ControlNet reads; options.{double_layers,single_layers,extra_channels}."""

    frozen_role = "transformer"

    def _control(self, frozen: Any) -> Any:
        kind = type(frozen).__name__
        if kind not in CONTROLS:
            raise CannotTraceError(f"a ControlNet of {kind} is not traced")
        name, numbers = CONTROLS[kind]
        given = {key: value for key, value in frozen.config.items() if not key.startswith("_")}
        given |= {key: int(self.options.get(option, usual)) for key, (option, usual) in numbers.items()}
        control = getattr(library("diffusers", MISSING), name)
        return control.from_config(given)

    def _predicted(self, given: dict[str, Any], encoded: list[Tensor]) -> Tensor:
        del encoded
        noisy = given["hidden_states"]
        self.parts.encode_images(len(noisy), self.height, self.width)
        image = self.stage.input(*noisy.shape, dtype=self.dtype)
        with self.stage.phase("controlnet forward"), self._cast():
            made = self.model(**given, controlnet_cond=image, return_dict=False)
            lists = [None if part is None else [residual.float() for residual in part] for part in made]
            del made
        self.residuals = lists
        names = TWO_LISTS if len(lists) > 1 else ONE_LIST
        with self.stage.phase("model forward"):
            added = {
                name: None if part is None else [residual.to(self.dtype) for residual in part]
                for name, part in zip(names, lists, strict=True)
            }
            predicted: Tensor = self.unet(**given, **added, return_dict=False)[0]
        return predicted
