# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Values of a document by their paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainlint.model.document import Path

_ABSENT: Final = object()
_MAPPING_TYPES: Final = (dict, Mapping)
"""For isinstance, which asks in order: a dict is told at once, and nearly all are."""


def dig(value: Any, path: Path) -> Any:
    """Return the value at a path, or a private marker where there is none."""
    for step in path:
        inside = step in value if isinstance(value, _MAPPING_TYPES) else _is_index(value, step)
        if not inside:
            return _ABSENT
        value = value[step]
    return value


def _is_index(value: Any, step: str | int) -> bool:
    return isinstance(value, list | tuple) and isinstance(step, int) and step < len(value)


def absent(value: Any) -> bool:
    """Return whether `dig` found nothing."""
    return value is _ABSENT


def differences(old: Any, new: Any) -> Iterator[Path]:
    """Yield the paths of leaves that differ in value or type, or are on one side only (any depth)."""
    stack: list[tuple[Path, Any, Any]] = [((), old, new)]
    while stack:
        path, first, second = stack.pop()
        if first is second:
            continue
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            both = [key for key in first if key in second]
            stack += [((*path, key), first[key], second[key]) for key in both]
            yield from ((*path, key) for key in {**first, **second} if key not in first or key not in second)
        elif isinstance(first, list | tuple) and type(first) is type(second) and len(first) == len(second):
            stack += [((*path, index), *pair) for index, pair in enumerate(zip(first, second, strict=True))]
        elif not _same(first, second):
            yield path


def _same(first: Any, second: Any) -> bool:
    """Compare with the type, and NaN as itself."""
    return type(first) is type(second) and (first == second or (first != first and second != second))  # noqa: PLR0124  # NaN alone differs from itself
