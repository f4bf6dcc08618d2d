# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The NVIDIA GPUs of this machine, asked of NVML (the optional package nvidia-ml-py), else of nvidia-smi."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from trainlint.child_processes import program
from trainlint.hardware.memory_seen_by_torch import MIB, torch_mib

PATIENCE_S = 20  # nvidia-smi without a persistent driver initialises every card first
RESERVE_HIDDEN_UNTIL = 510  # older drivers leave the reserved part out of the total they report
QUERIES = (
    "uuid,name,memory.total,driver_version,memory.reserved,compute_cap",
    "uuid,name,memory.total,driver_version",  # drivers before 510 refuse the other fields
)


class GpuCard(Struct, frozen=True):
    """One GPU as the driver describes it; memory in MiB, None where the driver does not say."""

    uuid: str
    name: str
    total: int
    driver: str
    reserved: int | None = None
    compute_capability: float | None = None

    def seen(self, *, windows: bool) -> int:
        """Return the MiB that torch will see: without what the driver reserves, except on Windows."""
        old = int(self.driver.split(".")[0] or 0) < RESERVE_HIDDEN_UNTIL
        if windows or old:
            return self.total
        return self.total - self.reserved if self.reserved else torch_mib(self.total)


def cards() -> tuple[GpuCard, ...]:
    """Return the GPUs that CUDA programs started here would see; empty where there are none."""
    by_nvml = _from_nvml()
    return visible(by_nvml if by_nvml is not None else _from_smi(), os.environ.get("CUDA_VISIBLE_DEVICES"))


def is_windows() -> bool:
    """Say whether torch would see a card's whole memory: on Windows and in its Linux subsystem."""
    return sys.platform == "win32" or "microsoft" in _release().lower()


def visible(cards: Sequence[GpuCard], wanted: str | None) -> tuple[GpuCard, ...]:
    """Apply CUDA_VISIBLE_DEVICES as CUDA does: indices or UUIDs, all after the first invalid one ignored."""
    if wanted is None:
        return tuple(cards)
    chosen: list[GpuCard] = []
    for entry in (part.strip() for part in wanted.split(",")):
        by_uuid = [card for card in cards if entry.startswith("GPU-") and card.uuid.startswith(entry)]
        if entry.isdigit() and int(entry) < len(cards):
            chosen.append(cards[int(entry)])
        elif len(by_uuid) == 1:
            chosen.append(by_uuid[0])
        else:
            break
    return tuple(chosen)


def parse_smi(text: str, query: str) -> tuple[GpuCard, ...]:
    """Parse `nvidia-smi --query-gpu=QUERY --format=csv,noheader`, with or without units."""
    fields = query.split(",")
    rows = [
        dict(zip(fields, row, strict=False)) for row in csv.reader(text.splitlines(), skipinitialspace=True)
    ]
    return tuple(_card(row) for row in rows if len(row) == len(fields) and _mib(row["memory.total"]))


def _card(row: Mapping[str, str]) -> GpuCard:
    capability = row.get("compute_cap", "")
    return GpuCard(
        uuid=row["uuid"].strip(),
        name=row["name"].strip(),
        total=_mib(row["memory.total"]) or 0,
        driver=row["driver_version"].strip(),
        reserved=_mib(row.get("memory.reserved", "")),
        compute_capability=float(capability) if capability.replace(".", "", 1).isdigit() else None,
    )


def _mib(text: str) -> int | None:
    """Read "15360 MiB" or "15360"; None for "[N/A]"."""
    number = text.strip().removesuffix("MiB").strip()
    return int(number) if number.isdigit() else None


def _from_smi(run: Callable[..., Any] = subprocess.run, smi: str | None = None) -> tuple[GpuCard, ...]:
    smi = smi or program("nvidia-smi")
    for query in QUERIES if smi else ():
        command = [smi, f"--query-gpu={query}", "--format=csv,noheader"]
        try:
            done = run(
                command,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ()
        if done.returncode == 0:
            return parse_smi(done.stdout, query)
    return ()


def _from_nvml() -> tuple[GpuCard, ...] | None:
    """Return the cards; None where NVML cannot be asked (no package, no driver)."""
    try:
        import pynvml  # noqa: PLC0415  optional, and slow to import
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    try:
        return tuple(_nvml_card(pynvml, index) for index in range(pynvml.nvmlDeviceGetCount()))
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()


def _nvml_card(nvml: Any, index: int) -> GpuCard:
    handle = nvml.nvmlDeviceGetHandleByIndex(index)
    reserved = None
    try:
        memory = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
        reserved = memory.reserved // MIB
    except nvml.NVMLError:  # drivers before 510 know only the first version
        memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    major, minor = nvml.nvmlDeviceGetCudaComputeCapability(handle)
    return GpuCard(
        uuid=_text(nvml.nvmlDeviceGetUUID(handle)),
        name=_text(nvml.nvmlDeviceGetName(handle)),
        total=memory.total // MIB,
        driver=_text(nvml.nvmlSystemGetDriverVersion()),
        reserved=reserved,
        compute_capability=float(f"{major}.{minor}"),
    )


def _text(value: str | bytes) -> str:
    """Old releases of nvidia-ml-py return bytes."""
    return value.decode() if isinstance(value, bytes) else value


def _release() -> str:
    return os.uname().release if hasattr(os, "uname") else ""
