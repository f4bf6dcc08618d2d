# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Full batches: the last one of an epoch is filled with samples that came before.

A step that is recorded would otherwise be that of a few samples, where the data here has few. Validations
stay as they are: programs put their results where the data set's length says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import cycle, islice
from typing import Any, Final

from torch.utils.data import BatchSampler, SequentialSampler

AS_IT_IS: Final = "none"
"""No batch is filled."""
ALL: Final = "all"
"""A batch is made where there are too few samples for one and a smaller one is dropped, too."""


LEAST: Final = 4
"""Batches of an epoch of made-up data at least: two that are recorded, and those that are loaded ahead."""


class FullBatches:
    """Fills the batches of a run's loaders; `wanted` says which, `trains` whether the program trains.

    With ALL an epoch has as many batches of `times` the samples as of its own, and `least` at least.
    """

    def __init__(
        self, wanted: str, trains: Callable[[], bool], *, times: float = 1.0, least: int = 0
    ) -> None:
        self.wanted, self.trains, self.times, self.least = wanted, trains, times, least
        self.short: tuple[int, int] | None = None
        """Samples of a data set that are fewer than its batch, and the batch."""

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        return [
            (BatchSampler, "__iter__", self._filled(BatchSampler.__iter__)),
            (BatchSampler, "__len__", self._counted(BatchSampler.__len__)),
        ]

    def _filled(self, truth: Callable[..., Iterator[list[int]]]) -> Callable[..., Iterator[list[int]]]:
        @wraps(truth)
        def batches(sampler: Any) -> Iterator[list[int]]:
            seen: list[int] = []
            count = 0
            for batch in truth(sampler):
                whole = self._whole(sampler, batch, seen)
                seen += batch
                count += 1
                yield whole
            missing = self._batches(sampler) - count
            if missing > 0:
                samples = seen or list(sampler.sampler)
                if not count:
                    self.short = (len(samples), sampler.batch_size)
                endless = cycle(samples)
                for _ in range(missing):
                    yield list(islice(endless, sampler.batch_size))

        return batches

    def _whole(self, sampler: Any, batch: list[int], seen: list[int]) -> list[int]:
        """Return a batch, filled where it lacks samples in training."""
        lacking = sampler.batch_size - len(batch)
        if lacking <= 0 or not (_is_shuffled(sampler) or self.trains()):
            return batch
        if not seen:
            self.short = (len(batch), sampler.batch_size)
        return batch if self.wanted == AS_IT_IS else [*batch, *islice(cycle(seen or batch), lacking)]

    def _counted(self, truth: Callable[..., int]) -> Callable[..., int]:
        @wraps(truth)
        def length(sampler: Any) -> int:
            return max(truth(sampler), self._batches(sampler))

        return length

    def _batches(self, sampler: Any) -> int:
        """Return how many batches an epoch has to have at least."""
        if self.wanted != ALL or not _is_shuffled(sampler) or not hasattr(sampler.sampler, "__len__"):
            return 0
        samples: int = len(sampler.sampler)
        own: int = max(1, round(sampler.batch_size / self.times))
        if not samples:
            return 0
        return max(1, self.least, samples // own if sampler.drop_last else -(-samples // own))


def _is_shuffled(sampler: Any) -> bool:
    return not isinstance(sampler.sampler, SequentialSampler)
