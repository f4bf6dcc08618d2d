# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""timm's optimizers of many tensors at a time step in pieces that fit the card's L2 cache, where it is large.

Source: huggingface/pytorch-image-models 1.0.31, timm/optim/_helpers.py (_foreach_chunk_elements): a piece has
L2 / (4 x element size) elements, and with fewer than 2**22 there are no pieces: none below a cache of 64 MiB,
of 32 MiB with parameters in half precision.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import torch

from trainlint.tape import IN_ONE_PIECE
from trainlint.trace.stage import Stage

HELPERS_MODULE: Final = "timm.optim._helpers"


@contextmanager
def in_one_piece(stage: Stage) -> Iterator[None]:
    """Let an optimizer step as on a card with a small cache; a note on the tape says that it asked."""
    if stage.device.type != "meta":
        yield
        return
    asked: list[Any] = []

    def properties(device: Any = None) -> SimpleNamespace:
        asked.append(device)
        return SimpleNamespace(L2_cache_size=0)

    known: dict[Any, int] = getattr(sys.modules.get(HELPERS_MODULE), "_L2_CACHE_SIZE", {})
    known.clear()  # what it heard in a trace before, or of this machine's own card
    with patch.object(torch.cuda, "get_device_properties", properties):
        yield
    known.clear()
    if asked:
        stage.note(IN_ONE_PIECE)
