# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""sd-scripts' training of a whole model: its UNet, and with some scripts and flags its text encoders.

Read: kohya-ss/sd-scripts 48d368f, train_db.py, fine_tune.py, sdxl_train.py (train), library/train_util.py
(save_sd_model_on_epoch_end_or_stepwise, patch_accelerator_for_fp16_training), library/sdxl_model_util.py
(save_stable_diffusion_checkpoint).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint.trace.stage import Stage
from trainlint_zoo.common.language import DTYPES, optimizer_of
from trainlint_zoo.common.updates import update_in_backward
from trainlint_zoo.diffusers.recipes.denoiser import Denoiser
from trainlint_zoo.diffusers.recipes.frozen_parts import built, text_encoder

RECIPES = {"diffusers.WholeModel": "WholeModel"}


class HalfScaler(torch.amp.GradScaler):
    """Scales gradients in fp16 back as well, which torch's own refuses."""

    def _unscale_grads_(self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool) -> Any:
        """Unscale, as full_fp16 has it."""
        del allow_fp16
        return super()._unscale_grads_(optimizer, inv_scale, found_inf, allow_fp16=True)


class WholeModel(Denoiser):
    """A step without adapters. Read from the step: what Denoiser reads; options.{in_backward,saved_dtype}."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        if self.dtype == torch.float16:
            self.scaler = HalfScaler("cuda", enabled=self.scaler.is_enabled())
        if self.options.get("in_backward"):  # the step's own update finds no gradients then
            update_in_backward(self._trained(), lambda weights: optimizer_of(stage, weights, step))

    def _prepare_text(self, encoder: Any) -> None:
        """Train a text encoder, but for what comes after the output that SDXL takes of its first."""
        super()._prepare_text(encoder)
        if self.trained_text == [encoder] and len(self.config["text_encoders"]) > 1:
            layers = getattr(encoder, "text_model", encoder)  # transformers 5 has no model in the model
            layers.encoder.layers[-1].requires_grad_(requires_grad=False)
            layers.final_layer_norm.requires_grad_(requires_grad=False)

    def checkpoint(self) -> dict[str, Any]:
        """Return what is saved: all of the model, what is not trained as well, in one file."""
        saved = DTYPES.get(str(self.options.get("saved_dtype")))
        parts = {"unet": self.net, "vae": self.parts.vae or built(self.config["vae"])}
        encoders = self.parts.encoders or [text_encoder(part) for part in self.config["text_encoders"]]
        parts |= {f"text encoder {number}": encoder for number, encoder in enumerate(encoders, 1)}
        weights = {
            f"{name}.{key}": _as(tensor, saved)
            for name, net in parts.items()
            for key, tensor in net.state_dict().items()
        }
        return {"model.safetensors": weights}


def _as(tensor: Tensor, dtype: torch.dtype | None) -> Tensor:
    return tensor.to(dtype) if dtype is not None and tensor.is_floating_point() else tensor
