# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""TRL's losses of supervised fine-tuning, by what they allocate; which one there is depends on its version.

Read: huggingface/trl, trainer/sft_trainer.py of 1.3.0 (compute_loss: entropy and accuracy of all logits),
1.8.0 (_chunked_cross_entropy_loss), 1.13.0 and 1.14.0 (_chunk), trainer/utils.py and
kernels/chunked_logprob.py of 1.16.0 (add_fused_lm_head, ChunkedLogProbFunction).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from trainlint.errors import CannotTraceError

CHUNKED: Final = "chunked-nll"
"""Chunks of tokens, each checkpointed: the default from 1.7 to 1.12."""
HALF: Final = "chunked-half"
"""The same without the head and the tokens in 32 bits: 1.13 and 1.14."""
TILED: Final = "fused-head"
"""Tiles of tokens and words, whose gradients are made in the backward: since 1.15."""
MEASURED: Final = "nll-entropy"
"""All logits, of which entropy and accuracy are measured as well: until 1.6, and "nll" until 1.14."""
KERNELS: Final = (CHUNKED, HALF, TILED, MEASURED)
CHUNK: Final = 256
PIECES: Final = 3
"""Chunks that stand for all of them: two gradients and their sum are there at once."""
TILE_TOKENS: Final = 4096
TILE_WORDS: Final = 32_768
ENTROPY_CHUNK: Final = 128
IGNORED: Final = -100
STATISTICS: Final = 7
"""Numbers in fp32 that a token has while tiles are folded."""


def loss_without_logits(
    kernel: str, model: Any, net: Any, inputs: dict[str, Tensor], labels: Tensor
) -> Tensor:
    """Return the loss of a model's last hidden states."""
    head = net.get_output_embeddings()
    if not isinstance(head, nn.Linear):
        raise CannotTraceError(f'the loss "{kernel}" is not traced with a head of this kind')
    cap = getattr(net.config, "final_logit_softcapping", None)
    with (
        patch.object(head, "forward", _as_it_is),
        patch.object(net.config, "final_logit_softcapping", None, create=True),
    ):
        states = model(**inputs).logits
    batch, length = labels.shape
    hidden = states[:, :-1].reshape(-1, states.shape[-1])
    order = torch.empty(batch * (length - 1), dtype=torch.int64, device=labels.device)
    hidden, wanted = hidden[order], labels[:, 1:].reshape(-1)[order]
    if kernel in {CHUNKED, HALF}:
        piece = partial(_chunk, bool(cap), kernel == HALF)
        return _chunked(piece, hidden, head.weight, wanted, labels.shape)
    loss: Tensor = _Tiled.apply(hidden, head.weight, wanted, batch * length)
    return -loss.sum()


def _chunked(
    piece: Callable[..., Sequence[Tensor]],
    hidden: Tensor,
    weight: Tensor,
    labels: Tensor,
    shape: Sequence[int],
) -> Tensor:
    """Return the loss of chunks, the first of which stands for others.

    Of samples shorter than a chunk one alone is in it, which is the least that there may be.
    """
    batch, length = shape
    loss, right, entropy = (hidden.new_zeros((), dtype=torch.float32) for _ in range(3))
    several = length > CHUNK or batch > 1
    for _ in range(PIECES if several else 1):
        own = slice(0, min(CHUNK, length - 1))
        parts = checkpoint(piece, hidden[own], weight, labels[own], use_reentrant=False)
        loss, right, entropy = loss + parts[0], right + parts[1], entropy + parts[2]
    rest: Tensor = _Rest.apply(hidden, weight, batch * length)
    return loss + rest


