# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A grid of trainlint's own: a config, and for each key the values that it takes.

config: options/train.yml
grid:
datasets.train.batch_size_per_gpu: [2, 4, 8]
/datasets/train/lq_size: {from: 32, to: 128, step: 16}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainlint.errors import UsageError


def is_grid(value: Any) -> bool:
    """Return whether a document is such a grid."""
    return isinstance(value, Mapping) and "grid" in value and "config" in value


def grid_of(value: Mapping[str, Any]) -> tuple[str, list[tuple[str, list[Any] | range]]]:
    """Return the config's path as it is written, and each key with its values; UsageError for nonsense."""
    for key in value:
        if key not in ("config", "grid"):
            raise UsageError(f'"{key}" is not a key of a grid; expected config, grid')
    config, grid = value["config"], value["grid"]
    if not isinstance(config, str):
        raise UsageError(f"config: expected the path of a config, found {config!r}")
    if not isinstance(grid, Mapping) or not grid:
        raise UsageError(f"grid: expected a mapping of keys to their values, found {grid!r}")
    return config, list(_values(grid))


def _values(grid: Mapping[str, Any]) -> Iterator[tuple[str, list[Any] | range]]:
    for key, what in grid.items():
        if isinstance(what, list) and what:
            yield str(key), what
        elif isinstance(what, Mapping) and {"from", "to"} <= what.keys() <= {"from", "to", "step"}:
            numbers = [what["from"], what["to"], what.get("step", 1)]
            if not all(type(number) is int for number in numbers) or numbers[2] < 1:
                raise UsageError(f"grid.{key}: expected whole numbers, and a step above 0")
            yield str(key), range(numbers[0], numbers[1] + 1, numbers[2])
        else:
            raise UsageError(
                f"grid.{key}: expected a list of values or {{from: 1, to: 8, step: 1}}, found {what!r}"
            )
