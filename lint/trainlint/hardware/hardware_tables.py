# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tables of gpus.toml and of the user's files of that shape: read, and checked key by key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from trainlint.errors import UnreadableError, UsageError
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.shipped import compiled
from trainlint.shipped.resource_paths import resource

GPUS = "gpus"
"""The file of tables that is shipped, without its ending."""
GPU_KEYS: Mapping[str, str] = {
    "names": "texts", "vendor": "text", "arch": "text", "compute_capability": "capability", "sms": "whole",
    "memory_gb": "positive", "smi_mib": "whole", "torch_mib": "whole", "context_mib": "whole",
    "context_low_mib": "whole", "context_high_mib": "whole", "context_source": "text",
    "bandwidth_gbs": "positive", "fp32_tflops": "positive", "fp16_tflops": "positive",
    "bf16_tflops": "positive", "tf32_tflops": "positive",
    "cuda_min": "toolkit", "cuda_max": "toolkit", "source": "text", "note": "text",
}  # fmt: skip
TARGET_KEYS: Mapping[str, str] = {
    "gpu": "text", "gpu_count": "count", "cpu_cores": "whole", "ram_gib": "positive", "shm_gib": "positive",
    "disk_gb": "positive", "session_h": "hours", "session_budget_h": "hours",
    "weekly_h": "of a week", "usd_per_hour": "positive", "price_date": "date", "price_source": "text",
    "torch": "version", "cuda": "toolkit", "attention": "kernels", "broken": "text", "source": "text",
    "note": "text",
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
    "kernels": ('"math"', lambda value: value == "math"),
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


class HardwareTable(Struct, frozen=True):
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
                from trainlint.config.schema_errors import expected  # noqa: PLC0415  # not for what is right

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
    content = compiled.data().tables.get(GPUS) or shipped_tables() if shipped else _values(path)
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
    from trainlint.config.toml import toml_values  # noqa: PLC0415 - for a user's own tables

    try:
        return toml_values(source_of(regular_bytes(str(path), FOREIGN_BYTES), str(path)))
    except UnreadableError as error:
        line = f":{error.line}" if error.line else ""
        raise UsageError(f"{path}{line}: cannot be read as hardware tables: {error}") from error


def _located(file: str, keys: tuple[str, ...]) -> str:
    """Return "file:line" of a key of a table, or of the table where it lacks the key."""
    from trainlint.config.toml import parse_toml  # noqa: PLC0415 - to say what is wrong with one

    try:
        (document,) = parse_toml(source_of(regular_bytes(file, FOREIGN_BYTES), file))
    except (OSError, UnreadableError):
        return file
    return document.located(keys)
