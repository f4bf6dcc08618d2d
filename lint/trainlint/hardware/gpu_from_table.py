# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The Gpu or Target that a table describes; UsageError where its values do not go together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from msgspec.structs import replace

from trainlint.expressions.patterns import later
from trainlint.hardware.cuda_context import by_rate, observed
from trainlint.hardware.hardware_tables import HardwareTable
from trainlint.hardware.memory_seen_by_torch import MIB, context_mib, torch_mib
from trainlint.model.target import NVIDIA, Context, Gpu, Price, Target

GIB = 2**30
BF16_SINCE = 8.0  # compute capability of the first tensor cores with bfloat16 (Ampere)
UNITS_APART = 10  # what torch sees is 0.85 to 1.02 of what is sold on every card of gpus.toml; MB are 1024
OTHER_VENDORS: Mapping[str, re.Pattern[str]] = {
    "AMD": later(r"\b(amd|rocm|radeon|instinct|mi\d{2,3}[ax]?|rx[- ]?\d{4}|gfx\d+\w*)\b", re.IGNORECASE),
    "Apple": later(r"\b(apple|mps|m[1-5]([- ]?(pro|max|ultra))?)\b", re.IGNORECASE),
    "Google": later(r"\b(tpu|tpu[- ]?v\d\w*)\b", re.IGNORECASE),
    "Huawei": later(r"\b(huawei|npu|ascend[- ]?(\d{3}\w*)?)\b", re.IGNORECASE),
    "Intel": later(r"\b(intel|xpu|gaudi\d?|arc[- ]?[ab]\d{3})\b", re.IGNORECASE),
}
"""Vendors other than NVIDIA, by words in a card's names."""


def gpu_of(table: HardwareTable) -> Gpu:
    """Build a Gpu; raise UsageError naming file and key where the table is wrong."""
    table.check()
    values = table.values
    vendor = _vendor(table)
    if vendor != NVIDIA:
        return _of_another(table, vendor)
    capability = float(table.need("compute_capability"))
    if "torch_mib" not in values:
        table.need("smi_mib")
    seen = values.get("torch_mib") or torch_mib(values["smi_mib"])
    _as_sold(table, seen)
    _in_order(table)
    context = values.get("context_mib") or context_mib(capability, values.get("sms", 0))
    if context >= seen:
        raise table.error(
            "torch_mib" if "torch_mib" in values else "smi_mib", f"{seen} MiB leave no room for the context"
        )
    return replace(
        _rated(table),
        memory=seen * MIB,
        context=context * MIB,
        compute_capability=capability,
        bf16_native=capability >= BF16_SINCE,
        sure=_context(table, context * MIB),
    )


def _context(table: HardwareTable, size: int) -> Context:
    """Return a context with how sure it is: what a user's table states without more is believed as it is."""
    values, file = table.values, table.file
    if "context_mib" not in values:
        return by_rate(size, "a rate per multiprocessor, not observed on this card")
    low, high = table.whole("context_low_mib", MIB), table.whole("context_high_mib", MIB)
    if "context_source" not in values:
        return Context(size, low or size, high or size, file)
    context = observed(size, f"the GPU table: {values['context_source']}", low, high)
    if not context.low <= size <= context.high:
        raise table.error("context_mib", f"{size // MIB} MiB is not between its own ends")
    return context


def _vendor(table: HardwareTable) -> str:
    """Return who makes a GPU: as written, or as its names say."""
    guessed = other_vendor(" ".join([table.name, *table.values.get("names", ())])) or NVIDIA
    written = str(table.values.get("vendor", guessed))
    return next(
        (known for known in (NVIDIA, *OTHER_VENDORS) if known.casefold() == written.casefold()), written
    )


def other_vendor(names: str) -> str:
    """Return who makes the GPU of some names, where it is not NVIDIA; else ""."""
    return next((vendor for vendor, words in OTHER_VENDORS.items() if words.search(names)), "")


