# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the program read of the GPU that nobody knows: where, how often, and what it was told."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from trainlint.trace.dry_run.doubts import Doubt
from trainlint.trace.dry_run.operators.asserted_values import asserted, validates
from trainlint.trace.dry_run.program_place import Place, place_of, places_of

PATIENCE = 200
"""Times that a place is told the same of a condition, before it is once told the opposite: it may be a loop
that draws until all fits."""
RECENT_PLACES = 8
"""Places of guesses that a crash may come of: what handles its error may read values again."""
GUESSED_SPREAD = 0.1
"""By how much the numbers of a tensor of unknown values differ: what a program works out of equal ones (a
variance, a fit) may be none."""
MOST_SPREAD = 1 << 24
"""Numbers above which a tensor is of one value after all: to draw them takes time."""
FRACTIONS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


class Guess(NamedTuple):
    """One place at which a value or a size was guessed."""

    what: str
    where: str
    shapes_depend: bool


class Guesses:
    """The constants of this run, and a count of their uses."""

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self.take(wanted)
        self.counts: dict[Guess, int] = {}
        self.recent: set[Guess] = set()
        """Those of the round that is under way."""
        self._lately: dict[tuple[Place, ...], tuple[Place, ...]] = {}
        self._asked: dict[tuple[int, int], int] = {}
        self._drawn = torch.Generator().manual_seed(0)  # the program's own draws stay what they are

    def take(self, wanted: Mapping[str, Any]) -> None:
        """Answer with these constants from here on."""
        self.number = wanted.get("value", 0)
        self.boolean = bool(wanted.get("boolean", True))
        self.high = wanted.get("sizes", "high") == "high"

    def value(self, what: str, dtype: torch.dtype) -> Any:
        """Return what an unknown value reads as."""
        place = self._count(what, shapes=False)
        constant = self.constant(dtype)
        if dtype != torch.bool:
            return constant
        if validates(sys._getframe(1)):  # noqa: SLF001 - documented, whatever its name: the caller's frame
            return True
        wanted = asserted(self._last[0]) if self._last else None
        if wanted is not None:
            return wanted
        self._asked[place] = self._asked.get(place, 0) + 1
        return constant if self._asked[place] % PATIENCE else not constant

    def constant(self, dtype: torch.dtype) -> Any:
        """Return the constant of a type."""
        if dtype == torch.bool:
            return self.boolean
        if dtype.is_complex:
            return complex(self.number)
        return float(self.number) if dtype.is_floating_point else int(self.number)

    def size(self, what: str, most: int, least: int = 0) -> int:
        """Return how many elements something has that depends on unknown values."""
        self._count(what, shapes=True)
        return most if self.high else least

    def tensor(self, what: str, wanted: Tensor, layout: Mapping[str, Any]) -> Tensor:
        """Return what a tensor of unknown values reads as that is brought to the CPU."""
        self._count(what, shapes=False)
        constant = self.constant(layout["dtype"])
        if not constant:
            made = torch.zeros_like(wanted, **layout)
        else:
            made = torch.full_like(wanted, constant, **layout)
        if layout["dtype"] in FRACTIONS and 1 < made.numel() <= MOST_SPREAD:
            apart = torch.rand(made.shape, generator=self._drawn, dtype=made.dtype, device=made.device)
            made.add_(apart, alpha=-GUESSED_SPREAD if constant else GUESSED_SPREAD)
        return made

    def _count(self, what: str, *, shapes: bool) -> tuple[int, int]:
        """Count a use, and return where in a call of a function it is."""
        frame = place_of(sys._getframe(1))  # noqa: SLF001 - documented, whatever its name: the caller's frame
        where = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "?"
        guess = Guess(what, where, shapes)
        self.counts[guess] = self.counts.get(guess, 0) + 1
        self.recent.add(guess)
        self._last = places_of(frame)
        self._lately.pop(self._last[:1], None)
        self._lately[self._last[:1]] = self._last
        if len(self._lately) > RECENT_PLACES:
            del self._lately[next(iter(self._lately))]
        return (id(frame), frame.f_lasti) if frame else (0, 0)

    _last: tuple[Place, ...] = ()

    def doubts(self) -> list[Doubt]:
        """Return what a crash may come of: the last guesses, the newest first."""
        return [
            Doubt(places, f"a value was guessed in {place.file}:{place.line}")
            for places in reversed(self._lately.values()) for place in places[:1]
        ]  # fmt: skip

    def forget(self) -> None:
        """Begin again."""
        self.counts.clear()
        self.recent.clear()
        self._last = ()
        self._lately.clear()

    def report(self) -> list[dict[str, Any]]:
        """Return every place, the most frequent first."""
        ordered = sorted(self.counts.items(), key=lambda item: -item[1])
        return [
            {"what": g.what, "where": _short(g.where), "count": n, "shapes_depend": g.shapes_depend}
            for g, n in ordered
        ]


def _short(where: str) -> str:
    path, _, line = where.rpartition(":")
    try:
        return f"{Path(path).resolve().relative_to(Path.cwd())}:{line}"
    except ValueError:
        return where
