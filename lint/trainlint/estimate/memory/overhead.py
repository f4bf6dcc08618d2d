# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a process takes on the GPU beyond its live tensors: workspaces, the allocator's cache, the context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.estimate.memory.card import Card
from trainlint.estimate.replay.footprint import footprint_on, reserved
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples
from trainlint.estimate.replay.workspace import first_matmuls, used

CUBLAS: Final = "cublas_workspace"
CUDNN: Final = "cudnn_workspace"
CACHE: Final = "cache"
CONTEXT: Final = "context"


def overhead(book: Ledger, samples: Samples, card: Card) -> Mapping[str, int]:
    """Return what lies between one GPU's live tensors and `expect`, in bytes: the parts sum to just that.

    cuBLAS's workspaces are those of the handles that are in use by the peak; cuDNN's come and go, so theirs
    is what the replay reserves with them and not without, and what two that share no block take besides.
    """
    libraries = used(book, card.libraries)
    need = footprint_on(book, samples, libraries, card.room)
    handles = sum(position <= need.live.position for position in first_matmuls(book))
    cached = need.reserved - need.live.allocated  # none where so much is live that nothing is replayed
    cublas = min(handles * libraries.cublas, cached)
    cudnn = max(0, need.reserved - reserved(book, samples, libraries))
    return {
        CUBLAS: cublas,
        CUDNN: cudnn + need.unshared,
        CACHE: cached - cublas - cudnn,
        CONTEXT: card.context,
    }
