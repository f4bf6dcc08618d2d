# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the driver says of this process's memory: the figure that nvidia-smi shows.

NVML counts by process, where it may (not in most containers, whose process numbers it does not know, nor
under Windows' WDDM); then the device's growth since before CUDA started takes its place, that of other
programs included.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import torch

from trainlint.trace.torch_private import nvml_index

PROCESS, GROWTH, DEVICE = "process", "device growth", "device"


class Driver:
    """Asks NVML about the GPUs that torch sees; made before CUDA starts. Without NVML, the CUDA runtime."""

    def __init__(self, nvml: Any = None) -> None:
        self.nvml = nvml if nvml is not None else _nvml()
        self.before = {index: self._used(index) for index in range(self._count())}

    @property
    def version(self) -> str | None:
        """The driver's version, None where NVML is not there."""
        if self.nvml is None:
            return None
        version = self.nvml.nvmlSystemGetDriverVersion()
        return version.decode() if isinstance(version, bytes) else str(version)

    def memory(self, index: int) -> tuple[int | None, str]:
        """Return the bytes that the driver counts on a GPU, and what they are of."""
        own = self._own(index)
        if own is not None:
            return own, PROCESS
        now, before = self._used(index), self.before.get(index)
        if now is not None and before is not None:
            return now - before, GROWTH
        free, total = torch.cuda.mem_get_info(index)
        return total - free, DEVICE

    def _own(self, index: int) -> int | None:
        if self.nvml is None:
            return None
        try:
            processes = self.nvml.nvmlDeviceGetComputeRunningProcesses(self._handle(index))
        except self.nvml.NVMLError:
            return None
        return of_process(processes, os.getpid())

    def _used(self, index: int) -> int | None:
        try:
            return None if self.nvml is None else self.nvml.nvmlDeviceGetMemoryInfo(self._handle(index)).used
        except self.nvml.NVMLError:
            return None

    def _handle(self, index: int) -> Any:
        number = nvml_index(index)  # reads CUDA_VISIBLE_DEVICES
        return self.nvml.nvmlDeviceGetHandleByIndex(number)

    def _count(self) -> int:
        return 0 if self.nvml is None else torch.cuda.device_count()


def of_process(processes: Iterable[Any], number: int) -> int | None:
    """Return what a list of NVML's processes says of one; None where it is not listed or not counted."""
    used = [process.usedGpuMemory for process in processes if process.pid == number]
    return None if not used or None in used else sum(used)


def _nvml() -> Any:
    """Return pynvml, started; None where it is not installed or finds no driver."""
    try:
        import pynvml  # noqa: PLC0415 - optional
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml
