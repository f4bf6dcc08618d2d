# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""TensorBoard's picture of a network: torch.jit traces it, and only with values; here its forward runs alone.

What tracing holds beyond that forward is one more of it without gradients, whose tensors die as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, Final

from trainlint.trace.dry_run.arrivals import Arrivals

WRITERS: Final = ("torch.utils.tensorboard.writer", "tensorboardX.writer")
NOT_DRAWN: Final = "TensorBoard's picture of the network is not drawn: its forward runs, and is not traced"


class GraphWriters:
    """The writers that draw a network."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note = note

    def watch(self, arrivals: Arrivals) -> None:
        """Draw nothing as soon as such a writer is there."""
        for name in WRITERS:
            arrivals.after(name, self._undrawn)

    def _undrawn(self, module: ModuleType) -> None:
        @wraps(module.SummaryWriter.add_graph)
        def add_graph(
            _writer: Any, model: Any, input_to_model: Any = None, *_args: Any, **_kwargs: Any
        ) -> None:
            self.note(NOT_DRAWN)
            words = input_to_model if isinstance(input_to_model, (tuple, list)) else (input_to_model,)
            was_training = model.training
            model.train(False)
            try:
                model(*words)
            finally:
                model.train(was_training)

        module.SummaryWriter.add_graph = add_graph
