# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The stage of a measurement: the same recipes on a real GPU, with real tensors in place of meta ones.

What the tracer imitates is torch's own here: autocast, GradScaler, multi-tensor optimizers, DataParallel.
Values are random or zero; they only have to be finite and, where they serve as indices, valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.trace.parallel.wrapper import Layout
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.stage import DTYPES, Stage

FIRST_SCALE = 1.0
"""GradScaler's first scale: 65536, its own, would overflow half-precision gradients of random weights."""
BYTE_VALUES = 256

_torch_empty = torch.empty


class CudaStage(Stage):
    """A Stage on `device`: a GPU, or the CPU in tests; nothing is recorded, `last` is the latest mark."""

    def __init__(self, layout: Layout, pool_size: int = 0, device: str | torch.device = "cuda") -> None:
        super().__init__(StorageLedger(), layout, pool_size)
        self.device = torch.device(device)
        self.last = ""
        self._streams: dict[int, torch.cuda.Stream] = {}

    def aside(self) -> AbstractContextManager[Any]:
        """Do nothing: there is no tape."""
        return nullcontext()

    def mark(self, name: str) -> None:
        """Name this moment: `last` says what ran when memory ran out."""
        self.last = name

    def register(
        self, role: str, module: nn.Module, *, arch: str = "", kind: str = "parameters"
    ) -> nn.Module:
        """Move a module to the device; returns it."""
        return super().register(role, module.to(self.device), arch=arch, kind=kind)

    def replicate(self, role: str, module: nn.Module) -> Any:
        """Wrap a registered module with torch's own class; one GPU represents all of DDP's processes."""
        if self.layout.mode == "dp":
            return nn.DataParallel(module)
        if self.layout.mode == "ddp":
            if not any(parameter.requires_grad for parameter in module.parameters()):
                raise CannotTraceError(f"the {role} has no parameter that requires a gradient")
            return nn.parallel.DistributedDataParallel(module, find_unused_parameters=self.layout.unused)
        return module

    def scaler(self, *, enabled: bool = True) -> torch.amp.GradScaler:
        """Return the device's GradScaler; every step counts as finite, as on the tape."""
        return _Scaler(self.device.type, init_scale=FIRST_SCALE, enabled=enabled)

    def input(
        self, *shape: int, dtype: torch.dtype = torch.float32, stream: int = 0, kind: str = "inputs"
    ) -> Tensor:
        """Return random data; integers that are no bytes are class numbers, and zero."""
        with self.label(kind, stream=stream):
            return defined(_torch_empty(shape, dtype=dtype, device=self.device))

    def pool(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Return a pool of random samples."""
        return self.input(self.pool_size, *shape, dtype=dtype)

    def label(self, kind: str, *, owner: str = "", stream: int = 0) -> AbstractContextManager[None]:
        """Allocate on a stream of that number; kinds are for the tape alone."""
        del kind, owner
        return self._on(stream) if stream and self.device.type == "cuda" else nullcontext()

    @contextmanager
    def _on(self, number: int) -> Iterator[None]:
        side = self._streams.setdefault(number, torch.cuda.Stream(self.device))
        with torch.cuda.stream(side):
            yield
        torch.cuda.current_stream(self.device).wait_stream(side)

    def autocast(self, precision: str, *, enabled: bool = True) -> AbstractContextManager[Any]:
        """Return torch.autocast; "fp32" does nothing."""
        if not enabled or precision in ("fp32", "tf32"):
            return nullcontext()
        if precision not in DTYPES:
            raise CannotTraceError(f'unknown precision "{precision}", expected fp32, fp16 or bf16')
        return torch.autocast(self.device.type, dtype=DTYPES[precision])


class _Scaler(torch.amp.GradScaler):
    """A GradScaler that looks for infinities as always and steps in any case."""

    def _maybe_opt_step(
        self, optimizer: torch.optim.Optimizer, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any
    ) -> float | None:
        infinities = optimizer_state["found_inf_per_device"].values()
        sum(value.item() for value in infinities)  # the trainer waits for the GPU here
        loss: float | None = optimizer.step(*args, **kwargs)
        return loss


def defined(tensor: Tensor) -> Tensor:
    """Give an uninitialised tensor values: floats and bytes at random, other integers zero."""
    if tensor.is_floating_point():
        return tensor.uniform_()
    return tensor.random_(0, BYTE_VALUES) if tensor.dtype == torch.uint8 else tensor.zero_()


@contextmanager
def no_garbage() -> Iterator[None]:
    """Make torch.empty give defined values: recipes index with it and compute on it, which meta permits."""

    def empty(*size: Any, **options: Any) -> Tensor:
        made = _torch_empty(*size, **options)
        with torch.no_grad():
            return made if made.is_meta else defined(made)

    with torch.device("cpu"):
        torch.empty(0)  # torch.device lists the functions it acts on at first use: the true one, not ours
    with patch.object(torch, "empty", empty):
        yield
