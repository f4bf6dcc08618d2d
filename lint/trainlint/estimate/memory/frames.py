# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many frames a card may hold, from the step with those that are written: where a search begins."""

from __future__ import annotations

from typing import Final

from trainlint.estimate.tensors.tensor_kind import BUFFERS, GRADIENTS, OPTIMIZER, WEIGHTS
from trainlint.model.facts import Memory

WITHOUT_FRAMES: Final = (*WEIGHTS, GRADIENTS, BUFFERS, OPTIMIZER)
"""Parts of a step that are the same however many frames it has."""


def frames_that_fit(memory: Memory, frames: int) -> int:
    """Guess how many frames fit (1 at least): all but the weights' memory grows with them."""
    guesses = []
    for gpu in memory.gpus:
        fixed = gpu.context + sum(memory.parts.get(part, 0) for part in WITHOUT_FRAMES)
        if gpu.least > fixed:
            guesses.append(frames * (gpu.capacity - fixed) // (gpu.least - fixed))
    return max(1, min(guesses, default=frames))
