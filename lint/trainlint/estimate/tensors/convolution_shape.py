# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a convolution writes, by shape: its key has input and geometry (trace/recording/operator_cost.py)."""

from __future__ import annotations

import re
from math import prod
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.tape import Op

KEY: Final = later(
    r"(?P<direction>\S+) k(?P<kernel>\S+) (?P<outputs>\d+)o (?P<input>\S+)"
    r" s(?P<stride>\S+) p(?P<padding>\S+) d(?P<dilation>\S+) g(?P<groups>\d+)"
)
"""As `_shape_key` writes it: "forward k3x3 64o 3x224x224 s2 p1 d1 g1".

A transposed convolution's key ("forward transposed k4x4 ...") lacks its output's channels and is not matched.
"""

ITEM: Final = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
"""Bytes of an element by its dtype."""


def shape_of(op: Op, size: int) -> tuple[int, ...]:
    """Return the shape of `size` bytes that a convolution wrote; () where the bytes say otherwise."""
    match = KEY.fullmatch(op.key)
    item = ITEM.get(op.dtype)
    if match is None or item is None:
        return ()
    if match["direction"] == "backward-weight":
        whole = _weight(match)
        return whole if prod(whole) * item == size else ()
    sample = _numbers(match["input"]) if match["direction"] == "backward-data" else _output(match)
    count, rest = divmod(size, max(1, prod(sample) * item))
    return (count, *sample) if count and not rest else ()


def _output(match: re.Match[str]) -> tuple[int, ...]:
    _, *sides = _numbers(match["input"])
    kernel, stride, padding, dilation = (
        _sides(match[name], len(sides)) for name in ("kernel", "stride", "padding", "dilation")
    )
    reach = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    output_sides = [
        (i + 2 * p - r - 1) // s + 1 for i, s, p, r in zip(sides, stride, padding, reach, strict=True)
    ]
    return (int(match["outputs"]), *output_sides)


def _weight(match: re.Match[str]) -> tuple[int, ...]:
    inputs = _numbers(match["input"])[0] // int(match["groups"])
    return (int(match["outputs"]), inputs, *_numbers(match["kernel"]))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("x")))


def _sides(text: str, count: int) -> tuple[int, ...]:
    """Return a number for every side; the key writes one that they share once."""
    numbers = _numbers(text)
    return numbers if len(numbers) == count else numbers * count
