# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Cross entropy that never has all logits at once, by what two published kernels allocate.

liger: linkedin/Liger-Kernel, ops/fused_linear_cross_entropy.py: the gradient of the hidden states is computed
in the forward, chunk by chunk of logits. cut: apple/ml-cross-entropy (Wijmans et al., Cut Your Losses, 2024):
the forward keeps one number a token, the backward makes a gradient in the hidden states' precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final
from unittest.mock import patch

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError

FUSED: Final = ("liger", "cut")
CAP: Final = "final_logit_softcapping"


def fused_loss(kernel: str, model: Any, net: Any, inputs: dict[str, Any], labels: Tensor) -> Tensor:
    """Return the loss of a model's last hidden states by a fused kernel, which caps logits where they are."""
    head = net.get_output_embeddings()
    if not isinstance(head, nn.Linear):
        raise CannotTraceError(f'the loss "{kernel}" is not traced with a head of this kind')
    with patch.object(head, "forward", _as_it_is), _uncapped(net.config):
        hidden = model(**inputs).logits
    function = _Liger if kernel == "liger" else _Cut
    loss: Tensor = function.apply(hidden.reshape(-1, hidden.shape[-1]), head.weight, labels)
    return loss


def _uncapped(config: Any) -> AbstractContextManager[object]:
    """Let a model hand on what goes into its head without capping it as logits."""
    if getattr(config, CAP, None) is None:
        return nullcontext()
    return patch.object(config, CAP, None)


def _as_it_is(hidden: Tensor) -> Tensor:
    return hidden


class _Liger(torch.autograd.Function):
    """One chunk stands for all, with the most that it may take, so that sizes are affine in the batch.

    A chunk has a power of two of rows: so many that its logits take what all hidden states do, or up to twice
    that.
    """

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
        grad = torch.zeros_like(hidden)
        grad_of_weight = torch.zeros_like(weight) if ctx.needs_input_grad[1] else None
        losses = torch.zeros(hidden.shape[0], dtype=torch.float32, device=hidden.device)
        word = hidden[:1] @ weight.t()  # in the precision that is computed in
        logits = word.new_empty((2 * hidden.shape[0], hidden.shape[1]))
        own = word.new_empty(hidden.shape, dtype=torch.uint8)  # a chunk's part of `grad`, at most
        for _ in ("logits", "grad"):
            _multiply(word, hidden, weight)
        if grad_of_weight is not None:
            rows, columns = _filled(word, (weight.shape[0], hidden.shape[0])), _filled(word, hidden.shape)
            grad_of_weight.add_(rows @ columns)
        del labels, logits, own, word
        ctx.save_for_backward(grad, *(() if grad_of_weight is None else (grad_of_weight,)))
        return losses.sum()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        del grads
        grad, *rest = ctx.saved_tensors
        return grad.mul_(1.0), rest[0].mul_(1.0) if rest else None, None


class _Cut(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
        sums = torch.zeros(hidden.shape[0], dtype=torch.float32, device=hidden.device)
        _multiply(hidden, hidden, weight)
        ctx.save_for_backward(hidden, weight, sums)
        del labels
        return sums.sum()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        del grads
        hidden, weight, _ = ctx.saved_tensors
        own = torch.zeros_like(weight) if ctx.needs_input_grad[1] else None
        for _ in ("logits", "hidden states", *(() if own is None else ("weight",))):
            _multiply(hidden, hidden, weight)
        return torch.zeros_like(hidden), own, None


def _multiply(like: Tensor, hidden: Tensor, weight: Tensor) -> None:
    """Do the work of a product of all logits, with factors that take no memory and a result that is there."""
    result = _filled(like, hidden.shape)
    torch.mm(_filled(like, (hidden.shape[0], weight.shape[0])), _filled(like, weight.shape), out=result)


def _filled(like: Tensor, shape: Sequence[int]) -> Tensor:
    """Return a tensor of such a shape that is one number."""
    return like[:1, :1].expand(*shape)
