# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Values of a document by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.model.document import Path

_ABSENT: Final = object()


def dig(value: Any, path: Path) -> Any:
    """Return the value at a path, or a private marker where there is none."""
    for step in path:
        inside = step in value if isinstance(value, Mapping) else _is_index(value, step)
        if not inside:
            return _ABSENT
        value = value[step]
    return value


def _is_index(value: Any, step: str | int) -> bool:
    return isinstance(value, list | tuple) and isinstance(step, int) and step < len(value)


def absent(value: Any) -> bool:
    """Return whether `dig` found nothing."""
    return value is _ABSENT
