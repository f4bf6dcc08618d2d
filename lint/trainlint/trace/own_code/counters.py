# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers that a constructor moves to the GPU and back, as traiNNer-redux does with ema_pytorch's steps.

Meta keeps no values. A new counter is 0; what has more elements than one is refused, as torch does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from trainlint.trace.stage import Stage


@contextmanager
def returning(stage: Stage) -> Iterator[None]:
    """Let single numbers come back from meta inside, as 0, which the tape notes."""

    def through(moved: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def move(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
            try:
                return moved(tensor, *args, **kwargs)
            except NotImplementedError:
                if not tensor.is_meta or tensor.numel() != 1:
                    raise
                stage.note("a number that its constructor brings back from the GPU is taken as 0")
                return torch.zeros(tensor.shape, dtype=tensor.dtype, device="cpu")

        return move

    with patch.object(Tensor, "to", through(Tensor.to)), patch.object(Tensor, "cpu", through(Tensor.cpu)):
        yield
