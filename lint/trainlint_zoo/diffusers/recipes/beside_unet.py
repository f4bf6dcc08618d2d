# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps that leave a UNet as it is: a ControlNet beside it, and words of a text encoder.

Read: huggingface/diffusers 58eb52c, examples/controlnet/train_controlnet.py, train_controlnet_sdxl.py,
examples/textual_inversion/textual_inversion.py (main). What is trained is in fp32 and runs under autocast;
the UNet is in the precision that is computed in, and runs without.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.building.refusal import fitting
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint_zoo.common.language import ROLE
from trainlint_zoo.diffusers.recipes.denoiser import Denoiser
from trainlint_zoo.diffusers.recipes.frozen_parts import MISSING, built
from trainlint_zoo.diffusers.recipes.zeroed_gradients import keep_gradients

RECIPES = {"diffusers.ControlNet": "ControlNet", "diffusers.TextualInversion": "TextualInversion"}


class BesideUNet(Denoiser):
    """A UNet that stays as it is. Read from the step: what Denoiser reads; options.frozen_checkpointing."""

    unet: Any

    def _frozen(self) -> Any:
        with fitting("the installed diffusers does not build this model", "model.config"):
            unet = built(self.config["network"])
        return unet.requires_grad_(requires_grad=False)

    @property
    def _denoises(self) -> Any:
        return self.unet

    @property
    def _computed(self) -> torch.dtype:
        return self.dtype


class ControlNet(BesideUNet):
    """A copy of a UNet's first half is trained: it gets an image as well, and adds to the UNet's second.

    Accelerate has its results in fp32, and they live until the next step's. Reads options.zeroed_gradients
    as well: gradients are not freed after a step.
    """

    frozen_role = "UNet"

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        if self.options.get("zeroed_gradients"):
            keep_gradients(self.optimizer)

    def _network(self) -> Any:
        unet = self._frozen()
        control = self._control(unet)
        self.unet = unet.to(self.dtype)
        if self.step.get("checkpointing"):
            control.enable_gradient_checkpointing()
            if self.options.get("frozen_checkpointing"):
                self.unet.enable_gradient_checkpointing()
        return control.to(torch.float32).train()

    def _control(self, frozen: Any) -> Any:
        return library("diffusers", MISSING).ControlNetModel.from_unet(frozen, load_weights_from_unet=False)

    def _register_networks(self) -> None:
        self.stage.register(ROLE, self.net, arch=type(self.net).__name__)
        self.stage.register(self.frozen_role, self.unet, arch=type(self.unet).__name__, kind="losses")

    def _predicted(self, given: dict[str, Any], encoded: list[Tensor]) -> Tensor:
        del encoded
        image = self.stage.input(len(given["sample"]), 3, self.height, self.width, dtype=self.dtype)
        with self.stage.phase("controlnet forward"), self._cast():
            down, middle = self.model(**given, controlnet_cond=image, return_dict=False)
            self.residuals = [residual.float() for residual in (*down, middle)]
            del down, middle
        with self.stage.phase("model forward"):
            *added, added_to_middle = (residual.to(self.dtype) for residual in self.residuals)
            predicted: Tensor = self.unet(
                **given,
                down_block_additional_residuals=added,
                mid_block_additional_residual=added_to_middle,
                return_dict=False,
            )[0]
        return predicted


class Words(BesideUNet):
    """Text encoders learn words: gradients come through the UNet, and all embeddings are updated."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        self.words = [encoder.get_input_embeddings().weight for encoder in self.trained_text]
        self.before = [torch.empty_like(words, requires_grad=False) for words in self.words]
        for kept in self.before:
            stage.ledger.adopt(kept, "losses", "words")

    def _network(self) -> Any:
        self.unet = self._frozen().to(self.dtype)
        if self.step.get("attention.implementation") == "eager":
            processors = library("diffusers.models.attention_processor", MISSING)
            self.unet.set_attn_processor(processors.AttnProcessor())
        if self.step.get("checkpointing"):
            self.unet.enable_gradient_checkpointing()
        return self.unet.train()

    def _prepare_text(self, encoder: Any) -> None:
        if self.step.get("checkpointing"):
            encoder.gradient_checkpointing_enable({"use_reentrant": False})
        encoder.train().get_input_embeddings().requires_grad_(requires_grad=True)
        self.trained_text.append(encoder)

    def train_step(self, batch: int) -> None:
        """One update, after which all words but the new ones are put back."""
        super().train_step(batch)
        with torch.no_grad():
            for words, before in zip(self.words, self.before, strict=True):
                words.copy_(before[torch.arange(len(before), device=before.device)])


class TextualInversion(Words):
    """One text encoder learns a word."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        if len(self.trained_text) != 1:
            raise CannotTraceError("words of several text encoders are not traced")

    def _predicted(self, given: dict[str, Any], encoded: list[Tensor]) -> Tensor:
        given = {**given, "encoder_hidden_states": encoded[0].to(self.dtype)}
        with self.stage.phase("model forward"):
            predicted: Tensor = self.unet(**given, return_dict=False)[0]
        return predicted
