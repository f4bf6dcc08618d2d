# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Conversions: what cuDNN takes for half-precision convolutions of tensors that are not channels last.

Tensor cores work on channels last: cuDNN copies other tensors into its workspace, and the result back
(NVIDIA, Convolutional Layers User's Guide, "Tensor Layouts In Memory"). No convolution fails for that: where
PyTorch finds no room for a workspace it takes an algorithm with a smaller one (ATen/native/cudnn/Conv_v7.cpp,
try_all, which catches the allocator's error; Conv_v8.cpp likewise). But a workspace that finds room fragments
the free memory, and then a tensor may run out that would have had its place without (conversion_room.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.estimate.replay.gpu_ledger import Ledger, kept
from trainlint.estimate.replay.workspace import DENSE, GROUPED, Uses, uses
from trainlint.expressions.patterns import later
from trainlint.tape import Op

HALF_DTYPES: Final = ("float16", "bfloat16")
SHAPE: Final = later(r"\d+o (\d+)(?:x\d+)+ ")
"""Finds the input's channels in a convolution's key: they follow the number of outputs."""
FEW_CHANNELS: Final = 4
"""A convolution of so few input channels (a network's first) takes no workspace."""
CHANNELS_LAST: Final = ("neosr.", "vae")
"""What the recipes begin with that train half precision channels last whatever the step says."""


@kept
def conversions(ledger: Ledger) -> Uses | None:
    """Return the workspace of every half-precision convolution, the forward's and the 1x1 ones too.

    It is the copies: the bytes of activations that the convolution reads and writes. None without any.
    """
    if channels_last(ledger.step):
        return None
    conversion_uses = uses(
        ledger,
        lambda op: (
            ledger.moved(op)
            if op.kind in (DENSE, GROUPED) and op.dtype in HALF_DTYPES and not _first(op)
            else None
        ),
    )
    return conversion_uses if conversion_uses.rows else None


def channels_last(step: Mapping[str, Any]) -> bool:
    """Return whether a step's networks are channels last where they are half precision."""
    return bool(step.get("channels_last")) or str(step.get("recipe")).startswith(CHANNELS_LAST)


def _first(op: Op) -> bool:
    """Return whether a convolution is a network's first: few channels take no workspace."""
    shape = SHAPE.search(op.key)
    return shape is not None and int(shape[1]) <= FEW_CHANNELS
