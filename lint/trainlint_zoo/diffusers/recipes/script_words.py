# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""sd-scripts' textual inversion: words of one or two text encoders, through a UNet that stays as it is.

Read: kohya-ss/sd-scripts 48d368f, train_textual_inversion.py and sdxl_train_textual_inversion.py
(TextualInversionTrainer), library/sdxl_train_util.py (load_target_model). The UNet runs under autocast here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from trainlint.trace.stage import Stage
from trainlint_zoo.diffusers.recipes.beside_unet import Words
from trainlint_zoo.diffusers.recipes.frozen_parts import CLIP_TOKENS

RECIPES = {"diffusers.ScriptWords": "ScriptWords"}


class ScriptWords(Words):
    """Words of all of CLIP's text encoders, which are frozen but for them; only the new ones are kept."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        self.parts.encodes_prompts = False  # by _output, with what SDXL pools of them

    def _predicted(self, given: dict[str, Any], encoded: list[Tensor]) -> Tensor:
        del encoded
        with self.stage.phase("prompts into embeddings"), self._cast():
            outputs = [self._output(encoder, len(given["sample"])) for encoder in self.trained_text]
        if len(outputs) == 1:
            text = outputs[0].last_hidden_state
        else:
            text = torch.cat([output.hidden_states[-2] for output in outputs], dim=-1).to(self.dtype)
            sizes = given["added_cond_kwargs"]
            given["added_cond_kwargs"] = {**sizes, "text_embeds": outputs[-1].text_embeds.to(self.dtype)}
        del outputs
        given["encoder_hidden_states"] = text.reshape(len(given["sample"]), -1, text.shape[-1])
        with self.stage.phase("model forward"), self._cast():
            predicted: Tensor = self.unet(**given, return_dict=False)[0]
        return predicted

    def _output(self, encoder: Any, batch: int) -> Any:
        pieces = -(-self.tokens // CLIP_TOKENS)
        ids = self.stage.input(batch * pieces, CLIP_TOKENS, dtype=torch.int64)
        return encoder(ids, output_hidden_states=len(self.trained_text) > 1)

    def checkpoint(self) -> dict[str, Any]:
        """Return what is saved: one word of each text encoder."""
        return {"word.safetensors": {f"clip {n}": words[:1].clone() for n, words in enumerate(self.words)}}