def _of_another(table: HardwareTable, vendor: str) -> Gpu:
    """Build a GPU that is not NVIDIA's: it has a size, but no context, capability or kernels of CUDA's."""
    seen = table.values.get("torch_mib") or table.need("smi_mib")
    _as_sold(table, seen)
    return replace(_rated(table), memory=seen * MIB, vendor=vendor, cuda_min="", cuda_max=None)


def _as_sold(table: HardwareTable, seen: int) -> None:
    """Refuse a size in another unit."""
    sold = table.values.get("memory_gb", seen / 1024)
    if not 1 / UNITS_APART < sold * 1024 / seen < UNITS_APART:
        raise table.error(
            "memory_gb", f"{sold:g} GB as sold, but torch sees {seen:,} MiB: expected GB and MiB"
        )


def _in_order(table: HardwareTable) -> None:
    """Refuse two figures of which the one cannot be above the other."""
    values = table.values
    if values.get("torch_mib", 0) > values.get("smi_mib", float("inf")):
        raise table.error(
            "torch_mib",
            f"{values['torch_mib']} MiB are more than smi_mib, {values['smi_mib']}: expected that or less",
        )
    first, last = (values.get(key) for key in ("cuda_min", "cuda_max"))
    if first and last and _version(last) < _version(first):
        raise table.error("cuda_max", f'"{last}" is before cuda_min, "{first}": expected the last toolkit')
    ends = [key for key in ("context_low_mib", "context_mib", "context_high_mib") if key in values]
    for low, high in pairwise(ends):
        if values[low] > values[high]:
            raise table.error(low, f"{values[low]} MiB is above {high}, {values[high]} MiB")


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _rated(table: HardwareTable) -> Gpu:
    """Build a Gpu of what needs no arithmetic."""
    values = table.values
    return Gpu(
        name=table.name,
        title=values.get("names", [table.name])[0],
        memory=0,
        context=0,
        compute_capability=0.0,
        sms=values.get("sms", 0),
        bandwidth=table.scaled("bandwidth_gbs", 1e9),
        fp32=table.scaled("fp32_tflops", 1e12),
        fp16=table.scaled("fp16_tflops", 1e12),
        bf16=table.scaled("bf16_tflops", 1e12),
        tf32=table.scaled("tf32_tflops", 1e12),
        bf16_native=False,
        cuda_min=values.get("cuda_min", ""),
        cuda_max=values.get("cuda_max"),
        source=values.get("source", table.file),
    )


def target_of(table: HardwareTable, gpu: Gpu | None) -> Target:
    """Build a Target around its GPU; raise UsageError naming file and key where the table is wrong."""
    table.check()
    values = table.values
    count = values.get("gpu_count", 1 if gpu else 0)
    if (gpu is None) != (count == 0):
        raise table.error("gpu_count", f"{count} GPUs, but {'no' if gpu is None else 'a'} gpu is named")
    return Target(
        name=table.name,
        gpu=gpu,
        gpu_count=count,
        cpu_cores=values.get("cpu_cores"),
        ram=table.whole("ram_gib", GIB),
        shm=table.whole("shm_gib", GIB),
        disk=table.whole("disk_gb", 10**9),
        session_h=values.get("session_h"),
        session_budget_h=values.get("session_budget_h", values.get("session_h")),
        weekly_h=values.get("weekly_h"),
        torch=values.get("torch"),
        cuda=values.get("cuda"),
        attention=values.get("attention"),
        broken=values.get("broken"),
        price=_price(table),
        source=values.get("source", table.file),
        note=values.get("note", ""),
    )


def _price(table: HardwareTable) -> Price | None:
    """Return what an hour costs; an undated price is refused, and so is a date without one."""
    keys = ("usd_per_hour", "price_date", "price_source")
    if not any(key in table.values for key in keys):
        return None
    hourly, date, source = map(table.need, keys)
    return Price(float(hourly), date, source)
