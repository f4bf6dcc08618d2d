# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Loaders: every DataLoader works in this process, without pinning, and with the batch that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from functools import wraps
from typing import Any

from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader

from trainlint.trace.dry_run.samples.full_batches import FullBatches
from trainlint.trace.dry_run.torch_names import LoaderIterator, as_worker, index_sampler

FEWEST_SHAPES = 2
MOST_WRAPPED = 4
"""Samplers that are looked into, each in another one."""
PATIENCE = 100
"""Times that a loader ends at once after which no batch is waited for any longer."""


class Loaders:
    """The loaders of one run; `sizes` are their batches before they were scaled and after."""

    def __init__(
        self, wanted: Mapping[str, Any] | None, starved: Callable[[str], None], full: FullBatches
    ) -> None:
        self.wanted = wanted or {}
        self.full = full
        self.starved = starved
        """Told that the program goes round and round over a loader without a batch."""
        self.delivers: Callable[[], None] = lambda: None
        """Called at each batch."""
        self._ended = 0
        self.is_recorded: Callable[[], bool] = lambda: False
        self.ended_early = False
        """Whether a loader ended while steps were recorded: they may have seen no next batch."""
        self.sizes: list[tuple[int, int]] = []
        self.delivered: Counter[int] = Counter()
        """How many batches of each size came."""
        self.learned: Counter[int] = Counter()
        """Before how many backwards each size came: those of a long validation before one at most."""
        self._new: set[int] = set()
        self.shapes: dict[tuple[tuple[int, ...], ...], None] = {}
        """The shapes of what came, without the batch, in their order."""
        self._for_workers: set[int] = set()
        """Datasets that were given to loaders with workers: some look for the worker that they are in."""

    def scaled(self, size: int) -> int:
        """Return the batch in the place of one that the program asks for.

        One sample at a time is a validation's, unless it trains so: then it is set, and larger ones stay.
        """
        if "set" in self.wanted:
            return int(self.wanted["set"]) if size == 1 else size
        return size if size == 1 else max(1, round(size * float(self.wanted.get("scale", 1))))

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        return [
            (DataLoader, "__init__", self._loader(DataLoader.__init__)),
            (BatchSampler, "__init__", self._sampler(BatchSampler.__init__)),
            (LoaderIterator, "__next__", self._counted(LoaderIterator.__next__)),
            *self.full.replacements(),
        ]

    def _loader(self, made: Callable[..., None]) -> Callable[..., None]:
        @wraps(made)
        def init(loader: Any, dataset: Any, batch_size: Any = 1, *args: Any, **kwargs: Any) -> None:
            names = ("shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory")
            kwargs.update(zip(names, args))  # noqa: B905 - Python 3.9
            if kwargs.get("num_workers"):
                self._for_workers.add(id(dataset))
            kwargs.update(num_workers=0, pin_memory=False)
            for name in ("prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context"):
                kwargs.pop(name, None)
            if (
                isinstance(batch_size, int)
                and not isinstance(batch_size, bool)
                and kwargs.get("batch_sampler") is None
            ):
                batch_size = self._noted(batch_size)
            _in_sampler.depth += 1  # the sampler that it makes has the scaled batch already
            try:
                made(loader, dataset, batch_size, **kwargs)
            finally:
                _in_sampler.depth -= 1

        return init

    def _sampler(self, made: Callable[..., None]) -> Callable[..., None]:
        @wraps(made)
        def init(sampler: Any, base: Any, batch_size: int, drop_last: bool = False) -> None:
            made(sampler, base, batch_size if _in_sampler.depth else self._noted(batch_size), drop_last)

        return init

    def _counted(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        def following(iterator: Any) -> Any:
            dataset = iterator._dataset  # noqa: SLF001 - what it loads
            try:
                with as_worker(dataset) if id(dataset) in self._for_workers else nullcontext():
                    batch = truth(iterator)
            except StopIteration:
                self._notice(iterator)
                raise
            self.delivers()
            size = _batch_of(index_sampler(iterator)) or _samples(batch)
            if size:
                self.delivered[size] += 1
                self._new.add(size)
            self.shapes[tuple(_shapes(batch))] = None
            return batch

        return following

    def begin_backward(self) -> None:
        """Take what came since the last backward for what is learned from, each size once."""
        self.learned.update(self._new)
        self._new.clear()

    def _notice(self, iterator: Any) -> None:
        """Notice the end of a loader: one that drops the last, smaller batch may have had no other."""
        self._ended += 1
        self.ended_early = self.ended_early or not self.is_recorded()
        sampler = index_sampler(iterator)
        if self.delivered or self._ended < PATIENCE or not hasattr(sampler, "batch_size"):
            return
        count, size = len(sampler.sampler), sampler.batch_size
        self.starved(
            f"its loader is empty: {count} samples make no batch of {size}, and a smaller one is dropped"
        )

    @property
    def batch(self) -> int | None:
        """Return the batch that most steps learned from, None where no loader delivered any."""
        most = (self.learned or self.delivered).most_common(1)
        return most[0][0] if most else None

    def varying(self) -> list[str]:
        """Say where the shapes follow from the samples, as where texts are padded to the longest one."""
        if len(self.shapes) < FEWEST_SHAPES:
            return []
        first, *rest = self.shapes
        words = " and ".join("x".join(map(str, shape)) or "a number" for shape in first)
        count = len(rest) + 1
        return [f"batches of {count} shapes came, the first one of {words}: the tape is of these samples"]

    def _noted(self, size: int) -> int:
        scaled = self.scaled(size)
        self.sizes.append((size, scaled))
        return scaled


def _shapes(batch: Any) -> Iterator[tuple[int, ...]]:
    """Yield the shapes of the tensors in a batch, without their first dimension."""
    if isinstance(batch, Tensor):
        yield tuple(batch.shape[1:])
    for item in _items(batch):
        yield from _shapes(item)


def _batch_of(sampler: Any) -> int | None:
    """Return the batch of a sampler, or of the one that it wraps: that repeats for ever, or takes a share."""
    for _ in range(MOST_WRAPPED):
        size = getattr(sampler, "batch_size", None)
        if isinstance(size, int):
            return size
        sampler = getattr(sampler, "batch_sampler", None) or getattr(sampler, "sampler", None)
    return None


def _samples(batch: Any) -> int:
    """Return the samples in the first tensor of a batch."""
    if isinstance(batch, Tensor):
        return batch.shape[0] if batch.dim() else 0
    return next((count for count in map(_samples, _items(batch)) if count), 0)


def _items(batch: Any) -> Iterable[Any]:
    if isinstance(batch, Mapping):
        return batch.values()
    return batch if isinstance(batch, (list, tuple)) else ()


class _Depth:
    depth = 0


_in_sampler = _Depth()
