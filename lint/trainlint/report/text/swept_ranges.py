# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where something holds: a set of combinations as few lines of ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trainlint.sweep.sweep import Swept
from trainlint.sweep.swept_factors import Indices

Box = Mapping[int, tuple[int, ...]]
"""By axis, the numbers of the values that are meant; an axis that is not in it takes all."""


def boxes(swept: Swept, keys: Iterable[Indices]) -> list[Box]:
    """Return combinations of classes as boxes that share none of them: axes of few classes first."""
    classes = swept.classes.of
    order = sorted(range(len(classes)), key=lambda position: len(set(list(classes.values())[position])))
    axes = [list(classes)[axis] for axis in order]
    wanted = frozenset(tuple(key[axis] for axis in order) for key in keys)
    return [
        {axis: _values(classes[axis], numbers) for axis, numbers in box.items()}
        for box in _boxes(wanted, axes, {axis: len(set(classes[axis])) for axis in axes})
    ]


def _boxes(
    wanted: frozenset[Indices], axes: list[int], sizes: Mapping[int, int]
) -> list[dict[int, tuple[int, ...]]]:
    """Return the boxes of combinations: values of the first axis with the same rest are one."""
    if not wanted:
        return []
    if not axes:
        return [{}]
    rests: dict[int, set[Indices]] = {}
    for number, *rest in wanted:
        rests.setdefault(number, set()).add(tuple(rest))
    alike: dict[frozenset[Indices], list[int]] = {}
    for number in sorted(rests):
        alike.setdefault(frozenset(rests[number]), []).append(number)
    merged_boxes = []
    for others, numbers in alike.items():
        whole = len(numbers) == sizes[axes[0]]
        mine = {} if whole else {axes[0]: tuple(numbers)}
        merged_boxes += [{**mine, **box} for box in _boxes(others, axes[1:], sizes)]
    return merged_boxes


def _values(classes: tuple[int, ...], numbers: tuple[int, ...]) -> tuple[int, ...]:
    wanted = set(numbers)
    return tuple(index for index, number in enumerate(classes) if number in wanted)


def ranges(values: tuple[Any, ...], indices: tuple[int, ...]) -> str:
    """Write values as text, three and more that follow one another as a range: "8 to 64, 128"."""
    runs: list[list[int]] = []
    for number in indices:
        if runs and number == runs[-1][-1] + 1 and _ascends(values, runs[-1][-1], number):
            runs[-1].append(number)
        else:
            runs.append([number])
    words = []
    for run in runs:
        if len(run) > 2:  # noqa: PLR2004 - two are no range
            words.append(f"{_text(values[run[0]])} to {_text(values[run[-1]])}")
        else:
            words += [_text(values[number]) for number in run]
    return ", ".join(words)


def _ascends(values: tuple[Any, ...], index: int, other: int) -> bool:
    pair = (values[index], values[other])
    return (
        all(isinstance(value, int | float) and not isinstance(value, bool) for value in pair)
        and pair[0] < pair[1]
    )


def _text(value: Any) -> str:
    return (
        f"{value:g}"
        if isinstance(value, float)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
    )
