# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a crash may come of that the real machine has not: a guessed value, weights that are not there."""

from __future__ import annotations

import sys
import traceback
from typing import Final, NamedTuple

from trainlint.trace.dry_run.program_place import Place

NEAREST: Final = 4
"""Of a place of the program's data and its callers, those that are still about its data."""
LINES_AFTER: Final = 5
"""Lines after its place in which a crash is taken to come of a doubt."""


class Doubt(NamedTuple):
    """Something that was made up, where it was read and what called that (innermost first).

    `named` is what an error calls it, `sentinel` the class of what it was given instead.
    """

    places: tuple[Place, ...]
    reason: str
    named: str = ""
    sentinel: str = ""
    lines: int = LINES_AFTER
    """Lines after one of its places in which an error may come of it."""

    def led_to(self, error: BaseException, frames: traceback.StackSummary) -> bool:
        """Return whether an error may come of it: it names it, or its place goes on to it.

        An assertion is about values, however far it is from where they were read.
        """
        if any(word and word in str(error) for word in (self.named, self.sentinel)):
            return True
        if not self.places or not frames:
            return False
        most = sys.maxsize if isinstance(error, AssertionError) else self.lines
        return any(_follows(frame, self.places[0], LINES_AFTER) for frame in frames) or any(
            _follows(frames[-1], place, most) for place in self.places
        )


def _follows(frame: traceback.FrameSummary, place: Place, most: int) -> bool:
    """Return whether a frame is at a place, or so many lines after it at most."""
    same = (frame.filename, frame.name) == (place.file, place.function)
    return same and 0 <= (frame.lineno or 0) - place.line <= most
