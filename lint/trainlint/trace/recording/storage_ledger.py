# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The ledger: which storages live, what they are for, and the events in the order in which they happen.

A storage is followed through a weak reference; its address serves as a key only while it lives. Sizes are
the storages' own bytes: the allocator's rounding comes after the affine evaluation.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from trainlint.tape import Event
from trainlint.trace.recording.operator_cost import Cost
from trainlint.trace.recording.tensor_owners import ModuleScope, Owners, in_backward
from trainlint.trace.torch_private import address_of

TRANSIENT_KINDS = frozenset({"activations", "other"})
"""Kinds of what a step makes for itself."""
SMALLEST_BLOCK = 512
"""Bytes below which a block is a few numbers, a trainer's log: no leak, and no other course of a step."""
ALLOC, FREE, OP, MARK = (int(event) for event in Event)


@dataclass
class Birth:
    """One storage as recorded: bytes, label, owner, virtual GPU, allocator stream."""

    nbytes: int
    kind: str
    owner: str
    device: int
    stream: int


@dataclass
class Recording:
    """What one trace saw; `events` pairs an Event with an index into the matching list."""

    events: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[Birth] = field(default_factory=list)
    ops: list[tuple[Cost, int]] = field(default_factory=list)  # with the virtual GPU
    marks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def course(self) -> list[tuple[int, int, int]]:
        """Return (event, bytes, virtual GPU) of what is not just a few numbers, in its order."""
        blocks = [(event, self.blocks[index]) for event, index in self.events if event in (ALLOC, FREE)]
        return [
            (event, block.nbytes, block.device) for event, block in blocks if block.nbytes >= SMALLEST_BLOCK
        ]


class _Life(weakref.ref[Any]):
    """A weak reference to a storage that knows which block it is."""

    __slots__ = ("address", "index")
    index: int
    address: int


