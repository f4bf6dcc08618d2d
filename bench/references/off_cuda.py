# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the references of peaks.py and systems.py left out of CUDA: without it, trainlint must meet them.

They ran the original code on meta. There custom_fwd casts nothing (a loss leaves autocast with the
generator's output in half precision), Mish's backward is nine operators, a convolution's output is contiguous
whatever its input is, and their stand-in for the attention kernel returned the query's layout, where CUDA's
memory-efficient one returns another, which MultiheadAttention copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from trainlint.trace.cuda import activations, attention, memory_formats
from trainlint.trace.torch_private import composite
from trainlint_zoo.redux.recipes.hsluv import HSLuv
from trainlint_zoo.redux.recipes.losses import InFp32
from trainlint_zoo.redux.recipes.similarity import SSIM

flash = attention.flash


@contextmanager
def off_cuda() -> Iterator[None]:
    """Trace as the references ran: see the module's docstring."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(activations, "mish_backward", _step_by_step))
        stack.enter_context(contiguous_convolutions())
        for loss in (HSLuv, SSIM):
            stack.enter_context(patch.object(loss, "forward", _uncast))
        stack.enter_context(patch.object(attention, "flash", _in_the_query_s_layout))
        yield


def contiguous_convolutions() -> AbstractContextManager[Any]:
    """Trace convolutions whose output is contiguous whatever their input is."""
    return patch.object(memory_formats, "returned", lambda _name, _args, result: result)


def _step_by_step(grad: Tensor, x: Tensor) -> Tensor:
    result: Tensor = composite(torch.ops.aten.mish_backward.default, (grad, x), {})
    return result


def _uncast(self: InFp32, *args: Any, **options: Any) -> Tensor:
    with torch.autocast("cuda", enabled=False):
        return self.compare(*args, **options)


def _in_the_query_s_layout(call: attention.AttentionCall, card: str) -> bool:
    return flash(call, card) or (call.mask is None and attention.efficient(call, card))
