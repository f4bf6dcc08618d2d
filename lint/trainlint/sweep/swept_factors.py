# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sweep in factors: what each value of each axis alone makes of the job, put together for any combination.

A million combinations cannot be read one by one. Each value is read with all other axes at their first; two
axes that change the same part of the spec are no factors, nor are two that together make something else. The
pairs of ends and a sample of all combinations are read whole and compared, so that this is not assumed.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product
from typing import Any, Final

from msgspec import Struct, field

from trainlint.config.value_by_path import absent, differences, dig
from trainlint.judge.problem_findings import network_problems
from trainlint.model.document import Document, Path
from trainlint.model.job import Job, Problem
from trainlint.model.spec import TrainSpec, Value
from trainlint.sweep.swept_base import Base

SAMPLED_COMBINATIONS: Final = 48
"""Combinations of all axes that are read whole."""
SEED: Final = 20_261_122
TAKEN_AWAY: Final = object()
"""Represents a part of the spec that a value takes away."""

Place = Callable[[Document], tuple[Job, ...]]
"""Returns a document's jobs on the target, one for each reading."""
Indices = tuple[int, ...]
"""A combination: which value of each axis."""
Flaw = tuple[str, Path, bool]
"""A problem by its rule, place and whether it is harmless; its words may hold the value."""


class CoupledError(Exception):
    """What an axis makes of the job depends on another: its values are to be taken one by one."""

    def __init__(self, axis: int) -> None:
        super().__init__(f"axis {axis}")
        self.axis = axis


class Change(Struct, frozen=True):
    """What one value of an axis changes of a job, next to the first one: parts of the spec, problems."""

    parts: Mapping[Path, Any] = field(default_factory=dict)
    problems: Mapping[Flaw, Problem | None] = field(default_factory=dict)
    """A problem that it brings; None for one that it takes away."""