class StorageLedger:
    """One trace's storages and events; what a stage, an optimizer or a parallel mode writes into."""

    devices_matter = False
    """Set under DataParallel: operators then run on their inputs' virtual GPU, as CUDA's do, and say so."""

    def __init__(self) -> None:
        self.tape = Recording()
        self.owners = Owners()
        self.values: list[str] = []  # the modules that read a tensor's value
        self._live: dict[int, _Life] = {}
        self._op_index: dict[tuple[Cost, int], int] = {}
        self._mark_index: dict[str, int] = {}
        self._kind = ""
        self._owner = ""
        self._stream = 0
        self._inputs: int | None = None  # the virtual GPU of the inputs of the operator that runs
        self._closed = False

    @contextmanager
    def running(self, args: Sequence[Any]) -> Iterator[None]:
        """Run an operator on its inputs' virtual GPU.

        Scopes alone do not show it: a checkpoint's second forward, and a backward that is to be
        differentiated again, run under the caller's.
        """
        before = self._inputs
        self._inputs = self._device_of(args)
        try:
            yield
        finally:
            self._inputs = before

    def _device_of(self, value: Any) -> int | None:
        if isinstance(value, (list, tuple)):
            return next((device for device in map(self._device_of, value) if device is not None), None)
        life = self._live.get(address_of(value.untyped_storage())) if isinstance(value, Tensor) else None
        return None if life is None else self.tape.blocks[life.index].device

    def _device(self, scope: ModuleScope) -> int:
        return scope.device if self._inputs is None or self.owners.forced else self._inputs

    def births(self, result: Any) -> int:
        """Record the storages of a result that were not there before; returns how many tensors had one."""
        if isinstance(result, Tensor):
            return self.maybe_born(result)
        if isinstance(result, (list, tuple)):
            return sum(self.maybe_born(item) for item in result if isinstance(item, Tensor))
        return 0

    def maybe_born(self, tensor: Tensor) -> int:
        """Record a tensor's storage unless it is known or on the CPU; returns 1 where it was new."""
        if not tensor.is_meta:
            return 0
        storage = tensor.untyped_storage()
        if address_of(storage) in self._live:
            return 0
        size = storage.nbytes()
        if size:
            self.born(storage, size)
        return 1

    def born(self, storage: Any, nbytes: int) -> int:
        """Record a new storage under the current label and scope; returns its block."""
        backward = in_backward()
        scope = self.owners.scope(backward=backward)
        kind = self._kind or ("other" if backward else "activations")
        device = self._device(scope) if self.devices_matter else scope.device
        tape = self.tape
        index = len(tape.blocks)
        tape.blocks.append(Birth(nbytes, kind, self._owner or scope.owner, device, self._stream))
        tape.events.append((ALLOC, index))
        life = _Life(storage, self._died)
        life.index = index
        life.address = address = address_of(storage)
        self._live[address] = life
        return index

    def _died(self, life: _Life) -> None:
        if not self._closed:
            self.tape.events.append((FREE, life.index))
            del self._live[life.address]

    def resized(self, tensor: Tensor) -> None:
        """Record a storage that out= or resize_ made larger: the new block comes, then the old one goes."""
        storage = tensor.untyped_storage()
        life = self._live.get(address_of(storage))
        size = storage.nbytes()
        if life is None:
            self.maybe_born(tensor)
        elif self.tape.blocks[life.index].nbytes != size:
            self.born(storage, size)
            self.tape.events.append((FREE, life.index))

    def work(self, work: tuple[Cost, ...]) -> None:
        """Record the kernels of one operator."""
        if not work:
            return
        device = self._device(self.owners.scope()) if self.devices_matter else 0
        for cost in work:
            entry = (cost, device)
            index = self._op_index.get(entry)
            if index is None:
                index = self._op_index[entry] = len(self.tape.ops)
                self.tape.ops.append(entry)
            self.tape.events.append((OP, index))

    def adopt(self, tensor: Tensor, kind: str, owner: str = "") -> None:
        """Record a tensor that was made unseen; one that is known is only relabelled."""
        storage = tensor.untyped_storage()
        if address_of(storage) in self._live:
            self.relabel(tensor, kind, owner)
        elif tensor.is_meta and storage.nbytes():
            with self.label(kind, owner=owner):
                self.born(storage, storage.nbytes())

    def relabel(self, tensor: Tensor, kind: str, owner: str = "") -> None:
        """Change what a live storage is for, after the fact."""
        life = self._live.get(address_of(tensor.untyped_storage()))
        if life is not None:
            block = self.tape.blocks[life.index]
            block.kind = kind
            block.owner = owner or block.owner

    def owner_of(self, tensor: Tensor) -> str:
        """Return the owner of a live storage, "" for one that is not known."""
        life = self._live.get(address_of(tensor.untyped_storage()))
        return self.tape.blocks[life.index].owner if life is not None else ""

    def mark(self, name: str) -> None:
        """Name this moment."""
        index = self._mark_index.setdefault(name, len(self._mark_index))
        if index == len(self.tape.marks):
            self.tape.marks.append(name)
        self.tape.events.append((MARK, index))

    def note(self, text: str) -> None:
        """Keep a remark, once."""
        if text not in self.tape.notes:
            self.tape.notes.append(text)

    @contextmanager
    def label(self, kind: str, *, owner: str = "", stream: int = 0) -> Iterator[None]:
        """Label what is born inside."""
        before = (self._kind, self._owner, self._stream)
        self._kind, self._owner, self._stream = kind, owner, stream
        try:
            yield
        finally:
            self._kind, self._owner, self._stream = before

    def leak(self, first: int, second: int) -> tuple[str, int] | None:
        """Return who keeps what it makes in every step, and how many bytes; None where nobody does.

        `first` and `second` are the numbers of blocks before two equal steps. What each of them made and left
        behind, of one owner and one size, is no cache and no last output: it grows.
        """
        kept: list[Counter[tuple[str, int]]] = [Counter(), Counter()]
        for life in self._live.values():
            block = self.tape.blocks[life.index]
            if life.index >= first and block.kind in TRANSIENT_KINDS and block.nbytes >= SMALLEST_BLOCK:
                kept[life.index >= second][block.owner, block.nbytes] += 1
        both = kept[0] & kept[1]
        if not both:
            return None
        (owner, _), _ = max(both.items(), key=lambda item: item[0][1] * item[1])
        return owner, sum(nbytes * count for (_, nbytes), count in both.items())

    def close(self) -> Recording:
        """Stop following storages; what still lives has no FREE."""
        self._closed = True
        self._live.clear()
        return self.tape
