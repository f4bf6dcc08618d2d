# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where CUDA behaves differently from meta: everything that is switched while a step is traced.

Kernels are registered with torch's dispatcher for meta tensors (dropout, attention, activations, autocast),
and torch is made to answer as on a CUDA machine where it asks for the device (multi-tensor optimizers,
GradScaler, autocast, checkpointing). All of it is undone on leaving; CPU tensors are not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, Final
from unittest.mock import patch

import torch
from torch import Tensor

from trainlint.trace.cuda import activations, autocast, recurrent
from trainlint.trace.cuda import seen_device as device
from trainlint.trace.cuda.attention import attention
from trainlint.trace.cuda.dropout import dropout
from trainlint.trace.torch_private import (
    CHECKPOINT_DEVICE,
    CUSTOM_FORWARD_CAST,
    FOREACH_DEVICES,
    FUSED_DEVICES,
    unregister,
)


@contextmanager
def cuda(card: str = "flash") -> Iterator[None]:
    """Imitate CUDA on meta tensors; `card` is the class of attention kernels (see attention.py)."""
    libraries = [*autocast.register(), _library(card)]
    try:
        with ExitStack() as stack:
            for target, name, value in _answers():
                stack.enter_context(patch.object(target, name, value))
            stack.enter_context(device.gpu(card))
            yield
    finally:
        autocast.switch(enabled=False)
        autocast.clear_cache()
        for library in libraries:
            unregister(library)


@contextmanager
def no_initialisation() -> Iterator[None]:
    """Leave weights as they are made: torch.nn.init's functions do nothing inside.

    A library that is imported meanwhile may keep them, as transformers does: outside they do what they did.
    """
    skipped = _SKIPPED.set(True)
    with ExitStack() as stack:
        for name, function in _skippable().items():
            stack.enter_context(patch.object(torch.nn.init, name, function))
        try:
            yield
        finally:
            _SKIPPED.reset(skipped)


_SKIPPED: Final = ContextVar("skipped", default=False)


@cache
def _skippable() -> Mapping[str, Callable[..., Any]]:
    names = (name for name in dir(torch.nn.init) if name.endswith("_") and not name.startswith("_"))
    return {name: _unless_skipped(getattr(torch.nn.init, name)) for name in names}


def _unless_skipped(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def initialised(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        return tensor if _SKIPPED.get() else function(tensor, *args, **kwargs)

    return initialised


def _library(card: str) -> torch.library.Library:
    library = torch.library.Library("aten", "IMPL")
    library.impl("scaled_dot_product_attention", attention(card), "AutogradMeta")
    library.impl("dropout", dropout, "AutogradMeta")
    activations.register(library)
    recurrent.register(library)
    return library


def _answers() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return what torch asks about the device, with CUDA's answers: (where, name, replacement)."""
    return [
        *((*place, lambda: ["cuda", "meta"]) for place in FOREACH_DEVICES),
        (*FUSED_DEVICES, lambda: ["cuda", "cpu", "meta"]),
        (torch.cuda.amp.common, "amp_definitely_not_available", lambda: False),
        (torch.cuda, "is_bf16_supported", lambda *_args, **_kwargs: True),
        (torch, "set_autocast_enabled", _set_autocast_enabled),
        (torch, "clear_autocast_cache", autocast.clear_cache),
        (*CUSTOM_FORWARD_CAST, _as_cuda(getattr(*CUSTOM_FORWARD_CAST))),
        (*CHECKPOINT_DEVICE, lambda *_args: "cuda"),
    ]


_torch_set_autocast_enabled = torch.set_autocast_enabled


def _set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    if enabled is None:  # the old form without a device means CUDA
        device_type, enabled = "cuda", bool(device_type)
    _torch_set_autocast_enabled(device_type, enabled)
    if device_type == "cuda":
        autocast.switch(enabled=enabled)


def _as_cuda(cast: Callable[..., Any]) -> Callable[..., Any]:
    """custom_fwd(cast_inputs=...) asks whether a tensor is on "cuda"."""
    return lambda value, device, dtype: cast(value, "meta" if device == "cuda" else device, dtype)
