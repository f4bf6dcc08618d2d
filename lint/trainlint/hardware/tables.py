# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tables of gpus.toml and of the user's files of that shape: read, checked, turned into Gpu and Target."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from trainlint import compiled
from trainlint.errors import UnreadableError, UsageError
from trainlint.hardware.context import Context, by_rate, observed
from trainlint.hardware.memory import MIB, context_mib, torch_mib
from trainlint.hardware.model import NVIDIA, Gpu, Price, Target
from trainlint.lean import dataclass, replace
from trainlint.patterns import later
from trainlint.read.limits import FOREIGN_BYTES
from trainlint.read.source import regular_bytes, source_of
from trainlint.resources import resource

GPUS = "gpus"
"""The file of tables that is shipped, without its ending."""
GIB = 2**30
BF16_SINCE = 8.0  # compute capability of the first tensor cores with bfloat16 (Ampere)
UNITS_APART = 10  # what torch sees is 0.85 to 1.02 of what is sold on every card of gpus.toml; MB are 1024
OTHERS: Mapping[str, re.Pattern[str]] = {
    "AMD": later(r"\b(amd|radeon|instinct|mi\d{2,3}[ax]?|rx[- ]?\d{4}|gfx\d+\w*)\b", re.IGNORECASE),
    "Intel": later(r"\b(intel|gaudi\d?|arc[- ]?[ab]\d{3})\b", re.IGNORECASE),
}
"""Vendors other than NVIDIA, by words in a card's names."""

GPU_KEYS: Mapping[str, str] = {
    "names": "texts", "vendor": "text", "arch": "text", "compute_capability": "capability", "sms": "whole",
    "memory_gb": "positive", "smi_mib": "whole", "torch_mib": "whole", "context_mib": "whole",
    "context_low_mib": "whole", "context_high_mib": "whole", "context_source": "text",
    "bandwidth_gbs": "positive", "fp32_tflops": "positive", "fp16_tflops": "positive",
    "bf16_tflops": "positive", "tf32_tflops": "positive",
    "cuda_min": "text", "cuda_max": "text", "source": "text", "note": "text",
}  # fmt: skip
TARGET_KEYS: Mapping[str, str] = {
    "gpu": "text", "gpu_count": "count", "cpu_cores": "whole", "ram_gib": "positive", "shm_gib": "positive",
    "disk_gb": "positive", "session_h": "hours", "session_budget_h": "hours",
    "weekly_h": "of a week", "usd_per_hour": "positive", "price_date": "date", "price_source": "text",
    "torch": "version", "cuda": "toolkit", "broken": "text", "source": "text", "note": "text",
}  # fmt: skip
"""Key -> kind; gpus.toml's header says what each means."""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _matches(pattern: str, value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "text": ("text", lambda value: isinstance(value, str) and value.strip() != ""),
    "texts": (
        "a list of texts",
        lambda value: isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value),
    ),
    "whole": ("a whole number above 0", lambda value: type(value) is int and value > 0),
    "count": ("a whole number, 0 or more", lambda value: type(value) is int and value >= 0),
    "version": ('a version in quotes such as "2.7.1"', lambda value: _matches(r"\d+\.\d+(\.\w+)?", value)),
    "toolkit": ('a version in quotes such as "12.8"', lambda value: _matches(r"\d+\.\d+", value)),
    "date": ('a day in quotes such as "2026-07-21"', lambda value: _matches(r"20\d\d-[01]\d-[0-3]\d", value)),
    "capability": (
        "a compute capability such as 8.6, below 20",
        lambda value: _is_number(value) and 0 < value < 20,  # noqa: PLR2004  # Rubin, of 2026, has 10.7
    ),
    "hours": (
        "hours, above 0 and at most those of a year",
        lambda value: _is_number(value) and 0 < value <= 366 * 24,
    ),
    "of a week": ("hours, above 0 and at most 168", lambda value: _is_number(value) and 0 < value <= 7 * 24),
    "positive": ("a number above 0", lambda value: _is_number(value) and 0 < value < float("inf")),
}


class TableError(UsageError):
    """A slip in a table, with its file and line."""


