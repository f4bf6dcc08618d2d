# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What reads the memory of a run: torch's allocator and the driver, GPU by GPU, lap by lap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import torch

from trainlint.measuring.gpu_reading import GpuReading
from trainlint.trace.on_gpu.driver import Driver

UNSTEADY_LAPS = 2
"""Laps before the steady ones: building, and the first step, which makes the optimizer's state."""


class Meter(Protocol):
    """Reads memory during a run; the tests have one for the CPU."""

    def limit(self, size: int | None) -> None:
        """Let the allocator reserve no more than `size` bytes per GPU."""

    def live(self) -> int:
        """Return the bytes allocated on the first GPU at this moment."""

    def lap(self) -> None:
        """Wait for the GPUs and keep their peaks since the last lap: building, then each step."""

    def readings(self, live: int | None) -> tuple[GpuReading, ...]:
        """Return what every GPU showed; `live` is the first one's peak between operators."""

    def retries(self) -> int:
        """Return how often the allocator emptied its cache to go on."""

    def machine(self) -> Mapping[str, Any]:
        """Name the GPU, its driver, torch and its libraries."""


class Lap(NamedTuple):
    """One GPU's peaks in one lap, bytes."""

    allocated: int
    reserved: int


@dataclass
class CudaMeter:
    """The GPUs that torch sees."""

    driver: Driver = field(default_factory=Driver)
    laps: list[list[Lap]] = field(default_factory=list)

    def limit(self, size: int | None) -> None:
        """Set the allocator's share of every GPU."""
        for index in range(torch.cuda.device_count() if size is not None else 0):
            total = torch.cuda.get_device_properties(index).total_memory
            torch.cuda.set_per_process_memory_fraction(min(1.0, (size or 0) / total), index)

    def live(self) -> int:
        """Return torch.cuda.memory_allocated(): workspaces that a library holds are in it."""
        return torch.cuda.memory_allocated(0)

    def lap(self) -> None:
        """Read and reset torch's peaks."""
        self.laps.append([])
        for index in range(torch.cuda.device_count()):
            torch.cuda.synchronize(index)
            peaks = Lap(torch.cuda.max_memory_allocated(index), torch.cuda.max_memory_reserved(index))
            self.laps[-1].append(peaks)
            torch.cuda.reset_peak_memory_stats(index)

    def readings(self, live: int | None) -> tuple[GpuReading, ...]:
        """Return every GPU's figures, the driver's as they are now."""
        readings = []
        for index, laps in enumerate(zip(*self.laps, strict=True)):
            smi, smi_of = self.driver.memory(index)
            readings.append(
                GpuReading(
                    allocated=max(lap.allocated for lap in laps[UNSTEADY_LAPS:]),
                    first=max(lap.allocated for lap in laps[:UNSTEADY_LAPS]),
                    reserved=torch.cuda.memory_reserved(index),
                    highest=max(lap.reserved for lap in laps),
                    smi=smi,
                    smi_of=smi_of,
                    live=live if index == 0 else None,
                )
            )
        return tuple(readings)

    def retries(self) -> int:
        """Return the allocator's num_alloc_retries over all GPUs."""
        stats = (torch.cuda.memory_stats(index) for index in range(torch.cuda.device_count()))
        return sum(int(counters.get("num_alloc_retries", 0)) for counters in stats)

    def machine(self) -> Mapping[str, Any]:
        """Name the first GPU and the versions that decide its kernels."""
        return {
            "gpu": torch.cuda.get_device_name(0),
            "gpus": torch.cuda.device_count(),
            "compute_capability": ".".join(map(str, torch.cuda.get_device_capability(0))),
            "driver": self.driver.version,
            "torch": torch.__version__,
            "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(),
        }
