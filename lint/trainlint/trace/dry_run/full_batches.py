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


class FullBatches:
    """Fills the batches of a run's loaders; `wanted` says which, `trains` whether the program trains."""

    def __init__(self, wanted: str, trains: Callable[[], bool]) -> None:
        self.wanted, self.trains = wanted, trains
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
            first: list[int] | None = None
            for batch in truth(sampler):
                lacking = sampler.batch_size - len(batch)
                if lacking > 0 and self._is_training(sampler):
                    if first is None:
                        self.short = (len(batch), sampler.batch_size)
                    if self.wanted != AS_IT_IS:
                        batch = [*batch, *islice(cycle(first or batch), lacking)]  # noqa: PLW2901 - the same, filled
                first = first or batch
                yield batch
            if first is None and self._makes_one(sampler):
                samples = list(sampler.sampler)
                self.short = (len(samples), sampler.batch_size)
                yield list(islice(cycle(samples), sampler.batch_size))

        return batches

    def _counted(self, truth: Callable[..., int]) -> Callable[..., int]:
        @wraps(truth)
        def length(sampler: Any) -> int:
            return truth(sampler) or int(self._makes_one(sampler))

        return length

    def _is_training(self, sampler: Any) -> bool:
        return not isinstance(sampler.sampler, SequentialSampler) or self.trains()

    def _makes_one(self, sampler: Any) -> bool:
        """Return whether a batch is made of fewer samples that would be dropped."""
        shuffled = not isinstance(sampler.sampler, SequentialSampler)
        return self.wanted == ALL and sampler.drop_last and shuffled and len(sampler.sampler) > 0
