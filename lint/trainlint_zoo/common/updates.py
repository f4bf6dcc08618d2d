# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The update at the end of a step: PyTorch's usual one, with a gradient scaler and clipping."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import nn

from trainlint.trace.stage import Stage


def update(
    stage: Stage, scaler: Any, optimizer: Any, trained: Iterable[nn.Parameter], *, clips: bool
) -> None:
    """Clip where it is asked for, step, and update the scale."""
    with stage.phase("optimizer step"):
        if clips:
            scaler.unscale_(optimizer)
            stage.clip_grad_norm(trained, 1.0)
        scaler.step(optimizer)
        scaler.update()
