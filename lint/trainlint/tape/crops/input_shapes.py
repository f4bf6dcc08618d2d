# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inputs that a step writes as shapes: their heights and widths, and those of the targets that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeGuard

IMAGE: Final = 3
"""Numbers in the shape of an image: channels, height, width."""
PLANE_DIMENSIONS: Final = 2
"""Numbers in the shape of a map of classes: height, width."""

Place = tuple[str | int, ...]
"""Where a number is in a step's options, and in the config: ("input", 1), or ("target", 0, 2) in a list."""


def sizes(options: Mapping[str, Any]) -> dict[Place, int]:
    """Return the heights and widths that grow together, the height of the first image first.

    {} where no input is an image, or where one has more than two dimensions besides its channels.
    """
    images = {place: shape for place, shape in _shapes(options, "input") if len(shape) == IMAGE}
    if not images or any(len(shape) > IMAGE for _, shape in _shapes(options, "input")):
        return {}
    sides = {(*place, index): shape[index] for place, shape in images.items() for index in (1, 2)}
    aspects = {Fraction(shape[1], shape[2]): shape for shape in images.values()}
    for place, shape in _shapes(options, "target"):
        first = len(shape) - PLANE_DIMENSIONS
        if len(shape) in (PLANE_DIMENSIONS, IMAGE) and Fraction(shape[first], shape[first + 1]) in aspects:
            sides |= {(*place, index): shape[index] for index in (first, first + 1)}
    return sides


def resized(options: Mapping[str, Any], changed: Mapping[Place, int]) -> dict[str, Any]:
    """Return options with other heights and widths."""
    return {
        name: _resized(value, (name,), changed) if name in ("input", "target") else value
        for name, value in options.items()
    }


def _resized(value: Any, place: Place, changed: Mapping[Place, int]) -> Any:
    if isinstance(value, list | tuple):
        return [_resized(item, (*place, index), changed) for index, item in enumerate(value)]
    return changed.get(place, value)


def _shapes(options: Mapping[str, Any], name: str) -> Iterator[tuple[Place, Sequence[int]]]:
    """Yield the shapes of an option, which has one or a list of them."""
    written = options.get(name)
    if _is_shape(written):
        yield (name,), written
    elif isinstance(written, list | tuple):
        for index, shape in enumerate(written):
            if _is_shape(shape):
                yield (name, index), shape


def _is_shape(value: Any) -> TypeGuard[Sequence[int]]:
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in value)
    )
