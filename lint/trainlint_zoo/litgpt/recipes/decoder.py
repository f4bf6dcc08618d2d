# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A decoder with rotary positions, as litgpt builds and keeps it, with or without low-rank adapters.

Read: Lightning-AI/litgpt 0.5.13, litgpt/model.py and litgpt/lora.py, for what stays alive until the backward:
query, key and value come from one product; keys and values are repeated for each query head; the rotation is
computed in fp32 where the table of angles is, and every part of it is a tensor of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint_zoo.litgpt.recipes.shape import Shape

Linear = Callable[[int, int, bool], nn.Module]
"""Makes the linear layer of a base model: inputs, outputs, whether it has a bias."""
PARTS: Final = ("query", "key", "value")
EPSILON: Final = 1e-5


class Adapter:
    """How low-rank adapters are put beside linear layers: their rank, dropout and places."""

    def __init__(self, rank: int, places: frozenset[str], *, dropout: bool) -> None:
        self.rank, self.dropout, self.places = rank, dropout, places

    def __contains__(self, place: str) -> bool:
        return self.rank > 0 and place in self.places


class RootMeanSquareNorm(nn.Module):
    """x / rms(x) * weight in fp32, back in the input's precision (Zhang and Sennrich, 2019)."""

    def __init__(self, size: int, *, unit_offset: bool) -> None:
        super().__init__()
        self.weight, self.unit_offset = nn.Parameter(torch.empty(size)), unit_offset

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last dimension."""
        whole = x.float()
        square = torch.mean(whole * whole, dim=-1, keepdim=True)
        normed = whole * torch.rsqrt(square + EPSILON)
        weight = 1 + self.weight if self.unit_offset else self.weight
        scaled: Tensor = (normed * weight.float()).to(x.dtype)
        return scaled


class Adapted(nn.Module):
    """A linear layer and, beside it, a product of two thin matrices (Hu et al., LoRA, 2021)."""

    def __init__(self, linear: nn.Module, inputs: int, outputs: int, adapter: Adapter) -> None:
        super().__init__()
        self.linear, self.dropout = linear, _dropout(adapter)
        self.lora_A = nn.Parameter(torch.empty((adapter.rank, inputs)))
        self.lora_B = nn.Parameter(torch.empty((outputs, adapter.rank)))

    def forward(self, x: Tensor) -> Tensor:
        """Add what the thin matrices give."""
        base: Tensor = self.linear(x)
        thin: Tensor = (self.dropout(x) @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)) * 0.5
        return base + thin


class AdaptedAttention(nn.Module):
    """The product of query, key and value at once, with adapters for some of the three."""

    columns: Tensor

    def __init__(self, linear: nn.Module, shape: Shape, adapter: Adapter) -> None:
        super().__init__()
        self.linear, self.dropout = linear, _dropout(adapter)
        sizes = (shape.heads * shape.head, shape.groups * shape.head, shape.groups * shape.head)
        self.sizes = [size for part, size in zip(PARTS, sizes, strict=True) if part in adapter]
        self.outputs, self.even, self.whole = sum(sizes), shape.heads == shape.groups, len(self.sizes) == 3  # noqa: PLR2004 - query, key and value
        self.lora_A = nn.Parameter(torch.empty((adapter.rank * len(self.sizes), shape.width)))
        self.lora_B = nn.Parameter(torch.empty((sum(self.sizes), adapter.rank)))
        self.register_buffer("columns", torch.empty(sum(self.sizes), dtype=torch.int64), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Add the adapters' columns where they belong."""
        base: Tensor = self.linear(x)
        thin = F.linear(self.dropout(x), self.lora_A).transpose(-2, -1)
        wide = self._wide(thin).transpose(-2, -1)
        if not self.whole:
            padded = wide.new_zeros((*wide.shape[:-1], self.outputs))
            wide = padded.index_copy_(-1, self.columns.clone(), wide)
        return base + wide * 0.5

    def _wide(self, thin: Tensor) -> Tensor:
        weight = self.lora_B.unsqueeze(-1)
        if self.even:
            return F.conv1d(thin, weight, groups=len(self.sizes))
        pairs = zip(thin.chunk(len(self.sizes), dim=1), weight.split(self.sizes), strict=True)
        return torch.cat([F.conv1d(part, own) for part, own in pairs], dim=1)


