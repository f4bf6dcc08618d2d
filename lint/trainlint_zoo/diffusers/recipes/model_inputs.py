# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What each network that denoises is given: latents of an image's size, a time, and the text's embeddings.

Read: huggingface/diffusers 0.42, pipelines/*/pipeline_*.py and the networks' forward methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage

VAE_FACTOR: Final = 8
"""Pixels of a side that a latent stands for."""
DC_FACTOR: Final = 32
"""The same of a latent of AutoencoderDC."""
PACKED: Final = 2
"""Latents of a side that Flux and its kind put into one token."""


class Sample:
    """The sizes of a batch: images of a height and a width in pixels, prompts of `tokens`.

    `caption`: how many of a prompt's tokens are no padding; all where it is not known.
    """

    def __init__(
        self, stage: Stage, batch: int, size: tuple[int, int], tokens: int, dtype: torch.dtype, *,
        caption: int | None = None,
    ) -> None:  # fmt: skip
        self.stage, self.batch, self.tokens, self.dtype = stage, batch, tokens, dtype
        self.caption = tokens if caption is None else min(caption, tokens)
        self.size = size
        self.rows, self.columns = (side // VAE_FACTOR for side in size)

    def made(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        """Return an input of the batch."""
        return self.stage.input(self.batch, *shape, dtype=dtype or self.dtype)

    def spatial(self, channels: int) -> Tensor:
        """Return latents as an image."""
        return self.made(channels, self.rows, self.columns)

    @property
    def packed(self) -> int:
        """The tokens of an image where two by two latents are one."""
        return (self.rows // PACKED) * (self.columns // PACKED)


def unet(net: Any, sample: Sample) -> dict[str, Any]:
    """Stable Diffusion 1 and 2, SDXL, Kolors."""
    config = net.config
    given: dict[str, Any] = {
        "sample": sample.spatial(config.in_channels),
        "timestep": sample.made(dtype=torch.int64),
        "encoder_hidden_states": sample.made(
            sample.tokens, config.encoder_hid_dim or config.cross_attention_dim
        ),
    }
    if config.addition_embed_type == "text_time":
        times = 6
        pooled = config.projection_class_embeddings_input_dim - times * config.addition_time_embed_dim
        given["added_cond_kwargs"] = {"text_embeds": sample.made(pooled), "time_ids": sample.made(times)}
    return given


def pixels(net: Any, sample: Sample) -> dict[str, Any]:
    """UNets without text that denoise an image itself."""
    return {
        "sample": sample.made(net.config.in_channels, *sample.size),
        "timestep": sample.made(dtype=torch.int64),
    }


def flux(net: Any, sample: Sample) -> dict[str, Any]:
    """Flux: packed latents, positions of text and image, T5's and CLIP's text."""
    config = net.config
    given = {
        "hidden_states": sample.made(sample.packed, config.in_channels),
        "encoder_hidden_states": sample.made(sample.tokens, config.joint_attention_dim),
        "pooled_projections": sample.made(config.pooled_projection_dim),
        "timestep": sample.made(),
        "img_ids": sample.stage.input(sample.packed, 3, dtype=sample.dtype),
        "txt_ids": sample.stage.input(sample.tokens, 3, dtype=sample.dtype),
    }
    if config.guidance_embeds:
        given["guidance"] = sample.made(dtype=torch.float32)
    return given


def chroma(net: Any, sample: Sample) -> dict[str, Any]:
    """Chroma: Flux without CLIP's text, with a mask over text and image."""
    config = net.config
    return {
        "hidden_states": sample.made(sample.packed, config.in_channels),
        "encoder_hidden_states": sample.made(sample.tokens, config.joint_attention_dim),
        "timestep": sample.made(),
        "img_ids": sample.stage.input(sample.packed, 3, dtype=sample.dtype),
        "txt_ids": sample.stage.input(sample.tokens, 3, dtype=sample.dtype),
        "attention_mask": sample.made(sample.tokens + sample.packed),
    }


def auraflow(net: Any, sample: Sample) -> dict[str, Any]:
    """AuraFlow: latents as an image, T5's text."""
    return {
        "hidden_states": sample.spatial(net.config.in_channels),
        "encoder_hidden_states": sample.made(sample.tokens, net.config.joint_attention_dim),
        "timestep": sample.made(),
    }


def sd3(net: Any, sample: Sample) -> dict[str, Any]:
    """Stable Diffusion 3: latents as an image, the texts of CLIP and T5 in one."""
    config = net.config
    return {
        "hidden_states": sample.spatial(config.in_channels),
        "encoder_hidden_states": sample.made(sample.tokens, config.joint_attention_dim),
        "pooled_projections": sample.made(config.pooled_projection_dim),
        "timestep": sample.made(),
    }


def pixart(net: Any, sample: Sample) -> dict[str, Any]:
    """PixArt: latents as an image, T5's text with its mask."""
    return {
        "hidden_states": sample.spatial(net.config.in_channels),
        "encoder_hidden_states": sample.made(sample.tokens, net.config.caption_channels),
        "encoder_attention_mask": sample.made(sample.tokens),
        "timestep": sample.made(dtype=torch.int64),
        "added_cond_kwargs": {"resolution": None, "aspect_ratio": None},
    }


def sana(net: Any, sample: Sample) -> dict[str, Any]:
    """Sana: latents of AutoencoderDC as an image, Gemma's text with its mask."""
    rows, columns = (side // DC_FACTOR for side in sample.size)
    return {
        "hidden_states": sample.made(net.config.in_channels, rows, columns),
        "encoder_hidden_states": sample.made(sample.tokens, net.config.caption_channels),
        "encoder_attention_mask": sample.made(sample.tokens, dtype=torch.int64),
        "timestep": sample.made(dtype=torch.float32),
    }


class CaptionMask:
    """A mask over captions of known lengths, which are all that Lumina 2 reads of its values."""

    def __init__(self, mask: Tensor, caption: int) -> None:
        self.mask, self.caption = mask, caption
        self.shape = mask.shape

    def sum(self, dim: int) -> Tensor:
        """Return the lengths, on the host."""
        del dim
        return torch.full(self.shape[:1], self.caption, device="cpu")

    def bool(self) -> Tensor:
        """Return what attention is given."""
        return self.mask.bool()


def lumina2(net: Any, sample: Sample) -> dict[str, Any]:
    """Lumina 2: latents as an image; of Gemma's text its own tokens go into the joint sequence alone."""
    return {
        "hidden_states": sample.spatial(net.config.in_channels),
        "encoder_hidden_states": sample.made(sample.tokens, net.config.cap_feat_dim),
        "encoder_attention_mask": CaptionMask(sample.made(sample.tokens, dtype=torch.int64), sample.caption),
        "timestep": sample.made(dtype=torch.float32),
    }


INPUTS: Final[Mapping[str, Callable[[Any, Sample], dict[str, Any]]]] = {
    "UNet2DConditionModel": unet,
    "UNet2DModel": pixels,
    "FluxTransformer2DModel": flux,
    "ChromaTransformer2DModel": chroma,
    "AuraFlowTransformer2DModel": auraflow,
    "SD3Transformer2DModel": sd3,
    "PixArtTransformer2DModel": pixart,
    "SanaTransformer2DModel": sana,
    "Lumina2Transformer2DModel": lumina2,
}
"""Class of a network -> what it is given."""


def inputs_of(net: Any, sample: Sample) -> dict[str, Any]:
    """Return what a network is given for a batch."""
    kind = type(net).__name__
    if kind not in INPUTS:
        raise CannotTraceError(f"what {kind} is given in a step is not known")
    return INPUTS[kind](net, sample)
