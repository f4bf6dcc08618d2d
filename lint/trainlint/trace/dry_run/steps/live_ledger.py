# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The ledger of a program that runs for long: what lives now, the highest moment, and stretches left out.

Rounds after the second repeat it; while the ledger is paused storages are followed without events, and what
changed meanwhile is said in one go when it goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from trainlint.errors import CannotTraceError
from trainlint.trace.recording.storage_ledger import ALLOC, FREE, StorageLedger
from trainlint.trace.torch_private import address_of

BLOCK = 512
"""Bytes to which torch's allocator rounds."""
SPARSE = "it has a sparse tensor on the GPU, of which a dry run knows no shapes"
"""What is said of it: torch has hardly an operator for one on meta, and CUDA's take room of their own."""


class LiveLedger(StorageLedger):
    """A ledger with a running sum, for several threads."""

    def __init__(self) -> None:
        super().__init__()
        self.live = 0
        self.peak = 0
        self.paused = False
        self.is_streamed = False
        """Whether anything was made under a stream of the program's own, as what loads ahead does."""
        self._lock = threading.RLock()
        self._late: dict[int, None] = {}  # blocks that were born while nothing was recorded, and live
        self._gone: list[int] = []

    def maybe_born(self, tensor: Any) -> int:
        """Record a tensor's storage unless it is known or on the CPU; one that is sparse has none."""
        if tensor.is_meta and tensor.layout is not torch.strided:
            raise CannotTraceError(SPARSE)
        return super().maybe_born(tensor)

    def born(self, storage: Any, nbytes: int) -> int:
        """Record a storage, and count it."""
        with self._lock:
            index = super().born(storage, nbytes)
            self.live += self._counted(index)
            self.peak = max(self.peak, self.live)
            if self.paused:
                self._forget(ALLOC, index)
                self._late[index] = None
            return index

    def _died(self, life: Any) -> None:
        if not self._closed:
            with self._lock:
                del self._live[life.address]
                self._freed(life.index)

    def _freed(self, index: int) -> None:
        self.live -= self._counted(index)
        if not self.paused:
            self.tape.events.append((FREE, index))
        elif index in self._late:
            del self._late[index]
        else:
            self._gone.append(index)

    def resized(self, tensor: Any) -> None:
        """Record a storage that out= or resize_ made larger."""
        storage = tensor.untyped_storage()
        if self.knows(address_of(storage)):
            self.storage_resized(storage, storage.nbytes())
        else:
            self.maybe_born(tensor)

    def storage_resized(self, storage: Any, nbytes: int) -> None:
        """Record a storage of another size: the new block comes, then the old one goes.

        FSDP empties what it gathered and fills it again, and the storage stays the same one.
        """
        with self._lock:
            life = self._live.pop(address_of(storage), None)
            if life is not None and self.tape.blocks[life.index].nbytes == nbytes:
                self._live[life.address] = life
                return
            if nbytes:
                self.born(storage, nbytes)
            if life is not None:
                self._freed(life.index)

    def _counted(self, index: int) -> int:
        """Return the bytes that a block takes on the first GPU, in the allocator's blocks."""
        block = self.tape.blocks[index]
        return 0 if block.device else -(-block.nbytes // BLOCK) * BLOCK

    def _forget(self, kind: int, index: int) -> None:
        if self.tape.events[-1] == (kind, index):
            self.tape.events.pop()
        else:
            self.tape.events.remove((kind, index))

    def work(self, work: Any) -> None:
        """Record kernels unless it is paused."""
        if not self.paused:
            super().work(work)

    def mark(self, name: str) -> None:
        """Name this moment unless it is paused."""
        if not self.paused:
            super().mark(name)

    @contextmanager
    def streaming(self, stream: int) -> Iterator[None]:
        """Make what is born inside come from a stream's pool; its other labels stay."""
        before, self._stream = self._stream, stream
        self.is_streamed = self.is_streamed or stream != 0
        try:
            yield
        finally:
            self._stream = before

    def pause(self) -> None:
        """Record no events from here on."""
        self.paused = True

    def resume(self) -> None:
        """Record events again: first what came and went meanwhile."""
        with self._lock:
            self.paused = False
            self.tape.events += [(FREE, index) for index in self._gone]
            self.tape.events += [(ALLOC, index) for index in self._late]
            self._gone, self._late = [], {}

    def restart_peak(self) -> int:
        """Return the highest moment since the last restart, and begin again from now."""
        highest, self.peak = self.peak, self.live
        return highest

    def knows(self, address: int) -> bool:
        """Return whether a storage is followed."""
        return address in self._live

    def block_of(self, address: int) -> int:
        """Return the block of a storage, -1 for one that is not followed."""
        life = self._live.get(address)
        return -1 if life is None else life.index

    def kind_of(self, address: int) -> str:
        """Return what a storage is for, "" for one that is not followed."""
        life = self._live.get(address)
        return self.tape.blocks[life.index].kind if life is not None else ""
