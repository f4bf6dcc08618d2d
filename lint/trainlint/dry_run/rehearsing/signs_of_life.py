# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What runs under way are doing, in one line: several run at once, and each writes how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic

from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes
from trainlint.model.units import plural
from trainlint.trace.dry_run.pulse import FILE

NUMBERS_OF_SIGN = 3
"""Numbers of a sign: batches that were loaded, forwards, steps that are done."""
MOST_SIGN_BYTES = 100
AFTER_S = 2
"""Seconds from which on they are said."""


class UnderWay:
    """The runs that are under way; `show` gets a line when it changes, "" when none is."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._lines: dict[str, str] = {}
        self._lock = Lock()

    @contextmanager
    def run(self, name: str) -> Iterator[Callable[[Path], None]]:
        """Show a run until it is over; the function that is given looks how far it is."""
        begun = monotonic()
        self._set(name, name)

        def look(out: Path) -> None:
            seconds = int(monotonic() - begun)
            how_far = far(out)
            self._set(name, f"{name}: {how_far}, {seconds} s" if seconds >= AFTER_S else name)

        try:
            yield look
        finally:
            with self._lock:
                self._lines.pop(name, None)
                self._show("; ".join(self._lines.values()))

    def _set(self, name: str, line: str) -> None:
        with self._lock:
            if self._lines.get(name) != line:
                self._lines[name] = line
                self._show("; ".join(self._lines.values()))


def far(out: Path) -> str:
    """Say how far the run is that writes into a folder; the program itself may write anything there."""
    try:
        numbers = [int(word) for word in regular_bytes(str(out / FILE), MOST_SIGN_BYTES).split()]
    except (OSError, ValueError, UnreadableError):
        numbers = []
    if len(numbers) != NUMBERS_OF_SIGN:
        return "imports"
    batches, forwards, steps = numbers
    if steps:
        return f"step {steps + 1}"
    if forwards:
        return f"{plural(forwards, 'forward')} before step 1 is done"
    return f"{batches} batches loaded before step 1"
