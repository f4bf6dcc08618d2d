# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Cross entropy that never has all logits at once, by what two published kernels allocate.

liger: linkedin/Liger-Kernel, ops/fused_linear_cross_entropy.py: the gradient of the hidden states is computed
in the forward, chunk by chunk of logits. cut: apple/ml-cross-entropy (Wijmans et al., Cut Your Losses, 2024):
the forward keeps one number a token, the backward makes a gradient in the hidden states' precision.
"""

from __future__ import annotations

from typing import Any, Final
from unittest.mock import patch

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError

FUSED: Final = ("liger", "cut")


def fused_loss(kernel: str, model: Any, net: Any, inputs: dict[str, Tensor], labels: Tensor) -> Tensor:
    """Return the loss of a model's last hidden states by a fused kernel."""
    head = net.get_output_embeddings()
    if not isinstance(head, nn.Linear) or getattr(net.config, "final_logit_softcapping", None):
        raise CannotTraceError(f'the loss "{kernel}" is not traced with a head of this kind')
    with patch.object(head, "forward", _as_it_is):
        hidden = model(**inputs).logits
    function = _Liger if kernel == "liger" else _Cut
    loss: Tensor = function.apply(hidden.reshape(-1, hidden.shape[-1]), head.weight, labels)
    return loss


def _as_it_is(hidden: Tensor) -> Tensor:
    return hidden


class _Liger(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
        tokens, width = hidden.shape
        parts = -(-weight.shape[0] // width)
        chunk = 1 << (max(-(-tokens // parts), 1) - 1).bit_length()
        grad = torch.zeros_like(hidden)
        grad_of_weight = torch.zeros_like(weight) if ctx.needs_input_grad[1] else None
        losses = torch.zeros(tokens, dtype=torch.float32, device=hidden.device)
        for part, own in zip(hidden.split(chunk), grad.split(chunk), strict=True):
            logits = part @ weight.t()
            own.copy_(logits @ weight)
            if grad_of_weight is not None:
                grad_of_weight.add_(logits.t() @ part)
            del logits
        del labels
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
        ctx.save_for_backward(hidden, weight, sums)
        del labels
        return sums.sum()

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        del grads
        hidden, weight, _ = ctx.saved_tensors
        own = torch.zeros_like(weight) if ctx.needs_input_grad[1] else None
        return torch.zeros_like(hidden), own, None
