# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What lies beside the network that denoises: the VAE and the text encoders, where a step needs them.

What is "kept" is on the card and does nothing in a step; what is offloaded comes where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.building.torch_imports import library
from trainlint.trace.stage import Stage
from trainlint_zoo.blocks.quanto import STORED, in_eight_bits
from trainlint_zoo.common.language import DTYPES

MISSING: Final = "diffusers is not installed: pip install 'trainlint[finetune]'"
TRANSFORMERS_MISSING: Final = "transformers is not installed: pip install 'trainlint[finetune]'"
CONFIGS: Final = {
    "CLIPTextModel": "CLIPTextConfig",
    "CLIPTextModelWithProjection": "CLIPTextConfig",
    "T5EncoderModel": "T5Config",
    "Gemma2Model": "Gemma2Config",
}
CLIP_TOKENS: Final = 77
"""Tokens that CLIP takes at once: longer prompts are several pieces."""
WITHOUT_DISTRIBUTION: Final = "AutoencoderDC"
"""The VAE that gives latents and no distribution of them."""
KEPT: Final = "kept"
OFFLOADED: Final = "the time of what goes to the host and back in each step (offload) is not counted"


def built(part: Mapping[str, Any]) -> Any:
    """Build a network of diffusers by its class and the keys of its config.json, and count it."""
    diffusers = library("diffusers", MISSING)
    made = getattr(diffusers, part["class"], None)
    if made is None:
        raise CannotTraceError(f"diffusers {diffusers.__version__} has no {part['class']}")
    with _quiet(diffusers):
        return _checked(made.from_config(dict(part["config"])), part)


def text_encoder(part: Mapping[str, Any]) -> Any:
    """Build a text encoder of transformers, with the attention that from_pretrained decides for unasked."""
    transformers = library("transformers", TRANSFORMERS_MISSING)
    config, kind = getattr(transformers, CONFIGS[part["class"]]), getattr(transformers, part["class"])
    try:
        made = kind(config(**part["config"], attn_implementation="sdpa"))
    except ValueError:  # it has none: Gemma 2
        made = kind(config(**part["config"], attn_implementation="eager"))
    return _checked(made, part)


def _quiet(diffusers: Any) -> Any:
    """Keep to itself what diffusers says of its own future."""
    import warnings  # noqa: PLC0415 - beside the one place that needs it

    diffusers.utils.logging.set_verbosity_error()
    return warnings.catch_warnings(action="ignore")


def _checked(net: Any, part: Mapping[str, Any]) -> Any:
    there = sum(parameter.numel() for parameter in net.parameters())
    if there != part["parameters"]:
        raise CannotTraceError(
            f"{part['class']} as it is installed has {there:,} parameters, the model {part['parameters']:,}"
        )
    return net


