# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Live bytes on the CPU, counted by operators' results: what torch.cuda.memory_allocated() would say."""

from __future__ import annotations

import importlib
import weakref
from contextlib import ExitStack
from unittest.mock import patch

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from trainlint.measuring.gpu_reading import GpuReading

BLOCK = 512


class Live(TorchDispatchMode):
    """Follows every storage that an operator returns; values that come from Python stay on CUDA's host."""

    def __init__(self):
        super().__init__()
        self.bytes = 0
        self._known = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        host = func is torch.ops.aten.lift_fresh.default
        for item in result if isinstance(result, list | tuple) else [result]:
            if isinstance(item, torch.Tensor):
                self._follow(item.untyped_storage(), host)
        return result

    def _follow(self, storage, host):
        key, size = storage._cdata, 0 if host else -(-storage.nbytes() // BLOCK) * BLOCK
        if key in self._known:
            return

        def died(_):
            self.bytes -= size
            del self._known[key]

        self.bytes += size
        self._known[key] = weakref.ref(storage, died)


class HostMeter:
    """A Meter for the CPU, which has neither an allocator's cache nor a driver."""

    def __init__(self, live):
        self._live = live
        self.laps = 0
        self.limited = None

    def limit(self, size):
        self.limited = size

    def live(self):
        return self._live.bytes

    def lap(self):
        self.laps += 1

    def readings(self, live):
        return (GpuReading(0, 0, 0, 0, None, "host", live),)

    def retries(self):
        return 0

    def machine(self):
        return {"gpu": "none"}


def as_on_cuda():
    """Take the multi-tensor optimizers, CUDA's default, on the CPU too; enter the stack that is returned."""
    stack = ExitStack()
    for module in ("torch.optim.optimizer", "torch.utils._foreach_utils"):
        where = importlib.import_module(module)
        stack.enter_context(
            patch.object(where, "_get_foreach_kernels_supported_devices", lambda: ["cpu", "cuda"])
        )
    return stack
