# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A decoder with rotary positions, as torchtune builds and keeps it, with or without low-rank adapters.

Read: pytorch/torchtune bd2a0fc7 (BSD-3-Clause),
modules/{transformer,attention,rms_norm,feed_forward,tied_linear,
position_embeddings}.py, modules/peft/lora.py, models/qwen2/_positional_embeddings.py, for what stays alive
until the backward: keys and values are repeated for each query head before attention; Llama's rotation is of
neighbouring values and in fp32, Qwen's of halves and in the input's precision; positions are looked up for
each packed sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint.errors import CannotTraceError

EPSILON: Final = 1e-5
FAMILIES: Final[Mapping[str, Mapping[str, bool]]] = {
    "llama": {},
    "mistral": {},
    "qwen2": {"halves": True, "biased": True},
    "qwen3": {"halves": True, "norms_by_head": True},
}


@dataclass(frozen=True)
class Sizes:
    """What a decoder is built of."""

    vocabulary: int
    width: int
    hidden: int
    layers: int
    heads: int
    groups: int
    head: int
    tied: bool
    halves: bool = False  # the rotation is of a head's halves
    biased: bool = False  # query, key and value have biases
    norms_by_head: bool = False


@dataclass(frozen=True)
class LowRank:
    """Which linear layers have adapters: torchtune's names of those of attention, "mlp" and "output"."""

    rank: int = 0
    dropout: bool = False
    places: frozenset[str] = frozenset()

    def linear(self, inputs: int, outputs: int, place: str, *, bias: bool = False) -> nn.Module:
        """Make a layer of the base model, with its adapter where it has one."""
        if place in self.places:
            return AdaptedLinear(inputs, outputs, self, bias=bias)
        return nn.Linear(inputs, outputs, bias=bias)


