# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sweep judged: what becomes of every combination on one target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from trainlint.errors import UsageError
from trainlint.model.document import Document
from trainlint.model.job import Job
from trainlint.model.target import Target
from trainlint.sweep.axis import Axis
from trainlint.sweep.rule_table import Classes, Mark, RuleMarks, classes_by
from trainlint.sweep.rule_tables import Judging
from trainlint.sweep.step_task import Done, Task
from trainlint.sweep.swept_base import Base
from trainlint.sweep.swept_factors import CoupledError, Factors, Indices

if TYPE_CHECKING:
    from trainlint.pipeline.pipeline import Pipeline
    from trainlint.settings.settings import Settings

MOST_WHOLE: Final = 500
"""Combinations of the axes that are no factors: each is a sweep of the others by itself."""
MOST_CELLS: Final = 5_000_000
"""Combinations of values that are not alike."""

MOST_AXES: Final = 24
"""Keys that are varied: every two of them are read together at their ends, each pair some 4 ms."""

Do = Callable[[Sequence[Task]], Done]
"""Does the tasks."""


class CombinationVerdict(Struct, frozen=True):
    """What becomes of a combination; `rules` are those that fail, or that are open."""

    mark: Mark
    rules: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


class Swept(Struct, frozen=True, dict=True):
    """A sweep on one target: what is judged for each combination of the `coupled` axes' values.

    `steps` counts distinct steps, `traced` and `seconds` what had to be traced for them, `replays` the
    batches that live tensors left open.
    """

    base: Base
    target: Target
    coupled: tuple[int, ...]
    judged: Mapping[Indices, Judging]
    steps: int
    replays: int
    traced: int
    seconds: float

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What is varied."""
        return self.base.axes

    @property
    def combinations(self) -> int:
        """How many there are."""
        total = 1
        for axis in self.axes:
            total *= len(axis.values)
        return total

    @property
    def unjudged(self) -> Mapping[str, str]:
        """Rules that are not judged, and why."""
        return {name: why for judging in self.judged.values() for name, why in judging.unjudged.items()}

    def verdict(self, combination: Indices) -> CombinationVerdict:
        """Return what becomes of a combination: it fails where it does in every reading.

        One that fails in some of them alone is open.
        """
        whole = tuple(combination[axis] for axis in self.coupled)
        judging = self.judged[whole]
        fails: list[set[str]] = [set() for _ in judging.factors.jobs]
        open_: dict[str, str] = {}
        for table in self._tables[whole]:
            mark = table.mark(combination)
            if mark is Mark.FAIL:
                fails[table.reading].add(table.rule)
            elif mark is Mark.OPEN:
                open_[table.rule] = table.why[table.classes.key(combination)]
        if all(fails):
            return CombinationVerdict(Mark.FAIL, tuple(sorted(set.intersection(*fails) or set.union(*fails))))
        if any(fails):
            named = zip(judging.factors.jobs, fails, strict=True)
            readings = " and ".join(job.reading or "one reading" for job, rules in named if rules)
            why = (f"fails {readings}", *dict.fromkeys(open_.values()))
            return CombinationVerdict(Mark.OPEN, tuple(sorted({*set.union(*fails), *open_})), why)
        if open_:
            return CombinationVerdict(Mark.OPEN, tuple(sorted(open_)), tuple(dict.fromkeys(open_.values())))
        return CombinationVerdict(Mark.PASS)

    @cached_property
    def _tables(self) -> Mapping[Indices, tuple[RuleMarks, ...]]:
        return {
            key: tuple(table for table in judging.tables if table.marks)
            for key, judging in self.judged.items()
        }

    @cached_property
    def classes(self) -> Classes:
        """The values of each axis, those that no rule can distinguish in one class."""
        everything = [table for tables in self._tables.values() for table in tables]

        def key(axis: int, index: int) -> tuple[int, ...]:
            if axis in self.coupled:
                return (index,)
            return tuple(table.classes.of[axis][index] for table in everything if axis in table.classes.of)

        return classes_by(range(len(self.axes)), [len(axis.values) for axis in self.axes], key)

    @cached_property
    def cells(self) -> Mapping[Indices, tuple[int, CombinationVerdict]]:
        """For each combination of classes, how many combinations it has and what becomes of them."""
        if self.classes.count > MOST_CELLS:
            raise UsageError(f"{self.classes.count:,} combinations differ; at most {MOST_CELLS:,} are judged")
        sizes = {
            axis: [numbers.count(number) for number in range(max(numbers) + 1)]
            for axis, numbers in self.classes.of.items()
        }
        alike = self.combinations
        for axis in self.classes.of:
            alike //= len(self.axes[axis].values)
        verdicts = {}
        first = (0,) * len(self.axes)
        for key, chosen in self.classes:
            weight = alike
            for axis, number in zip(self.classes.of, key, strict=True):
                weight *= sizes[axis][number]
            verdicts[key] = weight, self.verdict(self.classes.whole(first, chosen))
        return verdicts

    def count(self, mark: Mark) -> int:
        """Return how many combinations come to this."""
        return sum(weight for weight, verdict in self.cells.values() if verdict.mark is mark)

    def every(self) -> Iterator[tuple[Indices, CombinationVerdict]]:
        """Yield every combination with what becomes of it."""
        cells = self.cells
        for combination in product(*(range(len(axis.values)) for axis in self.axes)):
            yield combination, cells[self.classes.key(combination)][1]


def sweep(pipeline: Pipeline, base: Base, target: Target, settings: Settings, do: Do) -> Swept:
    """Judge every combination of a base's axes on a target; UsageError for what is no training job."""

    def place(document: Document) -> tuple[Job, ...]:
        jobs = pipeline.jobs(document)
        if not jobs:
            raise UsageError(f"{base.path}: it makes no training job that trainlint knows")
        placed = pipeline.readings(jobs, target)
        if placed[0].skip is not None:
            raise UsageError(f"{base.path}: {placed[0].skip}")
        return placed

    if len(base.axes) > MOST_AXES:
        raise UsageError(f"{base.path}: {len(base.axes)} keys are varied, expected at most {MOST_AXES}")
    judged, coupled = _factored(base, place, pipeline, target, settings)
    tasks = [judging.tasks() for judging in judged.values()]
    done = do([task for own_tasks in tasks for task in own_tasks])
    start = 0
    for judging, own_tasks in zip(judged.values(), tasks, strict=True):
        judging.finish(done.results[start : start + len(own_tasks)])
        start += len(own_tasks)
    steps = sum(judging.steps for judging in judged.values())
    replays = sum(result.replays for result in done.results)
    return Swept(base, target, coupled, judged, steps, replays, done.traced, done.seconds)


def _factored(
    base: Base,
    place: Callable[[Document], tuple[Job, ...]],
    pipeline: Pipeline,
    target: Target,
    settings: Settings,
) -> tuple[dict[Indices, Judging], tuple[int, ...]]:
    """Return what is judged for each combination of the axes that are no factors, and these."""
    coupled: list[int] = []
    while True:
        try:
            return {
                whole: Judging(
                    Factors(base, place, dict(zip(coupled, whole, strict=True))),
                    pipeline.rules,
                    target,
                    settings.at(base.path),
                )
                for whole in product(*(range(len(base.axes[axis].values)) for axis in coupled))
            }, tuple(coupled)
        except CoupledError as error:
            coupled.append(error.axis)
            count = 1
            for axis in coupled:
                count *= len(base.axes[axis].values)
            if count > MOST_WHOLE:
                names = ", ".join(base.axes[axis].key for axis in coupled)
                raise UsageError(
                    f"{base.path}: what {names} do depends on one another, and their {count:,} combinations "
                    f"would have to be read one by one (at most {MOST_WHOLE}): give fewer values"
                ) from None
