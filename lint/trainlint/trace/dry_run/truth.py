# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The one flag of the imitation: where it is up tensors say where they are, else that it is a GPU.

torch's own kernels for meta tensors are Python in part and must read what is there, and so must the recorder.
All of them run inside the dispatch mode's handler, which holds the flag up; a program never does.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from trainlint.trace.dry_run.torch_names import device_of, is_meta


class _Truth(threading.local):
    """How many handlers of this thread want the truth."""

    depth = 0
    genuine = False
    """Whether the program itself asked for the meta device in the call that runs."""
    moving = False
    """Whether a tensor is moved by a replaced method."""
    loading = False
    """Whether a file is read, whose tensors on meta are imitated ones that were saved."""


TRUTH = _Truth()


@contextmanager
def told() -> Iterator[None]:
    """Tell the truth inside."""
    TRUTH.depth += 1
    try:
        yield
    finally:
        TRUTH.depth -= 1


def on_meta(tensor: Tensor) -> bool:
    """Return whether a tensor is on meta, wherever it says that it is.

    While a function mode is active (`with torch.device(...)`) or for a class of its own, even torch's own
    getters ask the replaced ones.
    """
    TRUTH.depth += 1
    try:
        return bool(is_meta(tensor))
    finally:
        TRUTH.depth -= 1


def device_beneath(tensor: Tensor) -> torch.device:
    """Return the device on which a tensor really is."""
    TRUTH.depth += 1
    try:
        device: torch.device = device_of(tensor)
    finally:
        TRUTH.depth -= 1
    return device