def _dropout(adapter: Adapter) -> nn.Module:
    return nn.Dropout(0.5) if adapter.dropout else nn.Identity()


class Attention(nn.Module):
    """Causal attention with grouped keys and values."""

    def __init__(self, shape: Shape, linear: Linear, adapter: Adapter, *, window: int) -> None:
        super().__init__()
        self.shape, self.window = shape, window
        outputs = (shape.heads + 2 * shape.groups) * shape.head
        qkv = linear(shape.width, outputs, shape.bias or shape.attention_bias)
        self.qkv = AdaptedAttention(qkv, shape, adapter) if any(part in adapter for part in PARTS) else qkv
        self.proj = _adapted(linear, shape.heads * shape.head, shape.width, shape.bias, "projection", adapter)
        own = shape.norms_by_head
        self.norm_q = RootMeanSquareNorm(shape.head, unit_offset=shape.unit_offset) if own else nn.Identity()
        self.norm_k = RootMeanSquareNorm(shape.head, unit_offset=shape.unit_offset) if own else nn.Identity()

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Attend from each token to those before it."""
        shape = self.shape
        batch, length, _ = x.shape
        sizes = [shape.heads * shape.head, shape.groups * shape.head, shape.groups * shape.head]
        q, k, v = self.qkv(x).split(sizes, dim=-1)
        q = self.norm_q(q.view(batch, length, shape.heads, shape.head).transpose(1, 2))
        k = self.norm_k(k.view(batch, length, shape.groups, shape.head).transpose(1, 2))
        v = v.view(batch, length, shape.groups, shape.head).transpose(1, 2)
        turned = cos.shape[-1]
        q = torch.cat((_turned(q[..., :turned], cos, sin), q[..., turned:]), dim=-1)
        k = torch.cat((_turned(k[..., :turned], cos, sin), k[..., turned:]), dim=-1)
        if shape.groups != shape.heads:
            k = k.repeat_interleave(shape.heads // shape.groups, dim=1)
            v = v.repeat_interleave(shape.heads // shape.groups, dim=1)
        y = self._attended(q, k, v).transpose(1, 2).reshape(batch, length, shape.heads * shape.head)
        out: Tensor = self.proj(y)
        return out

    def _attended(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        mask = self._mask(q) if self.window else None
        if not self.shape.scores_cap:
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        scores = _capped(q @ k.mT * (1 / sqrt(self.shape.head)), self.shape.scores_cap)
        scores = scores + (self._mask(q) if mask is None else mask)
        return F.softmax(scores, dim=-1, dtype=torch.float).to(q.dtype) @ v

    def _mask(self, q: Tensor) -> Tensor:
        """Return the mask that the layer makes for each forward."""
        mask = torch.ones((q.shape[2], q.shape[2]), dtype=q.dtype, device=q.device).triu(diagonal=1)
        mask.masked_fill_(mask.bool(), torch.finfo(q.dtype).min)
        return mask


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate pairs of values by their position's angle (Su et al., RoFormer, 2021)."""
    half = x.shape[-1] // 2
    other = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return ((x * cos) + (other * sin)).to(x.dtype)


def _capped(x: Tensor, cap: float) -> Tensor:
    return torch.tanh(x / cap) * cap


class GatedMlp(nn.Module):
    """Two products, one of which gates the other (Shazeer, 2020)."""

    def __init__(self, shape: Shape, linear: Linear, adapter: Adapter) -> None:
        super().__init__()
        self.gelu = shape.gelu
        sizes = shape.width, shape.hidden, shape.bias, "mlp", adapter
        self.fc_1, self.fc_2 = _adapted(linear, *sizes), _adapted(linear, *sizes)
        self.proj = _adapted(linear, shape.hidden, shape.width, shape.bias, "mlp", adapter)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token by itself."""
        gate, value = self.fc_1(x), self.fc_2(x)
        active = F.gelu(gate, approximate="tanh") if self.gelu else F.silu(gate)
        out: Tensor = self.proj(active * value)
        return out


class PlainMlp(nn.Module):
    """Two products and GELU."""

    def __init__(self, shape: Shape, linear: Linear, adapter: Adapter) -> None:
        super().__init__()
        self.fc = _adapted(linear, shape.width, shape.hidden, shape.bias, "mlp", adapter)
        self.proj = _adapted(linear, shape.hidden, shape.width, shape.bias, "mlp", adapter)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each token by itself."""
        x = self.fc(x)
        x = F.gelu(x)
        out: Tensor = self.proj(x)
        return out


