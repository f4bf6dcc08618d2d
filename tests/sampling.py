# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Parameters of which the quick set or the rest has a sample: what one promise says of hundreds of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def sampled(values: Sequence[Any], quick: int = 4) -> list[Any]:
    """Return all values as parameters: a few, spread evenly, are in the quick set, the others in the rest."""
    step = max(1, -(-len(values) // quick))
    return [
        value if number % step == 0 else pytest.param(*_whole(value), marks=pytest.mark.rest)
        for number, value in enumerate(values)
    ]


def paired(values: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """Return each value with each of the others: one of its pairs, another for every value, is not slow."""
    return [
        pytest.param(
            value, *_whole(others[(number + further) % len(others)]), marks=[pytest.mark.slow] * (further > 0)
        )
        for number, value in enumerate(values)
        for further in range(len(others))
    ]


def _whole(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