class Factors:
    """A base's combinations by what each value changes; `fixed` are axes that are held at one value."""

    def __init__(self, base: Base, place: Place, fixed: Mapping[int, int]) -> None:
        self.base, self._place, self.fixed = base, place, fixed
        self.free = tuple(axis for axis in range(len(base.axes)) if axis not in fixed)
        self.first = tuple(fixed.get(axis, 0) for axis in range(len(base.axes)))
        self.jobs = self.read(self.first)
        self._plain = [_plain(job.spec) for job in self.jobs]
        self._flaws = [flaws(job) for job in self.jobs]
        self.changes = {
            axis: [self._change(axis, index) for index in range(len(base.axes[axis].values))]
            for axis in self.free
        }
        self._check_apart()
        self._check_whole()

    def document(self, combination: Indices) -> Document:
        """Return the document of a combination."""
        axes = self.base.axes
        return self.base.document([axis.values[index] for axis, index in zip(axes, combination, strict=True)])

    def read(self, combination: Indices) -> tuple[Job, ...]:
        """Return the jobs of a combination, read whole."""
        return self._place(self.document(combination))

    def spec(self, reading: int, combination: Indices) -> TrainSpec:
        """Return the placed spec of a combination in a reading."""
        fields = dict(self.jobs[reading].spec.fields)
        for axis in self.free:
            for path, value in self.changes[axis][combination[axis]][reading].parts.items():
                _set(fields, path, value)
        return TrainSpec(fields)

    def problems(self, reading: int, combination: Indices) -> dict[Flaw, Problem]:
        """Return the problems of a combination in a reading."""
        problems = dict(self._flaws[reading])
        changes = [self.changes[axis][combination[axis]][reading].problems for axis in self.free]
        for change in changes:
            problems |= {flaw: problem for flaw, problem in change.items() if problem is not None}
        for change in changes:
            for flaw, problem in change.items():
                if problem is None:
                    problems.pop(flaw, None)
        return problems

    def _change(self, axis: int, index: int) -> list[Change]:
        """Return what a value changes in every reading; CoupledError where the readings are others."""
        if index == self.first[axis]:
            return [Change() for _ in self.jobs]
        jobs = self.read((*self.first[:axis], index, *self.first[axis + 1 :]))
        if [job.reading for job in jobs] != [job.reading for job in self.jobs]:
            raise CoupledError(axis)
        changes = []
        for job, plain, known in zip(jobs, self._plain, self._flaws, strict=True):
            if (job.skip is None) != (self.jobs[0].skip is None):
                raise CoupledError(axis)
            mine, own = _plain(job.spec), flaws(job)
            parts = {path: _at(mine, path) for path in differences(plain, mine)}
            problems: dict[Flaw, Problem | None] = {f: own[f] for f in own if f not in known}
            changes.append(Change(parts, problems | dict.fromkeys(f for f in known if f not in own)))
        return changes

    def _check_apart(self) -> None:
        """Raise CoupledError, with the shorter axis, where two axes change the same part of the spec."""
        parts = {
            axis: {path for step_changes in changes for change in step_changes for path in change.parts}
            for axis, changes in self.changes.items()
        }
        for axis, other_axis in combinations(self.free, 2):
            if any(
                first[: len(second)] == second or second[: len(first)] == first
                for first in parts[axis]
                for second in parts[other_axis]
            ):
                raise CoupledError(self._shorter(axis, other_axis))

    def _check_whole(self) -> None:
        """Raise CoupledError where a combination that is read whole is not what its parts make of it."""
        for axis, other_axis in combinations(self.free, 2):
            for ends in product(self._ends(axis), self._ends(other_axis)):
                chosen = {**dict(enumerate(self.first)), axis: ends[0], other_axis: ends[1]}
                if not self.holds(tuple(chosen.values())):
                    raise CoupledError(self._shorter(axis, other_axis))
        for combination in self.sample(SAMPLED_COMBINATIONS if len(self.free) > 2 else 0):  # noqa: PLR2004 - pairs are above
            if not self.holds(combination):
                raise CoupledError(self._shorter(*self.free))

    def holds(self, combination: Indices) -> bool:
        """Return whether a combination, read whole, is what its parts make of it."""
        jobs = self.read(combination)
        if [job.reading for job in jobs] != [job.reading for job in self.jobs]:
            return False
        return all(
            _plain(job.spec) == _plain(self.spec(reading, combination))
            and flaws(job).keys() == self.problems(reading, combination).keys()
            for reading, job in enumerate(jobs)
        )

    def sample(self, count: int) -> Iterator[Indices]:
        """Yield combinations by chance, the same ones every time."""
        chance = random.Random(SEED)  # noqa: S311 - a sample, no secret
        for _ in range(count):
            yield tuple(
                self.fixed[axis] if axis in self.fixed else chance.randrange(len(axis_varied.values))
                for axis, axis_varied in enumerate(self.base.axes)
            )

    def _ends(self, axis: int) -> set[int]:
        last = len(self.base.axes[axis].values) - 1
        return {last // 2, last} - {self.first[axis]}

    def _shorter(self, *axes: int) -> int:
        lengths = [(len(self.base.axes[axis].values), axis) for axis in axes]
        return min((length, axis) for length, axis in lengths if length > 1 or len(lengths) == 1)[1]


def flaws(job: Job) -> dict[Flaw, Problem]:
    """Return the problems of a job by what they are about."""
    problems = (*job.problems, *network_problems(job))
    return {(problem.rule, problem.path, problem.harmless): problem for problem in problems}


def _plain(spec: TrainSpec) -> dict[str, Any]:
    return {name: value.value for name, value in spec.fields.items()}


def _at(plain: Mapping[str, Any], path: Path) -> Any:
    value = dig(plain, path)
    return TAKEN_AWAY if absent(value) else value


def _set(fields: dict[str, Value], path: Path, value: Any) -> None:
    """Set a part of a field, which is copied, or take it away."""
    name, *inner = path
    field_ = fields.get(str(name), Value({} if inner else None, (), "derived"))
    if not inner:
        if value is TAKEN_AWAY:
            fields.pop(str(name), None)
        else:
            fields[str(name)] = Value(value, field_.paths, field_.origin)
        return
    whole = copy.deepcopy(field_.value)
    parent = whole
    for key in inner[:-1]:
        parent = parent[key]
    if value is TAKEN_AWAY:
        del parent[inner[-1]]
    else:
        parent[inner[-1]] = value
    fields[str(name)] = Value(whole, field_.paths, field_.origin)
