# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Loaders: every DataLoader works in this process, without pinning, and with the batch that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from torch import Tensor
from torch.utils.data import BatchSampler, DataLoader

from trainlint.trace.dry_run.torch_names import LoaderIterator, index_sampler


class Loaders:
    """The loaders of one run; `sizes` are their batches before they were scaled and after."""

    def __init__(self, wanted: Mapping[str, Any] | None) -> None:
        self.wanted = wanted or {}
        self.sizes: list[tuple[int, int]] = []
        self.delivered: Counter[int] = Counter()
        """How many batches of each size came."""

    def scaled(self, size: int) -> int:
        """Return the batch in the place of one that the program asks for."""
        if "set" in self.wanted:
            return int(self.wanted["set"]) if size > 1 else size
        return max(1, round(size * float(self.wanted.get("scale", 1))))

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        return [
            (DataLoader, "__init__", self._loader(DataLoader.__init__)),
            (BatchSampler, "__init__", self._sampler(BatchSampler.__init__)),
            (LoaderIterator, "__next__", self._counted(LoaderIterator.__next__)),
        ]

    def _loader(self, made: Callable[..., None]) -> Callable[..., None]:
        @wraps(made)
        def init(loader: Any, dataset: Any, batch_size: Any = 1, *args: Any, **kwargs: Any) -> None:
            names = ("shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory")
            kwargs.update(zip(names, args))  # noqa: B905 - Python 3.9
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
            found = truth(iterator)
            size = getattr(index_sampler(iterator), "batch_size", None)
            size = size if isinstance(size, int) else _samples(found)
            if size:
                self.delivered[size] += 1
            return found

        return following

    @property
    def batch(self) -> int | None:
        """Return the batch that came most often, None where no loader delivered any."""
        most = self.delivered.most_common(1)
        return most[0][0] if most else None

    def _noted(self, size: int) -> int:
        scaled = self.scaled(size)
        self.sizes.append((size, scaled))
        return scaled


def _samples(batch: Any) -> int:
    """Return the samples in the first tensor of a batch."""
    if isinstance(batch, Tensor):
        return batch.shape[0] if batch.dim() else 0
    items = (
        batch.values() if isinstance(batch, Mapping) else batch if isinstance(batch, (list, tuple)) else ()
    )
    return next((count for count in map(_samples, items) if count), 0)


class _Depth:
    depth = 0


_in_sampler = _Depth()