@dataclass(frozen=True, slots=True)
class HardwareTable:
    """One table as written; `file` is what messages name."""

    kind: str  # gpu or target
    name: str
    file: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def error(self, key: str, message: str) -> TableError:
        """Return the error to raise about one of the table's keys."""
        return TableError(f'{self.place(key)}: [{self.kind}.{self.name}] "{key}": {message}')

    def place(self, key: str) -> str:
        """Return "file:line" of one of the table's keys, or of the table where it lacks the key."""
        return _located(self.file, (self.kind, self.name, key))

    def merged(self, other: HardwareTable) -> HardwareTable:
        """Return this table with another one's keys over it."""
        return HardwareTable(self.kind, self.name, other.file, {**self.values, **other.values})

    def check(self) -> None:
        """Raise UsageError for an unknown key or a value of the wrong kind."""
        keys = GPU_KEYS if self.kind == "gpu" else TARGET_KEYS
        for key, value in self.values.items():
            if key not in keys:
                from trainlint.slips import expected  # noqa: PLC0415  # not for what is right

                raise self.error(key, f"unknown key{expected(key, list(keys))}")
            wanted, holds = KINDS[keys[key]]
            if not holds(value):
                raise self.error(key, f"expected {wanted}, found {value!r}")

    def need(self, key: str) -> Any:
        """Return a value; raise UsageError where it is missing."""
        if key not in self.values:
            keys = GPU_KEYS if self.kind == "gpu" else TARGET_KEYS
            raise self.error(key, f"missing, expected {KINDS[keys[key]][0]}")
        return self.values[key]

    def scaled(self, key: str, unit: float) -> float:
        """Return a number in base units; 0 where it is absent."""
        return float(self.values.get(key, 0) * unit)

    def whole(self, key: str, unit: int) -> int | None:
        """Return a number in base units, rounded; None where it is absent."""
        return round(self.values[key] * unit) if key in self.values else None


def shipped_tables() -> dict[str, Any]:
    """Return gpus.toml as it is written: it needs none of the limits that hold for the files of others."""
    import tomli  # noqa: PLC0415 - where they were not kept yet

    path = resource(f"{GPUS}.toml")
    try:
        return tomli.loads(path.read_text(encoding="utf-8"))
    except tomli.TOMLDecodeError:
        return _values(path)  # which says where


def read_tables(path: Path, *, shipped: bool = False) -> list[HardwareTable]:
    """Read the tables of one file, unchecked but for their shape; raise UsageError for anything else."""
    content = compiled.data()["tables"].get(GPUS) or shipped_tables() if shipped else _values(path)
    tables = []
    for kind, named in content.items():
        if kind not in {"gpu", "target"} or not isinstance(named, dict):
            where = _located(str(path), (kind,))
            raise UsageError(f'{where}: "{kind}": expected only tables [gpu.NAME] and [target.NAME]')
        if not named:
            raise UsageError(f"{_located(str(path), (kind,))}: [{kind}] is empty: expected [{kind}.NAME]")
        for name, values in named.items():
            if not isinstance(values, dict):
                where = _located(str(path), (kind, name))
                raise UsageError(f'{where}: "{kind}.{name}": expected a table, found {values!r}')
            if not values:
                where = _located(str(path), (kind, name))
                raise UsageError(f"{where}: [{kind}.{name}] is empty: expected a key")
            tables.append(HardwareTable(kind, name, str(path), values))
    if not tables:
        raise UsageError(f"{path}:1: no table is in it: expected [gpu.NAME] or [target.NAME]")
    return tables


def _values(path: Path) -> dict[str, Any]:
    from trainlint.read.toml import toml_values  # noqa: PLC0415 - for a user's own tables

    try:
        return toml_values(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    except UnreadableError as error:
        line = f":{error.line}" if error.line else ""
        raise UsageError(f"{path}{line}: cannot be read as hardware tables: {error}") from error


def _located(file: str, keys: tuple[str, ...]) -> str:
    """Return "file:line" of a key of a table, or of the table where it lacks the key."""
    from trainlint.read.toml import parse_toml  # noqa: PLC0415 - to say what is wrong with one

    try:
        (document,) = parse_toml(source_of(regular_bytes(file, FOREIGN_BYTES), file))
    except (OSError, UnreadableError):
        return file
    return document.located(keys)


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
    found = observed(size, f"the GPU table: {values['context_source']}", low, high)
    if not found.low <= size <= found.high:
        raise table.error("context_mib", f"{size // MIB} MiB is not between its own ends")
    return found


def _vendor(table: HardwareTable) -> str:
    """Return who makes a GPU: as written, or as its names say."""
    names = " ".join([table.name, *table.values.get("names", ())])
    found = next((vendor for vendor, words in OTHERS.items() if words.search(names)), NVIDIA)
    written = str(table.values.get("vendor", found))
    return next((known for known in (NVIDIA, *OTHERS) if known.casefold() == written.casefold()), written)


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
