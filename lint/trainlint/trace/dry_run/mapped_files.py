# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that are mapped: Linux counts a private mapping as data, of which only what is written is taken.

A checkpoint of 10 GB would not be let in with a few others, though none of it is copied. What a program
really takes is watched from outside (dry_run/enclosure/supervision.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

import torch


def replacements() -> list[tuple[Any, str, Any]]:
    """Return (where, name, replacement): what safetensors and torch.load map files with."""
    return [(torch.UntypedStorage, "from_file", _with_room(torch.UntypedStorage.from_file))]


def _with_room(truth: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(truth)
    def from_file(filename: Any, *args: Any, **kwargs: Any) -> Any:
        with suppress(OSError, ValueError, ImportError):  # no limits on Windows, or a lower hard one
            _raise_limit(os.path.getsize(filename))  # noqa: PTH202 - a file's name may be bytes
        return truth(filename, *args, **kwargs)

    return from_file


def _raise_limit(size: int) -> None:
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if soft != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_DATA, (soft + size, hard))