class FrozenParts:
    """The VAE and the text encoders that stay on the card, and what a step has them do.

    `prepare` gets each of CLIP's text encoders before it is on the card: where it is trained, it is adapted.
    """

    def __init__(
        self,
        stage: Stage,
        step: Mapping[str, Any],
        dtype: torch.dtype,
        prepare: Callable[[Any], None] = lambda _encoder: None,
    ) -> None:
        self.stage, self.prepare = stage, prepare
        config, options = step["model.config"], step.get("options") or {}
        self.offloads = bool(options.get("offload"))
        self.vae: Any = None
        self.encoders: list[Any] = []
        self.encodes_images = not step.get("latents.cached")
        if self.encodes_images or options.get("vae") == KEPT:
            self.vae = self._kept("VAE", built(config["vae"]), options.get("vae_dtype"), dtype)
        embeddings = step.get("text.embeddings", "cached")
        self.encodes_prompts = embeddings != KEPT
        if embeddings == "cached":
            return
        if not config["text_encoders"]:
            raise CannotTraceError(
                "the text encoders of this model are not in the table: embeddings have to be cached"
            )
        for number, part in enumerate(config["text_encoders"], 1):
            stored = options.get("t5_dtype") if _is_t5(part["class"]) else None
            stored = stored or options.get("text_dtype")
            self.encoders.append(self._kept(f"text encoder {number}", text_encoder(part), stored, dtype))

    def _kept(self, role: str, net: Any, stored: Any, dtype: torch.dtype) -> Any:
        net.requires_grad_(requires_grad=False).eval()
        net.to(DTYPES.get(stored, dtype))
        if stored in STORED and not _is_clip(net):
            in_eight_bits(net, str(stored))
        elif stored == "fp8":
            net.to(torch.float8_e4m3fn)
        if _is_clip(net):
            self.prepare(net)
        if self.offloads:
            self.stage.note(OFFLOADED)
            return net
        return self.stage.register(role, net, arch=type(net).__name__, kind="losses")

    @contextmanager
    def _on_card(self, role: str, net: Any) -> Iterator[None]:
        """Have a part on the card: one that is offloaded is copied there, and freed afterwards."""
        tensors = [*net.parameters(), *net.buffers()] if self.offloads else []
        hosts = [tensor.data for tensor in tensors]
        with self.stage.label("losses", owner=role):
            for tensor in tensors:
                tensor.data = torch.empty_like(tensor.data)
        try:
            yield
        finally:
            for tensor, host in zip(tensors, hosts, strict=True):
                tensor.data = host

    def encode_images(self, batch: int, height: int, width: int) -> Tensor | None:
        """Put a batch of images through the VAE."""
        if not self.encodes_images:
            return None
        images = self.stage.input(batch, 3, height, width, dtype=self.vae.dtype)
        with self.stage.phase("images into latents"), torch.no_grad(), self._on_card("VAE", self.vae):
            if type(self.vae).__name__ == WITHOUT_DISTRIBUTION:
                latents: Tensor = self.vae.encode(images).latent * 1.0
            else:
                latents = self.vae.encode(images).latent_dist.sample() * 1.0
        return latents

    def clips(self) -> Sequence[Any]:
        """Return the text encoders that trainers put adapters into: CLIP's."""
        return [encoder for encoder in self.encoders if _is_clip(encoder)]

    def encode_prompts(self, batch: int, tokens: int, *, trained: bool) -> list[Tensor]:
        """Put a batch of prompts through the text encoders, with gradients where they are trained."""
        if not self.encoders or not self.encodes_prompts:
            return []
        with self.stage.phase("prompts into embeddings"), torch.set_grad_enabled(trained):
            return [self._encoded_on_card(encoder, batch, tokens) for encoder in self.encoders]

    def _encoded_on_card(self, encoder: Any, batch: int, tokens: int) -> Tensor:
        with self._on_card("text encoder", encoder):
            return self.encoded(encoder, batch, tokens)

    def encoded(self, encoder: Any, batch: int, tokens: int) -> Tensor:
        """Put a batch of prompts through one text encoder."""
        if _is_t5(type(encoder).__name__):
            ids = self.stage.input(batch, tokens, dtype=torch.int64)
            encoded: Tensor = encoder(ids, output_hidden_states=False)[0]
            return encoded
        if not _is_clip(encoder):
            ids, mask = (self.stage.input(batch, tokens, dtype=torch.int64) for _ in range(2))
            last: Tensor = encoder(ids, attention_mask=mask, output_hidden_states=True).hidden_states[-2]
            return last
        pieces = -(-tokens // CLIP_TOKENS) if tokens < 4 * CLIP_TOKENS else 1
        ids = self.stage.input(batch * pieces, CLIP_TOKENS, dtype=torch.int64)
        hidden: Tensor = encoder(ids, output_hidden_states=True).hidden_states[-2]
        return hidden


def _is_t5(name: str) -> bool:
    return name.startswith("T5")


def _is_clip(net: Any) -> bool:
    return type(net).__name__.startswith("CLIP")
