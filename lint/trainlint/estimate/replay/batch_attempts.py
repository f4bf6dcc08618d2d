# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Attempts: one batch of a ledger, replayed at several capacities on the allocator that the run has."""

from __future__ import annotations

from typing import Final, Protocol

from msgspec.structs import replace

from trainlint.estimate.replay.capacity_replay import CapacityReplay
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, kept
from trainlint.estimate.replay.replay_engine import engine_for
from trainlint.estimate.replay.replay_script import replay as played
from trainlint.estimate.replay.replay_script import script
from trainlint.estimate.replay.slot_program import SlotProgram, slot_program
from trainlint.estimate.replay.workspace import Libraries

KEPT_BATCHES: Final = 12
"""Batches of a ledger whose attempts are kept, some 0.3 MB each: the search for the largest one asks for as
many, and asks again for the next target with the same libraries."""
EVENTS: Final = 600_000
"""Allocations and frees of these together above which no more than two batches are kept: 16 bytes each."""


class Ran(Protocol):
    """What a replay shows: most bytes of segments at any moment, and what it may have as far as it grew."""

    @property
    def peak_reserved(self) -> int:
        """Bytes of segments."""

    @property
    def capacity(self) -> int | None:
        """Bytes of segments, None: no limit."""


class Attempts(Protocol):
    """One batch of a ledger."""

    @property
    def one_way(self) -> bool:
        """Whether cuDNN takes nothing, so that it is the same with its workspaces."""

    def replay(self, capacity: int | None = None, *, grow: bool = False) -> Ran:
        """Replay it without cuDNN's workspaces on `capacity` bytes of segments; raises OutOfMemory."""

    def reserved(self, most: int) -> int | None:
        """Return the bytes that this reserves when nothing limits it, None where more than `most`."""

    def loaded(self) -> int:
        """Return the bytes that are reserved with cuDNN's workspaces when nothing limits them."""

    def loaded_within(self, most: int) -> int | None:
        """Return the same, None where more than `most`."""


class Native:
    """The fast replay."""

    def __init__(self, program: SlotProgram, samples: Samples, *, expandable: bool) -> None:
        self._plain, self._branch = program.replays(samples, expandable=expandable)
        self.one_way = program.one_way
        self._branched: CapacityReplay | None = None
        self.replay = self._plain.replay

    def reserved(self, most: int) -> int | None:
        """Return the bytes that are reserved when nothing limits them, None where more than `most`."""
        return self._plain.reserved(most)

    def loaded(self) -> int:
        """Return the same with cuDNN's workspaces."""
        return self._with_cudnn.unlimited()

    def loaded_within(self, most: int) -> int | None:
        """Return the same, None where more than `most`."""
        return self._with_cudnn.reserved(most)

    @property
    def _with_cudnn(self) -> CapacityReplay:
        if self._branched is None:
            self._branched = self._branch()
        return self._branched


class Expanded:
    """The allocator with expandable segments, where no engine has them."""

    def __init__(self, ledger: Ledger, samples: Samples, libraries: Libraries) -> None:
        self._scripts = [script(ledger, libraries, cudnn=cudnn) for cudnn in (False, True)]
        self._sizes = self._scripts[1].sizes(ledger, samples)
        self.one_way = False

    def replay(self, capacity: int | None = None, *, grow: bool = False, cudnn: bool = False) -> Ran:
        """Replay it."""
        from trainlint.estimate.replay.expandable import ExpandableAllocator  # noqa: PLC0415 - seldom asked for

        to = ExpandableAllocator(capacity, grow=grow)
        played(self._scripts[cudnn], self._sizes, to)
        return to

    def reserved(self, most: int) -> int | None:
        """Return the bytes that are reserved when nothing limits them, None where more than `most`."""
        reserved = self.replay().peak_reserved
        return reserved if reserved <= most else None

    def loaded(self) -> int:
        """Return the same with cuDNN's workspaces."""
        return self.replay(cudnn=True).peak_reserved

    def loaded_within(self, most: int) -> int | None:
        """Return the same, None where more than `most`."""
        reserved = self.loaded()
        return reserved if reserved <= most else None


@kept
def _known(ledger: Ledger, libraries: Libraries) -> dict[Samples, Attempts]:  # noqa: ARG001 - `kept` keys by it
    """Return the attempts that are kept, the oldest first."""
    return {}


def attempts(ledger: Ledger, samples: Samples, libraries: Libraries) -> Attempts:
    """Return the attempts at a ledger with these samples, on the allocator that the run has."""
    known = _known(ledger, libraries)
    if samples not in known:
        most = max(2, min(KEPT_BATCHES, EVENTS // max(1, len(ledger.program))))
        if len(known) >= most:
            del known[next(iter(known))]
        known[samples] = _attempts(ledger, samples, libraries)
    return known[samples]


def _attempts(ledger: Ledger, samples: Samples, libraries: Libraries) -> Attempts:
    program = slot_program(ledger, replace(libraries, expandable=False))  # which changes no event
    if libraries.expandable and not engine_for(program.table(samples)).EXPANDS:
        return Expanded(ledger, samples, libraries)
    return Native(program, samples, expandable=libraries.expandable)
