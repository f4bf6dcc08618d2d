"""Recurrent layers as cuDNN runs them: one kernel that keeps a reserve for the backward.

On meta torch would unroll a layer into its cells and keep every gate of every step as its own tensor.
"""

from __future__ import annotations

import torch


def register(library: torch.library.Library) -> None:
    """Register the recurrent kernels (none yet)."""
