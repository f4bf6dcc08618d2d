# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sign of life: how far the program is, in a file that is read while it runs."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Final

FILE: Final = "pulse.txt"
EVERY_S: Final = 1.0
"""Seconds between two writings."""


class Pulse:
    """Counts what the program does, and writes it down now and then."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.batches = self.forwards = self.rounds = 0
        self._next = 0.0

    def beat(self) -> None:
        """Write down how far it is, unless that was done a moment ago."""
        now = monotonic()
        if now >= self._next:
            self._next = now + EVERY_S
            self.path.write_text(f"{self.batches} {self.forwards} {self.rounds}\n", encoding="ascii")

    def batch(self) -> None:
        """Count a batch that was loaded."""
        self.batches += 1
        self.beat()

    def forward(self) -> None:
        """Count a forward of a whole network."""
        self.forwards += 1
        self.beat()

    def round_over(self, count: int) -> None:
        """Keep how many steps are done."""
        self.rounds = count
        self.beat()