def _adapted(  # noqa: PLR0917 - as the layer's own, and where it is
    linear: Linear, inputs: int, outputs: int, bias: bool, place: str, adapter: Adapter
) -> nn.Module:
    base = linear(inputs, outputs, bias)
    return Adapted(base, inputs, outputs, adapter) if place in adapter else base


class Block(nn.Module):
    """Attention and an MLP, one after the other or side by side."""

    def __init__(self, shape: Shape, linear: Linear, adapter: Adapter, number: int) -> None:
        super().__init__()
        self.shape = shape
        self.norm_1 = _norm(shape)
        windowed = shape.window if not number % 2 else 0
        self.attn = Attention(shape, linear, adapter, window=windowed)
        self.norm_2 = nn.Identity() if shape.shared_norm else _norm(shape)
        self.mlp = (GatedMlp if shape.gated else PlainMlp)(shape, linear, adapter)
        after = shape.norms_after
        self.attended, self.transformed = (_norm(shape) if after else nn.Identity() for _ in range(2))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Add what attention and the MLP make of the residual."""
        normed = self.norm_1(x)
        attention = self.attended(self.attn(normed, cos, sin))
        if self.shape.parallel:
            if not self.shape.shared_norm:
                normed = self.norm_2(x)
            x = attention + x
        else:
            x = attention + x
            normed = self.norm_2(x)
        out: Tensor = self.transformed(self.mlp(normed)) + x
        return out


def _norm(shape: Shape) -> nn.Module:
    if shape.layer_norm:
        return nn.LayerNorm(shape.width)
    return RootMeanSquareNorm(shape.width, unit_offset=shape.unit_offset)


class Decoder(nn.Module):
    """Embeddings, blocks, a last norm and a head of its own: litgpt ties them only where it is told to."""

    cos: Tensor
    sin: Tensor

    def __init__(self, shape: Shape, linear: Linear, adapter: Adapter) -> None:
        super().__init__()
        self.shape = shape
        self.lm_head = _adapted(linear, shape.width, shape.vocabulary, shape.head_bias, "head", adapter)
        self.wte: nn.Module = nn.Embedding(shape.vocabulary, shape.width)
        self.h = nn.ModuleList(Block(shape, linear, adapter, number) for number in range(shape.layers))
        self.ln_f = _norm(shape)

    def angles(self, length: int, dtype: torch.dtype) -> None:
        """Keep the angles of so many positions."""
        turned = int(self.shape.rotary * self.shape.head)
        for name in ("cos", "sin"):
            self.register_buffer(name, torch.empty((length, turned), dtype=dtype), persistent=False)

    def forward(self, tokens: Tensor, chunk: int) -> list[Tensor]:
        """Return the logits of each stretch of `chunk` tokens."""
        length = tokens.shape[1]
        cos, sin = (table[:length].unsqueeze(0).unsqueeze(0) for table in (self.cos, self.sin))
        x = self.wte(tokens)
        if self.shape.scaled:
            x = x * self.shape.width**0.5
        for block in self.h:
            x = block(x, cos, sin)
        x = self.ln_f(x)
        logits = [self.lm_head(part) for part in x.split(chunk, dim=1)]
        cap = self.shape.logits_cap
        return [_capped(stretch, cap) for stretch in logits] if cap else logits


def adapter_of(step: Mapping[str, Any], places: frozenset[str]) -> Adapter:
    """Return the adapters that a step asks for."""
    return Adapter(int(step.get("adapter.rank") or 0), places, dropout=bool(step.get("adapter.dropout")))
