# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Make published image models at their size, of zeros: the folders that diffusers' own would be.

Shapes are those of image_models.toml, so that what is recorded of a program and the typed step are of one
network by construction of diffusers alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import diffusers
import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import CLIPTokenizer, PreTrainedTokenizerFast

from bench.dry_run.zeros import write_zeros
from trainlint.catalogue.image_models import image_model

MODELS: Final = {
    "stable-diffusion-v1-5": "StableDiffusionPipeline",
    "stable-diffusion-2-1": "StableDiffusionPipeline",
    "stable-diffusion-xl-base-1.0": "StableDiffusionXLPipeline",
    "stable-diffusion-3-medium-diffusers": "StableDiffusion3Pipeline",
    "FLUX.1-dev": "FluxPipeline",
    "Lumina-Image-2.0": "Lumina2Pipeline",
    "Sana_1600M_1024px_diffusers": "SanaPipeline",
}
"""Names of folders, which trainlint knows the models by, and their pipelines."""
CONFIGS: Final = {
    "CLIPTextModel": "CLIPTextConfig",
    "CLIPTextModelWithProjection": "CLIPTextConfig",
    "T5EncoderModel": "T5Config",
    "Gemma2Model": "Gemma2Config",
}
TOKENIZERS: Final = {"T5EncoderModel": "T5TokenizerFast", "Gemma2Model": "GemmaTokenizerFast"}
"""Text encoders without CLIP's tokenizer -> their tokenizers."""
CLIP_WORDS: Final = 49408
WEIGHTS: Final = "diffusion_pytorch_model.safetensors"
NETWORKS: Final = {"UNet2DConditionModel": "unet"}
"""Folders of what denoises, where it is no transformer."""


def make_models(folder: Path, clip: CLIPTokenizer) -> None:
    """Make all of them; `clip` stands for the tokenizers of CLIP."""
    for name, pipeline in MODELS.items():
        known = image_model(name, None)
        assert known is not None  # noqa: S101 - the table has each
        _make(folder / name, pipeline, known.config, clip)
    _save_clip(_clip_of_all_words(clip), folder / "clip")


def _clip_of_all_words(clip: CLIPTokenizer) -> CLIPTokenizer:
    """Return a tokenizer with as many words as CLIP has, to which scripts add one and resize the encoder."""
    known = [word for word in clip.get_vocab() if word not in clip.all_special_tokens]
    filled = [*known, *(f"<{number}>" for number in range(CLIP_WORDS - len(known) - 2))]
    words = [*filled, "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={word: at for at, word in enumerate(words)}, merges=[], model_max_length=77)


def _make(folder: Path, pipeline: str, config: Mapping[str, Any], clip: CLIPTokenizer) -> None:
    listed: dict[str, Any] = {"_class_name": pipeline}
    parts = {NETWORKS.get(config["network"]["class"], "transformer"): config["network"], "vae": config["vae"]}
    for name, part in parts.items():
        with torch.device("meta"):
            net = getattr(diffusers, part["class"]).from_config({**part["config"], **_factors(name, part)})
        net.save_config(folder / name)
        # as it is loaded, so that the file's own pages are the weights; Flux has 24 GB as it is
        write_zeros(net, folder / name / WEIGHTS, "BF16" if pipeline == "FluxPipeline" else "F32")
        listed[name] = ["diffusers", part["class"]]
    for number, part in enumerate(config["text_encoders"], 1):
        ending = "" if number == 1 else f"_{number}"
        listed[f"text_encoder{ending}"] = ["transformers", part["class"]]
        _text_encoder(folder / f"text_encoder{ending}", part)
        tokenizer = TOKENIZERS.get(part["class"], "CLIPTokenizer")
        if part["class"] in TOKENIZERS:
            _t5_tokenizer().save_pretrained(folder / f"tokenizer{ending}")
        else:
            _save_clip(clip, folder / f"tokenizer{ending}")
        listed[f"tokenizer{ending}"] = ["transformers", tokenizer]
    scheduler = _scheduler(pipeline)
    scheduler.save_pretrained(folder / "scheduler")
    listed["scheduler"] = ["diffusers", type(scheduler).__name__]
    for absent in ("safety_checker", "feature_extractor", "image_encoder"):
        listed[absent] = [None, None]
    (folder / "model_index.json").write_text(json.dumps(listed), encoding="utf-8")


def _factors(name: str, part: Mapping[str, Any]) -> Mapping[str, float]:
    """Return what the VAEs of Stable Diffusion 3 and Flux have besides their shape; any numbers do."""
    return (
        {"shift_factor": 0.1, "scaling_factor": 1.5}
        if name == "vae" and "latent_channels" in part["config"]
        else {}
    )


def _text_encoder(folder: Path, part: Mapping[str, Any]) -> None:
    shallow = (
        {"num_layers": 2} if part["class"] == "T5EncoderModel" else {}
    )  # the scripts give T5 back before a step
    config = getattr(transformers, CONFIGS[part["class"]])(**{**part["config"], **shallow})
    config.architectures = [part["class"]]
    with torch.device("meta"):
        net = getattr(transformers, part["class"])(config)
    config.save_pretrained(folder)
    write_zeros(net, folder / "model.safetensors")


def _save_clip(tokenizer: CLIPTokenizer, folder: Path) -> None:
    """Save it also as transformers 4 reads it."""
    tokenizer.save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps(tokenizer.get_vocab()), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")


def _t5_tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of T5's kind that knows letters."""
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    words = ["<pad>", "</s>", "<unk>", "▁", *letters]
    tokenizer = Tokenizer(models.Unigram([(word, -float(at)) for at, word in enumerate(words)], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", words.index("</s>"))]
    )
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **special)


def _scheduler(pipeline: str) -> Any:
    if pipeline == "FluxPipeline":
        return diffusers.FlowMatchEulerDiscreteScheduler(shift=3.0, use_dynamic_shifting=True)
    if pipeline in {"StableDiffusion3Pipeline", "Lumina2Pipeline", "SanaPipeline"}:
        return diffusers.FlowMatchEulerDiscreteScheduler(shift=3.0)
    return diffusers.DDPMScheduler(beta_schedule="scaled_linear")