def sizes_of(config: Mapping[str, Any]) -> Sizes:
    """Return the sizes that a config.json gives; CannotTraceError for a family that is not known."""
    family = str(config.get("model_type"))
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise CannotTraceError(
            f'torchtune\'s model of the type "{family}" is not known here (known: {known})'
        )
    heads, width = int(config["num_attention_heads"]), int(config["hidden_size"])
    return Sizes(
        vocabulary=int(config["vocab_size"]),
        width=width,
        hidden=int(config["intermediate_size"]),
        layers=int(config["num_hidden_layers"]),
        heads=heads,
        groups=int(config.get("num_key_value_heads") or heads),
        head=int(config.get("head_dim") or width // heads),
        tied=bool(config.get("tie_word_embeddings")),
        **FAMILIES[family],
    )


class AdaptedLinear(nn.Linear):
    """A linear layer and, beside it, a product of two thin ones (Hu et al., LoRA, 2021)."""

    def __init__(self, inputs: int, outputs: int, adapter: LowRank, *, bias: bool) -> None:
        super().__init__(inputs, outputs, bias=bias)
        self.dropout = nn.Dropout(0.5) if adapter.dropout else nn.Identity()
        self.lora_a = nn.Linear(inputs, adapter.rank, bias=False)
        self.lora_b = nn.Linear(adapter.rank, outputs, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Add what the thin layers give."""
        thin: Tensor = self.lora_b(self.lora_a(self.dropout(x)))
        return super().forward(x) + 2.0 * thin


class ScaledNorm(nn.Module):
    """x / rms(x) in fp32, back in the input's precision, times a scale (Zhang and Sennrich, 2019)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.empty(size))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last dimension."""
        whole = x.float()
        normed = (whole * torch.rsqrt(whole.pow(2).mean(-1, keepdim=True) + EPSILON)).type_as(x)
        return normed * self.scale


class ExpandedAttention(nn.Module):
    """Causal attention whose keys and values are repeated for the queries that share them."""

    def __init__(self, sizes: Sizes, adapter: LowRank) -> None:
        super().__init__()
        self.sizes = sizes
        queries, keys = sizes.heads * sizes.head, sizes.groups * sizes.head
        self.q_proj = adapter.linear(sizes.width, queries, "q_proj", bias=sizes.biased)
        self.k_proj = adapter.linear(sizes.width, keys, "k_proj", bias=sizes.biased)
        self.v_proj = adapter.linear(sizes.width, keys, "v_proj", bias=sizes.biased)
        self.output_proj = adapter.linear(queries, sizes.width, "output_proj")
        own = sizes.norms_by_head
        self.q_norm, self.k_norm = (ScaledNorm(sizes.head) if own else nn.Identity() for _ in range(2))

    def forward(self, x: Tensor, angles: Tensor, positions: Tensor | None) -> Tensor:
        """Attend from each token to those before it."""
        sizes = self.sizes
        batch, length, _ = x.shape
        q = self._rotated(self.q_norm(self.q_proj(x).view(batch, length, -1, sizes.head)), angles, positions)
        q = q.transpose(1, 2)
        k, v = self.k_proj(x), self.v_proj(x)
        k = self._rotated(self.k_norm(k.view(batch, length, -1, sizes.head)), angles, positions)
        k, v = k.transpose(1, 2), v.view(batch, length, -1, sizes.head).transpose(1, 2)
        if sizes.heads != sizes.groups:
            shape = (batch, sizes.groups, sizes.heads // sizes.groups, -1, sizes.head)
            k, v = (part.unsqueeze(2).expand(shape).flatten(1, 2) for part in (k, v))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        projected: Tensor = self.output_proj(out.transpose(1, 2).contiguous().view(batch, length, -1))
        return projected

    def _rotated(self, x: Tensor, angles: Tensor, positions: Tensor | None) -> Tensor:
        """Turn pairs of values by their position's angle (Su et al., RoFormer, 2021)."""
        own = angles[: x.shape[1]] if positions is None else angles[positions]
        own = own.view(-1, x.shape[1], 1, *own.shape[-2:])
        if self.sizes.halves:
            cos, sin = (own[..., number, :].to(x.dtype) for number in (0, 1))
            half = x.shape[-1] // 2
            other = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
            return (x * cos) + (other * sin)
        pairs = x.float().reshape(*x.shape[:-1], -1, 2)
        cos, sin = own[..., 0], own[..., 1]
        turned = [pairs[..., 0] * cos - pairs[..., 1] * sin, pairs[..., 1] * cos + pairs[..., 0] * sin]
        return torch.stack(turned, -1).flatten(3).type_as(x)


class GatedLayer(nn.Module):
    """Two products, one of which gates the other (Shazeer, 2020)."""

    def __init__(self, sizes: Sizes, adapter: LowRank) -> None:
        super().__init__()
        self.w1, self.w3 = (adapter.linear(sizes.width, sizes.hidden, "mlp") for _ in range(2))
        self.w2 = adapter.linear(sizes.hidden, sizes.width, "mlp")

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token by itself."""
        hidden = F.silu(self.w1(x))
        hidden = hidden * self.w3(x)
        out: Tensor = self.w2(hidden)
        return out


class DecoderLayer(nn.Module):
    """Attention and a gated layer, each with its norm before it."""

    def __init__(self, sizes: Sizes, adapter: LowRank) -> None:
        super().__init__()
        self.sa_norm, self.mlp_norm = ScaledNorm(sizes.width), ScaledNorm(sizes.width)
        self.attn, self.mlp = ExpandedAttention(sizes, adapter), GatedLayer(sizes, adapter)

    def forward(self, x: Tensor, angles: Tensor, positions: Tensor | None) -> Tensor:
        """Add what attention and the gated layer make of the residual."""
        hidden = self.attn(self.sa_norm(x), angles, positions) + x
        out: Tensor = hidden + self.mlp(self.mlp_norm(hidden))
        return out


class RotaryDecoder(nn.Module):
    """Embeddings, layers and a last norm; `output` is the head, or None where it is the embeddings'."""

    angles: Tensor

    def __init__(self, sizes: Sizes, adapter: LowRank, positions: int, *, checkpoints: bool) -> None:
        super().__init__()
        self.checkpoints = checkpoints
        self.tok_embeddings = nn.Embedding(sizes.vocabulary, sizes.width)
        self.layers = nn.ModuleList(DecoderLayer(sizes, adapter) for _ in range(sizes.layers))
        self.norm = ScaledNorm(sizes.width)
        head = None if sizes.tied else adapter.linear(sizes.width, sizes.vocabulary, "output")
        self.output: nn.Module | None = head
        shape = (2, sizes.head) if sizes.halves else (sizes.head // 2, 2)
        angles = torch.empty((positions, *shape), dtype=torch.float32)
        self.register_buffer("angles", angles, persistent=False)

    def forward(self, tokens: Tensor, positions: Tensor | None) -> Tensor:
        """Return the last hidden states."""
        x = self.tok_embeddings(tokens)
        for layer in self.layers:
            if self.checkpoints:
                x = checkpoint(layer, x, self.angles, positions, use_reentrant=False)
            else:
                x = layer(x, self.angles, positions)
        hidden: Tensor = self.norm(x)
        return hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the logits of some hidden states."""
        if self.output is None:
            return F.linear(hidden, self.tok_embeddings.weight)
        logits: Tensor = self.output(hidden)
        return logits