def _chunk(
    capped: bool, half: bool, hidden: Tensor, weight: Tensor, labels: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = hidden.dtype if half else torch.float32
    logits = hidden.to(dtype) @ weight.to(dtype).t()
    if half:
        logits = logits.float()
    if capped:
        logits = torch.tanh(logits / 1.0) * 1.0
    chances = F.log_softmax(logits, dim=-1)
    loss = F.nll_loss(chances, labels, reduction="sum")
    valid = labels != IGNORED
    right = ((logits.argmax(dim=-1) == labels) & valid).sum().float()
    entropy = (-(chances.exp() * chances).sum(dim=-1) * valid).sum()
    return loss, right, entropy


class _Rest(torch.autograd.Function):
    """The work of all logits, which takes no memory: in the backward it is done again."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, tokens: int) -> Tensor:
        ctx.tokens = tokens
        ctx.save_for_backward(hidden, weight)
        _work(hidden, weight, tokens)
        return hidden.new_zeros((), dtype=torch.float32)

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> tuple[None, None, None]:
        hidden, weight = ctx.saved_tensors
        for _again in range(3 if ctx.needs_input_grad[1] else 2):
            _work(hidden, weight, ctx.tokens)
        return None, None, None


class _Tiled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor, tokens: int) -> Tensor:
        numbers = [torch.zeros(hidden.shape[0], device=hidden.device) for _ in range(STATISTICS)]
        ctx.dtype = _computed(hidden)
        ctx.tokens = tokens
        _tile(hidden, weight, ctx.dtype)
        _work(hidden, weight, tokens)
        loss, entropy = numbers[0] - numbers[1], numbers[2] / numbers[3]
        top = numbers[4] >= numbers[5]
        ctx.save_for_backward(hidden, weight, labels, entropy, numbers[0])
        del top
        return loss

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> tuple[Tensor, Tensor | None, None, None]:
        hidden, weight, *_rest = ctx.saved_tensors
        grad = torch.zeros(hidden.shape, device=hidden.device)
        own = torch.zeros(weight.shape, device=weight.device) if ctx.needs_input_grad[1] else None
        _tile(hidden, weight, ctx.dtype)
        for _again in range(2 if own is None else 3):
            _work(hidden, weight, ctx.tokens)
        return grad.to(hidden.dtype), None if own is None else own.to(weight.dtype), None, None


def _tile(hidden: Tensor, weight: Tensor, dtype: torch.dtype) -> None:
    """Take what a whole tile takes: logits, and tokens and words in the precision that is computed in."""
    kept = [hidden.new_empty((TILE_TOKENS, TILE_WORDS), dtype=dtype)]
    if hidden.dtype != dtype:
        kept.append(hidden.new_empty((TILE_TOKENS, hidden.shape[1]), dtype=dtype))
    if weight.dtype != dtype:
        kept.append(weight.new_empty((TILE_WORDS, weight.shape[1]), dtype=dtype))


def _as_it_is(hidden: Tensor) -> Tensor:
    return hidden


def _work(hidden: Tensor, weight: Tensor, tokens: int) -> None:
    """Do the work of a product of all logits, of factors and with a result that are one number each."""
    words, width = weight.shape
    number = hidden.new_empty((1, 1))
    result = number.expand(tokens, width)
    torch.mm(number.expand(tokens, words), number.expand(words, width), out=result)


def _computed(hidden: Tensor) -> torch.dtype:
    return torch.get_autocast_dtype("cuda") if torch.is_autocast_enabled("cuda") else hidden.dtype


@torch.no_grad()
def measure(logits: Tensor) -> None:
    """Measure entropy and accuracy, as it is done once the loss is there.

    Each takes its own copy of the logits but the last, which the entropy's lives on beside; of one sample
    there is nothing to copy.
    """
    shifted = logits[..., :-1, :].contiguous()
    flat = shifted.reshape(-1, logits.shape[-1])
    for chunk in flat.split(ENTROPY_CHUNK, dim=0)[:1]:
        chances = F.log_softmax(chunk, dim=-1)
        (-(torch.exp(chances) * chances)).sum(-1)
    shifted = logits[..., :-1, :].contiguous()
    shifted.argmax(dim=-1)
