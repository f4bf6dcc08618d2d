# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tapes that were asked for: those that were traced, and the last used of those that can be had again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.estimate.tapes.stored_profiles import speaks_for
from trainlint.tape import EVERY_BATCH, Tape

TAPES: Final = 24
"""Tapes that a run over many files keeps besides those that it traced, the last ones used: one takes some
2 MB, and a job has up to six (readings, validation, one sample)."""
JOB: Final = 4
EVENTS: Final = 500_000
"""Events of these tapes above which no more are kept than a job mostly has: one takes 22 bytes, and to keep
more tapes of 500 configs of the corpus saved one of 125 that are read."""


class KeptTapes:
    """Tapes by the key of their step; `most` of those that can be had again, or all of them (None)."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self._tapes: dict[str, list[Tape]] = {}
        self._again: dict[int, tuple[str, Tape]] = {}
        self._without_single: set[str] = set()

    def __iter__(self) -> Iterator[Tape]:
        return (tape for tapes in self._tapes.values() for tape in tapes)

    def add(self, key: str, tape: Tape, *, again: bool) -> None:
        """Keep a tape; `again` says that it can be had again without a trace."""
        self._tapes.setdefault(key, []).append(tape)
        if again and self.most is not None:
            self._again[id(tape)] = key, tape
            self._make_room(self.most)

    def note_no_single(self, key: str) -> None:
        """Note that there is no tape of one sample of a step: every batch's will do."""
        self._without_single.add(key)

    def _make_room(self, most: int) -> None:
        """Forget the tapes that were used longest ago, as long as there are too many."""
        events = sum(len(tape.events) for _, tape in self._again.values())
        while len(self._again) > most or (events > EVENTS and len(self._again) > JOB):
            old, gone = self._again.pop(next(iter(self._again)))
            events -= len(gone.events)
            self._tapes[old] = [kept for kept in self._tapes[old] if kept is not gone]

    def get(self, key: str, batch: int) -> Tape | None:
        """Return the tape that speaks for a batch; None where none is kept."""
        tapes = [tape for tape in self._tapes.get(key, ()) if speaks_for(tape, batch)]
        if batch < EVERY_BATCH and key not in self._without_single:
            tapes = [tape for tape in tapes if tape.batches]
        known = next(iter(tapes), None)
        if known is not None and id(known) in self._again:
            self._again[id(known)] = self._again.pop(id(known))  # the last one used
        return known
