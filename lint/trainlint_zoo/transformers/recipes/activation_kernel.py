# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An activation that is one kernel where the package xielu is installed, and many operators without it.

Read: nickjbrowning/XIELU 6856ca9, xielu/cuda/src/xielu_impl.cu (XIELUAutograd: what it keeps and allocates);
huggingface/transformers 5.24, activations.py (XIELUActivation).
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx

XIELU: Final = "xielu"
WRITTEN_OUT: Final = "XIELUActivation"


class _Kernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        ctx.save_for_backward(x, positive, negative)
        return torch.mul(x, 1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x, positive, negative = ctx.saved_tensors
        slope = torch.zeros(1, dtype=torch.float32, device=x.device).to(x.dtype)
        return torch.mul(x, grads[0]), slope.view_as(positive), slope.view_as(negative)


class _OneKernel(nn.Module):
    """The activation with the parameters and buffers of that which is written out."""

    def __init__(self, written: nn.Module) -> None:
        super().__init__()
        self.alpha_p, self.alpha_n = written.alpha_p, written.alpha_n
        self.beta, self.eps = written.beta, written.eps

    def forward(self, x: Tensor) -> Tensor:
        """Compute in the input's precision."""
        activated: Tensor = _Kernel.apply(x, self.alpha_p.to(x.dtype), self.alpha_n.to(x.dtype))
        return activated


def take_kernel(net: nn.Module) -> None:
    """Give every such activation of a network its kernel."""
    for module in list(net.modules()):
        for name, child in module.named_children():
            if type(child).__name__ == WRITTEN_OUT:
                setattr(module, name, _OneKernel(child))
