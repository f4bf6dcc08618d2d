# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the other stages see of hardware: a GPU model and a machine to judge against."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Context(Struct, frozen=True):
    """Bytes of a process's context, the least and the most that it may be, and the basis of that in words."""

    size: int
    low: int
    high: int
    basis: str


NVIDIA: Final = "NVIDIA"
"""The vendor whose allocator and libraries are modeled."""


class Gpu(Struct, frozen=True):
    """A GPU model; memory in bytes, rates in bytes/s and FLOP/s (dense, fp32 accumulate; 0: unknown)."""

    name: str
    title: str
    memory: int  # what torch sees with the newest drivers
    context: int  # bytes of one process's CUDA context where kernels are loaded when used
    compute_capability: float  # 7.5; 0: another vendor's
    sms: int
    bandwidth: float
    fp32: float
    fp16: float  # 0: no tensor cores
    bf16: float
    tf32: float
    bf16_native: bool
    cuda_min: str
    cuda_max: str | None
    source: str
    vendor: str = NVIDIA
    sure: Context | None = None  # the same context, how sure it is and why; None: nothing is known of that

    @property
    def assumed(self) -> Context:
        """The context with what is known of it."""
        return self.sure or Context(self.context, self.context, self.context, self.source)


class Price(Struct, frozen=True):
    """US dollars for an hour of a machine, the day on which it was asked ("2026-07-21"), and who says so."""

    hourly: float
    date: str
    source: str


class Target(Struct, frozen=True):
    """A machine to judge against; an absent limit is None. Disk and RAM in bytes, hours as written."""

    name: str
    gpu: Gpu | None
    gpu_count: int
    cpu_cores: int | None = None
    ram: int | None = None
    shm: int | None = None
    disk: int | None = None
    session_h: float | None = None
    session_budget_h: float | None = None
    weekly_h: float | None = None  # hours of its GPUs in a week
    sessions: str | None = None  # "one" or "many": what the user plans a run as
    torch: str | None = None  # version of the torch that its image holds
    cuda: str | None = None  # toolkit which that torch was built for
    attention: str | None = None  # "math" where that torch has no fused kernels of attention
    broken: str | None = None  # why nothing runs there today
    price: Price | None = None
    source: str = ""
    note: str = ""
    assumed: str = ""  # which card was taken, where the name means several
    eager: str = ""  # what is installed for the job that loads every CUDA kernel at the start, where known
