# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A table: what one rule says of a sweep, by the classes of the values of the axes that it looks at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import product

from msgspec import Struct, field

from trainlint.sweep.swept_factors import Indices


class Mark(IntEnum):
    """What becomes of a combination; the highest of its rules' decides."""

    PASS = 0
    OPEN = 1
    FAIL = 2


class Classes(Struct, frozen=True):
    """Values of some axes, those that are alike in one class: by axis, the class of each of its values."""

    of: Mapping[int, tuple[int, ...]]

    def __iter__(self) -> Iterator[tuple[Indices, Indices]]:
        """Yield each combination of classes: their numbers, and by axis the first value of each."""
        axes = list(self.of)
        for classes in product(*(sorted(set(self.of[axis])) for axis in axes)):
            yield (
                classes,
                tuple(self.of[axis].index(number) for axis, number in zip(axes, classes, strict=True)),
            )

    def number(self, axis: int, index: int) -> int:
        """Return the class of a value; 0 where all of its axis are alike."""
        return self.of[axis][index] if axis in self.of else 0

    def key(self, combination: Indices) -> Indices:
        """Return the classes of a combination."""
        return tuple(numbers[combination[axis]] for axis, numbers in self.of.items())

    def whole(self, first: Indices, chosen: Indices) -> Indices:
        """Return a combination with these values, the others as in `first`."""
        indices = list(first)
        for axis, index in zip(self.of, chosen, strict=True):
            indices[axis] = index
        return tuple(indices)

    @property
    def count(self) -> int:
        """Combinations of classes."""
        total = 1
        for numbers in self.of.values():
            total *= len(set(numbers))
        return total


def classes_by(axes: Sequence[int], sizes: Sequence[int], key: Callable[[int, int], Hashable]) -> Classes:
    """Return the classes of values with the same key; axes whose values are all alike are left out."""
    numbers_of = {}
    for axis in axes:
        numbers: dict[Hashable, int] = {}
        class_numbers = tuple(
            numbers.setdefault(key(axis, index), len(numbers)) for index in range(sizes[axis])
        )
        if len(numbers) > 1:
            numbers_of[axis] = class_numbers
    return Classes(numbers_of)


class RuleMarks(Struct, frozen=True):
    """The marks of one rule in one reading; `why` says why it is open. What is not listed passes."""

    rule: str
    reading: int
    classes: Classes
    marks: Mapping[Indices, Mark]
    why: Mapping[Indices, str] = field(default_factory=dict)

    def mark(self, combination: Indices) -> Mark:
        """Return what the rule says of a combination."""
        return self.marks.get(self.classes.key(combination), Mark.PASS)
