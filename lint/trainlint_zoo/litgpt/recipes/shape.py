# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shape of a decoder, from the keys of a model's config.json and what its family has in common.

Families by their papers: Llama (Touvron et al. 2023), Mistral, Qwen2 (biases of query, key and value), Qwen3
(their norms by head), Gemma (wide heads, GELU, scaled embeddings), Gemma 2 (norms after the layers, capped
scores), Phi and GPT-NeoX (attention beside the MLP), Falcon (that, with one norm for both).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trainlint.errors import CannotTraceError


@dataclass(frozen=True)
class Shape:
    """What a decoder is built of."""

    vocabulary: int
    width: int
    hidden: int
    layers: int
    heads: int
    groups: int
    head: int
    positions: int
    layer_norm: bool = False  # LayerNorm in place of RMSNorm
    gated: bool = True
    gelu: bool = False
    bias: bool = False
    attention_bias: bool = False
    head_bias: bool = False
    parallel: bool = False  # attention and MLP read the same residual
    shared_norm: bool = False
    norms_after: bool = False
    norms_by_head: bool = False
    unit_offset: bool = False  # a norm's weight is one plus its parameter
    scaled: bool = False  # embeddings are multiplied by the root of the width
    scores_cap: float = 0.0
    logits_cap: float = 0.0
    window: int = 0  # of every second layer's attention, from the first one on
    rotary: float = 1.0  # share of a head that is rotated


GEMMA: Final[Mapping[str, Any]] = {"gelu": True, "unit_offset": True, "scaled": True}
BESIDE: Final[Mapping[str, Any]] = {"layer_norm": True, "gated": False, "gelu": True, "parallel": True}
FAMILIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "llama": {},
    "mistral": {},
    "qwen2": {"attention_bias": True},
    "qwen3": {"norms_by_head": True},
    "phi3": {},
    "gemma": GEMMA,
    "gemma2": {**GEMMA, "norms_after": True, "scores_cap": 50.0, "logits_cap": 30.0, "window": 4096},
    "phi": {**BESIDE, "bias": True, "head_bias": True, "shared_norm": True, "rotary": 0.4},
    "gpt_neox": {**BESIDE, "bias": True, "rotary": 0.25},
    "falcon": {**BESIDE, "shared_norm": True},
}


def shape_of(config: Mapping[str, Any]) -> Shape:
    """Return the shape that a config.json describes; CannotTraceError for a family that is not known."""
    family = str(config.get("model_type"))
    known = FAMILIES.get(family)
    if known is None:
        raise CannotTraceError(
            f'litgpt\'s model of the type "{family}" is not known here (known: {", ".join(FAMILIES)})'
        )
    heads, width = int(config["num_attention_heads"]), int(config["hidden_size"])
    rotary = config.get("partial_rotary_factor", config.get("rotary_pct"))
    return Shape(
        vocabulary=int(config["vocab_size"]),
        width=width,
        hidden=int(config["intermediate_size"]),
        layers=int(config["num_hidden_layers"]),
        heads=heads,
        groups=int(config.get("num_key_value_heads") or heads),
        head=int(config.get("head_dim") or width // heads),
        positions=int(config["max_position_embeddings"]),
        **{**known, **({} if rotary is None else {"rotary": float(rotary)})},
    )
