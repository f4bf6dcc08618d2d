# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""sd-scripts' transformer of Stable Diffusion 3 with LoRA: query, key and value are one layer.

Read: kohya-ss/sd-scripts 48d368f, sd3_train_network.py, library/sd3_models.py (AttentionLinears, RMSNorm,
SingleDiTBlock, MMDiTBlock), networks/lora_sd3.py.

So one adapter keeps its input once for the three; attention's result is not copied for what comes
after it, as tokens are joined before heads are parted; and the three live until their block is through.
diffusers' transformer differs in all of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from trainlint_zoo.diffusers.recipes.denoiser import Denoiser

RECIPES = {"diffusers.ScriptMMDiT": "ScriptMMDiT"}

Three = tuple[Tensor, Tensor, Tensor]


class ScriptMMDiT(Denoiser):
    """A denoiser whose blocks are sd-scripts' own."""

    def _adapt(self, net: Any) -> None:
        for block in net.transformer_blocks:
            for attention in filter(None, (block.attn, block.attn2)):
                _join(attention)
            block.forward = partial(_run, block)
        super()._adapt(net)


def _join(attention: Any) -> None:
    """Make one layer of an attention's three, for its own tokens and for those of the text."""
    attention.qkv = _joined(attention, ("to_q", "to_k", "to_v"))
    if attention.added_kv_proj_dim is not None:
        attention.added_qkv = _joined(attention, ("add_q_proj", "add_k_proj", "add_v_proj"))
    for name in ("norm_q", "norm_k", "norm_added_q", "norm_added_k"):
        norm = getattr(attention, name, None)
        setattr(attention, name, nn.Identity() if norm is None else WrittenNorm(norm.weight))


def _joined(attention: Any, names: tuple[str, str, str]) -> nn.Linear:
    layers = [getattr(attention, name) for name in names]
    joined = nn.Linear(layers[0].in_features, sum(layer.out_features for layer in layers))
    joined.to(layers[0].weight.dtype).requires_grad_(requires_grad=False)
    for name in names:
        delattr(attention, name)
    return joined


class WrittenNorm(nn.Module):
    """The root mean square, written out: each of its steps keeps its input."""

    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, x: Tensor) -> Tensor:
        """Scale the last dimension to a mean square of one."""
        scaled = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return scaled * self.weight.to(dtype=scaled.dtype)


def _run(
    block: Any, hidden_states: Tensor, encoder_hidden_states: Tensor, temb: Tensor, *_more: Any, **_given: Any
) -> tuple[Tensor | None, Tensor]:
    """Return what a block makes of the text's tokens, none in the last one, and of the image's.

    What it names lives until it returns, as in the script: what the joined layers made too.
    """
    joint, length = block.attn, encoder_hidden_states.shape[1]
    text_changes = _changes(block.norm1_context, temb)
    text = _three(
        _changed(block.norm1_context.norm(encoder_hidden_states), text_changes),
        joint.added_qkv, joint.norm_added_q, joint.norm_added_k, joint.heads,
    )  # fmt: skip
    changes = _changes(block.norm1, temb)
    image, alone = _of_image(block, hidden_states, changes)
    query, key, value = (torch.cat(pair, dim=1) for pair in zip(text, image, strict=True))
    attended = _attended(query, key, value, joint.heads)
    image_attended = attended[:, length:]
    if alone is None:
        image_made = hidden_states + _gated(changes[2], joint.to_out[0](image_attended))
        image_made = image_made + _gated(
            changes[5], block.ff(_changed(block.norm2(image_made), changes[3:5]))
        )
    else:
        image_made = _with_own(block, hidden_states, image_attended, alone, changes)
    if block.context_pre_only:
        return None, image_made
    words = encoder_hidden_states + _gated(text_changes[2], joint.to_add_out(attended[:, :length]))
    made = block.ff_context(_changed(block.norm2_context(words), text_changes[3:5]))
    return words + _gated(text_changes[5], made), image_made


def _with_own(
    block: Any, tokens: Tensor, attended: Tensor, alone: Three, changes: Sequence[Tensor]
) -> Tensor:
    """Add what both attentions and the layers behind them make, each of which has a name there."""
    own = _attended(*alone, alone[0].shape[-1] // block.attn2.heads)  # their number is given as their size
    joint = _gated(changes[2], block.attn.to_out[0](attended))
    tokens = tokens + joint
    second = _gated(changes[8], block.attn2.to_out[0](own))
    tokens = tokens + second
    made = _gated(changes[5], block.ff(_changed(block.norm2(tokens), changes[3:5])))
    return tokens + made


def _changes(norm: Any, temb: Tensor) -> Sequence[Tensor]:
    """Return shifts, scales and gates that the time makes: two, six or nine."""
    made: Tensor = norm.linear(norm.silu(temb))
    return made.chunk(made.shape[-1] // temb.shape[-1], dim=-1)


def _changed(normed: Tensor, changes: Sequence[Tensor]) -> Tensor:
    return normed * (1 + changes[1].unsqueeze(1)) + changes[0].unsqueeze(1)


def _gated(gate: Tensor, made: Tensor) -> Tensor:
    return gate.unsqueeze(1) * made


def _of_image(block: Any, tokens: Tensor, changes: Sequence[Tensor]) -> tuple[Three, Three | None]:
    """Return the image's three, and those of its own attention where the block has one."""
    normed, joint, own = block.norm1.norm(tokens), block.attn, block.attn2
    image = _three(_changed(normed, changes), joint.qkv, joint.norm_q, joint.norm_k, joint.heads)
    if own is None:
        return image, None
    return image, _three(_changed(normed, changes[6:8]), own.qkv, own.norm_q, own.norm_k, own.heads)


def _three(tokens: Tensor, joined: Any, norm_q: Any, norm_k: Any, heads: int) -> Three:
    made = joined(tokens)
    query, key, value = made.reshape(*made.shape[:2], 3 * heads, -1).chunk(3, dim=2)
    return norm_q(query).flatten(2), norm_k(key).flatten(2), value.flatten(2)


def _attended(query: Tensor, key: Tensor, value: Tensor, heads: int) -> Tensor:
    query, key, value = (
        part.reshape(*part.shape[:2], heads, -1).transpose(1, 2) for part in (query, key, value)
    )
    made: Tensor = nn.functional.scaled_dot_product_attention(query, key, value)
    return made.transpose(1, 2).flatten(2)
