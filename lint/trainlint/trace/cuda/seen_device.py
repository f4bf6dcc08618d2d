# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The device as a network's own code sees it while it is traced: a GPU, though its tensors are on meta.

Code of the user's, or of a library, that asks where a tensor is hears "cuda:0". torch and trainlint see what
is there: both rely on it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

import torch
from torch import Tensor

from trainlint.catalogue.zoo.packages import OWN
from trainlint.trace.cuda.factories import on_meta, replacements
from trainlint.trace.torch_private import TensorBase

GPU: Final = torch.device("cuda", 0)
INSIDER_PACKAGES: Final = ("torch", "trainlint", OWN)
"""Packages whose code sees the true device."""
CAPABILITIES: Final = {"flash": (8, 0), "flash-narrow": (8, 6), "efficient": (7, 0), "math": (3, 7)}
"""A card of each class of attention kernels (attention.py): A100, RTX 3090, V100, K80 as in gpus.toml."""

_guesses: Final[list[str]] = []


@contextmanager
def gpu(card: str) -> Iterator[None]:
    """Show own code a GPU, whose attention kernels are of the class `card`."""
    _guesses.clear()
    with on_meta(), ExitStack() as stack:
        for where, name, value in (*replacements(), *_answers(card)):
            stack.enter_context(patch.object(where, name, value))
        yield


def guesses() -> tuple[str, ...]:
    """Return torch.cuda's questions that own code asked and that another GPU would answer otherwise."""
    return tuple(dict.fromkeys(_guesses))


def _answers(card: str) -> Iterator[tuple[Any, str, Any]]:
    """Yield what answers: (where, name, replacement)."""
    is_cuda: Any = TensorBase.is_cuda
    yield Tensor, "device", property(_asked(TensorBase.device.__get__, _where))
    yield Tensor, "is_cuda", property(_asked(is_cuda.__get__, lambda tensor: _where(tensor) == GPU))
    yield Tensor, "get_device", _asked(TensorBase.get_device, _index)
    for name in ("_exchange_device", "_maybe_exchange_device"):
        yield torch.cuda, name, _first
    known: dict[str, Callable[..., Any]] = {
        "is_available": lambda: True,
        "device_count": lambda: _guessed("device_count", 1),
        "current_device": lambda: GPU.index,
        "get_device_capability": lambda _device=None: _guessed("get_device_capability", CAPABILITIES[card]),
        "synchronize": lambda _device=None: None,
        "empty_cache": lambda: None,
    }
    yield from ((torch.cuda, name, _asked(getattr(torch.cuda, name), known[name])) for name in known)


def _guessed(question: str, answer: Any) -> Any:
    _guesses.append(question)
    return answer


def _asked(truth: Callable[..., Any], answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that answers own code, and insiders with the truth."""

    def either(*args: Any, **kwargs: Any) -> Any:
        asker = str(sys._getframe(1).f_globals.get("__name__"))  # noqa: SLF001 - documented, whatever its name: the caller's frame
        return (truth if asker.partition(".")[0] in INSIDER_PACKAGES else answer)(*args, **kwargs)

    return either


def _where(tensor: Tensor) -> torch.device:
    """Return where own code finds a tensor."""
    device: torch.device = TensorBase.device.__get__(tensor)
    return GPU if device.type == "meta" else device


def _index(tensor: Tensor) -> int:
    return GPU.index if _where(tensor) == GPU else -1


def _first(_device: int) -> int:
    """Enter `with torch.cuda.device(...)`: there is one."""
    return GPU.index
