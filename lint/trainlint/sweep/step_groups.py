# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The distinct steps of a sweep in one reading: what shapes a tape, and the shares of the samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.card import Share, share_of
from trainlint.estimate.several_batches import Several
from trainlint.model.facts import Facts
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec
from trainlint.sweep.rule_table import Classes, classes_by
from trainlint.sweep.swept_factors import Factors, Indices
from trainlint.tape.step import key_of, step_of

SHARE_FIELDS: Final = ("batch.per_replica", "batch.per_process", "parallel", "gpus", "data.pool_size")
"""Fields of which a step's share of the samples is made."""
BESIDE_THE_STEP: Final = (
    "cudnn_benchmark", "stages", UNCOUNTED_FIELD, "tf32", "compile", "gpus", "parallel",
    "validation.every", "validation.height", "validation.width", "validation.tile", "validation.overlap",
    "validation.sets", "resume",
)  # fmt: skip
"""Fields that an estimate reads besides the step and the share."""


class Group:
    """A reading's distinct steps; `results` are filled in when they are estimated."""

    def __init__(self, factors: Factors, reading: int) -> None:
        self.factors, self.reading, self.job = factors, reading, factors.jobs[reading]
        self.results: Mapping[Indices, Several] = {}
        self.steps: dict[Indices, tuple[TrainSpec, list[Share]]] = {}
        self._cells: dict[Indices, tuple[Indices, int]] = {}
        self._unknown: dict[Indices, CannotTraceError] = {}
        sizes = [len(axis.values) for axis in factors.base.axes]
        shapes = classes_by(factors.free, sizes, lambda axis, index: _shape(self._single(axis, index)))
        self.classes = classes_by(
            factors.free,
            sizes,
            lambda axis, index: (
                shapes.of[axis][index] if axis in shapes.of else 0,
                _share(self._single(axis, index)),
            ),
        )
        self._gather(shapes)

    def _single(self, axis: int, index: int) -> TrainSpec:
        first = self.factors.first
        return self.factors.spec(self.reading, (*first[:axis], index, *first[axis + 1 :]))

    def _gather(self, shapes: Classes) -> None:
        numbers: dict[tuple[Indices, Share], int] = {}
        for key, whole in self.cells():
            spec = self.factors.spec(self.reading, whole)
            try:
                share = share_of(spec)
            except CannotTraceError as error:
                self._unknown[key] = error
                continue
            step = shapes.key(whole)
            shares = self.steps.setdefault(step, (spec, []))[1]
            if (step, share) not in numbers:
                numbers[step, share] = len(shares)
                shares.append(share)
            self._cells[key] = step, numbers[step, share]

    def cells(self) -> Iterator[tuple[Indices, Indices]]:
        """Yield each combination of classes with a whole combination that has them."""
        for key, chosen in self.classes:
            yield key, self.classes.whole(self.factors.first, chosen)

    def at(self, key: Indices) -> tuple[Several, int]:
        """Return what was estimated for a combination of classes, and where in it."""
        if key in self._unknown:
            error = self._unknown[key]
            names = ("memory", "time", "disk", "host")
            return Several(Facts(missing=dict.fromkeys(names, error.reason)), (error,), ()), 0
        step, number = self._cells[key]
        return self.results[step], number

    def class_of(self, axis: int, index: int) -> int:
        """Return the class of a value."""
        return self.classes.number(axis, index)


def _shape(spec: TrainSpec) -> tuple[str, str]:
    return key_of(step_of(spec)), repr([spec.get(name) for name in BESIDE_THE_STEP])


def _share(spec: TrainSpec) -> str:
    return repr([spec.get(name) for name in SHARE_FIELDS])
