# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a published model takes on a card for certain, whatever else its step does.

Its weights are there from loading on; where all of them are trained, a gradient of each is there when the
first backward pass ends, and the optimizer's states from the first step on. Nothing is counted where
the model may be parted over cards or lie on the host. Of an image model that gets adapters it is the weights
of the denoiser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.model.facts import ModelBytes
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec

RECIPES: Final = "transformers."
WITH_ADAPTERS: Final = ("diffusers.Denoiser", "diffusers.ZeroedGradients", "diffusers.LycorisAdapters")
"""Recipes of an image model whose frozen weights are all on the card."""
SWAPPING: Final = "kohya"
NEVER_SWAPPED: Final = ("flux", "chroma", "sd1", "sd2", "sdxl")
"""Families whose swapped blocks sd-scripts' dialect reads, or that have none (a UNet)."""
ON_ONE_CARD: Final = ("llamafactory",)
"""Dialects whose trainer loads all of a model onto its process's card (LLaMA-Factory's hparams/parser.py)."""
BYTES: Final = {"fp32": 4, "bf16": 2, "fp16": 2}
BITS: Final = (4, 8)
"""Of weights that take no less than that, however their scales are stored."""
DEEPSPEED: Final = "DeepSpeed "
"""How the term of a config begins whose stage `zero_stage` is: up to 2 each card has all weights."""
PARTS_WEIGHTS: Final = 3
"""The stage of ZeRO from which on weights are parted."""
STATES: Final = {"AdamW": 2.0, "Lion": 1.0}
"""Optimizers -> numbers of a weight's own type that they keep for it (torch.optim)."""
ONE_BYTE_STATES: Final = {"AdamW8bit": 2, "Lion8bit": 1}
"""Optimizers -> bytes that they keep for a weight, at the least (bitsandbytes)."""
STATELESS: Final = ("PagedAdamW", "PagedAdamW8bit", "PagedLion8bit", "transformers.Adafactor", "SGD")
"""Others that use gradients after the backward pass; their states may lie on the host or be small."""
WHOLE_HEAD: Final = ("sft", "pt", "dpo", "kto", "orpo", "simpo", "ipo")
"""Objectives that train the output layer of a language model; a reward model has another."""


def certain_bytes(spec: TrainSpec) -> ModelBytes | None:
    """Return what of a base model is on one card for certain; None where that is not known."""
    return _of_image_model(spec) if spec.get("recipe") in WITH_ADAPTERS else _of_language_model(spec)


def _of_language_model(spec: TrainSpec) -> ModelBytes | None:
    count, bits = spec.get("model.parameters"), spec.get("quant.bits")
    is_known = count is not None and str(spec.get("recipe")).startswith(RECIPES)
    if not is_known or spec.get("launcher.may_offload") or spec.get("gpus") == 0:
        return None
    if spec.get("gpus", 1) > 1 and spec.get("parallel") != "ddp" and spec.get("dialect") not in ON_ONE_CARD:
        return None  # it may be spread over them
    terms = [term for term in spec.get(UNCOUNTED_FIELD, ()) if term["direction"] != "more"]
    if not all(term.get("keeps") or _keeps_weights(term, spec) for term in terms):
        return None
    parted = bool(spec.get("launcher.may_shard"))
    if bits is not None:
        return ModelBytes(count * bits // 8, parted=parted) if bits in BITS else None
    size = BYTES.get(str(spec.get("weights.dtype")), BYTES["bf16"])
    if "model.config" not in spec or any(_keeps_weights(term, spec) for term in terms):
        size = min(size, BYTES["bf16"])  # some may be frozen; DeepSpeed casts them to the type it computes in
    count -= 0 if spec.get("objective", "sft") in WHOLE_HEAD else _head(spec.get("model.config") or {})
    weights = count * size
    kept = {str(term.get("keeps")) for term in terms}
    if spec.get("adapter.kind") != "none" or not kept <= {"gradients", "states"}:
        return ModelBytes(weights, parted=parted)
    gradients, states = _of_training(weights, count, spec)
    return ModelBytes(weights, gradients, 0 if "gradients" in kept else states, parted)


def _of_image_model(spec: TrainSpec) -> ModelBytes | None:
    """Return the bytes of a denoiser that gets adapters, unless a setting keeps a part of it on the host."""
    weights = spec.get("model.weight_bytes")
    swaps = spec.get("dialect") == SWAPPING and spec.get("model.family") not in NEVER_SWAPPED
    terms = (term for term in spec.get(UNCOUNTED_FIELD, ()) if not term.get("only"))
    if (
        weights is None
        or swaps
        or any(term["direction"] != "more" and not term.get("keeps") for term in terms)
    ):
        return None
    return ModelBytes(weights)


def _of_training(weights: int, count: int, spec: TrainSpec) -> tuple[int, int]:
    """Return the bytes of gradients and optimizer states where every weight is trained."""
    optimizer = next((str(entry.get("type")) for entry in spec.get("optimizers", ())), "")
    known = {*STATES, *ONE_BYTE_STATES, *STATELESS}
    if "model.config" not in spec or optimizer not in known:  # parts may be frozen, gradients freed at once
        return 0, 0
    return weights, int(STATES.get(optimizer, 0) * weights) + ONE_BYTE_STATES.get(optimizer, 0) * count


def _keeps_weights(term: Mapping[str, Any], spec: TrainSpec) -> bool:
    """Return whether a term is DeepSpeed's at a stage that leaves all weights on each card."""
    return str(term["what"]).startswith(DEEPSPEED) and 0 < spec.get("zero_stage", 0) < PARTS_WEIGHTS


def _head(config: Mapping[str, Any]) -> int:
    """Return the parameters of a language model's own output layer; 0 where the embedding is it."""
    if config.get("tie_word_embeddings", True):
        return 0
    return int(config.get("vocab_size") or 0) * int(config.get("hidden_size") or 0)
