# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GPUs that share a product name: the same chip in two memory sizes, as NVIDIA sells some (RTX 4060 Ti)."""

from __future__ import annotations

from collections.abc import Iterable

from trainlint.hardware.gpu_names import words
from trainlint.hardware.hardware_tables import HardwareTable


def check_name(table: HardwareTable, gpus: Iterable[HardwareTable], *, sizes: bool) -> None:
    """Refuse a GPU with the name of another chip: UsageError with its file, line and the other's.

    `sizes`: refuse the same chip in the same memory size, too. A user's own table may be a listed card as it
    was measured; a shipped one would only make the name ambiguous.
    """
    names = {words(name): name for name in table.values.get("names", ())}
    for other in gpus:
        shared = [names[words(name)] for name in other.values.get("names", ()) if words(name) in names]
        if not shared or other is table:
            continue
        here, there = (gpu.values.get("compute_capability") for gpu in (table, other))
        if here is not None and there is not None and here != there:
            why = f"its compute capability is {there}, not {here}"
        elif sizes and table.values["memory_gb"] == other.values["memory_gb"]:
            why = f"it has {other.values['memory_gb']} GB as well"
        else:
            continue
        raise table.error(
            "names",
            f'"{shared[0]}" is a name of [gpu.{other.name}] at {other.place("names")}, and {why}: '
            "expected a name of its own, or the same chip in another memory size",
        )
