# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A peak as a table: a row for each kind of memory, a column for each network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from trainlint.model.units import GIB, MIB
from trainlint.report.aligned_columns import columns_of
from trainlint.report.memory.kind_text import MEANINGS, name_of
from trainlint.report.style import Style, printable

if TYPE_CHECKING:
    from trainlint.estimate.explain.breakdown import Breakdown
    from trainlint.estimate.memory.workload import Workload

NO_VALUE = "-"
IN_MIB_UP_TO = 2 * GIB
"""Up to here the table is in MiB."""
SMALLER_KINDS = "smaller kinds"
"""The row of the kinds that the table's last digit would not show."""


class Unit(Struct, frozen=True):
    """What the table counts in: the smallest figure that it shows, in bytes."""

    name: str
    step: float
    digits: int

    def steps(self, size: int) -> int:
        """Return how many of its smallest figure a size is."""
        return round(size / self.step)

    def text(self, steps: int) -> str:
        """Write a number of steps as a figure."""
        return f"{steps / 10**self.digits:,.{self.digits}f}"


GIBIBYTES = Unit("GiB", GIB / 100, 2)
MEBIBYTES = Unit("MiB", MIB, 0)

FIGURE_ROWS = 3
"""Rows of the whole process's figures: expect, worst, least."""


class MemoryRow(Struct, frozen=True):
    """A line of the table in steps of its unit: a figure for each network (None: none) and the total."""

    name: str
    cells: Sequence[int | None]
    total: int
    meaning: str


def unit_of(workload: Workload) -> Unit:
    """Return the unit that suits a workload."""
    return MEBIBYTES if workload.memory.expect < IN_MIB_UP_TO else GIBIBYTES


def render_table(parts: Breakdown, workload: Workload, style: Style) -> Iterator[str]:
    """Yield the table; the totals of the kinds sum to the tensors', and with what is beyond to `expect`."""
    unit = unit_of(workload)
    kinds = list(_kinds(parts, unit))
    sums = [sum(steps or 0 for steps in column) for column in zip(*(row.cells for row in kinds), strict=True)]
    rows = [*kinds, MemoryRow("tensors", sums, sum(row.total for row in kinds), "alive at the peak")]
    rows += _beyond(workload, unit)
    bold = (0, len(kinds) + 1, len(rows) + 1 - FIGURE_ROWS)
    head = (unit.name, *map(printable, parts.by_network), "total")
    lines = columns_of([head, *(_texts(row, unit, len(parts.by_network)) for row in rows)])
    for number, (line, meaning) in enumerate(zip(lines, ("", *(row.meaning for row in rows)), strict=True)):
        shown = style.paint("bold", line) if number in bold else line
        yield f"{shown}  {style.paint('dim', meaning)}".rstrip()


def _texts(row: MemoryRow, unit: Unit, networks: int) -> tuple[str, ...]:
    cells = [NO_VALUE if steps is None else unit.text(steps) for steps in row.cells] or [""] * networks
    return name_of(row.name), *cells, unit.text(row.total)


def _kinds(parts: Breakdown, unit: Unit) -> Iterator[MemoryRow]:
    """Yield a row for each kind that the unit shows, and one for the rest."""
    totals: Counter[str] = Counter()
    for kinds in parts.by_network.values():
        totals.update(kinds)
    lesser = [name for name, size in totals.items() if size < unit.step / 2]
    groups = {name: [name] for name, _ in totals.most_common() if len(lesser) == 1 or name not in lesser}
    if len(lesser) > 1:
        groups[SMALLER_KINDS] = lesser
    sizes = {group: sum(totals[name] for name in names) for group, names in groups.items()}
    shares = rounded(sizes, unit.step, unit.steps(parts.allocated))
    for group, names in groups.items():
        sizes = {
            network: sum(kinds.get(name, 0) for name in names) for network, kinds in parts.by_network.items()
        }
        steps = rounded(sizes, unit.step, shares[group])
        meaning = MEANINGS.get(group) or ", ".join(map(name_of, names))
        cells = [steps[network] if size else None for network, size in sizes.items()]
        yield MemoryRow(group, cells, shares[group], meaning)


def _beyond(workload: Workload, unit: Unit) -> Iterator[MemoryRow]:
    """Yield what lies between the tensors and nvidia-smi's figure, and the figures of the whole process."""
    memory = workload.memory
    left = unit.steps(memory.expect) - unit.steps(memory.allocated)
    for name, steps in rounded(workload.overhead, unit.step, left).items():
        if workload.overhead[name]:
            yield MemoryRow(name, (), steps, MEANINGS[name])
    seen = f"what nvidia-smi will show; torch sees {unit.text(unit.steps(memory.capacity))} here"
    least = "the smallest card it can run on, flushing the cache where it must"
    yield MemoryRow("expect", (), unit.steps(memory.expect), seen)
    yield MemoryRow("worst", (), unit.steps(memory.worst), "99 of 100 measured runs took no more")
    yield MemoryRow("least", (), unit.steps(memory.least), least)


def rounded(sizes: Mapping[str, int], step: float, whole: int) -> dict[str, int]:
    """Round sizes to multiples of `step` that sum to `whole` of them: by largest remainder."""
    steps = {name: int(size // step) for name, size in sizes.items()}
    ranked = sorted(sizes, key=lambda name: -(sizes[name] % step))
    for name in ranked[: max(0, whole - sum(steps.values()))]:
        steps[name] += 1
    return steps
