# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Images that are sampled while a network is trained: prompts, one pass of many, the VAE's decoder.

Read: huggingface/diffusers 0.42, pipelines/*/pipeline_*.py (__call__) and log_validation of the examples;
kohya-ss/sd-scripts 48d368f, library/train_util.py (sample_image_inference), library/flux_train_utils.py;
ostris/ai-toolkit 27a03a9, toolkit/stable_diffusion_model.py (generate_images).

All passes of an image are alike, so that one is played. What a trainer loads for it comes onto the card
beside what it trains with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage
from trainlint_zoo.common.language import DTYPES
from trainlint_zoo.diffusers.recipes.frozen_parts import FrozenParts, built, text_encoder
from trainlint_zoo.diffusers.recipes.model_inputs import VAE_FACTOR, Sample, inputs_of

NONE: Final = "none"
NETWORK: Final = "network"


class SampleImages:
    """Samples an image as `sampling` of a step says.

    text, vae   the precision in which text encoders and a VAE are loaded for it; own: those beside the
                network that trains; none: it needs no encoders
    guided      two passes at once, with the prompt and without
    precision   of the autocast around it; network: around what denoises alone, as accelerate wraps that
    """

    def __init__(self, stage: Stage, step: Mapping[str, Any], parts: FrozenParts, tokens: int) -> None:
        self.stage, self.parts, self.tokens = stage, parts, tokens
        self.sampling: Mapping[str, Any] = step["sampling"]
        self.guided = bool(self.sampling.get("guided"))
        precision = str(self.sampling.get("precision", "fp32"))
        self.around = "fp32" if precision == NETWORK else precision
        self.inside = str(step.get("precision", "fp32")) if precision == NETWORK else precision
        config = step["model.config"]
        self.loaded: list[Any] = []
        self.encoders = parts.encoders
        if (text := self.sampling.get("text")) in DTYPES:
            self.encoders = [self._loaded(text_encoder(part), text) for part in config["text_encoders"]]
        elif text == NONE:
            self.encoders = []
        self.vae = parts.vae
        if (stored := self.sampling.get("vae")) in DTYPES:
            self.vae = self._loaded(built(config["vae"]), stored)
        if self.vae is None:
            raise CannotTraceError("what decodes the sample images is not known")

    def _loaded(self, net: Any, stored: str) -> Any:
        net.requires_grad_(requires_grad=False).eval().to(DTYPES[stored])
        self.loaded.append(net)
        return net

    def sample(self, net: Any, height: int, width: int, dtype: torch.dtype) -> Tensor:
        """Sample an image of a size."""
        for loaded in self.loaded:
            for tensor in (*loaded.parameters(), *loaded.buffers()):
                self.stage.ledger.adopt(tensor, "losses", "sampling")
        batch = 1 + self.guided
        with torch.no_grad(), self.stage.autocast(self.around):
            with self.stage.phase("prompts of sample images"):
                embeddings = [self.parts.encoded(encoder, batch, self.tokens) for encoder in self.encoders]
            sample = Sample(self.stage, batch, (height, width), self.tokens, dtype)
            given = inputs_of(net, sample)
            with self.stage.phase("denoising sample images"), self.stage.autocast(self.inside):
                net(**given, return_dict=False)
            del given, embeddings
            channels, sides = self.vae.config.latent_channels, (height // VAE_FACTOR, width // VAE_FACTOR)
            latents = self.stage.input(1, channels, *sides, dtype=self.vae.dtype)
            with self.stage.phase("latents into sample images"):
                image: Tensor = self.vae.decode(latents, return_dict=False)[0]
        return image
