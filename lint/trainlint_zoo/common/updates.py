# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The update of a step: the usual one at its end, with a scaler and clipping, or one in the backward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

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


def update_in_backward(
    trained: Iterable[nn.Parameter], build: Callable[[list[nn.Parameter]], Optimizer]
) -> None:
    """Have each parameter updated as soon as its gradient is there, by an optimizer of its own."""
    for parameter in trained:
        parameter.register_post_accumulate_grad_hook(partial(_step, build([parameter])))


def _step(optimizer: Optimizer, _parameter: Tensor) -> None:
    optimizer.step()
    optimizer.zero_grad()
