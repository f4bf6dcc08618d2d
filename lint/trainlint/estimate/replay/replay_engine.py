# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The engine of a replay: in C where trainlint was installed with a compiler, else in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

MOST_BYTES: Final = 2**48
"""Bytes (256 TiB) of the largest request that is replayed, and of all addresses: the replay in Python packs
these into 44 bits, that in C takes no larger request."""

MOST_LIVE: Final = MOST_BYTES // 16
"""Bytes of live tensors (16 TiB) from which nothing is replayed: no hundred cards hold them, and what
is reserved for them, a few times as much, still has addresses."""


class Playback(Protocol):
    """One run of events through the allocator, with its figures in bytes; pure_replay has the meanings."""

    @property
    def peak(self) -> int:
        """Most units of segments at any moment."""

    @property
    def peak_reserved(self) -> int:
        """Most bytes of segments at any moment."""

    @property
    def capacity(self) -> int | None:
        """Bytes of segments that it may have, as far as it grew."""

    def copy(self, limit: int | None, *, grow: bool = False, stop: bool = False) -> Playback:
        """Return the same state under another limit."""

    def run(self, events: Sequence[int], first: int, last: int, /) -> int:
        """Play events and return where it ended; raises OutOfMemory."""

    def empty_cache(self) -> None:
        """Release every segment that is free as a whole."""


class Engine(Protocol):
    """A module that replays."""

    @property
    def EXPANDS(self) -> bool:  # noqa: N802 - a module's constant
        """Whether it replays expandable segments."""

    def start(
        self,
        sizes: Sequence[int],
        streams: Sequence[int],
        limit: int | None,
        rows: Sequence[int] | None = None,
        *,
        expandable: bool = False,
    ) -> Playback:
        """Return a run of slots with these rounded bytes and streams, in which nothing has happened yet.

        With `rows` sizes and streams are by row, of which each slot has one.
        """

    def events(self, numbers: Iterable[int]) -> Sequence[int]:
        """Return events in the form that `run` plays fastest."""


def _slow() -> Engine:
    from trainlint.estimate.replay import pure_replay  # noqa: PLC0415 - mostly not needed

    return pure_replay


def _fastest() -> Engine:
    try:
        from trainlint.estimate.replay import native_replay  # noqa: PLC0415 - may not be there
    except ImportError:
        return _slow()
    return native_replay


FASTEST: Final = _fastest()


def engine_for(sizes: Sequence[int]) -> Engine:
    """Return the fastest engine that replays requests of these bytes."""
    return FASTEST if max(sizes, default=0) <= MOST_BYTES else _slow()
